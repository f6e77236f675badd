"""`debug.print` and `debug.callback`: looking on while a program runs.

They are part of the program wherever it is taken: under `vmap` once per example, under
differentiation once, with the primal values.

Source: spec/lowering.md §8, spec/ad.md §4.5, spec/batching.md §10.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import lowering, tree
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import Effect, Effects, Primitive, is_array_type
from ..interpreters import batching
from ..lax import define, index_in_dim
from .host_calls import DEBUG, ORDERED_DEBUG, call_now, check_callback, on_host

debug_callback_p = Primitive(
    "debug_callback", multiple_results=True, holds_programs=True
)
debug_print_p = Primitive("debug_print", multiple_results=True, holds_programs=True)


# --- The functions --------------------------------------------------------------------


def debug_callback(
    callback: Callable[..., None] | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> Callable[..., Any] | None:
    """Call a Python function with values of a program, to look at them.

    What it returns is ignored. Arguments that are no arrays are passed as they are.
    ordered: calls happen in the order in which the program is written, and programs are
    called. partitioned: every device calls with its own part. Without a function:
    returns a function that takes one.

    Raises:
        TypeError: no function.

    >>> import minijax as mj
    >>> seen = []
    >>> @mj.jit
    ... def f(x):
    ...     mj.debug.callback(lambda x: seen.append(float(x)), x)
    ...     return x * 2
    >>> f(1.0); mj.effects_barrier(); seen
    Array(2., dtype=float32, weak_type=True)
    [1.0]
    """
    if callback is None:
        return lambda callback, *args, **kwargs: debug_callback(
            callback, *args, ordered=ordered, partitioned=partitioned, **kwargs
        )
    check_callback("debug.callback", callback)
    arrays, in_tree, static = _separated(args, kwargs)
    debug_callback_p.bind(
        *arrays,
        callback=_Call(callback, in_tree, static),
        effect=ORDERED_DEBUG if ordered else DEBUG,
        partitioned=bool(partitioned),
    )
    return None


def debug_print(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> Callable[..., Any] | None:
    """Print values of a program while it runs: `fmt.format(*args, **kwargs)`.

    ordered, partitioned: as for `debug_callback`. skip_format_check: do not ask that
    every argument is named in `fmt`. Without `fmt`: returns a function that takes it.

    Raises:
        TypeError: `fmt` is no string. ValueError: an argument is not in `fmt`.
        IndexError, KeyError: `fmt` names an argument that is not there.

    >>> import minijax as mj
    >>> @mj.jit
    ... def f(x):
    ...     mj.debug.print("x is {}", x)
    ...     return x
    >>> _ = f(1.0); mj.effects_barrier()
    x is 1.0
    """
    if fmt is None:
        return lambda fmt, *args, **kwargs: debug_print(
            fmt,
            *args,
            ordered=ordered,
            partitioned=partitioned,
            skip_format_check=skip_format_check,
            **kwargs,
        )
    if not isinstance(fmt, str):
        raise ArgumentTypeError(
            "debug.print takes a format string.",
            f"Found {fmt!r} of type {type(fmt).__name__}.",
        )
    if not skip_format_check:
        _FormatCheck().format(fmt, *args, **kwargs)
    arrays, in_tree, static = _separated(args, kwargs)
    debug_print_p.bind(
        *arrays,
        fmt=fmt,
        ordered=bool(ordered),
        partitioned=bool(partitioned),
        in_tree=in_tree,
        static_args=static,
        np_printoptions=_print_options(),
        has_placeholders=_has_placeholders(fmt),
        logging_record=None,
    )
    return None


class _FormatCheck(string.Formatter):
    """Finds every argument that a format names, without showing it."""

    def format_field(self, value: Any, spec: str) -> str:
        return ""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return value

    def check_unused_args(
        self, used: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        unused = [str(i) for i in range(len(args)) if i not in used]
        unused += [name for name in kwargs if name not in used]
        if unused:
            raise ArgumentValueError(
                "debug.print shows every argument in its format.",
                f"Found no place for {', '.join(unused)}.",
                "An f-string is formatted before the program runs: pass a plain string "
                "with the names in braces.",
            )


def _has_placeholders(fmt: str) -> bool:
    return any(name is not None for _, name, _, _ in string.Formatter().parse(fmt))


def _print_options() -> tuple[tuple[str, Any], ...]:
    options = np.get_printoptions()
    # A dict of functions is no parameter of a program.
    return tuple(options.items()) if options["formatter"] is None else ()


Static = tuple[tuple[int, Any], ...]


def _separated(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], tree.PyTreeDef, Static]:
    """The arrays among the leaves, their tree, and the other leaves by position."""
    leaves, in_tree = tree.flatten((args, kwargs))
    is_array = [is_array_type(leaf) for leaf in leaves]
    arrays = [leaf for leaf, dynamic in zip(leaves, is_array) if dynamic]
    static = [(i, x) for i, x in enumerate(leaves) if not is_array[i]]
    return arrays, in_tree, tuple(static)


def _joined(arrays: Sequence[Any], in_tree: tree.PyTreeDef, static: Static) -> Any:
    """The inverse of `_separated`."""
    leaves, fixed = iter(arrays), dict(static)
    return in_tree.unflatten(
        [fixed[i] if i in fixed else next(leaves) for i in range(in_tree.num_leaves)]
    )


class _Call:
    """A user's function and the arguments that are no arrays, called with the rest."""

    def __init__(
        self, callback: Callable[..., Any], in_tree: tree.PyTreeDef, static: Static
    ) -> None:
        self.callback, self.in_tree, self.static = callback, in_tree, static

    def __call__(self, *arrays: Any) -> tuple[()]:
        args, kwargs = _joined(arrays, self.in_tree, self.static)
        self.callback(*args, **kwargs)
        return ()


