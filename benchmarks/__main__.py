"""The table: both libraries in alternating fresh processes, and what they took.

    python -m benchmarks                 all, five rounds
    python -m benchmarks --quick         a choice, two rounds, under three minutes
    python -m benchmarks --only jit      names or files that contain a word
    python -m benchmarks --side jax      one library alone
    python -m benchmarks --list          the names

`ratio` is the least time of minijax over the least time of jax; `spread` says how far
the ratios of single rounds lie apart, as a part of the least of them.
"""

import argparse
import json
import pathlib
import platform
import sys
import time
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from benchmarks.harness import Benchmark
from benchmarks.sides import BY_NAME, GROUPS, run

LIBRARIES = ("minijax", "jax")
RESULTS = pathlib.Path(__file__).parent / "results"

# Per equation, the largest program against the smallest: what "flat" means.
FLAT = 1.25


def chosen(only: list[str], quick: bool) -> list[str]:
    names = []
    for file, group in GROUPS.items():
        for b in group:
            wanted = not only or any(word in b.name or word in file for word in only)
            if wanted and (b.quick or not quick):
                names.append(b.name)
    return names


def measured(
    names: list[str], libraries: tuple[str, ...], rounds: int, quick: bool
) -> dict[str, dict[str, list[Any]]]:
    """name -> library -> what each round gave."""
    found: dict[str, dict[str, list[Any]]] = {
        n: {library: [] for library in libraries} for n in names
    }
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=rounds * len(libraries))
        for number in range(rounds):
            # Each goes first in every other round: a machine that warms up is fair.
            for library in libraries if number % 2 == 0 else libraries[::-1]:
                for name, value in run(library, names, quick).items():
                    found[name][library].append(value)
                progress.advance(task)
    return found


def least(values: list[Any]) -> float | None:
    times = [v for v in values if not isinstance(v, dict)]
    return min(times) if len(times) == len(values) and times else None


def row(name: str, sides: dict[str, list[Any]]) -> dict[str, Any]:
    """One line of the table as data."""
    b = BY_NAME[name]
    ours, theirs = (least(sides.get(library, [])) for library in LIBRARIES)
    found: dict[str, Any] = {"name": name, "unit": b.unit, "scale": b.scale}
    found |= {"minijax": ours, "jax": theirs, "target": b.target, "rounds": sides}
    if ours is not None and theirs is not None:
        each = [x / y for x, y in zip(sides["minijax"], sides["jax"])]
        found["ratio"] = ours / theirs
        found["spread"] = (max(each) - min(each)) / min(each)
        if b.target is not None:
            found["ok"] = found["ratio"] <= b.target
    return found


def flatness(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How the cost of one equation grows from 300 to 30 000, where it was measured."""
    by_name = {r["name"]: r for r in rows}
    found = []
    for name, small in by_name.items():
        large = by_name.get(name.replace("300 ", "30000 ", 1))
        if "300 " not in name or large is None or large is small:
            continue
        line: dict[str, Any] = {"name": name.replace("300 ", "30000 against 300 ", 1)}
        for library in LIBRARIES:
            if small[library] and large[library]:
                line[library] = large[library] / small[library] / 100
        if "minijax" in line:
            line["ok"] = line["minijax"] <= FLAT
        found.append(line)
    return found


def shown(value: float | None, b: Benchmark) -> str:
    """A time for people: per thing done, in the unit that fits."""
    if value is None:
        return "failed"
    if b.unit != "s":
        return f"{value:.1f} {b.unit}"
    value /= b.scale
    per = "/eqn" if b.scale > 1 else ""
    unit, size = ("s", 1.0) if value >= 1 else ("ms", 1e-3)
    unit, size = (unit, size) if value >= 1e-3 else ("µs", 1e-6)
    number = value / size
    return f"{number:.0f} {unit}{per}" if number >= 100 else f"{number:.3g} {unit}{per}"


def verdict(ok: bool | None) -> str:
    return {True: "[green]ok[/]", False: "[red]miss[/]", None: ""}[ok]


def show(rows: list[dict[str, Any]], libraries: tuple[str, ...]) -> None:
    table = Table("benchmark", *libraries, "ratio", "spread", "target", "")
    for r in rows:
        b = BY_NAME[r["name"]]
        times = [shown(r[library], b) for library in libraries]
        ratio = f"{r['ratio']:.3f}" if "ratio" in r else ""
        spread = f"{r['spread']:.0%}" if "spread" in r else ""
        target = "" if b.target is None else f"≤ {b.target}"
        table.add_row(
            escape(b.name), *times, ratio, spread, target, verdict(r.get("ok"))
        )
    console = Console(width=max(Console().width, 108))  # one line for one benchmark
    console.print(table)
    lines = flatness(rows)
    if lines:
        flat = Table("cost of one equation", *libraries, "target", "")
        for line in lines:
            values = [f"{line[x]:.2f}" if x in line else "" for x in libraries]
            flat.add_row(line["name"], *values, f"≤ {FLAT}", verdict(line.get("ok")))
        console.print(flat)


def failures(rows: list[dict[str, Any]]) -> list[str]:
    return [
        f"{r['name']} under {library}:\n{value['error']}"
        for r in rows
        for library, values in r["rounds"].items()
        for value in values[:1]
        if isinstance(value, dict)
    ]


def save(rows: list[dict[str, Any]], out: pathlib.Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    machine |= {name: version(name) for name in ("jax", "jaxlib", "numpy")}
    document = {"when": time.strftime("%Y-%m-%d %H:%M"), "on": machine, "rows": rows}
    out.write_text(json.dumps(document, indent=1))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--side", choices=LIBRARIES)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    names = chosen(arguments.only, arguments.quick)
    if arguments.list or not names:
        print("\n".join(names) or "no benchmark has such a name")
        return int(not names)
    libraries = (arguments.side,) if arguments.side else LIBRARIES
    rounds = arguments.rounds or (2 if arguments.quick else 5)
    sides = measured(names, libraries, rounds, arguments.quick)
    rows = [row(name, found) for name, found in sides.items()]
    show(rows, libraries)
    default = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    save(rows, arguments.json or default)
    failed = failures(rows)
    for text in failed:
        print(text, file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
