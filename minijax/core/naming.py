"""Names for error texts: of functions, their arguments and results.

Signatures are slow to read, so each function's is read once and kept weakly; the names
of leaves are made when a program is traced, never per call.

Source: spec/tracing.md §16.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

from .. import tree
from ..base.util import function_name, weakref_lru_cache
from .jaxprs import DebugInfo
from .sources import is_user_file


def _no_context() -> None:
    return None


def _unwrapped(fun: Any) -> Any:
    while True:
        if isinstance(fun, functools.partial):
            fun = fun.func
        elif hasattr(fun, "__wrapped__"):
            fun = fun.__wrapped__
        else:
            return fun


def _code_of(fun: Any) -> Any:
    inner = _unwrapped(fun)
    method = getattr(inner, "__func__", None)
    return getattr(inner, "__code__", None) or getattr(method, "__code__", None)


def is_library_function(fun: Callable[..., Any]) -> bool:
    """Whether a function is written in this library, not by its user."""
    code = _code_of(fun)
    return code is not None and not is_user_file(code.co_filename)


def _read_source(fun: Any) -> str:
    name, code = function_name(fun), _code_of(fun)
    if code is None:
        return name
    if not is_user_file(code.co_filename):
        return name.lstrip("_")  # the library's own: its line would tell nobody a thing
    return f"{name} at {code.co_filename}:{code.co_firstlineno}"


def _read_signature(fun: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(fun)
    except (ValueError, TypeError):
        return None


_source = weakref_lru_cache(_no_context, _read_source, 4096)
_signature = weakref_lru_cache(_no_context, _read_signature, 4096)


def source_of(fun: Callable[..., Any]) -> str:
    """`NAME at FILE:LINE` of a function.

    The bare name, if it has no Python code or is the library's own.
    """
    try:
        return _source(fun)
    except TypeError:  # unhashable or not weakly referable
        return _read_source(fun)


def signature_of(fun: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, or None if it cannot be read."""
    try:
        return _signature(fun)
    except TypeError:
        return _read_signature(fun)


def argument_names(
    fun: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    static_argnums: Collection[int] = (),
    static_argnames: Collection[str] = (),
) -> tuple[str, ...]:
    """A name per leaf that is not static: `p['b']`, `args[0]`, `kwargs['x']`."""
    names: list[str] = []
    for name, value in _named_arguments(fun, args, kwargs, static_argnums):
        if name.split("[")[0] not in static_argnames:
            leaves = tree.leaves_with_path(value)
            names.extend(name + tree.keystr(path) for path, _ in leaves)
    return tuple(names)


def _named_arguments(
    fun: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    static_argnums: Collection[int],
) -> list[tuple[str, Any]]:
    signature = signature_of(fun)
    positional: list[str] = []
    by_keyword: set[str] = set()
    if signature is not None:
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                extra = len(args) - len(positional)
                positional += [f"{parameter.name}[{i}]" for i in range(extra)]
            elif parameter.kind in (
                parameter.POSITIONAL_ONLY,
                parameter.POSITIONAL_OR_KEYWORD,
            ):
                positional.append(parameter.name)
                by_keyword.add(parameter.name)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                by_keyword.add(parameter.name)
    if len(positional) < len(args):
        positional = [f"args[{i}]" for i in range(len(args))]
    named = [
        (name, value)
        for i, (name, value) in enumerate(zip(positional, args, strict=False))
        if i not in static_argnums
    ]
    rest = _keyword_prefix(signature)
    named += [
        (name if name in by_keyword else f"{rest}[{name!r}]", kwargs[name])
        for name in sorted(kwargs)
    ]
    return named


def _keyword_prefix(signature: inspect.Signature | None) -> str:
    if signature is not None:
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                return parameter.name
    return "kwargs"


def result_paths(out_tree: Any) -> tuple[str, ...]:
    """A name per leaf of the result: `result`, `result[0]`, `result['o']`."""
    placeholder = tree.unflatten(out_tree, [0] * out_tree.num_leaves)
    return tuple(
        "result" + tree.keystr(p) for p, _ in tree.leaves_with_path(placeholder)
    )


def debug_info(
    transformation: str,
    fun: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    static_argnums: Collection[int] = (),
    static_argnames: Collection[str] = (),
) -> DebugInfo:
    """What error texts say of `fun`, traced for `transformation` with arguments."""
    names = argument_names(fun, args, kwargs or {}, static_argnums, static_argnames)
    return DebugInfo(transformation, source_of(fun), names)
