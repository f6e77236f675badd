"""Refs: mutable arrays, and the primitives that make, read and write them.

Each primitive is said twice: `on_cells`, what it does to a ref that is a cell, in terms
of its value; and by `define`, what the interpreters do where it is an equation on a
variable of a program around. See `core/ref_types.py`.

Source: spec/tracing.md §18, spec/ad.md §4.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    MissingRuleError,
    PrimitiveOperandError,
)
from ..core import (
    EVAL,
    INTERNAL,
    NOT_LOWERABLE,
    AbstractRef,
    AccumEffect,
    Effects,
    Indexer,
    MakesRef,
    ReadEffect,
    Ref,
    RefPrimitive,
    Refusal,
    ShapedArray,
    WriteEffect,
    abstractify,
    current,
    is_array_type,
    is_ref_type,
    printing_of_accumulation,
    printing_of_read,
    printing_of_swap,
    ref_methods,
    store,
    typeof,
)
from ..interpreters import ad, batching
from ..runtime import ArrayImpl, copy_of, put
from .axis_names import per_example
from .conversions import convert
from .definition import define
from .generation import fill
from .identities import stop_gradient
from .ref_access import accessed_shape, accumulate, parsed, read, write

if TYPE_CHECKING:
    from .typing import Array, ArrayLike

__all__ = ["empty_ref", "free_ref", "freeze", "new_ref"]

new_ref_p = MakesRef("new_ref")
empty_ref_p = MakesRef("empty_ref")
freeze_p = RefPrimitive("freeze")
free_ref_p = RefPrimitive("free_ref", multiple_results=True)
get_p = RefPrimitive("get")
swap_p = RefPrimitive("swap")
addupdate_p = RefPrimitive("addupdate", multiple_results=True)

_UNTOUCHED_BY_AD = "no_grad_no_remat"
_KINDS = (None, _UNTOUCHED_BY_AD)


# --- The functions --------------------------------------------------------------------


def new_ref(
    init_val: ArrayLike,
    *,
    memory_space: Any = None,
    kind: str | None = None,
    pin: bool = False,
) -> Ref:
    """A mutable array that begins as `init_val`: T[*s] -> Ref{T[*s]}.

    Read it with `ref[...]`, write it with `ref[i] = x`. Inside a compiled program it is
    a part of that; one from outside is changed by the program. kind: "no_grad_no_remat"
    for a ref that differentiation does not look into.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> total = mj.new_ref(jnp.zeros(2))
    >>> @mj.jit
    ... def add(x):
    ...     total[...] += x
    >>> add(jnp.ones(2)); add(jnp.ones(2)); total
    Ref([2., 2.], dtype=float32)

    Raises:
        TypeError: no array. ValueError: an unknown kind, or a ref to a ref.
    """
    if kind not in _KINDS:
        raise ArgumentValueError(f"kind is one of {_KINDS}.", f"Found {kind!r}.")
    if isinstance(init_val, Ref):
        raise ArgumentValueError(
            "A ref holds an array.",
            f"Found {typeof(init_val)}, a ref itself.",
            "Read its value with `ref[...]`.",
        )
    if not is_array_type(init_val):
        raise PrimitiveOperandError("new_ref", 0, type(init_val).__name__)
    return new_ref_p.bind(init_val, memory_space=memory_space, kind=kind, pin=bool(pin))


def empty_ref(ty: Any, memory_space: Any = None, pin: bool = False) -> Ref:
    """A ref whose first value is nobody's business, inside a program only.

    ty: what it holds, by shape and dtype.

    Raises:
        NotImplementedError: nothing is traced around.
    """
    aval = abstractify(ty).strip_weak_type()
    return empty_ref_p.bind(ty=aval, memory_space=memory_space, pin=bool(pin))


def freeze(ref: Ref) -> Array:
    """The value of a ref that nobody touches any more: Ref{T[*s]} -> T[*s].

    >>> import minijax as mj
    >>> mj.freeze(mj.new_ref(1.0))
    Array(1., dtype=float32)
    """
    _check_ref("freeze", ref)
    return freeze_p.bind(ref)


def free_ref(ref: Ref) -> None:
    """Say that nobody touches a ref any more."""
    _check_ref("free_ref", ref)
    free_ref_p.bind(ref)


def ref_get(ref: Any, idx: Any = None) -> Array:
    """The elements of a ref at `idx`, all by default."""
    if isinstance(ref, RefView):
        return ref[... if idx is None else idx]
    _check_ref("get", ref)
    indexer, points = _parsed(ref, idx)
    return get_p.bind(ref, *points, tree=indexer)


def ref_set(ref: Any, idx: Any, value: ArrayLike) -> None:
    """Let the elements of a ref at `idx` be `value`."""
    ref_swap(ref, idx, value)


def ref_swap(ref: Any, idx: Any, value: ArrayLike) -> Array:
    """The elements of a ref at `idx`, which are `value` afterwards.

    Raises:
        ValueError: shape or dtype of `value` are not those of the elements.
    """
    if isinstance(ref, RefView):
        return ref.swap(idx, value)
    _check_ref("swap", ref)
    indexer, points = _parsed(ref, idx)
    value = _adapted("swap", ref, indexer, points, value)
    return swap_p.bind(ref, value, *points, tree=indexer)


def ref_addupdate(ref: Any, idx: Any, x: ArrayLike) -> None:
    """Add `x` to the elements of a ref at `idx`.

    Raises:
        ValueError: shape or dtype of `x` are not those of the elements.
    """
    if isinstance(ref, RefView):
        ref.addupdate(x, idx)
        return
    _check_ref("addupdate", ref)
    indexer, points = _parsed(ref, idx)
    x = _adapted("addupdate", ref, indexer, points, x)
    addupdate_p.bind(ref, x, *points, tree=indexer)


class RefView:
    """Some elements of a ref, to be read and written: `ref.at[1:][0] = x`."""

    __slots__ = ("_idx", "_ref")

    def __init__(self, ref: Any, idx: Any) -> None:
        self._ref, self._idx = ref, idx

    def __getitem__(self, idx: Any) -> Array:
        block = ref_get(self._ref, self._idx)
        indexer, points = parsed(typeof(block).shape, idx)
        return read(block, indexer, points)

    def __setitem__(self, idx: Any, value: ArrayLike) -> None:
        self.swap(idx, value)

    @property
    def at(self) -> ViewMaker:
        return ViewMaker(self)

    def swap(self, idx: Any, value: ArrayLike) -> Array:
        """As `ref_swap`, of these elements."""
        block = ref_get(self._ref, self._idx)
        indexer, points = parsed(typeof(block).shape, ... if idx is None else idx)
        value = _adapted("swap", block, indexer, points, value)
        ref_set(self._ref, self._idx, write(block, indexer, points, value))
        return read(block, indexer, points)

    def set(self, value: ArrayLike) -> None:
        """Let all of these elements be `value`."""
        self.swap(..., value)

    def addupdate(self, value: ArrayLike, idx: Any = ...) -> None:
        """As `ref_addupdate`, of these elements."""
        block = ref_get(self._ref, self._idx)
        indexer, points = parsed(typeof(block).shape, idx)
        value = _adapted("addupdate", block, indexer, points, value)
        ref_set(self._ref, self._idx, accumulate(block, indexer, points, value))


class ViewMaker:
    """`ref.at`, which an index makes a `RefView`."""

    __slots__ = ("_ref",)

    def __init__(self, ref: Any) -> None:
        self._ref = ref

    def __getitem__(self, idx: Any) -> RefView:
        return RefView(self._ref, idx)


ref_methods.update(
    {"get": ref_get, "set": ref_set, "addupdate": ref_addupdate, "at": ViewMaker}
)


# --- Arguments ------------------------------------------------------------------------


def _check_ref(function: str, ref: Any) -> None:
    if not is_array_type(ref) or not is_ref_type(typeof(ref)):
        found = typeof(ref) if is_array_type(ref) else type(ref).__name__
        raise ArgumentValueError(f"{function} takes a ref.", f"Found {found}.")


def _parsed(ref: Any, idx: Any) -> tuple[Indexer, list[Any]]:
    return parsed(typeof(ref).shape, ... if idx is None else idx)


def _adapted(
    function: str, ref: Any, indexer: Indexer, points: Sequence[Any], value: Any
) -> Any:
    """`value` in the dtype of the ref, if it is weakly typed and of the same kind."""
    aval = typeof(ref)
    if isinstance(value, Ref) or not is_array_type(value):
        raise ArgumentTypeError(
            f"{function} takes an array.", f"Found {type(value).__name__}."
        )
    own = typeof(value)
    same_kind = dtypes.issubdtype(own.dtype, np.integer) == dtypes.issubdtype(
        aval.dtype, np.integer
    )
    if own.weak_type and own.dtype != aval.dtype and same_kind:
        return convert(value, aval.dtype)
    return value


# --- On cells -------------------------------------------------------------------------


def _value_of(cell: Any) -> Any:
    return cell.value


def _new_cell(x: Any, *, memory_space: Any, kind: str | None, pin: bool) -> Ref:
    aval = typeof(x).strip_weak_type()
    if current.value is EVAL:
        x = copy_of(x) if type(x) is ArrayImpl else put(x, copy=True)
    value = convert(x, aval.dtype)
    return Ref(AbstractRef(aval, memory_space, kind), value, current.value)


def _empty_cell(*, ty: ShapedArray, memory_space: Any, pin: bool) -> Ref:
    if current.value is EVAL:
        raise MissingRuleError(
            "evaluation", "empty_ref", why="memory without a value is for programs"
        )
    zero = np.zeros((), ty.dtype)[()]
    return Ref(AbstractRef(ty, memory_space), fill(zero, ty.shape), current.value)


def _get_cell(cell: Any, *points: Any, tree: Indexer) -> Any:
    return read(cell.value, tree, points)


def _swap_cell(cell: Any, value: Any, *points: Any, tree: Indexer) -> Any:
    _check_value("swap", cell.aval, typeof(value), tree, points)
    old = read(cell.value, tree, points)
    store(cell, write(cell.value, tree, points, _strong(cell, value)))
    return old


def _add_to_cell(cell: Any, value: Any, *points: Any, tree: Indexer) -> list[Any]:
    _check_value("addupdate", cell.aval, typeof(value), tree, points)
    new = accumulate(cell.value, tree, points, _strong(cell, value))
    store(cell, new, "added to")
    return []


def _strong(cell: Any, value: Any) -> Any:
    value = convert(value, cell.aval.dtype)
    return stop_gradient(value) if cell.aval.kind == _UNTOUCHED_BY_AD else value


new_ref_p.on_cells = _new_cell
empty_ref_p.on_cells = _empty_cell
freeze_p.on_cells = _value_of
free_ref_p.on_cells = lambda cell: []
get_p.on_cells = _get_cell
swap_p.on_cells = _swap_cell
addupdate_p.on_cells = _add_to_cell


# --- Types ----------------------------------------------------------------------------


def _points_shape(points: Sequence[Any]) -> tuple[int, ...]:
    if not points:
        return ()
    aval = points[0] if isinstance(points[0], ShapedArray) else typeof(points[0])
    shape: tuple[int, ...] = aval.shape
    return shape


def _check_value(
    function: str, ref: Any, value: Any, indexer: Indexer, points: Sequence[Any]
) -> None:
    shape = accessed_shape(ref.shape, indexer, _points_shape(points))
    if value.shape != shape:
        raise ArgumentValueError(
            f"{function} takes a value of the shape of the elements, {shape}.",
            f"Found {value}, for a ref of type {ref}.",
            "Broadcast it: a ref does not.",
        )
    if value.dtype != ref.dtype:
        raise ArgumentValueError(
            f"{function} takes a value of the dtype of the ref, "
            f"{dtypes.name_of(ref.dtype)}.",
            f"Found {value}.",
            "Convert it with `astype`.",
        )


def _accessed_type(ref: Any, *points: Any, tree: Indexer) -> ShapedArray:
    _require_ref("get", ref)
    shape = accessed_shape(ref.shape, tree, _points_shape(points))
    return ref.inner_aval.update(shape=shape)


def _swapped_type(ref: Any, value: Any, *points: Any, tree: Indexer) -> ShapedArray:
    _require_ref("swap", ref)
    _check_value("swap", ref, value, tree, points)
    return _accessed_type(ref, *points, tree=tree)


def _added_types(ref: Any, value: Any, *points: Any, tree: Indexer) -> list[Any]:
    _require_ref("addupdate", ref)
    _check_value("addupdate", ref, value, tree, points)
    return []


def _frozen_type(ref: Any) -> ShapedArray:
    _require_ref("freeze", ref)
    aval: ShapedArray = ref.inner_aval
    return aval


def _require_ref(function: str, aval: Any) -> None:
    if not is_ref_type(aval):
        raise ArgumentValueError(f"{function} takes a ref.", f"Found {aval}.")


def _effects(*effects: Any) -> Callable[..., Effects]:
    known = frozenset(effects)
    return lambda *avals, **params: known


# --- Rules for variables of a program around ------------------------------------------


def _no_derivative(*args: Any, **params: Any) -> Any:
    raise ArgumentValueError(
        "A value that is differentiated is written to a ref from outside.",
        "The ref would have to be differentiated too.",
        "Make the ref inside the function that is differentiated.",
    )


_NOT_TRANSPOSED = Refusal("transpose", "refs are gone before anything is transposed")


def _swap_jvp(primals: Any, tangents: Any, *, tree: Indexer) -> Any:
    if typeof(primals[0]).kind != _UNTOUCHED_BY_AD:
        _no_derivative()
    old = swap_p.bind(*primals, tree=tree)
    return old, ad.Zero.from_primal(old)


def _add_jvp(primals: Any, tangents: Any, *, tree: Indexer) -> Any:
    if typeof(primals[0]).kind != _UNTOUCHED_BY_AD:
        _no_derivative()
    addupdate_p.bind(*primals, tree=tree)
    return [], []


def _batch_get(axis: Any, operands: Any, axes: Any, *, tree: Indexer) -> Any:
    ref, *points = operands
    whole = get_p.bind(ref, tree=Indexer())
    return _mapped(axis, read, (whole, *points), axes, tree)


def _mapped(axis: Any, fun: Any, operands: Any, axes: Any, tree: Indexer) -> Any:
    """`fun(value, tree, points, *others)` of one example, by all."""
    packed = list(zip(operands, axes, strict=True))

    def one(join: Any) -> Any:
        value, *points = [join(x, place) for x, place in packed]
        return fun(value, tree, points)

    return per_example_of(axis, one)


def per_example_of(axis: Any, fun: Callable[[Any], Any]) -> Any:
    """`fun(join)` of one example; `join(x, place)` is `x` as one example sees it."""
    return per_example(axis, lambda _: fun(current.value.join), None, None)


def _require_mapped(function: str, operands: Any, axes: Any) -> None:
    if axes[0] is None:
        raise ArgumentValueError(
            f"{function} gives every example of vmap its own value.",
            f"Found a ref of type {typeof(operands[0])}, which all examples share.",
            "Make the ref an argument of the mapped function, with an axis for them.",
        )


def _batch_change(primitive: Any, change: Any) -> Any:
    def rule(axis: Any, operands: Any, axes: Any, *, tree: Indexer) -> Any:
        _require_mapped(primitive.name, operands, axes)
        ref, *others = operands
        whole = get_p.bind(ref, tree=Indexer())

        def one(join: Any) -> Any:
            value, new, *points = [
                join(x, place) for x, place in zip((whole, *others), axes, strict=True)
            ]
            return change(value, tree, points, new)

        new, place = per_example_of(axis, one)
        new = batching.match(axis, new, place, axes[0])[0]
        swap_p.bind(ref, new, tree=Indexer())
        if primitive.multiple_results:
            return [], []
        points = (whole, *others[1:]), (axes[0], *axes[2:])
        return _mapped(axis, read, *points, tree)

    return batching.with_axis(rule)


define(
    new_ref_p,
    abstract_eval=lambda x, *, memory_space, kind, pin: AbstractRef(
        x, memory_space, kind
    ),
    effects=_effects(INTERNAL),
    jvp=_no_derivative,
    transpose=_NOT_TRANSPOSED,
    batch=_no_derivative,
    lower=NOT_LOWERABLE,
)
define(
    empty_ref_p,
    abstract_eval=lambda *, ty, memory_space, pin: AbstractRef(ty, memory_space),
    effects=_effects(INTERNAL),
    jvp=_no_derivative,
    transpose=_NOT_TRANSPOSED,
    batch=_no_derivative,
    lower=NOT_LOWERABLE,
)
define(
    freeze_p,
    abstract_eval=_frozen_type,
    effects=_effects(INTERNAL),
    jvp=_no_derivative,
    transpose=_NOT_TRANSPOSED,
    batch=lambda operands, axes: (freeze_p.bind(*operands), axes[0]),
    lower=NOT_LOWERABLE,
)
define(
    free_ref_p,
    abstract_eval=lambda ref: [],
    effects=_effects(INTERNAL),
    jvp=_no_derivative,
    transpose=_NOT_TRANSPOSED,
    batch=lambda operands, axes: (free_ref_p.bind(*operands), []),
    lower=NOT_LOWERABLE,
)
define(
    get_p,
    abstract_eval=_accessed_type,
    effects=_effects(ReadEffect(0)),
    jvp=_no_derivative,
    transpose=_NOT_TRANSPOSED,
    batch=batching.with_axis(_batch_get),
    lower=NOT_LOWERABLE,
    printing=printing_of_read,
)
define(
    swap_p,
    abstract_eval=_swapped_type,
    effects=_effects(WriteEffect(0)),
    jvp=_swap_jvp,
    transpose=_NOT_TRANSPOSED,
    batch=_batch_change(swap_p, write),
    lower=NOT_LOWERABLE,
    printing=printing_of_swap,
)
define(
    addupdate_p,
    abstract_eval=_added_types,
    effects=_effects(AccumEffect(0)),
    jvp=_add_jvp,
    transpose=_NOT_TRANSPOSED,
    batch=_batch_change(addupdate_p, accumulate),
    lower=NOT_LOWERABLE,
    printing=printing_of_accumulation,
)
