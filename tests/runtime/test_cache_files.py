import os
import stat
import threading
import time
import warnings

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.base.errors import CacheFaultWarning
from minijax.runtime import cache_files, caches, clear_caches, put
from minijax.runtime.cache_files import (
    QUARANTINE,
    Entry,
    EntryError,
    Store,
    default_directory,
    pack,
    unpack,
)
from minijax.transforms import jit
from tests.runtime.processes import run

KEY = "0" * 64
ENTRY = Entry(b"machine code" * 100, 1.5)


@pytest.fixture(autouse=True)
def warned_anew():
    cache_files.forget_warnings()
    yield
    cache_files.forget_warnings()


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "cache"), -1)


# --- one entry ---


def test_an_entry_goes_there_and_back():
    data = pack(KEY, ENTRY)
    assert unpack(KEY, data) == ENTRY
    assert len(data) < len(ENTRY.executable)


def test_every_damaged_byte_is_found():
    data = pack(KEY, ENTRY)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with pytest.raises(EntryError):
            unpack(KEY, bytes(damaged))


def test_every_shortened_file_is_found():
    data = pack(KEY, ENTRY)
    for length in range(len(data)):
        with pytest.raises(EntryError):
            unpack(KEY, data[:length])
    with pytest.raises(EntryError):
        unpack(KEY, data + b"x")


def test_the_entry_of_another_key_is_refused():
    with pytest.raises(EntryError, match="another key"):
        unpack("1" * 64, pack(KEY, ENTRY))


# --- a directory ---


def test_put_and_get(store):
    assert store.get(KEY) is None
    assert store.put(KEY, ENTRY)
    assert store.get(KEY) == ENTRY
    assert len(store) == 1
    assert os.listdir(store.directory) == [KEY + "-cache"]


def test_only_the_user_may_look(store):
    store.put(KEY, ENTRY)
    assert stat.S_IMODE(os.stat(store.directory).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(store.path(KEY)).st_mode) == 0o600


def test_a_bad_file_is_set_aside_and_written_anew(store):
    store.put(KEY, ENTRY)
    with open(store.path(KEY), "r+b") as file:
        file.seek(50)
        file.write(b"\0\0\0")
    with pytest.warns(CacheFaultWarning, match="checksum"):
        assert store.get(KEY) is None
    assert os.listdir(os.path.join(store.directory, QUARANTINE)) == [KEY + "-cache"]
    store.put(KEY, ENTRY)
    assert store.get(KEY) == ENTRY


def test_what_anybody_may_write_is_not_executed(store):
    store.put(KEY, ENTRY)
    os.chmod(store.path(KEY), 0o666)
    with pytest.raises(PermissionError, match="not executed"):
        store.get(KEY)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_of_other_users_are_not_executed(store):
    store.put(KEY, ENTRY)
    os.chown(store.path(KEY), 12345, -1)
    with pytest.raises(PermissionError, match="12345"):
        store.get(KEY)


