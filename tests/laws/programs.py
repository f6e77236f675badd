"""The laws, written over a namespace, so that jax can be held to them too.

Each law takes the name of a sample. It raises AssertionError where it does not hold;
what it returns is the value that the oracle compares. Laws about derivatives run with
64-bit types, so that a difference quotient is worth comparing with.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples import SAMPLES, Sample

STEP = 1e-6


def bound(J: Any, sample: Sample) -> Callable[..., Any]:
    return lambda *operands: sample.call(J, *operands)


def operands(J: Any, sample: Sample) -> list[np.ndarray]:
    """The sample's operands, the inexact ones in 64 bits if those are on."""
    if not J.config.jax_enable_x64:
        return [np.asarray(x) for x in sample.operands]
    wide = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}
    every = map(np.asarray, sample.operands)
    return [x.astype(wide.get(x.dtype, x.dtype)) for x in every]


def leaves(J: Any, tree: Any) -> list[Any]:
    return J.tree_util.tree_leaves(tree)


def smooth_part(
    J: Any, f: Callable[..., Any], values: list[Any], positions: tuple[int, ...]
) -> tuple[Callable[..., list[Any]], list[Any]]:
    """`f` as a function of its differentiable operands, to its inexact results."""

    def g(*moving: Any) -> list[Any]:
        every = list(values)
        for position, x in zip(positions, moving):
            every[position] = x
        out = leaves(J, f(*every))
        return [y for y in out if J.dtypes.issubdtype(y.dtype, np.inexact)]

    return g, [values[i] for i in positions]


def direction(x: Any, seed: int) -> np.ndarray:
    """A fixed direction of the type of `x`, with no zeros in it."""
    rng = np.random.default_rng(seed)
    shape, dtype = np.shape(x), np.dtype(x.dtype)
    v = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    if dtype.kind == "c":
        v = v + 1j * rng.uniform(0.5, 1.5, shape)
    return np.asarray(v).astype(dtype)


def directions(xs: list[Any], seed: int = 0) -> list[np.ndarray]:
    return [direction(x, seed + i) for i, x in enumerate(xs)]


def assert_close(ours: list[Any], wanted: list[Any], rtol: float, atol: float) -> None:
    assert len(ours) == len(wanted), f"{len(ours)} results, {len(wanted)} wanted"
    for x, y in zip(ours, wanted):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype, f"{x.dtype}, {y.dtype} wanted"
        assert x.shape == y.shape, f"shape {x.shape}, {y.shape} wanted"
        if x.dtype.kind not in "fc":  # numpy compares bfloat16 as an object
            x, y = (a if a.dtype.kind in "biu" else a.astype(float) for a in (x, y))
        np.testing.assert_allclose(x, y, rtol, atol)


def plain(J: Any, name: str) -> Any:
    """The value itself."""
    sample = SAMPLES[name]
    return sample.call(J, *operands(J, sample))


def text(J: Any, name: str) -> Any:
    """The program that the call makes."""
    sample = SAMPLES[name]
    return J.make_jaxpr(bound(J, sample))(*operands(J, sample))


# -- jit and vmap ----------------------------------------------------------------------


def jit_is_eager(J: Any, name: str) -> Any:
    """Compiling changes nothing but the last bit of a fused expression."""
    sample = SAMPLES[name]
    f, xs = bound(J, sample), operands(J, sample)
    eager, compiled = f(*xs), J.jit(f)(*xs)
    assert J.tree_util.tree_structure(eager) == J.tree_util.tree_structure(compiled)
    assert_close(leaves(J, compiled), leaves(J, eager), 1e-5, 1e-6)
    return compiled


def _loop(
    J: Any, f: Callable[..., Any], pairs: list[Any], mapped: tuple[int, ...]
) -> list[Any]:
    """What `vmap` stands for: one call for each element, the results stacked."""
    results = []
    for k in range(2):
        xs = [p[k] if i in mapped else p[0] for i, p in enumerate(pairs)]
        results.append([np.asarray(y) for y in leaves(J, f(*xs))])
    return [np.stack(ys) for ys in zip(*results)]


