"""What every test process starts with: a CPU, one thread, a cache of its own.

The environment is set at import, before any test module can import a library that
reads it; the children of a test process inherit it.
"""

import collections
import os
import shutil
import tempfile

import pytest

os.environ["JAX_PLATFORMS"] = "cpu"
# Tests run side by side, one process a core: threads inside XLA only disturb each
# other.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_cpu_multi_thread_eigen=false --xla_force_host_platform_device_count=1",
)
os.environ.setdefault("OMP_NUM_THREADS", "1")
for _name in ("JAX_ENABLE_X64", "JAX_LOG_COMPILES", "JAX_EXPLAIN_CACHE_MISSES"):
    os.environ.pop(_name, None)

# One cache directory for a run: the workers of pytest-xdist inherit it and share it.
_OWNED = "MINIJAX_TEST_CACHE_DIR" not in os.environ
if _OWNED:
    os.environ["MINIJAX_TEST_CACHE_DIR"] = tempfile.mkdtemp(prefix="minijax-tests-")
os.environ["JAX_COMPILATION_CACHE_DIR"] = os.environ["MINIJAX_TEST_CACHE_DIR"]


# Folders whose tests run over long tables. A run of the whole suite takes an even
# sample of so many cases of each; `make test-all`, and a run of named files, take all.
CASES = {"laws": 60, "lax": 5, "nn": 6, "numpy": 6, "random": 6, "samples": 30}


def pytest_collection_modifyitems(config, items):
    """Thins out long tables, the same way in every process."""
    named = config.getoption("-k") or config.getoption("file_or_dir")
    if named or not config.getoption("-m"):
        return
    tables = collections.defaultdict(list)
    for item in items:
        folder = item.path.relative_to(config.rootpath).parts[1]
        if folder in CASES:
            name = getattr(item, "originalname", item.name)
            tables[folder, item.path, name].append(item)
    dropped = set()
    for (folder, *_), table in tables.items():
        step = len(table) / CASES[folder]
        if step > 1:
            kept = {int(i * step) for i in range(CASES[folder])}
            dropped.update(x for i, x in enumerate(table) if i not in kept)
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]


def pytest_unconfigure():
    """Removes the cache directory, in the process that made it."""
    if _OWNED:
        shutil.rmtree(os.environ["MINIJAX_TEST_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(scope="session")
def oracle():
    """The child process with real jax; see `tests/oracle.py`."""
    from tests import oracle as module

    yield module
    module.close()
