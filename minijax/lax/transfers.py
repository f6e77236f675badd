"""Moving values between devices, as a primitive: inside a program it is written down.

Source: spec/primitives.md, spec/jit.md §5.
"""

from collections.abc import Sequence
from typing import Any

from .. import tree
from ..base import jaxlib_core
from ..base.errors import ArgumentValueError, NotAnArrayError
from ..core import Primitive, Tracer, is_array_type
from ..interpreters import ad
from ..runtime import ArrayImpl, aval_of, placement_of, put_explicitly
from .definition import define

CopySemantics = jaxlib_core.ArrayCopySemantics
device_put_p = Primitive("device_put", multiple_results=True)


def device_put(
    x: Any,
    device: Any = None,
    *,
    src: Any = None,
    donate: bool = False,
    may_alias: bool | None = None,
) -> Any:
    """The arrays and numbers of a tree as arrays on a device: T[*s] -> T[*s].

    device: a device or sharding, None for the default device, or a tree prefix of `x`
    of these. Arrays that are given a place are committed to it. donate: give the memory
    of arrays up. may_alias: False for a buffer of its own. Memory that NumPy can write
    is always copied.

    Raises:
        TypeError: a leaf is no array and no number.
        ValueError: `device` names no place; `donate` together with `may_alias`.

    >>> import minijax as mj
    >>> mj.device_put([1, 2.0], mj.devices()[0])
    [Array(1, dtype=int32, weak_type=True), Array(2., dtype=float32, weak_type=True)]
    """
    if donate and may_alias:
        raise ArgumentValueError(
            "A donated array gives its memory up.",
            "Found `donate=True` and `may_alias=True`.",
        )
    leaves, structure = tree.flatten(x)
    for number, leaf in enumerate(leaves):
        if not (isinstance(leaf, Tracer | ArrayImpl) or is_array_type(leaf)):
            try:
                aval_of(leaf)
            except NotAnArrayError:
                raise NotAnArrayError(
                    type(leaf).__name__,
                    function="device_put",
                    path="x" + tree.keystr(tree.leaves_with_path(x)[number][0]),
                    value=repr(leaf)[:80],
                ) from None
    semantics = CopySemantics.REUSE_INPUT
    if donate or may_alias is False:
        semantics = CopySemantics.DONATE_INPUT if donate else CopySemantics.ALWAYS_COPY
    count = len(leaves)
    outs = device_put_p.bind(
        *leaves,
        copy_semantics=(semantics,) * count,
        devices=_per_leaf(device, structure, "device_put device"),
        srcs=_per_leaf(src, structure, "device_put src"),
    )
    return structure.unflatten(outs)


def _per_leaf(given: Any, structure: Any, what: str) -> tuple[Any, ...]:
    if given is None or tree.all_leaves([given]):
        placement_of(given)  # refuses what is no place
        return (given,) * structure.num_leaves
    places = tuple(tree.flatten_axes(what, structure, given))
    for place in places:
        placement_of(place)
    return places


def _impl(
    *xs: Any,
    copy_semantics: Sequence[Any],
    devices: Sequence[Any],
    srcs: Sequence[Any],
) -> list[Any]:
    if not xs:
        return []
    return put_explicitly(
        xs,
        [placement_of(device) for device in devices],
        copy=copy_semantics[0] == CopySemantics.ALWAYS_COPY,
        donate=copy_semantics[0] == CopySemantics.DONATE_INPUT,
    )


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> tuple[list[Any], list[Any]]:
    moving = [i for i, x_dot in enumerate(tangents) if x_dot.__class__ is not ad.Zero]
    y_dots = list(tangents)
    # The value may be donated or copied; its tangent is nobody else's.
    along = _chosen(params, moving, CopySemantics.REUSE_INPUT)
    moved = device_put_p.bind(*(tangents[i] for i in moving), **along)
    for i, y_dot in zip(moving, moved):
        y_dots[i] = y_dot
    return device_put_p.bind(*primals, **params), y_dots


def _transpose(y_bars: Sequence[Any], *xs: Any, **params: Any) -> list[Any]:
    arrived = [i for i, y_bar in enumerate(y_bars) if y_bar.__class__ is not ad.Zero]
    back = _chosen(params, arrived, CopySemantics.ALWAYS_COPY)
    # A cotangent goes the way of its value, backwards.
    back["devices"], back["srcs"] = back["srcs"], back["devices"]
    x_bars: list[Any] = [None] * len(xs)
    moved = device_put_p.bind(*(y_bars[i] for i in arrived), **back)
    for i, x_bar in zip(arrived, moved):
        x_bars[i] = x_bar
    return x_bars


def _chosen(
    params: dict[str, Any], numbers: Sequence[int], semantics: Any
) -> dict[str, Any]:
    chosen = {name: tuple(v[i] for i in numbers) for name, v in params.items()}
    chosen["copy_semantics"] = (semantics,) * len(numbers)
    return chosen


def _batch(operands: Sequence[Any], axes: Sequence[Any], **params: Any) -> Any:
    return device_put_p.bind(*operands, **params), list(axes)


define(
    device_put_p,
    abstract_eval=lambda *avals, **params: list(avals),
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    # One program runs on one set of devices: inside it, nothing moves.
    lower=lambda ctx, *values, **params: list(values),
    impl=_impl,
)
