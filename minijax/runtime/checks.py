"""Watching results for NaN and infinity, while `debug_nans` or `debug_infs` is on.

A program that returned an unwanted value is called again operation by operation, so
that the error names the operation that made it. C++ asks us after each call by its
hook, which is set only while somebody watches.

Source: spec/jit.md §15.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import tree
from ..base import dtypes, flags
from ..base.errors import DeletedArrayError, InvalidFloatError
from ..base.settings import UNSET
from ..base.util import logger
from .arrays import ArrayImpl, value_of
from .logs import NAME


def watching() -> bool:
    """Whether results are looked at."""
    return bool(flags.debug_nans.value or flags.debug_infs.value)


def check_results(name: str, outs: Iterable[Any]) -> None:
    """Look at the results of a program, if the options ask for it.

    Raises:
        FloatingPointError: one holds NaN (`debug_nans`) or infinity (`debug_infs`).
    """
    if watching():
        for x in outs:
            kind = invalid_kind(x)
            if kind is not None:
                raise InvalidFloatError(kind, name)


def invalid_kind(x: Any) -> str | None:
    """Which unwanted value an array holds: "nan", "inf", or None."""
    if type(x) is not ArrayImpl or not dtypes.issubdtype(x.dtype, np.inexact):
        return None
    value = value_of(x)
    if flags.debug_nans.value and bool(np.any(np.isnan(value))):
        return "nan"
    if flags.debug_infs.value and bool(np.any(np.isinf(value))):
        return "inf"
    return None


def rerun(
    found: InvalidFloatError,
    plain: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> NoReturn:
    """Call the function behind a program operation by operation, to find the culprit.

    Raises:
        FloatingPointError: of the operation, or `found` if none made such a value.
    """
    logger(NAME).warning(
        "Invalid value (%s) in the result of %s; calling it operation by operation.",
        found.kind,
        found.primitive,
    )
    # Memory that was donated before anybody watched cannot be read again.
    with contextlib.suppress(DeletedArrayError), flags.disable_jit(True):
        plain(*args, **kwargs)
    raise InvalidFloatError(
        found.kind,
        found.primitive,
        "Operation by operation it does not occur: it comes from a constant or an "
        "argument, or the compiler made it.",
    ) from None


def _after_call(function: Any, args: Any, kwargs: Any, out: Any) -> None:
    """The hook: C++ has called `function`."""
    try:
        check_results(function.__name__, tree.leaves(out))
    except InvalidFloatError as found:
        if function._plain is None:  # a primitive: there is nothing smaller
            raise
        rerun(found, function._plain, args, kwargs or {})


def _hook_for(on: Any) -> Any:
    return _after_call if on else None


def _on_global(value: Any) -> None:
    on = flags.debug_nans.get_global() or flags.debug_infs.get_global()
    flags.post_hook.set_global(_hook_for(on))


def _on_local(value: Any) -> None:
    local = (flags.debug_nans.get_local(), flags.debug_infs.get_local())
    if all(one is UNSET for one in local):
        flags.post_hook.set_local(UNSET)
    else:
        flags.post_hook.set_local(_hook_for(watching()))


for _option in (flags.debug_nans, flags.debug_infs):
    _option.on_global, _option.on_local = _on_global, _on_local
_on_global(None)
