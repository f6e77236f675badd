"""ragged_dot_general: products in which one axis falls into groups of different sizes.

The ragged axis of the left operand is cut into groups of the sizes that a third operand
tells. What that means depends on what the axis is in the product:

- free: each group is multiplied by its own slice of the right operand;
- contracting: each group is summed on its own, and the result has an axis of groups;
- batch: groups change nothing.

Elements behind the last group count as zeros. Platforms without an operation for it
multiply masked copies, one per group.

Source: spec/primitives.md §6, spec/ad.md §4.4, spec/lowering.md §15.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import lowering
from ..base import dtypes
from ..base.errors import ArgumentTypeError, NotSupportedError
from ..core import Primitive, ShapedArray, select_n_p, typeof
from ..interpreters import ad, batching
from .arithmetic import add, sub
from .bits import bitwise_and
from .comparisons import le, lt
from .contractions import (
    Axes,
    canonical_dot_numbers,
    dot_general_p,
    dot_shape,
    other_axes,
    product_dtype,
)
from .conversions import convert
from .cumulative import cumsum
from .definition import define
from .generation import broadcasted_iota, fill_like
from .precisions import (
    CanonicalPrecision,
    PrecisionLike,
    canonical_precision,
    levels_of,
)
from .result_types import joint_type, plain_ints
from .shapes import broadcast_in_dim, inverse_permutation, transpose

if TYPE_CHECKING:
    from .contractions import DotDimensionNumbers
    from .typing import Array, ArrayLike, DTypeLike

__all__ = [
    "RaggedDotDimensionNumbers",
    "ragged_dot",
    "ragged_dot_general",
]

ragged_dot_general_p = Primitive("ragged_dot_general")


class RaggedDotDimensionNumbers:
    """What the axes of a ragged product mean.

    dot_dimension_numbers: as in `dot_general`. lhs_ragged_dimensions: the axis of lhs
    that falls into groups. rhs_group_dimensions: the axis of rhs that has one slice per
    group, where the ragged axis is neither contracted nor a batch axis.
    """

    __slots__ = (
        "dot_dimension_numbers",
        "lhs_ragged_dimensions",
        "rhs_group_dimensions",
    )

    def __init__(
        self,
        dot_dimension_numbers: DotDimensionNumbers,
        lhs_ragged_dimensions: Sequence[int],
        rhs_group_dimensions: Sequence[int],
    ) -> None:
        self.dot_dimension_numbers = canonical_dot_numbers(dot_dimension_numbers)
        self.lhs_ragged_dimensions = plain_ints(tuple(lhs_ragged_dimensions))
        self.rhs_group_dimensions = plain_ints(tuple(rhs_group_dimensions))

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RaggedDotDimensionNumbers):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        fields = zip(self.__slots__, self._fields(), strict=True)
        shown = ", ".join(f"{name}={value}" for name, value in fields)
        return f"RaggedDotDimensionNumbers({shown})"


# --- the public functions -------------------------------------------------------------


def ragged_dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    group_offset: ArrayLike | None = None,
    out_sharding: Any = None,
) -> Array:
    """Multiply groups of rows by a matrix each: T[m, k], T[g, k, n], i[g] -> T[m, n].

    >>> import minijax as mj, numpy as np
    >>> x, y = np.ones((5, 2)), np.stack([np.eye(2), 2 * np.eye(2)])
    >>> mj.lax.ragged_dot(x, y, np.array([2, 3]))[:, 0]
    Array([1., 1., 2., 2., 2.], dtype=float32)

    Raises:
      TypeError: the shapes do not fit.
    """
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return ragged_dot_general(
        lhs,
        rhs,
        group_sizes,
        numbers,
        precision,
        preferred_element_type,
        group_offset,
        out_sharding,
    )


def ragged_dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    group_sizes: ArrayLike,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    precision: PrecisionLike = None,
    preferred_element_type: DTypeLike | None = None,
    group_offset: ArrayLike | None = None,
    out_sharding: Any = None,
) -> Array:
    """`dot_general` in which one axis of lhs falls into groups.

    group_sizes: i[g], or i[*prefix, g] where the prefix has the axes of lhs that stand
    before the ragged one in the product. The result is that of `dot_general`, with a
    leading axis of groups if the ragged axis is contracted.

    Raises:
      NotImplementedError: a group offset is given.
      TypeError: dimension numbers and shapes do not fit.
    """
    if group_offset is not None:
        raise NotSupportedError(
            "ragged_dot starts with the first group.", "Found a group offset."
        )
    if preferred_element_type is not None:
        preferred_element_type = dtypes.requested_dtype(
            preferred_element_type, "ragged_dot_general"
        )
    return ragged_dot_general_p.bind(
        lhs,
        rhs,
        group_sizes,
        ragged_dot_dimension_numbers=ragged_dot_dimension_numbers,
        precision=canonical_precision(precision),
        preferred_element_type=preferred_element_type,
        group_offset=None,
        out_sharding=out_sharding,
    )


# --- what the numbers say -------------------------------------------------------------


class _Roles(NamedTuple):
    """The numbers, read: the ragged axis, its kind, and where it is in the product.

    kind: "free", "contracting" or "batch". prefix: the axes of lhs that group sizes may
    differ along. group: the axis of rhs that has one slice per group, or None.
    """

    lhs_contract: Axes
    rhs_contract: Axes
    lhs_batch: Axes
    rhs_batch: Axes
    ragged: int
    kind: str
    prefix: Axes
    group: int | None

    def in_rhs(self, axis: int) -> int:
        """The axis of rhs that a batch or contracting axis of lhs goes with."""
        mine = (*self.lhs_batch, *self.lhs_contract)
        return (*self.rhs_batch, *self.rhs_contract)[mine.index(axis)]


def _roles(numbers: RaggedDotDimensionNumbers, lhs_ndim: int) -> _Roles:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers.dot_dimension_numbers
    if len(numbers.lhs_ragged_dimensions) != 1:
        raise _unfit("has one ragged axis of lhs", numbers.lhs_ragged_dimensions)
    (ragged,) = numbers.lhs_ragged_dimensions
    if not 0 <= ragged < lhs_ndim:
        raise _unfit(f"has a ragged axis from 0 to {lhs_ndim - 1}", ragged)
    kind, before, among = (
        "free",
        lhs_batch,
        other_axes(lhs_ndim, lhs_batch, lhs_contract),
    )
    if ragged in lhs_batch:
        kind, before, among = "batch", (), lhs_batch
    elif ragged in lhs_contract:
        kind, among = "contracting", lhs_contract
    groups = numbers.rhs_group_dimensions
    if len(groups) != (kind == "free"):
        raise _unfit(
            "has one group axis of rhs if the ragged axis is free, and else none",
            groups,
        )
    if set(groups) & {*rhs_contract, *rhs_batch}:
        raise _unfit("has a group axis that is neither contracted nor a batch", groups)
    prefix = (*before, *among[: among.index(ragged)])
    return _Roles(
        lhs_contract, rhs_contract, lhs_batch, rhs_batch, ragged, kind, prefix,
        groups[0] if groups else None,
    )  # fmt: skip


def _unfit(rule: str, found: Any) -> ArgumentTypeError:
    return ArgumentTypeError(f"ragged_dot_general {rule}.", f"Found {found}.")


# --- the type -------------------------------------------------------------------------


def _ragged_type(
    lhs: ShapedArray,
    rhs: ShapedArray,
    group_sizes: ShapedArray,
    *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    precision: CanonicalPrecision,
    preferred_element_type: Any,
    group_offset: None,
    out_sharding: Any,
) -> ShapedArray:
    numbers = ragged_dot_dimension_numbers
    shape = dot_shape(lhs, rhs, numbers.dot_dimension_numbers)
    roles = _roles(numbers, lhs.ndim)
    if group_sizes.dtype.kind not in "iu":
        raise _unfit("needs group sizes that are integers", group_sizes.dtype)
    count = group_sizes.shape[-1] if group_sizes.ndim else 0
    full = (*(lhs.shape[axis] for axis in roles.prefix), count)
    if group_sizes.shape not in ((count,), full):
        raise _unfit(f"needs group sizes of shape {full[-1:]} or {full}", group_sizes)
    if roles.group is not None:
        if rhs.shape[roles.group] != count:
            rule = f"needs one slice of rhs for each of {count} groups"
            raise _unfit(rule, rhs.shape)
        free = other_axes(rhs.ndim, roles.rhs_batch, roles.rhs_contract)
        del shape[len(shape) - len(free) + free.index(roles.group)]
    if roles.kind == "contracting":
        shape = [count, *shape]
    dtype = product_dtype(lhs.dtype, rhs.dtype, preferred_element_type)
    return joint_type([lhs, rhs], shape, dtype=dtype, sharding=out_sharding)


# --- derivatives ----------------------------------------------------------------------


def _ragged_jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
    lhs, rhs, sizes = primals
    lhs_dot, rhs_dot, _ = tangents
    out = ragged_dot_general_p.bind(lhs, rhs, sizes, **params)
    parts = []
    if type(lhs_dot) is not ad.Zero:
        parts.append(ragged_dot_general_p.bind(lhs_dot, rhs, sizes, **params))
    if type(rhs_dot) is not ad.Zero:
        parts.append(ragged_dot_general_p.bind(lhs, rhs_dot, sizes, **params))
    if not parts:
        return out, ad.Zero.from_primal(out)
    return out, parts[0] if len(parts) == 1 else add(*parts)


def _ragged_transpose(
    y_bar: Any,
    lhs: Any,
    rhs: Any,
    sizes: Any,
    *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    **params: Any,
) -> list[Any]:
    lhs_ndim = _aval_of(lhs).ndim
    roles = _roles(ragged_dot_dimension_numbers, lhs_ndim)
    if roles.kind != "free":
        raise NotSupportedError(
            "A ragged product is transposed where its ragged axis is a free axis.",
            f"Found a ragged axis that is {roles.kind}.",
        )
    params = {**params, "out_sharding": None}
    if ad.is_undefined_primal(lhs):
        return [_lhs_bar(y_bar, lhs.aval, rhs, sizes, roles, params), None, None]
    return [None, _rhs_bar(y_bar, lhs, rhs.aval, sizes, roles, params), None]


def _aval_of(x: Any) -> Any:
    return x.aval if ad.is_undefined_primal(x) else typeof(x)


def _free_axes(roles: _Roles, lhs_ndim: int, rhs_ndim: int) -> tuple[Axes, Axes]:
    lhs_free = other_axes(lhs_ndim, roles.lhs_batch, roles.lhs_contract)
    groups = () if roles.group is None else (roles.group,)
    rhs_free = other_axes(rhs_ndim, roles.rhs_batch, roles.rhs_contract, groups)
    return lhs_free, rhs_free


def _lhs_bar(
    y_bar: Any, lhs: ShapedArray, rhs: Any, sizes: Any, roles: _Roles, params: Any
) -> Any:
    """y_bar has the ragged axis where the result has it, and rhs its group axis."""
    lhs_free, rhs_free = _free_axes(roles, lhs.ndim, typeof(rhs).ndim)
    batch = tuple(range(len(roles.lhs_batch)))
    start = len(batch) + len(lhs_free)
    numbers = RaggedDotDimensionNumbers(
        ((tuple(range(start, typeof(y_bar).ndim)), rhs_free), (batch, roles.rhs_batch)),
        (len(batch) + lhs_free.index(roles.ragged),),
        (roles.group,),  # type: ignore[arg-type]
    )
    product = ragged_dot_general_p.bind(
        y_bar, rhs, sizes, ragged_dot_dimension_numbers=numbers, **params
    )
    pairs = sorted(zip(roles.rhs_contract, roles.lhs_contract, strict=True))
    order = (*roles.lhs_batch, *lhs_free, *(axis for _, axis in pairs))
    return _placed(product, order, lhs)


def _rhs_bar(
    y_bar: Any, lhs: Any, rhs: ShapedArray, sizes: Any, roles: _Roles, params: Any
) -> Any:
    """The ragged axis is contracted: each group gives the cotangent of its slice."""
    lhs_free, rhs_free = _free_axes(roles, typeof(lhs).ndim, rhs.ndim)
    batch = tuple(range(len(roles.lhs_batch)))
    in_y_bar = tuple(range(len(batch), len(batch) + len(lhs_free)))
    numbers = RaggedDotDimensionNumbers(
        ((lhs_free, in_y_bar), (roles.lhs_batch, batch)), (roles.ragged,), ()
    )
    product = ragged_dot_general_p.bind(
        lhs, y_bar, sizes, ragged_dot_dimension_numbers=numbers, **params
    )
    pairs = sorted(zip(roles.lhs_contract, roles.rhs_contract, strict=True))
    contracted = tuple(axis for _, axis in pairs)
    return _placed(
        product, (roles.group, *roles.rhs_batch, *contracted, *rhs_free), rhs
    )


def _placed(product: Any, order: Sequence[Any], aval: ShapedArray) -> Any:
    x_bar = transpose(product, inverse_permutation(order))
    return x_bar if typeof(x_bar).dtype == aval.dtype else convert(x_bar, aval.dtype)


# --- vmap -----------------------------------------------------------------------------


def _ragged_batch(
    axis: Any,
    operands: Any,
    axes: Any,
    *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    **params: Any,
) -> tuple[Any, int]:
    lhs, rhs, sizes = (
        batching.at_front(x, one, axis.size) for x, one in zip(operands, axes)
    )
    numbers = ragged_dot_dimension_numbers
    roles = _roles(numbers, typeof(lhs).ndim - 1)
    if typeof(sizes).ndim == 2 and roles.prefix:
        # Sizes that differ along the batch have all axes of the prefix.
        shape = tuple(typeof(lhs).shape[a + 1] for a in roles.prefix)
        count = typeof(sizes).shape[1]
        sizes = broadcast_in_dim(sizes, (axis.size, *shape, count), (0, len(shape) + 1))
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers.dot_dimension_numbers
    mapped = RaggedDotDimensionNumbers(
        (
            (_up(lhs_contract), _up(rhs_contract)),
            ((0, *_up(lhs_batch)), (0, *_up(rhs_batch))),
        ),
        _up(numbers.lhs_ragged_dimensions),
        _up(numbers.rhs_group_dimensions),
    )
    out = ragged_dot_general_p.bind(
        lhs, rhs, sizes, ragged_dot_dimension_numbers=mapped, **params
    )
    return out, 1 if roles.kind == "contracting" else 0


def _up(axes: Axes) -> Axes:
    return tuple(axis + 1 for axis in axes)


# --- lowering -------------------------------------------------------------------------


def _masked(x: Any, sizes: Any, ragged: int, prefix: Axes) -> Any:
    """T[*s], i[*p, g] -> T[g, *s]: one copy per group, zero outside of it."""
    shape = (typeof(sizes).shape[-1], *typeof(x).shape)
    copies = broadcast_in_dim(x, shape, tuple(range(1, len(shape))))
    positions = broadcasted_iota(typeof(sizes).dtype, shape, ragged + 1)
    ndim = typeof(sizes).ndim
    ends = cumsum(sizes, axis=ndim - 1)
    axes = (*(axis + 1 for axis in prefix), 0) if ndim > 1 else (0,)
    starts = broadcast_in_dim(sub(ends, sizes), shape, axes)
    ends = broadcast_in_dim(ends, shape, axes)
    inside = bitwise_and(le(starts, positions), lt(positions, ends))
    return select_n_p.bind(inside, fill_like(copies, 0), copies)


def _as_dot(
    lhs: Any,
    rhs: Any,
    sizes: Any,
    *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    group_offset: None,
    **params: Any,
) -> Any:
    """The product by masked copies of the operands."""
    roles = _roles(ragged_dot_dimension_numbers, typeof(lhs).ndim)
    numbers = ragged_dot_dimension_numbers.dot_dimension_numbers
    if roles.kind == "free":
        # Summing over the groups picks the slice of the group that is not masked.
        lhs = _masked(lhs, sizes, roles.ragged, roles.prefix)
        contract = (*_up(roles.lhs_contract), 0), (*roles.rhs_contract, roles.group)
        numbers = contract, (_up(roles.lhs_batch), roles.rhs_batch)  # type: ignore[assignment]
    elif roles.kind == "contracting":
        lhs = _masked(lhs, sizes, roles.ragged, roles.prefix)
        in_rhs = tuple(roles.in_rhs(axis) for axis in roles.prefix)
        rhs = _masked(rhs, sizes, roles.in_rhs(roles.ragged), in_rhs)
        numbers = (
            (_up(roles.lhs_contract), _up(roles.rhs_contract)),
            ((0, *_up(roles.lhs_batch)), (0, *_up(roles.rhs_batch))),
        )
    return dot_general_p.bind(lhs, rhs, dimension_numbers=numbers, **params)


def _ragged_attribute(numbers: RaggedDotDimensionNumbers) -> Any:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = numbers.dot_dimension_numbers
    fields = {
        "lhs_batching_dimensions": lhs_batch,
        "rhs_batching_dimensions": rhs_batch,
        "lhs_contracting_dimensions": lhs_contract,
        "rhs_contracting_dimensions": rhs_contract,
        "lhs_ragged_dimensions": numbers.lhs_ragged_dimensions,
        "rhs_group_dimensions": numbers.rhs_group_dimensions,
    }
    shown = ", ".join(f"{name} = {list(axes)}" for name, axes in fields.items() if axes)
    return lowering.parse_attr(f"#chlo.ragged_dot<{shown}>")


def _ragged_op(
    ctx: Any,
    lhs: Any,
    rhs: Any,
    sizes: Any,
    *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers,
    precision: CanonicalPrecision,
    **params: Any,
) -> list[Any]:
    entries = ", ".join(f"#chlo<precision {level}>" for level in levels_of(precision))
    out = ctx.op(
        "chlo.ragged_dot",
        [lhs, rhs, sizes],
        ctx.avals_out[0],
        ragged_dot_dimension_numbers=_ragged_attribute(ragged_dot_dimension_numbers),
        precision_config=lowering.parse_attr(f"[{entries}]"),
    )
    return [out]


define(
    ragged_dot_general_p,
    abstract_eval=_ragged_type,
    jvp=_ragged_jvp,
    transpose=_ragged_transpose,
    batch=batching.with_axis(_ragged_batch),
    lower=lowering.by_platform(
        lowering.lower_function(_as_dot), gpu=_ragged_op, tpu=_ragged_op
    ),
)
