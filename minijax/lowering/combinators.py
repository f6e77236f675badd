"""Emitters that several families of rules share: comparisons, reductions, callbacks.

Source: spec/lowering.md §§8.1, 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.errors import NotSupportedError
from ..core import Effect, ShapedArray, token_aval
from .functions import Body
from .shardings import maximal_mesh
from .types import (
    array_attr,
    bool_attr,
    dict_attr,
    i64_array,
    integer_attr,
    parse_attr,
    physical_aval,
    string_attr,
)


def compare(
    ctx: Any, direction: str, x: Any, y: Any, aval: Any, kind: str | None = None
) -> Any:
    """`x direction y` of two values of type `aval`, as booleans.

    direction: EQ, NE, LT, LE, GT, GE. kind: FLOAT, TOTALORDER, SIGNED, UNSIGNED; by
    default what the dtype says.
    """
    aval = physical_aval(aval)
    kind = kind or comparison_kind(aval.dtype)
    return ctx.op(
        "stablehlo.compare",
        (x, y),
        ShapedArray(aval.shape, bool),
        comparison_direction=parse_attr(
            f"#stablehlo<comparison_direction {direction}>"
        ),
        compare_type=parse_attr(f"#stablehlo<comparison_type {kind}>"),
    )


def comparison_kind(dtype: Any) -> str:
    """How StableHLO compares values of a dtype."""
    name = np.dtype(dtype).name
    if name == "bool" or name.startswith("uint"):
        return "UNSIGNED"
    return "SIGNED" if name.startswith("int") else "FLOAT"


def reduce(
    ctx: Any,
    operands: Sequence[Any],
    starts: Sequence[Any],
    dimensions: Sequence[int],
    avals_out: Sequence[Any],
    body: Body,
) -> tuple[Any, ...]:
    """Reduce over `dimensions`; body(ctx, *left, *right) combines two elements."""
    scalars = [ShapedArray((), aval.dtype) for aval in avals_out]
    return ctx.op_with_regions(
        "stablehlo.reduce",
        (*operands, *starts),
        avals_out,
        {"dimensions": i64_array(dimensions)},
        [(scalars * 2, body)],
    )


# --- Host callbacks -------------------------------------------------------------------

_CALLBACK_TARGETS = {
    "cpu": "xla_ffi_python_cpu_callback",
    "cuda": "xla_ffi_python_gpu_callback",
    "rocm": "xla_ffi_python_gpu_callback",
}


def host_callback(
    ctx: Any,
    callback: Callable[..., tuple[Any, ...]],
    values: Sequence[Any],
    avals_in: Sequence[Any],
    avals_out: Sequence[Any],
    *,
    has_side_effect: bool,
    effect: Effect | None = None,
    partitioned: bool = False,
) -> list[Any]:
    """Call Python from the program; the results.

    callback: takes read-only arrays and returns a tuple of C-ordered arrays of exactly
    the result types: the runtime copies them unchecked. effect: the ordered effect
    whose token is threaded through. partitioned: every device calls for its own part.

    Raises:
        NotImplementedError: the platform has no callbacks, or there are several.
    """
    target = _callback_target(ctx, partitioned)
    index = ctx.module.add_host_callback(_without_token(callback, effect))
    tokens = [] if effect is None else [ctx.token(effect)]
    avals_in = [token_aval] * len(tokens) + list(avals_in)
    avals_out = [token_aval] * len(tokens) + list(avals_out)
    attributes = {
        "call_target_name": string_attr(target),
        "backend_config": string_attr(""),
        "mhlo.backend_config": dict_attr({"index": integer_attr(np.uint64, index)}),
        "operand_layouts": array_attr([_row_major(aval) for aval in avals_in]),
        "result_layouts": array_attr([_row_major(aval) for aval in avals_out]),
    }
    if has_side_effect:
        attributes["has_side_effect"] = bool_attr(True)
    if effect is None and not partitioned:
        attributes["sdy.sharding"] = _on_first_device(ctx.module, len(avals_out))
    results = ctx.op(
        "stablehlo.custom_call", [*tokens, *values], avals_out, **attributes
    )
    if effect is not None:
        ctx.set_token(effect, results[0])
    return list(results[len(tokens) :])


def _callback_target(ctx: Any, partitioned: bool) -> str:
    platforms = ctx.module.platforms
    target = _CALLBACK_TARGETS.get(platforms[0]) if len(platforms) == 1 else None
    if target is None:
        raise NotSupportedError(
            f"{ctx.eqn.primitive} calls Python from a program for "
            f"{', '.join(platforms)}.",
            f"Callbacks exist for one platform out of {', '.join(_CALLBACK_TARGETS)}.",
        )
    return target.replace("xla_ffi_", "xla_ffi_partitioned_") if partitioned else target


def _without_token(
    callback: Callable[..., tuple[Any, ...]], effect: Effect | None
) -> Callable[..., tuple[Any, ...]]:
    if effect is None:
        return callback
    return lambda token, *arrays: (None, *callback(*arrays))  # a token comes as None


def _row_major(aval: Any) -> Any:
    ndim = 0 if aval is token_aval else physical_aval(aval).ndim
    order = list(range(ndim - 1, -1, -1))
    text = f"{order[0]}" if ndim == 1 else (str(order) if ndim else "")
    return parse_attr(f"dense<{text}> : tensor<{ndim}xindex>")


def _on_first_device(module: Any, results: int) -> Any:
    symbol = maximal_mesh(module)
    entries = ", ".join([f"<@{symbol}, []>"] * results)
    if not results:  # the attribute stands for the call itself
        entries = f"<@{symbol}, []>"
    return parse_attr(f"#sdy.sharding_per_value<[{entries}]>")
