"""Compiled programs on disk: one file per executable, in one directory.

A damaged, foreign or half-written file can do no harm: an entry proves itself when it
is read, a bad one is set aside and written anew in the same run, and no fault of the
disk reaches the user as anything but one warning per cause.

Rules:
1. A file is published whole: written under another name, synced, renamed.
2. A file is believed only if its owner may be, its magic, version, key and sizes fit,
   and its SHA-256 is that of everything before it. Nothing in it is pickled.
3. The directory of its own is the user's alone (0700). Of one that was asked for, the
   user's files are read, and root's unless anybody may write it; nobody else's.
4. The total size is bounded; what was not used for longest goes first. A hit renews
   the file's time.

Layout of an entry, big-endian: magic 8 bytes, version u32, length of the key u32, key,
compile time in seconds f64, raw size u64, stored size u64, stored bytes (zlib),
SHA-256.
"""

import contextlib
import os
import stat
import struct
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from ..base import flags
from ..base.errors import CacheFaultWarning
from .cache_keys import new_digest

MAGIC = b"mjexec\r\n"  # the line ending is damaged by transfers that rewrite text
VERSION = 1
SUFFIX = "-cache"
QUARANTINE = "quarantine"

_HEAD = struct.Struct(">8sII")
_SIZES = struct.Struct(">dQQ")
_DIGEST_SIZE = 32
_BINARY = getattr(os, "O_BINARY", 0)
# A pipe in the place of a file must not make us wait for its writer.
_READ = os.O_RDONLY | _BINARY | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | getattr(os, "O_NOFOLLOW", 0)
_HAS_OWNERS = hasattr(os, "geteuid")  # not on Windows, where the profile is private
# Sums of the directory are taken at the first write and then after so many.
_WRITES_PER_SWEEP = 64
_QUARANTINED_FILES = 16


class EntryError(Exception):
    """A file that is not the entry it is named for."""


# --- One entry ------------------------------------------------------------------------


class Entry(NamedTuple):
    """A serialised executable and how long its compilation took, in seconds."""

    executable: bytes
    seconds: float


def pack(key: str, entry: Entry) -> bytes:
    """An entry as the bytes of its file."""
    name = key.encode()
    stored = zlib.compress(entry.executable, 1)
    body = b"".join(
        (
            _HEAD.pack(MAGIC, VERSION, len(name)),
            name,
            _SIZES.pack(entry.seconds, len(entry.executable), len(stored)),
            stored,
        )
    )
    return body + _checksum(body)


def _checksum(data: bytes) -> bytes:
    digest = new_digest()
    digest.update(data)
    return digest.digest()


def unpack(key: str, data: bytes) -> Entry:
    """The entry in the bytes of a file. Raises: EntryError, if anything is wrong."""
    if len(data) < _HEAD.size + _DIGEST_SIZE:
        raise EntryError("it is too short")
    magic, version, length = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise EntryError("it does not begin as an entry")
    if version != VERSION:
        raise EntryError(f"it has version {version}, and {VERSION} is read")
    if _checksum(data[:-_DIGEST_SIZE]) != data[-_DIGEST_SIZE:]:
        raise EntryError("its checksum does not fit")
    start = _HEAD.size + length
    if data[_HEAD.size : start] != key.encode():
        raise EntryError("it was written under another key")
    seconds, raw, stored = _SIZES.unpack_from(data, start)
    payload = data[start + _SIZES.size : -_DIGEST_SIZE]
    if len(payload) != stored:
        raise EntryError("its size is not the one it states")
    inflater = zlib.decompressobj()
    executable = inflater.decompress(payload, raw)
    if len(executable) != raw or not inflater.eof:
        raise EntryError("it unpacks to another size than it states")
    return Entry(executable, seconds)


def _stated_size(start: bytes) -> int:
    """The size that a file beginning with `start`, up to its data, says it has."""
    if len(start) < _SIZES.size:
        raise EntryError("it is too short")
    _, _, stored = _SIZES.unpack_from(start, len(start) - _SIZES.size)
    return len(start) + int(stored) + _DIGEST_SIZE


# --- Where ----------------------------------------------------------------------------


def default_directory() -> str:
    """The directory of executables in the user's cache directory."""
    if sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "minijax", "executables")


class Counters:
    """What the disk level has done in this process."""

    __slots__ = ("faults", "hits", "misses", "seconds_saved", "writes")

    def __init__(self) -> None:
        self.hits = self.misses = self.writes = self.faults = 0
        self.seconds_saved = 0.0


