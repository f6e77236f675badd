"""The table of benchmarks: what it computes from measurements; that all bodies run."""

import time

import pytest

from benchmarks import __main__ as table
from benchmarks.harness import Benchmark, Group, measure_call, measure_fresh, unique
from benchmarks.sides import BY_NAME, GROUPS, run


def test_names_are_unique():
    assert len(BY_NAME) == sum(map(len, GROUPS.values()))


def test_the_ratio_is_of_the_least_times_and_the_spread_of_the_rounds():
    sides = {"minijax": [2.0, 1.0, 1.5], "jax": [4.0, 2.5, 5.0]}
    found = table.row("import", sides)
    assert found["ratio"] == 1.0 / 2.5
    assert found["spread"] == pytest.approx((0.5 - 0.3) / 0.3)
    assert found["ok"] is True


def test_a_target_that_is_missed_is_said_so():
    assert table.row("import", {"minijax": [1.0], "jax": [2.0]})["ok"] is False


def test_a_failure_gives_no_ratio_and_its_text_is_kept():
    sides = {"minijax": [{"error": "it broke"}, 1.0], "jax": [1.0, 1.0]}
    found = table.row("import", sides)
    assert found["minijax"] is None
    assert "ratio" not in found and "ok" not in found
    assert table.failures([found]) == ["import under minijax:\nit broke"]


def test_flatness_compares_one_equation_with_one_equation():
    small = table.row("trace of 300 equations", {"minijax": [0.3], "jax": [3.0]})
    large = table.row("trace of 30000 equations", {"minijax": [33.0], "jax": [600.0]})
    (line,) = table.flatness([small, large])
    assert line["name"] == "trace of 30000 against 300 equations"
    assert line["minijax"] == pytest.approx(1.1) and line["ok"] is True
    assert line["jax"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    "seconds, scale, text",
    [(2.5e-6, 1, "2.5 µs"), (0.03, 3000, "10 µs/eqn"), (1.23, 1, "1.23 s")],
)
def test_times_are_shown_for_people(seconds, scale, text):
    assert table.shown(seconds, Benchmark("x", "call", None, scale=scale)) == text


def test_quick_leaves_out_the_long_ones_and_only_selects():
    every, quick = table.chosen([], False), table.chosen([], True)
    assert set(quick) < set(every)
    assert table.chosen(["x[0]"], True) == ["x[0]"]
    assert set(table.chosen(["dispatch"], True)) == {b.name for b in GROUPS["dispatch"]}


class Still:
    """A namespace whose results are there at once."""

    @staticmethod
    def block_until_ready(x):
        return x


def test_a_call_is_measured_warm():
    group = Group()
    made = []

    @group.call("nap")
    def nap(J):
        made.append(J)
        return lambda: time.sleep(0.002)

    took = measure_call(Still, group[0], batches=2)
    assert len(made) == 1
    assert 0.002 <= took < 0.02


def test_a_fresh_one_is_made_anew_each_time_and_only_its_thunk_is_timed():
    group = Group()
    made = []

    @group.fresh("slow to make")
    def body(J):
        made.append(J)
        time.sleep(0.05)
        return lambda: time.sleep(0.001)

    assert 0.001 <= measure_fresh(Still, group[0], repetitions=2) < 0.04
    assert len(made) == 3


def test_unique_numbers_differ_in_32_bits():
    import numpy as np

    assert len({np.float32(unique()) for _ in range(50)}) == 50


@pytest.mark.parametrize("file", GROUPS)
@pytest.mark.parametrize(
    "library", ["minijax", pytest.param("jax", marks=pytest.mark.slow)]
)
def test_the_bodies_run(library, file):
    names = [b.name for b in GROUPS[file] if "30000" not in b.name]
    found = run(library, names, quick=True)
    failed = {n: v["error"] for n, v in found.items() if isinstance(v, dict)}
    assert failed == {}
    assert all(value > 0 for value in found.values())