def vmap_is_a_loop(J: Any, name: str, mapped: tuple[int, ...]) -> Any:
    """Mapping over the leading axis of the operands at `mapped`, the others held."""
    sample = SAMPLES[name]
    f, pairs = bound(J, sample), sample.pairs()
    axes = tuple(0 if i in mapped else None for i in range(len(pairs)))
    xs = [p if i in mapped else p[0] for i, p in enumerate(pairs)]
    together = J.vmap(f, in_axes=axes)(*xs)
    assert_close(leaves(J, together), _loop(J, f, pairs, mapped), 1e-5, 1e-6)
    return together


def vmap_of_a_last_axis(J: Any, name: str) -> Any:
    """The axis may stand anywhere: here it is last, going in and coming out."""
    sample = SAMPLES[name]
    f, pairs = bound(J, sample), sample.pairs()
    mapped = sample.mapped
    axes = tuple(-1 if i in mapped else None for i in range(len(pairs)))
    xs = [np.moveaxis(p, 0, -1) if i in mapped else p[0] for i, p in enumerate(pairs)]
    together = leaves(J, J.vmap(f, in_axes=axes, out_axes=-1)(*xs))
    moved = [np.moveaxis(np.asarray(y), -1, 0) for y in together]
    assert_close(moved, _loop(J, f, pairs, mapped), 1e-5, 1e-6)
    return together


# -- derivatives (with 64-bit types) ---------------------------------------------------


