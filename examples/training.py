"""What the examples share: Adam on any tree of weights, and a progress bar."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import minijax as mj
import minijax.numpy as mnp

console = Console()


class Adam(NamedTuple):
    """The state of Adam: how many steps were made, and two running means."""

    count: Any
    mean: Any
    square: Any


def adam_start(weights: Any) -> Adam:
    zeros = mj.tree.map(mnp.zeros_like, weights)
    return Adam(mnp.zeros((), mnp.int32), zeros, zeros)


def adam_step(weights: Any, slope: Any, state: Adam, rate: float) -> tuple[Any, Adam]:
    """One step against the slope; all three trees have one structure.

    Source: Kingma and Ba, "Adam: a method for stochastic optimization", 2015.
    """
    count = state.count + 1
    mean = mj.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, slope)
    square = mj.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state.square, slope)
    # The means start at zero, so early ones are too small by a known factor.
    fast, slow = 1 - 0.9**count, 1 - 0.999**count
    weights = mj.tree.map(
        lambda w, m, s: w - rate * (m / fast) / (mnp.sqrt(s / slow) + 1e-8),
        weights,
        mean,
        square,
    )
    return weights, Adam(count, mean, square)


class Clock:
    """How long each step took, waiting for its result included."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    @contextmanager
    def step(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds.append(time.perf_counter() - start)

    def report(self) -> None:
        """Prints the first step (trace, compile, run) beside the hundredth (run)."""
        first = self.seconds[0]
        text = f"first step {first * 1e3:.0f} ms"
        if len(self.seconds) >= 100:
            later = self.seconds[99]
            text += f", hundredth step {later * 1e3:.2f} ms:"
            text += f" {first / later:.0f} times faster once compiled"
        console.print(text, highlight=False)


def with_progress(steps: Iterable[Any], total: int) -> Iterator[tuple[Any, Any]]:
    """Yields each step with a function that shows a line of text beside the bar."""
    columns = TextColumn("{task.description}"), BarColumn(40), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("training", total=total)
        for step in steps:
            yield step, lambda text: progress.update(task, description=text)
            progress.advance(task)


def heading(text: str) -> None:
    console.print()
    console.rule(text, align="left")