def test_the_default_directory_is_made_private(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    os.makedirs(default_directory(), mode=0o755)
    store = Store(default_directory(), -1)
    store.put(KEY, ENTRY)
    assert stat.S_IMODE(os.stat(store.directory).st_mode) == 0o700


def test_the_least_used_goes_first(tmp_path):
    size = len(pack(KEY, ENTRY))
    store = Store(str(tmp_path), size * 10)
    for number in range(12):
        key = f"{number:064d}"
        store.put(key, ENTRY)
        os.utime(store.path(key), (1000 + number, 1000 + number))
    os.utime(store.path(f"{0:064d}"), (2000, 2000))  # used again
    store.sweep()
    left = {int(name[:64]) for name in os.listdir(tmp_path) if name.endswith("-cache")}
    assert left == {0, 5, 6, 7, 8, 9, 10, 11}


def test_a_hit_renews_the_time(store):
    store.put(KEY, ENTRY)
    os.utime(store.path(KEY), (1000, 1000))
    store.get(KEY)
    assert os.stat(store.path(KEY)).st_mtime > time.time() - 60


def test_an_entry_larger_than_the_limit_is_not_stored(tmp_path):
    store = Store(str(tmp_path), 100)
    assert not store.put(KEY, ENTRY)
    assert os.listdir(tmp_path) == []


def test_leftovers_of_dead_writers_go(store):
    store.put(KEY, ENTRY)
    leftover = os.path.join(store.directory, ".new-dead")
    open(leftover, "w").close()
    store.sweep()
    assert os.path.exists(leftover)  # somebody may be writing it
    os.utime(leftover, (1000, 1000))
    store.sweep()
    assert not os.path.exists(leftover)


def test_writers_do_not_disturb_each_other(store):
    entries = [Entry(bytes([i]) * 10_000, float(i)) for i in range(8)]
    seen = []

    def work(entry):
        for _ in range(20):
            store.put(KEY, entry)
            seen.append(store.get(KEY))

    threads = [threading.Thread(target=work, args=(entry,)) for entry in entries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 160
    assert set(seen) <= set(entries)


# --- faults do not reach the user ---


def run_a_program(tag):
    """Compiles something nobody compiled before."""
    clear_caches()
    return float(jit(lambda x: lax.mul(lax.sin(x), float(tag)))(put(np.float32(1))))


@pytest.mark.parametrize("kind", ["file", "unwritable", "foreign text"])
def test_check_39_an_unusable_directory_costs_one_warning(tmp_path, kind):
    path = tmp_path / "cache"
    if kind == "file":
        path.write_text("not a directory")
    elif kind == "unwritable":
        path = "/proc/nowhere"
    else:
        path = "/dev/null/cache"
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(path))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert run_a_program(1.25) == pytest.approx(1.25 * np.sin(1), rel=1e-6)
            assert run_a_program(1.5) == pytest.approx(1.5 * np.sin(1), rel=1e-6)
        texts = [str(w.message) for w in caught if w.category is CacheFaultWarning]
        assert 1 <= len(texts) <= 2  # reading and writing are two causes
        with flags.raise_persistent_cache_errors(True), pytest.raises(OSError):
            run_a_program(1.75)
    finally:
        flags.compilation_cache_dir.update(before)


def test_check_40_a_tampered_entry_is_repaired_in_the_same_run(tmp_path):
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path))
    try:
        run_a_program(2.25)
        names = [n for n in os.listdir(tmp_path) if n.endswith("-cache")]
        originals = {n: (tmp_path / n).read_bytes() for n in names}
        for name in names:
            (tmp_path / name).write_bytes(originals[name][:-40] + b"\0" * 40)
        with pytest.warns(CacheFaultWarning, match="anew"):
            assert run_a_program(2.25) == pytest.approx(2.25 * np.sin(1), rel=1e-6)
        for name in names:
            unpack(name.removesuffix("-cache"), (tmp_path / name).read_bytes())
    finally:
        flags.compilation_cache_dir.update(before)


def test_an_entry_the_compiler_cannot_load_is_replaced(tmp_path):
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path))
    try:
        run_a_program(2.5)
        for name in os.listdir(tmp_path):
            key = name.removesuffix("-cache")
            (tmp_path / name).write_bytes(pack(key, Entry(b"nonsense", 1.0)))
        with pytest.warns(CacheFaultWarning, match="cannot load"):
            assert run_a_program(2.5) == pytest.approx(2.5 * np.sin(1), rel=1e-6)
    finally:
        flags.compilation_cache_dir.update(before)


def test_the_level_can_be_turned_off(tmp_path):
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path / "cache"))
    try:
        for option in (flags.disk_cache, flags.enable_compilation_cache):
            with option(False):
                run_a_program(3.25)
                assert cache_files.store() is None
        assert not os.path.exists(tmp_path / "cache")
    finally:
        flags.compilation_cache_dir.update(before)


def test_check_37_thresholds_are_obeyed_when_set(tmp_path):
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path))
    try:
        with flags.persistent_cache_min_compile_time_secs(100.0):
            run_a_program(3.5)
        with flags.persistent_cache_min_entry_size_bytes(10**9):
            run_a_program(3.75)
        assert os.listdir(tmp_path) == []
        run_a_program(4.0)
        assert os.listdir(tmp_path)
    finally:
        flags.compilation_cache_dir.update(before)


CODE = """
import numpy as np
from minijax import lax
from minijax.runtime import caches, put
from minijax.transforms import jit
x = put(np.ones(3, np.float32))
jit(lambda x: lax.add(lax.sin(x), 1.5))(x)
lax.exp(x)
print(caches().disk.hits, caches().disk.misses)
"""


def test_another_process_compiles_nothing(tmp_path):
    where = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path)}
    assert run(CODE, **where) == "0 2\n"
    files = sorted(os.listdir(tmp_path))
    assert run(CODE, **where) == "2 0\n"
    assert sorted(os.listdir(tmp_path)) == files


def test_on_without_being_asked(tmp_path):
    where = {"JAX_COMPILATION_CACHE_DIR": None, "XDG_CACHE_HOME": str(tmp_path)}
    assert run(CODE, **where) == "0 2\n"
    assert len(os.listdir(tmp_path / "minijax" / "executables")) == 2
    off = {**where, "MINIJAX_DISK_CACHE": "0", "XDG_CACHE_HOME": str(tmp_path / "off")}
    assert run(CODE, **off) == "0 0\n"
    assert not os.path.exists(tmp_path / "off")


def test_counters_of_the_level():
    run_a_program(5.25)
    before = caches().disk
    run_a_program(5.25)
    after = caches().disk
    assert after.hits > before.hits
    assert after.misses == before.misses
