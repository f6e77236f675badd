"""The oracle: real jax in a child process, asked by running the same program there.

A test is a program over a namespace, a top-level function `def program(J, *args)`. It
is run here with `J = minijax` and in the child with `J = jax`; the two results are
compared as records (`tests/records.py`). The child imports the test module by itself,
so a module that holds programs imports neither library at its top level.

    def double(J, x):
        return J.numpy.asarray(x) * 2

    def test_double(oracle):
        oracle.compare(double, 3)

One child serves one test process, for as long as it lives. It is started at the first
question, and again after a crash or a time-out, so one bad program costs one test.
"""

import atexit
import importlib
import importlib.util
import os
import pathlib
import pickle
import selectors
import struct
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.records import Record, Tolerance, differences, error_record, record

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Modules a program may reach from `J` without importing them.
SUBMODULES = (
    "ad_checkpoint",
    "core",
    "custom_derivatives",
    "dtypes",
    "errors",
    "lax",
    "lax.linalg",
    "nn",
    "numpy",
    "random",
    "sharding",
    "stages",
    "tree",
    "tree_util",
)


class OracleError(Exception):
    """The child with jax could not answer: it died, or ran past its time."""


def namespace(name: str) -> types.ModuleType:
    """The library `name`, with those submodules that programs use and it has."""
    library = importlib.import_module(name)
    for part in SUBMODULES:
        try:
            spec = importlib.util.find_spec(f"{name}.{part}")
        except ModuleNotFoundError:  # a parent of it is no package
            continue
        if spec is not None:
            importlib.import_module(f"{name}.{part}")
    return library


@contextmanager
def precision(J: Any, x64: bool) -> Iterator[None]:
    """Runs its block with 64-bit types on or off, whatever the state was before."""
    before = J.config.jax_enable_x64
    J.config.update("jax_enable_x64", x64)
    try:
        yield
    finally:
        J.config.update("jax_enable_x64", before)


def execute(J: Any, program: Callable[..., Any], args: tuple, x64: bool) -> Record:
    """The record of what a program returns or raises over the namespace `J`."""
    with precision(J, x64):
        try:
            return record(J, program(J, *args))
        except Exception as error:
            return error_record(J, error)


def address(program: Callable[..., Any]) -> tuple[str, str]:
    """Where the child finds a program: the name of its module, and its own."""
    qualname = program.__qualname__
    if "<" in qualname:
        raise TypeError(
            f"the oracle was given {qualname}, which only this process can see.\n"
            "A program is a function at the top level of a test module; pass it what "
            "varies as arguments."
        )
    file = pathlib.Path(program.__code__.co_filename).resolve()
    return ".".join(file.relative_to(ROOT).with_suffix("").parts), qualname


