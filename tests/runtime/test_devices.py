import pytest

from minijax import runtime
from minijax.base import flags
from minijax.runtime import default_placement, placement_on
from tests.runtime.processes import run


def test_questions_about_devices():
    (only,) = runtime.devices()
    assert runtime.local_devices() == [only]
    assert runtime.device_count() == runtime.local_device_count() == 1
    assert runtime.default_backend() == "cpu"
    assert runtime.process_index() == 0
    assert runtime.process_count() == 1
    assert runtime.process_indices() == [0]
    assert runtime.default_device() is only
    assert runtime.first_device("cpu:0") is only


def test_a_process_that_does_not_exist():
    with pytest.raises(ValueError, match="7"):
        runtime.local_devices(process_index=7)


def test_a_device_that_does_not_exist():
    with pytest.raises(ValueError, match="cpu:9"):
        runtime.first_device("cpu:9")
    with pytest.raises(RuntimeError, match="abacus"):
        runtime.first_device("abacus")


def test_placements_are_the_same_object_each_time():
    (only,) = runtime.devices()
    assert default_placement() is placement_on(only)
    with flags.default_device(only):
        assert default_placement() is placement_on(only)
    with flags.default_device("cpu"):
        assert default_placement() is placement_on(only)


def test_default_device_option():
    out = run(
        """
        from minijax.base import flags
        from minijax.runtime import devices, put
        with flags.default_device(devices()[1]):
            inside = put(1.0)
        print(inside.device, put(1.0).device, inside.committed)
        """,
        devices=2,
    )
    assert out.split() == ["cpu:1", "cpu:0", "False"]
