"""Placements as Shardy attributes, and the meshes they name.

A mesh becomes a symbol of the module at its first use. Values whose type says where
they lie (explicit axes, keys) are constrained as soon as they are made.

Source: spec/lowering.md §§2, 3.2; spec/sharding.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import dtypes
from ..base.errors import ArgumentTypeError
from ..core import ShapedArray
from ..sharding import SingleDeviceSharding
from .types import parse_attr, physical_aval, string_attr

Axes = tuple[tuple[str, int], ...]


def mesh_symbol(
    module: Any, axes: Axes, name: str = "mesh", device_ids: Sequence[int] = ()
) -> str:
    """The symbol of a mesh with these (name, size) axes; the module gets it if new."""
    key = (axes, tuple(device_ids))
    symbol: str | None = module.meshes.get(key)
    if symbol is None:
        symbol = module.meshes[key] = module.new_symbol(name)
        _emit_mesh(module, symbol, axes, device_ids)
    return symbol


def _emit_mesh(module: Any, symbol: str, axes: Axes, device_ids: Sequence[int]) -> None:
    shape = ", ".join(f'"{name}"={size}' for name, size in axes)
    sizes = ", ".join(
        f'{{name = "{name}", size = {size} : i64}}' for name, size in axes
    )
    ids = ids_attr = ""
    if device_ids:
        numbers = ", ".join(map(str, device_ids))
        dense = numbers if len(device_ids) == 1 else f"[{numbers}]"
        ids = f", device_ids=[{numbers}]"
        ids_attr = f", device_ids = dense<{dense}> : tensor<{len(device_ids)}xi64>"
    ir, session = module.session.ir, module.session
    attributes = {
        "sym_name": string_attr(symbol),
        "mesh": parse_attr(f"#sdy.mesh<[{shape}]{ids}>"),
        "stablehlo.mesh": parse_attr(f"{{axes = [{sizes}]{ids_attr}}}"),
    }
    with ir.InsertionPoint.at_block_begin(module.body):
        unknown = session.unknown_location
        session.create("sdy.mesh", (), (), attributes, None, 0, unknown)


def empty_mesh(module: Any) -> str:
    """The mesh without axes: everything is in one place."""
    return mesh_symbol(module, (), "empty_mesh")


def maximal_mesh(module: Any, device: int = 0) -> str:
    """The mesh of one device of a program that runs on several."""
    return mesh_symbol(module, (), f"maximal_mesh_{device}", (device,))


def dimension_text(axes: Sequence[str] | None, open_: bool = False) -> str:
    """One dimension of a sharding: `{"x", "y"}`, open (`?`) if the rest is free."""
    if axes is None:
        return "{?}"
    names = [f'"{axis}"' for axis in axes] + ["?"] * open_
    return "{" + ", ".join(names) + "}"


def sharding_text(symbol: str, dimensions: Sequence[str], suffix: str = "") -> str:
    """`@mesh, [{"x"}, {}]`, without what stands around it."""
    return f"@{symbol}, [{', '.join(dimensions)}]{suffix}"


def _single_device_text(module: Any, sharding: Any, ndim: int) -> str:
    return sharding_text(empty_mesh(module), ["{}"] * ndim)


# type of a placement -> function(module, placement, ndim) that gives its text
placement_texts: dict[type, Callable[[Any, Any, int], str]] = {
    SingleDeviceSharding: _single_device_text,
}


def sharding_attr(module: Any, sharding: Any, ndim: int) -> Any:
    """The attribute `#sdy.sharding<...>` of a placement of an array of `ndim` axes.

    Raises:
        TypeError: a placement that has no Shardy form.
    """
    write = placement_texts.get(type(sharding))
    if write is None:
        raise ArgumentTypeError(
            "A placement is to be lowered.",
            f"Found {sharding!r} of type {type(sharding).__name__}.",
        )
    return parse_attr(f"#sdy.sharding<{write(module, sharding, ndim)}>")


def constrain(ctx: Any, value: Any, attribute: Any) -> Any:
    """`value` with a sharding constraint."""
    return ctx.op("sdy.sharding_constraint", (value,), value.type, sharding=attribute)


def _keys_attr(module: Any, aval: Any) -> Any:
    """Keys may be split along their axes, but none of them in itself."""
    inner = physical_aval(aval).ndim - aval.ndim
    dimensions = ["{?}"] * aval.ndim + ["{}"] * inner
    text = sharding_text(empty_mesh(module), dimensions)
    return parse_attr(f"#sdy.sharding<{text}>")


def constrain_keys(ctx: Any, value: Any, aval: Any) -> Any:
    """`value`, with its constraint if its type is that of keys."""
    if type(aval) is not ShapedArray or not dtypes.is_extended(aval.dtype):
        return value
    return constrain(ctx, value, _keys_attr(ctx.module, aval))


def finisher_of(module: Any, aval: Any) -> Callable[[Any, Any], Any] | None:
    """What is done with each value of a type: (ctx, value) -> value; None: nothing."""
    if type(aval) is not ShapedArray:
        return None
    if aval.sharding is not None:
        attribute = sharding_attr(module, aval.sharding, physical_aval(aval).ndim)
    elif dtypes.is_extended(aval.dtype):
        attribute = _keys_attr(module, aval)
    else:
        return None
    return lambda ctx, value: constrain(ctx, value, attribute)