class _Print:
    """What a print does. Fields: params of the primitive."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = params

    def __call__(self, *arrays: Any) -> tuple[()]:
        params = self.params
        args, kwargs = _joined(arrays, params["in_tree"], params["static_args"])
        fmt = params["fmt"]
        with np.printoptions(**dict(params["np_printoptions"])):
            text = fmt.format(*args, **kwargs) if params["has_placeholders"] else fmt
        print(text)
        return ()


# --- Their rules ----------------------------------------------------------------------


def _effect_of(params: dict[str, Any]) -> Effect:
    if "effect" in params:
        effect: Effect = params["effect"]
        return effect
    return ORDERED_DEBUG if params["ordered"] else DEBUG


def _action_of(params: dict[str, Any]) -> Callable[..., Any]:
    return params["callback"] if "callback" in params else _Print(params)


def _define(primitive: Primitive) -> None:
    def effects(*avals: Any, **params: Any) -> Effects:
        return frozenset({_effect_of(params)})

    def jvp(primals: Any, tangents: Any, **params: Any) -> Any:
        primitive.bind(*primals, **params)
        return [], []

    def batch(axis: Any, operands: Any, axes: Any, **params: Any) -> Any:
        for number in range(axis.size):
            examples = [
                x if place is None else index_in_dim(x, number, place, keepdims=False)
                for x, place in zip(operands, axes, strict=True)
            ]
            primitive.bind(*examples, **params)
        return [], []

    def run(*operands: Any, **params: Any) -> list[Any]:
        call_now(_action_of(params), operands, _effect_of(params))
        return []

    def lower(ctx: Any, *values: Any, **params: Any) -> list[Any]:
        effect = _effect_of(params)
        return lowering.host_callback(
            ctx,
            on_host(_action_of(params), ()),
            values,
            ctx.avals_in,
            (),
            has_side_effect=True,
            effect=effect if effect.ordered else None,
            partitioned=params["partitioned"],
        )

    def no_transpose(*args: Any, **params: Any) -> Any:
        raise ArgumentValueError(
            f"{primitive} looks at values, and a tangent has none yet.",
            "Found it applied to the linear part of a function.",
        )

    define(
        primitive,
        abstract_eval=lambda *avals, **params: [],
        effects=effects,
        jvp=jvp,
        transpose=no_transpose,
        batch=batching.with_axis(batch),
        lower=lower,
        impl=run,
    )


_define(debug_callback_p)
_define(debug_print_p)
