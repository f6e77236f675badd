"""ufuncs: elementwise functions that also reduce, accumulate and update.

Source: spec/numpy.md §15.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import lax
from ..base.errors import ArgumentTypeError, ArgumentValueError, NotSupportedError
from ..base.util import canonicalize_axis
from ..core import typeof
from ..transforms import vmap
from . import arithmetic, exponents, logic
from .arithmetic import stretch
from .array_making import asarray
from .cumulating import cumprod, cumsum
from .getting import getitem
from .joining import concatenate
from .promotion import as_is, cast_to, check_arrays, inexact, refuse
from .reductions import all as reduce_all
from .reductions import any as reduce_any
from .reductions import max as reduce_max
from .reductions import min as reduce_min
from .reductions import prod, static_axis
from .reductions import sum as reduce_sum
from .selecting import where as choose
from .updating import IndexedElements
from .vectorizing import vectorize

_UNARY, _BINARY = 1, 2

type Method = Callable[..., Any] | None


class ufunc:
    """An elementwise function with ways to apply it along axes.

    Made by `frompyfunc`; those of the module are compiled. nin, nout: how many operands
    and results. identity: of the operation, or None.

    >>> import minijax.numpy as jnp
    >>> print(jnp.add.reduce(jnp.arange(4)))
    6
    """

    def __init__(
        self,
        func: Callable[..., Any],
        /,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        nargs: int | None = None,
        identity: Any = None,
        call: Method = None,
        reduce: Method = None,
        accumulate: Method = None,
        at: Method = None,
        reduceat: Method = None,
    ) -> None:
        self.__name__ = name or func.__name__
        self.__doc__ = func.__doc__
        self.__wrapped__ = func
        self.nin, self.nout = int(nin), int(nout)
        self.nargs = nargs if nargs is not None else self.nin
        self.identity = identity
        self._call = call or vectorize(func)
        self._reduce, self._accumulate = reduce, accumulate

    def _fields(self) -> tuple[Any, ...]:
        return self.__wrapped__, self.__name__, self.nin, self.nout, self.identity

    def __hash__(self) -> int:
        return hash(self._fields())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ufunc) and self._fields() == other._fields()

    def __repr__(self) -> str:
        return f"<jnp.ufunc '{self.__name__}'>"

    def __call__(self, *args: Any, out: None = None, where: None = None) -> Any:
        """Apply to every element; operands broadcast."""
        if out is not None or where is not None:
            refuse(self.__name__, out=out, where=where)
        if len(args) != self.nin:
            raise ArgumentTypeError(
                f"{self.__name__} takes {self.nin} operands.", f"Found {len(args)}."
            )
        return self._call(*args)

    def _require_binary(self, method: str) -> None:
        if self.nin != _BINARY or self.nout != _UNARY:
            raise ArgumentValueError(
                f"`{method}` is for functions of two operands and one result.",
                f"Found {self.__name__} with {self.nin} and {self.nout}.",
            )

    def reduce(
        self,
        a: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        """All elements along an axis combined from left to right."""
        self._require_binary("reduce")
        refuse(f"{self.__name__}.reduce", out=out)
        check_arrays(f"{self.__name__}.reduce", a)
        if where is not None and self.identity is None and initial is None:
            raise ArgumentValueError(
                f"{self.__name__} of masked elements needs an initial value.",
                "Found `where` without `initial`.",
            )
        if self._reduce is not None:
            options = {"dtype": dtype} if dtype is not None else {}
            if initial is not None:
                options["initial"] = initial
            return self._reduce(a, axis, keepdims=keepdims, where=where, **options)
        return self._fold(a, static_axis(axis), dtype, keepdims, initial, where)

    def _fold(
        self, a: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any
    ) -> Any:
        if isinstance(axis, tuple):
            if len(axis) != 1:
                raise NotSupportedError("A fold goes along one axis.", f"Found {axis}.")
            axis = axis[0]
        x = as_is(a) if dtype is None else asarray(a, dtype)
        rank = typeof(x).ndim
        first = self.identity if initial is None else initial
        if where is not None:
            x = choose(where, x, self.identity if self.identity is not None else first)
        flat = lax.reshape(x, (typeof(x).size,)) if axis is None else _front(x, axis)
        size = typeof(flat).shape[0]
        if first is None:
            if not size:
                raise ArgumentValueError(
                    f"{self.__name__} of no elements needs an initial value.",
                    f"Found {typeof(x)}.",
                )
            out, start = flat[0], 1
        else:
            out, start = (
                stretch(asarray(first, typeof(x).dtype), typeof(flat).shape[1:]),
                0,
            )
        out = lax.fori_loop(start, size, lambda i, acc: self._step(acc, flat, i), out)
        if not keepdims:
            return out
        sizes = [
            1 if axis is None or i == axis % rank else n
            for i, n in enumerate(typeof(x).shape)
        ]
        return lax.reshape(out, sizes)

    def _step(self, acc: Any, x: Any, i: Any) -> Any:
        made = self(acc, lax.dynamic_index_in_dim(x, i, 0, keepdims=False))
        return cast_to(made, typeof(acc).dtype, weak=typeof(acc).weak_type)

    def accumulate(
        self, a: Any, axis: int = 0, dtype: Any = None, out: None = None
    ) -> Any:
        """The results of `reduce` over longer and longer parts of an axis."""
        self._require_binary("accumulate")
        refuse(f"{self.__name__}.accumulate", out=out)
        check_arrays(f"{self.__name__}.accumulate", a)
        if self._accumulate is not None:
            return self._accumulate(a, axis=axis, dtype=dtype)
        x = as_is(a) if dtype is None else asarray(a, dtype)
        if axis is None or not typeof(x).shape:
            raise ArgumentValueError(
                "accumulate goes along one axis.", f"Found {axis}."
            )
        rows = _front(x, axis)
        if not typeof(rows).shape[0]:
            return x

        def step(acc: Any, row: Any) -> Any:
            made = self(acc, row)
            made = cast_to(made, typeof(acc).dtype, weak=typeof(acc).weak_type)
            return made, made

        _, rest = lax.scan(step, rows[0], rows[1:])
        made = concatenate([rows[:1], rest])
        return _back(made, axis)

    def at(
        self, a: Any, indices: Any, b: Any = None, /, *, inplace: bool = True
    ) -> Any:
        """A copy with the function applied to the named elements, and `b`."""
        if inplace:
            raise NotSupportedError(
                "at cannot change an array in place.", "Found inplace=True.",
                "Say `inplace=False` and use the result.",
            )  # fmt: skip
        if self.nin == _UNARY:
            return IndexedElements(asarray(a), indices).apply(self._call)
        self._require_binary("at")
        check_arrays(f"{self.__name__}.at", a, b)
        update = _UPDATES.get(self.__name__)
        elements = IndexedElements(asarray(a), indices)
        if update is not None and self._reduce is not None:
            return getattr(elements, update)(b)
        return self._update_one_by_one(asarray(a), indices, b)

    def _update_one_by_one(self, a: Any, indices: Any, b: Any) -> Any:
        index = tuple(indices) if isinstance(indices, tuple) else (indices,)
        shape = typeof(getitem(a, index)).shape
        values = stretch(cast_to(b, typeof(a).dtype), shape)
        if not shape:
            return IndexedElements(a, index).set(self(getitem(a, index), values))
        arrays = [asarray(i) for i in index]
        common = lax.broadcast_shapes(*[typeof(i).shape for i in arrays])
        count = math.prod(common)
        flat = [lax.reshape(stretch(i, common), (count,)) for i in arrays]
        rest = shape[len(common) :]
        rows = lax.reshape(values, (count, *rest))

        def step(i: Any, out: Any) -> Any:
            place = tuple(
                lax.dynamic_index_in_dim(f, i, 0, keepdims=False) for f in flat
            )
            made = self(getitem(out, place), getitem(rows, i))
            return IndexedElements(out, place).set(cast_to(made, typeof(out).dtype))

        return lax.fori_loop(0, count, step, a)

    def reduceat(
        self, a: Any, indices: Any, axis: int = 0, dtype: Any = None, out: None = None
    ) -> Any:
        """`reduce` of the parts of an axis from each index up to the next."""
        self._require_binary("reduceat")
        refuse(f"{self.__name__}.reduceat", out=out)
        check_arrays(f"{self.__name__}.reduceat", a, indices)
        x = asarray(a, dtype)
        rows = _front(x, axis)
        starts = np.asarray(indices)
        size = typeof(rows).shape[0]
        if ((starts < 0) | (starts >= size)).any():
            raise ArgumentValueError(
                f"Indices lie from 0 to {size - 1}.", f"Found {starts}."
            )
        parts = []
        for i, start in enumerate(starts):
            stop = starts[i + 1] if i + 1 < len(starts) else size
            part = (
                rows[int(start) : int(stop)] if stop > start else rows[int(start)][None]
            )
            parts.append(self.reduce(part, 0, dtype=dtype))
        made = lax.stack([as_is(p) for p in parts], 0)
        return _back(made, axis)

    def outer(self, A: Any, B: Any, /) -> Any:
        """The function of all pairs of elements: T[*s], T[*t] -> T[*s, *t]."""
        self._require_binary("outer")
        check_arrays(f"{self.__name__}.outer", A, B)
        shape = (*typeof(A).shape, *typeof(B).shape)
        x = lax.reshape(as_is(A), (typeof(A).size,))
        y = lax.reshape(as_is(B), (typeof(B).size,))
        pairs = vmap(vmap(self._call, (None, 0)), (0, None))(x, y)
        return lax.reshape(pairs, shape)


def _front(x: Any, axis: int) -> Any:
    rank = typeof(x).ndim
    axis = canonicalize_axis(axis, rank)
    return lax.transpose(x, [axis, *(i for i in range(rank) if i != axis)])


def _back(x: Any, axis: int) -> Any:
    rank = typeof(x).ndim
    axis = canonicalize_axis(axis, rank)
    return lax.transpose(x, [*range(1, axis + 1), 0, *range(axis + 1, rank)])


_UPDATES = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "maximum": "max",
    "minimum": "min",
}


def frompyfunc(
    func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None
) -> ufunc:
    """A ufunc from a function of scalars.

    >>> import minijax.numpy as jnp
    >>> plus = jnp.frompyfunc(lambda x, y: x + y, 2, 1, identity=0)
    >>> print(plus.reduce(jnp.arange(4)))
    6
    """
    return ufunc(func, nin, nout, identity=identity)


# --- the ufuncs of the module ---------------------------------------------------------


def _made(
    function: Any, *, nin: int = 2, identity: Any = None, **methods: Any
) -> ufunc:
    return ufunc(function, nin, 1, identity=identity, call=function, **methods)


def _reduce_logaddexp(
    a: Any,
    axis: Any = 0,
    *,
    keepdims: bool = False,
    where: Any = None,
    initial: Any = None,
) -> Any:
    x = inexact("logaddexp", asarray(a))
    if where is not None:
        x = choose(where, x, -np.inf)
    top = reduce_max(x, axis, keepdims=True, initial=-np.inf)
    top = choose(logic.isfinite(top), top, 0)
    total = reduce_sum(exponents.exp(x - top), axis, keepdims=True)
    out = exponents.log(total) + top
    if not keepdims:
        axes = range(typeof(out).ndim) if axis is None else np.atleast_1d(axis)
        out = lax.squeeze(out, [int(i) for i in axes])
    return out if initial is None else exponents.logaddexp(out, initial)


def _reduce_extreme(reduce: Any) -> Any:
    def reduce_extreme(
        a: Any, axis: Any = 0, *, keepdims: bool = False, where: Any = None,
        initial: Any = None, dtype: Any = None,
    ) -> Any:  # fmt: skip
        x = a if dtype is None else asarray(a, dtype)
        return reduce(x, axis, None, keepdims, initial, where)

    return reduce_extreme


def _reduce_truth(reduce: Any) -> Any:
    def reduce_truth(
        a: Any, axis: Any = 0, *, keepdims: bool = False, where: Any = None,
        initial: Any = None, dtype: Any = None,
    ) -> Any:  # fmt: skip
        out = reduce(a, axis, None, keepdims, where=where)
        if initial is None:
            return out
        return (
            logic.logical_and(out, initial)
            if reduce is reduce_all
            else logic.logical_or(out, initial)
        )

    return reduce_truth


add = _made(arithmetic.add, identity=0, reduce=reduce_sum, accumulate=cumsum)
multiply = _made(arithmetic.multiply, identity=1, reduce=prod, accumulate=cumprod)
subtract = _made(arithmetic.subtract)
negative = _made(arithmetic.negative, nin=1)
maximum = _made(arithmetic.maximum, reduce=_reduce_extreme(reduce_max))
minimum = _made(arithmetic.minimum, reduce=_reduce_extreme(reduce_min))
bitwise_and = _made(logic.bitwise_and, identity=-1)
bitwise_or = _made(logic.bitwise_or, identity=0)
bitwise_xor = _made(logic.bitwise_xor, identity=0)
logical_and = _made(logic.logical_and, identity=True, reduce=_reduce_truth(reduce_all))
logical_or = _made(logic.logical_or, identity=False, reduce=_reduce_truth(reduce_any))
logical_xor = _made(logic.logical_xor, identity=False)
logaddexp = _made(exponents.logaddexp, identity=-np.inf, reduce=_reduce_logaddexp)
logaddexp2 = _made(exponents.logaddexp2, identity=-np.inf)