class Store:
    """The entries of one directory. Threads and processes may share it.

    limit: bytes of all entries at most; negative for no limit.
    """

    def __init__(self, directory: str, limit: int) -> None:
        self.directory, self.limit = directory, limit
        self._lock = threading.Lock()
        self._ready = False
        self._trusted: frozenset[int] = frozenset()
        self._writes = 0

    def path(self, key: str) -> str:
        """The file of an entry."""
        return os.path.join(self.directory, key + SUFFIX)

    def get(self, key: str) -> Entry | None:
        """The entry of `key`, or None; a bad file is set aside.

        Raises:
            OSError, ValueError: the directory or the file cannot be read, or is not to
            be trusted.
        """
        self._prepare()
        path = self.path(key)
        try:
            handle = os.open(path, _READ)
        except FileNotFoundError:
            return None
        try:
            try:
                data = self._data(handle, key, path)
            finally:
                os.close(handle)
            entry = unpack(key, data)
        except (EntryError, struct.error, zlib.error) as error:
            self.quarantine(key)
            warn_once("bad entry", f"{path}: {error}. It is compiled and written anew.")
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return entry

    def _data(self, handle: int, key: str, path: str) -> bytes:
        """What an open file holds, if it may be an entry; a large one is not loaded."""
        facts = os.fstat(handle)
        self._check_owner(facts, path)
        if not stat.S_ISREG(facts.st_mode):
            raise EntryError("it is no plain file")
        with open(handle, "rb", closefd=False) as file:
            start = file.read(_HEAD.size + len(key.encode()) + _SIZES.size)
            if facts.st_size != _stated_size(start):
                raise EntryError("its size is not the one it states")
            return start + file.read()

    def put(self, key: str, entry: Entry) -> bool:
        """Publish an entry; whether it was stored (too large ones are not).

        Raises:
            OSError, ValueError: it cannot be written.
        """
        self._prepare()
        data = pack(key, entry)
        if 0 <= self.limit < len(data):
            return False
        temporary = os.path.join(self.directory, f".new-{os.urandom(8).hex()}")
        try:
            handle = os.open(temporary, _CREATE, 0o600)
        except FileNotFoundError:  # somebody removed the directory while we ran
            self._ready = False
            self._prepare()
            handle = os.open(temporary, _CREATE, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path(key))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        self._count_write()
        return True

    def quarantine(self, key: str) -> None:
        """Set the file of an entry aside, for whoever wants to look at it."""
        aside = os.path.join(self.directory, QUARANTINE)
        try:
            os.makedirs(aside, mode=0o700, exist_ok=True)
            os.replace(self.path(key), os.path.join(aside, key + SUFFIX))
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(self.path(key))

    def __len__(self) -> int:
        try:
            return sum(1 for _ in self._files(self.directory))
        except OSError:
            return 0

    # --- the directory -------------
    def _prepare(self) -> None:
        if self._ready:
            return
        if "://" in self.directory:
            raise ValueError(f"{self.directory} is no directory of this machine")
        with self._lock:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            if _HAS_OWNERS:
                self._trusted = self._trusted_owners(os.stat(self.directory))
            self._ready = True

    def _trusted_owners(self, facts: os.stat_result) -> frozenset[int]:
        """Whose files are executed. Raises: PermissionError, if nobody's."""
        me, mode = os.geteuid(), stat.S_IMODE(facts.st_mode)
        if self.directory == default_directory():
            # Nobody chose it: it is the user's own, or it is not used. (Under `sudo`,
            # the home directory may be that of another user.)
            if facts.st_uid != me:
                raise PermissionError(f"{self.directory} belongs to {facts.st_uid}")
            if mode & 0o077:
                os.chmod(self.directory, 0o700)
            return frozenset((me,))
        # A directory under /tmp may have been made by somebody else before the user
        # came: whose it is gives nobody's programs the right to run.
        return frozenset((me,) if mode & 0o002 else (me, 0))

    def _check_owner(self, facts: os.stat_result, path: str) -> None:
        if not _HAS_OWNERS:
            return
        if facts.st_uid not in self._trusted:
            raise PermissionError(f"{path} belongs to {facts.st_uid}: not executed")
        if facts.st_mode & 0o002:
            raise PermissionError(f"anybody may write {path}: not executed")

    # --- the bound -------------
    def _count_write(self) -> None:
        with self._lock:
            self._writes += 1
            due = self._writes % _WRITES_PER_SWEEP == 1
        if due and self.limit >= 0:
            self.sweep()

    def sweep(self) -> None:
        """Remove what was not used for longest, down to four fifths of the limit.

        Leftovers of writers that died, and old files in quarantine, go as well.
        """
        now, total, files = time.time(), 0, []
        with os.scandir(self.directory) as found:
            for file in found:
                with contextlib.suppress(OSError):
                    facts = file.stat(follow_symlinks=False)
                    if file.name.startswith(".new-") and now - facts.st_mtime > 3600:
                        os.unlink(file.path)
                    elif file.name.endswith(SUFFIX):
                        files.append((facts.st_mtime, facts.st_size, file.path))
                        total += facts.st_size
        if total > self.limit:
            for _, size, path in sorted(files):
                if total <= self.limit * 4 // 5:
                    break
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size
        self._empty_quarantine()

    def _empty_quarantine(self) -> None:
        with contextlib.suppress(OSError):
            aside = os.path.join(self.directory, QUARANTINE)
            old = sorted(self._files(aside), key=lambda file: file.stat().st_mtime)
            for file in old[:-_QUARANTINED_FILES]:
                os.unlink(file.path)

    @staticmethod
    def _files(directory: str) -> Iterator[os.DirEntry[str]]:
        with os.scandir(directory) as found:
            yield from (file for file in found if file.name.endswith(SUFFIX))


