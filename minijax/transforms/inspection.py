"""Looking at a function without running it: its program, the types of its result.

Both are the trace stage of `jit` and share its cache.

Source: spec/tracing.md §13.
"""

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ..base.errors import ArgumentTypeError
from ..base.util import function_name
from ..core import Jaxpr, ShapeDtypeStruct, binding_axes
from .call_keys import flatten_call
from .function_keys import key_of
from .ref_arguments import check_distinct
from .signatures import check_function, choose
from .tracing import Staged, leaf_avals, leaf_names, trace


def make_jaxpr(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Hashable, int]] | None = None,
    return_shape: bool = False,
) -> Callable[..., Any]:
    """A function that returns the program of `fun` for arguments of given types.

    static_argnums: positions of arguments that are constants of the program. axis_env:
    names and sizes of axes that collectives may name. return_shape: return a pair, with
    the types of the result as `ShapeDtypeStruct`s.

    Raises:
        TypeError: `fun` is no function.
        ValueError: it has no such argument.

    >>> import minijax as mj
    >>> mj.make_jaxpr(lambda x: x * 2)(1.0)
    { lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }
    """
    check_function(fun, "make_jaxpr")
    static = choose(fun, None if static_argnums == () else static_argnums).static
    key = _key_of_any(fun)

    @functools.wraps(fun)
    def jaxpr_of(*args: Any, **kwargs: Any) -> Jaxpr | tuple[Jaxpr, Any]:
        call, leaves = flatten_call(key, args, kwargs, static)
        with binding_axes(axis_env or ()):
            staged = trace(key, call, leaf_avals(key, call, leaves))
        names = functools.partial(leaf_names, key, call)
        check_distinct(key, leaves, names, staged.jaxpr.consts)
        return (staged.jaxpr, _result_types(staged)) if return_shape else staged.jaxpr

    jaxpr_of.__name__ = f"make_jaxpr({function_name(fun)})"
    jaxpr_of.__qualname__ = jaxpr_of.__name__
    jaxpr_of.__module__ = "minijax"
    return jaxpr_of


def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The types of `fun(*args, **kwargs)`: a tree of `ShapeDtypeStruct`s.

    Arguments may be anything with `shape` and `dtype`. Nothing is computed.

    Raises:
        TypeError: an argument has no type; whatever tracing `fun` raises.

    >>> import minijax as mj
    >>> mj.eval_shape(lambda x: x[0], mj.ShapeDtypeStruct((2, 3), "float32"))
    ShapeDtypeStruct(shape=(3,), dtype=float32)
    """
    check_function(fun, "eval_shape")
    key = _key_of_any(fun)
    call, leaves = flatten_call(key, args, kwargs)
    return _result_types(trace(key, call, leaf_avals(key, call, leaves)))


def _result_types(staged: Staged) -> Any:
    avals: list[Any] = staged.jaxpr.out_avals
    return staged.out_tree.unflatten(
        [
            ShapeDtypeStruct(
                aval.shape, aval.dtype, sharding=aval.sharding, weak_type=aval.weak_type
            )
            for aval in avals
        ]
    )


def _key_of_any(fun: Callable[..., Any]) -> Any:
    try:
        return key_of(fun)
    except ArgumentTypeError:  # unhashable: a wrapper that is forgotten with the caller
        return functools.wraps(fun)(lambda *args, **kwargs: fun(*args, **kwargs))
