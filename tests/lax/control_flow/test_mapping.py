"""map: the checks of spec/control_flow.md §11."""

import numpy as np
import pytest

from tests.oracle import compare

F32 = np.float32


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


def map_trees(J, batch_size):
    f = lambda x: {"s": x["a"] + x["b"][0], "n": (x["b"] * 2.0, None)}  # noqa: E731
    xs = {"a": np.arange(7.0, dtype=F32), "b": np.ones((7, 3), F32)}
    return J.lax.map(f, xs, batch_size=batch_size)


def printed_map(J, batch_size):
    shown = text(
        J,
        lambda x: J.lax.map(lambda r: r * 2.0, x, batch_size=batch_size),
        np.ones((5, 3), F32),
    )
    return [shown.count(" = scan["), shown.count("concatenate"), shown.count("slice[")]


def bad_map(J, kind):
    f, xs, batch = {
        "two arguments": (lambda x, y: x, np.ones(3), None),
        "no leaves": (lambda x: x, (), None),
        "no leaves in batches": (lambda x: x, (), 2),
        "negative": (lambda x: x, np.ones(3), -1),
        "sizes": (lambda x: x[0], (np.ones(3), np.ones(4)), None),
        "sizes in batches": (lambda x: x[0], (np.ones(4), np.ones(5)), 2),
        "function": (3, np.ones(3), None),
    }[kind]
    return J.lax.map(f, xs, batch_size=batch)


def empty_map(J, batch_size):
    return J.lax.map(lambda x: x * 2.0, np.ones((0, 3), F32), batch_size=batch_size)


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [None, 0, 1, 3, 7, 9])
def test_check_64_map_in_batches(batch_size):
    compare(map_trees, batch_size)
    compare(printed_map, batch_size)
    compare(empty_map, batch_size)


@pytest.mark.parametrize(
    "kind",
    [
        *("two arguments", "no leaves", "no leaves in batches", "negative"),
        *("sizes", "sizes in batches", "function"),
    ],
)
def test_check_65_94_bad_maps(kind):
    import minijax as mj

    if kind == "negative":
        with pytest.raises(ValueError):
            bad_map(mj, kind)
    elif kind == "sizes in batches":  # jax leaves out the fifth slice
        with pytest.raises(TypeError):
            bad_map(mj, kind)
    else:
        compare(bad_map, kind, raises=True)


def test_check_79_85_how_often_map_traces():
    import minijax as mj

    calls = []

    def f(x):
        calls.append(x.shape)
        return x * 2.0

    for _ in range(3):
        mj.lax.map(f, np.ones(4, F32))
    assert len(calls) == 1
    calls.clear()
    mj.lax.map(f, np.ones((5, 2), F32), batch_size=2)
    assert len(calls) == 2
    calls.clear()
    mj.lax.map(f, np.ones((4, 2), F32), batch_size=2)
    assert len(calls) <= 1