# --- The level ------------------------------------------------------------------------

counters = Counters()
_stores: dict[tuple[str, int], Store] = {}
_warned: set[str] = set()


def store() -> Store | None:
    """The store that the options ask for, or None if the disk level is off."""
    if not (flags.enable_compilation_cache.value and flags.disk_cache.value):
        return None
    given = (flags.compilation_cache_dir.value or "").removeprefix("file://")
    limit = flags.compilation_cache_max_size.value
    if limit < 0:
        limit = -1 if given else flags.disk_cache_max_size.value
    key = (given or default_directory(), limit)
    found = _stores.get(key)
    if found is None:
        found = _stores[key] = Store(*key)
    return found


def warn_once(cause: str, text: str) -> None:
    """Tell the user of a fault, once per cause and process."""
    counters.faults += 1
    if cause not in _warned:
        _warned.add(cause)
        warnings.warn(
            f"The disk cache of compiled programs: {text}",
            CacheFaultWarning,
            stacklevel=2,
        )


def read(key: str) -> Entry | None:
    """The stored executable of `key`, or None. Never raises, but for
    `jax_raise_persistent_cache_errors`."""
    where = store()
    if where is None:
        return None
    try:
        found = where.get(key)
    except (OSError, ValueError) as error:  # a ValueError: no path can be so written
        _fault("read", error)
        found = None
    if found is None:
        counters.misses += 1
    return found


def write(key: str, entry: Entry) -> None:
    """Store an executable, if it is worth it. Never raises, but for
    `jax_raise_persistent_cache_errors`."""
    where = store()
    if where is None or not _is_wanted(entry):
        return
    try:
        if where.put(key, entry):
            counters.writes += 1
        else:
            warn_once("size", f"{key} is larger than the whole cache may be.")
    except (OSError, ValueError) as error:
        _fault("write", error)


def discard(key: str, why: str) -> None:
    """Set aside an entry that proved itself and could still not be used."""
    where = store()
    if where is not None:
        where.quarantine(key)
        warn_once("unusable entry", f"{where.path(key)}: {why}")


def _fault(what: str, error: OSError | ValueError) -> None:
    if flags.raise_persistent_cache_errors.value:
        raise error
    warn_once(f"{what} {type(error).__name__}", f"cannot {what}: {error}")


def _is_wanted(entry: Entry) -> bool:
    # jax's default threshold of a second would keep out the small programs of eager
    # code, which are most of a first run; any other value is the user's wish.
    least = flags.persistent_cache_min_compile_time_secs
    if least.value != least.default and entry.seconds < least.value:
        return False
    return len(entry.executable) >= flags.persistent_cache_min_entry_size_bytes.value


def forget_stores() -> None:
    """Look at the directories again, as a new process would."""
    _stores.clear()


def forget_warnings() -> None:
    """Warn again of causes that were told already."""
    _warned.clear()
