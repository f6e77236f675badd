"""Small random programs as data: what hypothesis draws and both libraries run.

A program is a list of instructions of four numbers each. Every number means something
whatever it is (it is taken modulo what there is to choose from), so every list is a
program, and hypothesis can shrink one by dropping instructions and lowering numbers.
"""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.laws.programs import directions, leaves

UNARY = ("sin", "cos", "tanh", "neg", "logistic", "atan")
BINARY = ("add", "sub", "mul", "max", "min", "atan2")
SHAPING = ("reduce_sum", "reduce_max", "cumsum", "rev", "transpose", "flatten")
WIDENING = ("broadcast", "concatenate", "pad", "slice")
CHOOSING = ("select", "dot", "gather")
ALL = UNARY + BINARY + SHAPING + WIDENING + CHOOSING

# Of no more values than this: programs stay fast, and their text short.
LARGEST = 200

instruction = st.tuples(
    st.sampled_from(ALL),
    st.integers(0, 7),
    st.integers(0, 7),
    st.integers(0, 3),
)
shapes = st.lists(st.integers(1, 3), min_size=0, max_size=3).map(tuple)
instructions = st.lists(instruction, min_size=1, max_size=8)
# Without what jax writes as an equation `jit[name=_take]`.
printed_alike = st.lists(
    instruction.filter(lambda step: step[0] != "gather"), min_size=1, max_size=8
)


def _unary(J: Any, op: str, x: Any) -> Any:
    return getattr(J.lax, op)(x)


def _shaped(J: Any, op: str, x: Any, axis: int) -> Any:
    lax, rank = J.lax, len(x.shape)
    if op == "transpose":
        return lax.transpose(x, tuple((i + axis) % rank for i in range(rank)))
    if op == "flatten":
        return lax.reshape(x, (x.size,))
    axis %= rank
    if op in ("reduce_sum", "reduce_max"):
        return getattr(lax, op)(x, (axis,))
    if op == "cumsum":
        return lax.cumsum(x, axis)
    return lax.rev(x, (axis,))


def _widened(J: Any, op: str, x: Any, axis: int) -> Any:
    lax, rank = J.lax, len(x.shape)
    if op == "broadcast":
        place = axis % (rank + 1)
        shape = (*x.shape[:place], 2, *x.shape[place:])
        kept = tuple(i for i in range(rank + 1) if i != place)
        return lax.broadcast_in_dim(x, shape, kept)
    axis %= rank
    if op == "concatenate":
        return lax.concatenate([x, x], axis)
    if op == "pad":
        edges = [(1, 0, 1) if i == axis else (0, 0, 0) for i in range(rank)]
        return lax.pad(x, np.array(0.5, x.dtype), edges)
    starts = [x.shape[i] // 2 if i == axis else 0 for i in range(rank)]
    return lax.slice(x, starts, x.shape)


def _chosen(J: Any, op: str, x: Any, y: Any, axis: int) -> Any:
    lax, rank = J.lax, len(x.shape)
    if op == "select":
        return lax.select(lax.lt(x, y), lax.sin(x), y)
    axis %= rank
    if op == "dot":
        return lax.dot_general(x, y, (((axis,), (axis,)), ((), ())))
    numbers = np.arange(x.shape[axis])[::-1] // 2
    return J.numpy.take(x, numbers, axis=axis)


def _step(J: Any, values: list[Any], step: tuple[str, int, int, int]) -> Any:
    op, first, second, axis = step
    x = values[first % len(values)]
    if op in UNARY:
        return _unary(J, op, x)
    alike = [v for v in values if v.shape == x.shape]
    y = alike[second % len(alike)]
    if op in BINARY:
        return getattr(J.lax, op)(x, y)
    if not x.shape and op != "broadcast":
        return x
    if op in CHOOSING:
        return _chosen(J, op, x, y, axis)
    shaped = _shaped if op in SHAPING else _widened
    return shaped(J, op, x, axis)


def function(J: Any, steps: list[tuple[str, int, int, int]]) -> Any:
    """The program as a function of two arrays of one shape, to its last values."""

    def run(x: Any, y: Any) -> Any:
        values = [x, y]
        for step in steps:
            value = _step(J, values, step)
            if value.size <= LARGEST:
                values.append(value)
        return tuple(values[-3:])

    return run


def operands(shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    """Distinct values, so that `max` and `lt` meet no ties."""
    size = int(np.prod(shape, dtype=np.int64))
    both = np.random.default_rng(size).permutation(2 * size) / (2 * size) - 0.3
    x, y = both.reshape(2, *shape).astype(dtype)
    return [np.asarray(x), np.asarray(y)]


# -- what is asked of a drawn program --------------------------------------------------


def value(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    return function(J, steps)(*operands(shape, dtype))


def staged(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    return J.jit(function(J, steps))(*operands(shape, dtype))


def text(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    return J.make_jaxpr(function(J, steps))(*operands(shape, dtype))


def batched(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    x, y = operands(shape, dtype)
    f = J.vmap(function(J, steps), in_axes=(0, None))
    return J.jit(f)(np.stack([x, -x, x / 2], dtype=x.dtype), y)


def pushed(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    xs = operands(shape, dtype)
    f = function(J, steps)
    return J.jit(lambda *xs: J.jvp(f, xs, tuple(directions(list(xs)))))(*xs)


def pulled(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    xs = operands(shape, dtype)
    f = function(J, steps)

    def back(*xs: Any) -> Any:
        out, pull = J.vjp(f, *xs)
        return pull(tuple(directions(leaves(J, out), 100)))

    return J.jit(back)(*xs)


def second_order(J: Any, shape: tuple[int, ...], dtype: str, steps: Any) -> Any:
    """The jvp of a gradient of a scalar."""
    xs = operands(shape, dtype)
    f = function(J, steps)

    def scalar(*xs: Any) -> Any:
        return sum(J.numpy.sum(y * y) for y in f(*xs))

    slope = J.grad(scalar, argnums=(0, 1))
    return J.jit(lambda *xs: J.jvp(slope, xs, tuple(directions(list(xs)))))(*xs)