class Oracle:
    """A child process with jax, and the comparison of its answers with ours."""

    def __init__(self) -> None:
        self._child: subprocess.Popen | None = None

    def compare(
        self,
        program: Callable[..., Any],
        *args: Any,
        rtol: float | None = None,
        atol: float | None = None,
        exact: bool = False,
        x64: bool = False,
        raises: bool | None = False,
        timeout: float = 120.0,
    ) -> Record:
        """Runs `program(J, *args)` under both libraries and compares the results.

        Without `rtol` and `atol` each dtype has its own relative tolerance; `exact`
        asks for the same bits (NaN equals NaN). Integers, structure, types and texts
        are always equal. Returns our record. A program that raises must be announced
        with `raises`, and then must raise: a test whose program is broken in both would
        hold otherwise. None leaves it to jax: for tables of which some entries raise.

        Raises: AssertionError naming every difference and its path; OracleError if
          the child gave no answer.
        """
        theirs = self.run_jax(program, *args, x64=x64, timeout=timeout)
        name = f"{program.__qualname__}{args!r:.200}"
        if raises is not None and (theirs.kind == "error") is not raises:
            happened = theirs.note or "jax raised nothing"
            raise AssertionError(f"{name}: raises={raises} was said, but:\n{happened}")
        ours = execute(namespace("minijax"), program, args, x64)
        found = differences(ours, theirs, Tolerance(rtol, atol, exact))
        if found:
            raise AssertionError(f"{name} differs from jax:\n" + "\n".join(found))
        return ours

    def run_here(
        self, program: Callable[..., Any], *args: Any, x64: bool = False
    ) -> Record:
        """The record of `program(minijax, *args)`, which must not raise."""
        ours = execute(namespace("minijax"), program, args, x64)
        if ours.kind == "error":
            raise AssertionError(f"{program.__qualname__}{args!r:.200}:\n{ours.note}")
        return ours

    def run_jax(
        self,
        program: Callable[..., Any],
        *args: Any,
        x64: bool = False,
        timeout: float = 120.0,
    ) -> Record:
        """The record of `program(jax, *args)`; `args` must be picklable."""
        module, qualname = address(program)
        return self._ask((module, qualname, args, x64), timeout)

    def close(self) -> None:
        """Ends the child, if there is one."""
        if self._child is not None:
            self._child.stdin.close()
            self._child.stdout.close()
            self._child.kill()
            self._child.wait()
            self._child = None

    def _ask(self, question: tuple, timeout: float) -> Record:
        if self._child is None:
            self._child = _start()
        try:
            _write(self._child.stdin, pickle.dumps(question))
            answer = _read(self._child.stdout, timeout)
        except (BrokenPipeError, EOFError) as error:
            status = self._child.wait()
            self.close()
            raise OracleError(f"jax died ({status}) on {question[:2]}") from error
        except TimeoutError as error:
            self.close()
            raise OracleError(f"jax ran over {timeout} s on {question[:2]}") from error
        status, payload = pickle.loads(answer)
        if status == "broken":
            raise OracleError(f"the child could not run {question[:2]}:\n{payload}")
        return payload


def _start() -> subprocess.Popen:
    env = dict(os.environ, PYTHONPATH=str(ROOT))
    env.pop("JAX_COMPILATION_CACHE_DIR", None)  # that one is ours
    return subprocess.Popen(
        [sys.executable, "-m", "tests.oracle"],
        cwd=ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )


# -- the pipe: eight bytes of length, then that many bytes -----------------------------


def _write(pipe: Any, data: bytes) -> None:
    message = memoryview(struct.pack("<Q", len(data)) + data)
    while message:
        message = message[pipe.write(message) :]


def _read(pipe: Any, timeout: float | None) -> bytes:
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)

        def exactly(size: int) -> bytes:
            data = b""
            while len(data) < size:
                if not selector.select(timeout):
                    raise TimeoutError
                piece = pipe.read(size - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        (size,) = struct.unpack("<Q", exactly(8))
        return exactly(size)


# -- the child -------------------------------------------------------------------------


class _NoMinijax:
    """An import hook: a module with programs must not bring minijax in beside jax."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name.partition(".")[0] == "minijax":
            raise ImportError(
                "a module that holds programs for the oracle is imported beside jax, "
                "so it may not import minijax at its top level; use its `J`."
            )


def _find(module: str, qualname: str) -> Any:
    program = importlib.import_module(module)
    for part in qualname.split("."):
        program = getattr(program, part)
    return program


def _answer(J: Any, question: bytes) -> tuple[str, Any]:
    try:
        module, qualname, args, x64 = pickle.loads(question)
        return "record", execute(J, _find(module, qualname), args, x64)
    except Exception as error:
        return "broken", error_record(J, error).note


def serve() -> None:
    """Answers questions from stdin until it ends. Whatever prints, prints to stderr."""
    questions, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    sys.meta_path.insert(0, _NoMinijax())
    J = namespace("jax")
    while True:
        try:
            question = _read(questions, None)
        except EOFError:
            return
        _write(answers, pickle.dumps(_answer(J, question)))


# -- one oracle for the process --------------------------------------------------------

_oracle = Oracle()
compare = _oracle.compare
run_here = _oracle.run_here
run_jax = _oracle.run_jax
close = _oracle.close
atexit.register(close)

if __name__ == "__main__":
    # Records must be those of the module that the parent unpickles them by.
    serve()