def _quotient(g: Callable[..., list[Any]], xs: list[Any], vs: list[Any]) -> list[Any]:
    """The central difference of `g` at `xs` along `vs`."""
    ahead = g(*[x + STEP * v for x, v in zip(xs, vs)])
    behind = g(*[x - STEP * v for x, v in zip(xs, vs)])
    return [(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in zip(ahead, behind)]


def _prepared(J: Any, name: str) -> tuple[Callable[..., list[Any]], list[Any]]:
    sample = SAMPLES[name]
    return smooth_part(J, bound(J, sample), operands(J, sample), sample.differentiable)


def jvp_is_a_difference(J: Any, name: str) -> Any:
    g, xs = _prepared(J, name)
    vs = directions(xs)
    out, moved = J.jvp(g, tuple(xs), tuple(vs))
    assert_close(out, g(*xs), 1e-12, 1e-12)
    assert_close(moved, _quotient(g, xs, vs), 1e-6, 1e-7)
    return moved


def linearize_is_jvp(J: Any, name: str) -> Any:
    g, xs = _prepared(J, name)
    vs = directions(xs)
    wanted, wanted_dot = J.jvp(g, tuple(xs), tuple(vs))
    out, linear = J.linearize(g, *xs)
    assert_close(out, wanted, 1e-12, 1e-12)
    assert_close(linear(*vs), wanted_dot, 1e-12, 1e-12)
    return linear(*vs)


def transpose_is_the_adjoint(J: Any, name: str) -> Any:
    """⟨A v, w⟩ = ⟨v, Aᵀ w⟩ for the derivative A of the call.

    The product is bilinear, without conjugation, and only its real part is common to
    maps that are not complex-linear (`conj`, `real`).
    """
    g, xs = _prepared(J, name)
    vs = directions(xs)
    out, moved = J.jvp(g, tuple(xs), tuple(vs))
    ws = directions(out, 100)
    back = J.vjp(g, *xs)[1](ws)
    for x, x_bar in zip(xs, back):
        assert (x.shape, x.dtype) == (x_bar.shape, x_bar.dtype)

    def pairing(us: Any, zs: Any) -> float:
        return sum(
            np.real(np.sum(np.asarray(u) * np.asarray(z))) for u, z in zip(us, zs)
        )

    np.testing.assert_allclose(pairing(moved, ws), pairing(vs, back), 1e-10, 1e-12)
    # jax hands a cotangent of numpy back as it is where the transpose is the identity.
    return [J.numpy.asarray(x_bar) for x_bar in back]


def second_order_is_a_difference(J: Any, name: str) -> Any:
    """The jvp of a jvp, and the jvp of a vjp, against differences of the inner one."""
    g, xs = _prepared(J, name)
    vs, us = directions(xs), directions(xs, 50)
    ws = directions(g(*xs), 100)

    def forward(*xs: Any) -> list[Any]:
        return J.jvp(g, tuple(xs), tuple(vs))[1]

    def reverse(*xs: Any) -> list[Any]:
        return list(J.vjp(g, *xs)[1](ws))

    found = []
    for inner in (forward, reverse):
        moved = J.jvp(inner, tuple(xs), tuple(us))[1]
        assert_close(moved, _quotient(inner, xs, us), 1e-5, 1e-6)
        found.append(moved)
    return found


# -- every ordered pair of transformations ---------------------------------------------
#
# A transformation takes a function of the sample's operands, to a list of inexact
# arrays, and gives one of the same operands; so they compose in any order.


def _jit(J: Any, f: Callable[..., Any], _: tuple[int, ...]) -> Callable[..., Any]:
    return J.jit(f)


def _vmap(J: Any, f: Callable[..., Any], _: tuple[int, ...]) -> Callable[..., Any]:
    def mapped(*xs: Any) -> Any:
        return J.vmap(f)(*[J.numpy.stack([x, x]) for x in xs])

    return mapped


def _checkpoint(
    J: Any, f: Callable[..., Any], _: tuple[int, ...]
) -> Callable[..., Any]:
    return J.checkpoint(f)


def _jvp(J: Any, f: Callable[..., Any], at: tuple[int, ...]) -> Callable[..., Any]:
    def pushed(*xs: Any) -> Any:
        g, moving = smooth_part(J, f, list(xs), at)
        return J.jvp(g, tuple(moving), tuple(directions(moving)))[1]

    return pushed


def _linearize(
    J: Any, f: Callable[..., Any], at: tuple[int, ...]
) -> Callable[..., Any]:
    def pushed(*xs: Any) -> Any:
        g, moving = smooth_part(J, f, list(xs), at)
        return J.linearize(g, *moving)[1](*directions(moving))

    return pushed


def _grad(J: Any, f: Callable[..., Any], at: tuple[int, ...]) -> Callable[..., Any]:
    """The gradient of a weighted sum of the results: reverse mode, complex or not."""

    def pulled(*xs: Any) -> Any:
        g, moving = smooth_part(J, f, list(xs), at)
        out, back = J.vjp(g, *moving)
        return list(back(directions(out, 100)))

    return pulled


ALWAYS = {"jit": _jit, "vmap": _vmap, "checkpoint": _checkpoint}
FIRST_ORDER = {"jvp": _jvp, "linearize": _linearize, "grad": _grad}
PAIRS = tuple(itertools.product([*ALWAYS, *FIRST_ORDER], repeat=2))


def compose(J: Any, sample: Sample, outer: str, inner: str) -> Callable[..., Any]:
    every, at = ALWAYS | FIRST_ORDER, sample.differentiable
    return every[outer](J, every[inner](J, bound(J, sample), at), at)


def pairs_of(sample: Sample) -> list[tuple[str, str]]:
    """The pairs that mean something for a sample: vmap needs operands to map over, a
    derivative something to differentiate."""
    idle = set() if sample.mapped else {"vmap"}
    if not sample.differentiable:
        idle |= FIRST_ORDER.keys()
    possible = [(a, b) for a, b in PAIRS if not {a, b} & idle]
    return [pair for pair in possible if pair not in sample.refused]


def every_pair(J: Any, name: str) -> Any:
    """All pairs at once, staged into one program: what they do, without the waiting."""
    sample = SAMPLES[name]
    failed: dict[str, Any] = {}

    def all_of(*xs: Any) -> dict[str, Any]:
        out = {}
        for outer, inner in pairs_of(sample):
            pair = f"{outer} of {inner}"
            try:
                out[pair] = leaves(J, compose(J, sample, outer, inner)(*xs))
            except Exception as error:
                failed[pair] = error
        return out

    return J.jit(all_of)(*operands(J, sample)), failed


def one_pair(J: Any, name: str, outer: str, inner: str) -> Any:
    """One pair by itself, not staged."""
    sample = SAMPLES[name]
    return leaves(J, compose(J, sample, outer, inner)(*operands(J, sample)))


# -- which primitives a sample binds ---------------------------------------------------


def _names(jaxpr: Any, found: set[str]) -> set[str]:
    for eqn in jaxpr.eqns:
        found.add(eqn.primitive.name)
        for value in eqn.params.values():
            for inner in value if isinstance(value, tuple | list) else [value]:
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    _names(inner, found)
    return found


def binds_its_primitive(J: Any, name: str) -> Any:
    sample = SAMPLES[name]
    closed = J.make_jaxpr(bound(J, sample))(*sample.operands)
    found = _names(closed.jaxpr, set())
    assert sample.primitive in found, f"{name} binds only {sorted(found)}"
    return sorted(found)
