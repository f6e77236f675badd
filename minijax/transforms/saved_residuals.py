"""What reverse mode keeps of a function, and where it comes from.

Source: spec/ad.md §1.13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import tree
from ..base import dtypes
from ..core import (
    Jaxpr,
    JaxprEqn,
    Literal,
    Var,
    argument_names,
    debug_info,
    stage,
    summarize,
    typeof,
)
from ..interpreters import ad
from .checkpoint_policies import name_p
from .differentiation import require_callable


def print_saved_residuals(f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Print, one a line, the values that `vjp(f, *args, **kwargs)` would keep.

    >>> import minijax as mj, minijax.numpy as jnp
    >>> from minijax.ad_checkpoint import print_saved_residuals
    >>> print_saved_residuals(lambda x, y: x * y, 1.0, 2.0)
    f32[] from the argument x
    f32[] from the argument y

    Raises:
      TypeError: `f` is no function, or an argument is no array.
    """
    require_callable("print_saved_residuals", f)
    for aval, origin in saved_residuals(f, *args, **kwargs):
        print(f"{aval.str_short(short_dtypes=True)} {origin}")


def saved_residuals(
    f: Callable[..., Any], *args: Any, **kwargs: Any
) -> list[tuple[Any, str]]:
    """The types of what `vjp` keeps, and the origin of each in words."""
    leaves, in_tree = tree.flatten((args, kwargs))

    def flat(*values: Any) -> list[Any]:
        given, named = tree.unflatten(in_tree, values)
        return tree.leaves(f(*given, **named))

    avals = [typeof(x) for x in leaves]
    info = debug_info("print_saved_residuals", f, args, kwargs)
    jaxpr = stage(flat, avals, debug_info=info)
    count = len(jaxpr.consts)
    opened = jaxpr.with_consts(())
    moves = [False] * count + [aval.dtype in dtypes.INEXACT for aval in avals]
    split = ad.linearize_jaxpr(opened, tuple(moves), False)
    names = argument_names(f, args, kwargs)
    forward = split.forward
    computed = forward.outvars[len(jaxpr.outvars) :]
    found = split.residuals(forward.invars, computed)
    return list(_described(forward, found, count, names))


def _described(
    forward: Jaxpr, residuals: list[Any], num_consts: int, names: Any
) -> Iterator[tuple[Any, str]]:
    """Literals, constants, arguments, then what equations compute, in their order."""
    kept = dict.fromkeys(x for x in residuals if type(x) is not Literal)
    for x in residuals:
        if type(x) is Literal:
            yield x.aval, "from a literal"
    for var in [*forward.constvars, *forward.invars[:num_consts]]:
        if var in kept:
            yield var.aval, "from a constant"
    for var, name in zip(forward.invars[num_consts:], names, strict=True):
        if var in kept:
            yield var.aval, f"from the argument {name}"
    for eqn in forward.eqns:
        for var in eqn.outvars:
            if var in kept:
                yield var.aval, _origin(forward, eqn)


def _origin(forward: Jaxpr, eqn: JaxprEqn) -> str:
    if eqn.primitive.name == "reduce_precision":
        # A saved value that is rounded before it is kept: who made it is of interest.
        maker = _maker(forward, eqn.invars[0])
        eqn = eqn if maker is None else maker
    line = summarize(eqn.traceback)
    place = f" from {line}" if line else ""
    if eqn.primitive is name_p:
        return f"named {eqn.params['name']!r}{place}"
    if eqn.primitive.name == "jit":
        return f"output of jitted function {eqn.params['name']!r}{place}"
    return f"output of {eqn.primitive.name}{place}"


def _maker(forward: Jaxpr, x: Any) -> JaxprEqn | None:
    if not isinstance(x, Var):
        return None
    return next((eqn for eqn in forward.eqns if x in eqn.outvars), None)
