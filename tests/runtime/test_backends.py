import pytest

from minijax.base.errors import BackendError
from minijax.runtime import backends, get_backend, lowering_platform
from minijax.runtime.backends import _platform_of, find_plugins
from tests.runtime.processes import run


def test_cpu_is_there_and_the_same_each_time():
    assert get_backend("cpu") is get_backend()
    assert list(backends()) == ["cpu"]
    assert lowering_platform(get_backend()) == "cpu"


def test_unknown_platform_names_what_runs():
    with pytest.raises(RuntimeError, match="cpu") as error:
        get_backend("abacus")
    assert isinstance(error.value, BackendError)
    assert error.value.platform == "abacus"


def test_nothing_starts_at_import():
    out = run(
        """
        import minijax.runtime
        from minijax.base.settings import _backends
        print(_backends.started)
        minijax.runtime.devices()
        print(_backends.started)
        """
    )
    assert out.split() == ["False", "True"]


def test_platforms_that_cannot_start_are_an_error():
    done = run(
        "from minijax.runtime import devices; devices()",
        ok=False,
        JAX_PLATFORMS="abacus",
    )
    assert done.returncode != 0
    assert "BackendError" in done.stderr
    assert "abacus" in done.stderr


def test_number_of_cpu_devices():
    out = run("from minijax.runtime import devices; print(len(devices()))", devices=3)
    assert out == "3\n"


def test_plugins_are_found_without_importing_them(tmp_path):
    folder = tmp_path / "jax_plugins" / "xla_abacus12"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ImportError('imported')")
    (folder / "xla_abacus_plugin.so").write_bytes(b"")
    out = run(
        f"""
        import sys
        sys.path.append({str(tmp_path)!r})
        from minijax.runtime.backends import find_plugins
        print(find_plugins()["abacus"].library)
        print("jax_plugins.xla_abacus12" in sys.modules)
        """
    )
    assert out.split() == [str(folder / "xla_abacus_plugin.so"), "False"]


def test_platform_names_of_modules():
    assert _platform_of("jax_plugins.xla_cuda13") == "cuda"
    assert _platform_of("jax_plugins.xla_rocm7_1") == "rocm"
    assert _platform_of("jax_plugins.metal") == "metal"
    assert "cpu" not in find_plugins()


def test_clear_backends_starts_new_clients():
    out = run(
        """
        from minijax.runtime import clear_backends, devices, default_placement, put
        old, x = devices()[0], put(1.0)
        clear_backends()
        new = devices()[0]
        print(new is not old, put(2.0).device is new, float(x))
        """
    )
    assert out.split() == ["True", "True", "1.0"]
