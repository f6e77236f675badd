import errno
import os
import pathlib
import shutil
import signal
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
    MAGIC,
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


# --- hostile directories ---


@pytest.fixture
def chosen(tmp_path):
    """A function that lets the options ask for a directory, an empty one at first."""
    before = flags.compilation_cache_dir.get_global()
    flags.compilation_cache_dir.update(str(tmp_path / "chosen"))
    yield flags.compilation_cache_dir.update
    flags.compilation_cache_dir.update(before)


def warnings_of(tag):
    """Runs a program, checks its result, and gives what it warned of."""
    cache_files.forget_warnings()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run_a_program(tag) == pytest.approx(tag * np.sin(1), rel=1e-6)
    assert {w.category for w in caught} <= {CacheFaultWarning}
    return [str(w.message) for w in caught]


def one_entry(directory):
    (file,) = [f for f in directory.iterdir() if f.name.endswith("-cache")]
    return file


def a_pipe(file):
    os.mkfifo(file)  # opening one waits for a writer, for ever


def a_directory(file):
    file.mkdir()


def a_huge_file(file):
    with open(file, "wb") as opened:
        opened.truncate(1 << 40)  # sparse: it takes no room


def a_huge_entry(file):
    head = pack(file.name.removesuffix("-cache"), Entry(b"", 1.0))
    with open(file, "wb") as opened:
        opened.write(head)
        opened.truncate(1 << 40)


def nothing(file):
    file.write_bytes(b"")


def noise(file):
    file.write_bytes(os.urandom(5000))


@pytest.mark.parametrize(
    "place", [a_pipe, a_directory, a_huge_file, a_huge_entry, nothing, noise]
)
def test_what_stands_in_the_place_of_an_entry(chosen, tmp_path, place):
    assert warnings_of(6.25) == []
    file = one_entry(tmp_path / "chosen")
    original = file.read_bytes()
    file.unlink()
    place(file)
    (text,) = warnings_of(6.25)
    assert file.name in text and "anew" in text
    # It was healed, and what stood there can be looked at.
    assert file.read_bytes()[: len(MAGIC)] == original[: len(MAGIC)]
    assert os.listdir(tmp_path / "chosen" / QUARANTINE) == [file.name]
    assert warnings_of(6.25) == []


def test_swapped_entries_are_told_apart(chosen, tmp_path):
    warnings_of(6.5)
    first = one_entry(tmp_path / "chosen")
    first.rename(tmp_path / "first")
    warnings_of(6.75)
    second = one_entry(tmp_path / "chosen")
    (tmp_path / "first").rename(first)
    a, b = first.read_bytes(), second.read_bytes()
    first.write_bytes(b)
    second.write_bytes(a)
    assert len(warnings_of(6.5)) == len(warnings_of(6.75)) == 1
    assert warnings_of(6.5) == warnings_of(6.75) == []


def test_a_link_to_nowhere_and_to_the_data_of_others(chosen, tmp_path):
    warnings_of(7.25)
    file = one_entry(tmp_path / "chosen")
    file.unlink()
    file.symlink_to("/nonexistent")
    assert warnings_of(7.25) == []
    assert not file.is_symlink()  # replaced, and nothing was written elsewhere
    file.unlink()
    file.symlink_to("/dev/zero")  # endless
    (text,) = warnings_of(7.25)
    assert file.name in text
    assert not file.is_symlink()


@pytest.mark.parametrize("path", ["a\0b", "gs://bucket/programs", "n" * 300])
def test_a_path_that_names_no_directory(chosen, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    chosen(path)
    texts = warnings_of(7.5)
    assert [text.split(": ")[1] for text in texts] == ["cannot read", "cannot write"]
    assert os.listdir(tmp_path) == []
    refused = pytest.raises((OSError, ValueError))
    with flags.raise_persistent_cache_errors(True), refused:
        run_a_program(7.5)


def test_a_url_of_a_local_directory(chosen, tmp_path):
    chosen(f"file://{tmp_path}/local")
    assert warnings_of(7.75) == []
    assert one_entry(tmp_path / "local")


def test_a_directory_that_is_removed_is_made_again(chosen, tmp_path):
    warnings_of(8.25)
    shutil.rmtree(tmp_path / "chosen")
    assert warnings_of(8.5) == []
    assert one_entry(tmp_path / "chosen")


def test_a_full_disk_leaves_nothing_half_written(chosen, tmp_path):
    resource = pytest.importorskip("resource")
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        (text,) = warnings_of(8.75)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert "cannot write" in text
    assert os.listdir(tmp_path / "chosen") == []
    assert warnings_of(8.75) == []
    assert one_entry(tmp_path / "chosen")


def test_a_directory_that_cannot_be_written_is_read(chosen, tmp_path, monkeypatch):
    warnings_of(9.25)
    opened = os.open

    def read_only(path, how, *mode):
        if how & os.O_CREAT:
            raise OSError(errno.EROFS, "Read-only file system", path)
        return opened(path, how, *mode)

    monkeypatch.setattr(os, "open", read_only)  # root may write where it is forbidden
    hits = caches().disk.hits
    assert warnings_of(9.25) == []
    assert caches().disk.hits > hits
    (text,) = warnings_of(9.5)
    assert "cannot write" in text and "Read-only" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("mode", [0o755, 0o777, 0o1777])
def test_programs_of_others_are_not_executed_whosever_the_directory(
    chosen, tmp_path, mode
):
    warnings_of(9.75)
    file = one_entry(tmp_path / "chosen")
    for path in (file, tmp_path / "chosen"):
        os.chown(path, 12345, -1)
    os.chmod(tmp_path / "chosen", mode)
    cache_files.forget_stores()
    misses = caches().disk.misses
    texts = warnings_of(9.75)
    assert any("12345: not executed" in text for text in texts)
    assert caches().disk.misses > misses


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("linked", [False, True])
def test_a_default_directory_of_somebody_else_is_not_used(
    chosen, tmp_path, monkeypatch, linked
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    theirs = tmp_path / "theirs"
    default = pathlib.Path(default_directory())
    default.parent.mkdir(parents=True)
    (theirs if linked else default).mkdir()
    os.chown(theirs if linked else default, 12345, -1)
    if linked:
        default.symlink_to(theirs)
    chosen(None)
    cache_files.forget_stores()
    texts = warnings_of(10.25)
    assert all("belongs to 12345" in text for text in texts) and len(texts) == 2
    assert os.listdir(default) == []


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
