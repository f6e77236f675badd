"""Asking the same question about many calls: values, programs, derivatives, batches.

A call is a top-level function `call(J, *operands)` over a namespace; the helpers below
are programs over it that the oracle runs under both libraries.
"""

import itertools
import re

import numpy as np

from tests.oracle import compare


def text(J, fun, *args):
    """A jaxpr with all params, without what only the width of a line decides."""
    jaxpr = J.make_jaxpr(fun)(*args)
    return normal(jaxpr.pretty_print(use_color=False, custom_pp_eqn_rules=False))


def normal(words):
    # jax lets NumPy integers through into some params; they mean what ints mean.
    words = re.sub(r"np\.int64\((-?\d+)\)", r"\1", words)
    words = re.sub(r"\s+", " ", words)
    return re.sub(r"(?<=[\[(]) | (?=[\])])", "", words)


def _on(J, call, static):
    return lambda *operands: call(J, *operands, *static)


def value_of(J, call, operands, static=()):
    """The result, run eagerly and compiled."""
    fun = _on(J, call, static)
    return fun(*operands), J.jit(fun)(*operands)


def text_of(J, call, operands, static=()):
    """The program of the call."""
    return text(J, _on(J, call, static), *operands)


def _moving(J, call, operands, static, where):
    """The call as a function of the operands at `where` alone."""
    fun = _on(J, call, static)

    def of_some(*some):
        every = list(operands)
        for position, x in zip(where, some):
            every[position] = x
        return fun(*every)

    return of_some, [operands[position] for position in where]


def _seed(J, tree, start=1.0):
    """Distinct numbers in the shape of a result."""
    leaves, structure = J.tree_util.tree_flatten(tree)
    seeds = []
    for leaf in leaves:
        if not np.issubdtype(leaf.dtype, np.inexact) and "float" not in str(leaf.dtype):
            seeds.append(np.zeros(leaf.shape, J.dtypes.float0))
            continue
        count = int(np.prod(leaf.shape, dtype=np.int64))
        numbers = start + np.arange(count).reshape(leaf.shape) * 0.25
        seeds.append(numbers.astype(leaf.dtype))
    return J.tree_util.tree_unflatten(structure, seeds)


def jvp_of(J, call, operands, where, static=(), with_text=True):
    """The value and the tangent, and the program that computes them."""
    fun, some = _moving(J, call, operands, static, where)
    dots = _seed(J, [np.asarray(x) for x in some])

    def push(xs, x_dots):
        return J.jvp(fun, tuple(xs), tuple(x_dots))

    moved = push(some, dots)
    return (moved, text(J, push, some, dots)) if with_text else moved


def vjp_of(J, call, operands, where, static=(), with_text=True):
    """The cotangents, and the program that computes them."""
    fun, some = _moving(J, call, operands, static, where)
    y_bar = _seed(J, J.eval_shape(fun, *some))

    def pull(xs, bar):
        return J.vjp(fun, *xs)[1](bar)

    # Compiled: eagerly jax may hand the seed back as the NumPy array that it is.
    cotangents = J.jit(pull)(some, y_bar)
    return (cotangents, text(J, pull, some, y_bar)) if with_text else cotangents


def vmap_of(J, call, operands, axes, static=(), size=3, with_text=True):
    """The batched value, and the program that computes it."""
    fun = _on(J, call, static)
    batches = [
        x if axis is None else spread(x, axis, size) for x, axis in zip(operands, axes)
    ]
    mapped = J.vmap(fun, in_axes=tuple(axes))
    out = mapped(*batches)
    return (out, text(J, mapped, *batches)) if with_text else out


def spread(x, axis, size):
    """Different examples, stacked along an axis."""
    x = np.asarray(x)
    examples = [np.roll(x.reshape(-1), shift).reshape(x.shape) for shift in range(size)]
    return np.stack(examples, axis)


def all_axes(operands):
    """Every way to map over at least one operand."""
    choices = [[None, *range(np.ndim(x) + 1)] for x in operands]
    return [
        axes for axes in itertools.product(*choices) if any(a is not None for a in axes)
    ]


# --- one question, both libraries -----------------------------------------------------


def same_value(call, *operands, static=(), **options):
    compare(value_of, call, operands, static, **options)


def same_text(call, *operands, static=()):
    compare(text_of, call, operands, static)


def same_jvp(call, *operands, where=(0,), static=(), with_text=True):
    compare(jvp_of, call, operands, where, static, with_text)


def same_vjp(call, *operands, where=(0,), static=(), with_text=True):
    compare(vjp_of, call, operands, where, static, with_text)


def same_vmap(call, *operands, axes=None, static=(), with_text=True):
    """Over the given axes, or every way there is."""
    for one in all_axes(operands) if axes is None else axes:
        compare(vmap_of, call, operands, one, static, 3, with_text)


def same_error(call, *operands, static=()):
    """Raised while tracing, with the same type."""
    compare(text_of, call, operands, static, raises=True)
