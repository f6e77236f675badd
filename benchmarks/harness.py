"""What a benchmark is, and how one process measures it.

A body takes the namespace `J` and returns a thunk. There are three kinds:

- `call`: the thunk is called again and again; the time of one call is the least over
  many batches. What it measures is the warm path.
- `fresh`: the body is run anew for each repetition and its thunk is timed once, so
  nothing is cached: every repetition makes new functions, and `unique()` new programs.
- `process`: a script with `{J}` for the library's name, run in a process of its own; it
  prints one number.
"""

import dataclasses
import gc
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# Seconds one batch of calls should take: long against the clock's grain, short against
# the scheduler's.
BATCH = 0.01


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """One line of the table.

    target: the greatest ratio to jax that we want, None where none was set.
    quick: whether `--quick` runs it.
    scale: how many things one measurement does; times are shown per thing.
    unit: seconds, or what a script of kind `process` prints.
    """

    name: str
    kind: str
    body: Any
    target: float | None = None
    quick: bool = True
    scale: int = 1
    unit: str = "s"


_counter = itertools.count()


def unique() -> float:
    """A number that no other program had: keeps executables from being found again."""
    return 1.0 + 1e-6 * (next(_counter) + 1000 * (os.getpid() % 1000))


def measure_call(J: Any, benchmark: Benchmark, batches: int) -> float:
    """Seconds of one warm call, the least over some batches."""
    thunk = benchmark.body(J)
    for _ in range(10):
        J.block_until_ready(thunk())
    calls = 1
    while _batch(J, thunk, calls) < BATCH and calls < 1_000_000:
        calls *= 2
    gc.collect()
    gc.disable()
    try:
        return min(_batch(J, thunk, calls) for _ in range(batches)) / calls
    finally:
        gc.enable()


def _batch(J: Any, thunk: Callable[[], Any], calls: int) -> float:
    result = None
    start = time.perf_counter()
    for _ in range(calls):
        result = thunk()
    J.block_until_ready(result)
    return time.perf_counter() - start


def measure_fresh(J: Any, benchmark: Benchmark, repetitions: int) -> float:
    """Seconds of a first time, the least over repetitions that share nothing."""
    times = []
    # The very first repetition pays for what the library loads when first used.
    for _ in range(repetitions + 1):
        thunk = benchmark.body(J)
        gc.collect()
        start = time.perf_counter()
        thunk()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def measure_process(library: str, benchmark: Benchmark, env: dict[str, str]) -> float:
    """What the script prints, run in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", benchmark.body.replace("{J}", library)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise RuntimeError(f"{benchmark.name} failed under {library}:\n{done.stderr}")
    return float(done.stdout.split()[-1])


class Group(list[Benchmark]):
    """The benchmarks of one file; its methods declare them."""

    def call(self, name: str, **options: Any) -> Callable[[Any], Any]:
        return self._declare(name, "call", options)

    def fresh(self, name: str, **options: Any) -> Callable[[Any], Any]:
        return self._declare(name, "fresh", options)

    def process(self, name: str, script: str, **options: Any) -> None:
        self.append(Benchmark(name, "process", script, **options))

    def _declare(self, name: str, kind: str, options: Any) -> Callable[[Any], Any]:
        def declare(body: Any) -> Any:
            self.append(Benchmark(name, kind, body, **options))
            return body

        return declare
