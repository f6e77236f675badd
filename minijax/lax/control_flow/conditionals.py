"""cond, switch, platform_dependent: one of several functions.

All branches are traced, whichever is taken. What they close over becomes operands, one
per object.

Source: spec/control_flow.md §1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import tree
from ...base import dtypes, flags
from ...base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotCallableError,
)
from ...core import Jaxpr, Literal, Tracer, Var, at_top_level, is_array_type, typeof
from ...runtime import default_backend
from ..comparisons import ne
from ..conversions import HOST_TYPES, convert
from ..selection import clamp
from .agreement import check_branches
from .branching import cond_p, platform_index_p
from .rearranging import rearranged
from .tracing import (
    DIRECTLY,
    Body,
    as_array,
    avals_of,
    check_callable,
    check_effects,
    kept_with_bodies,
    traced,
)

if TYPE_CHECKING:
    from ..typing import ArrayLike

_INT32 = np.dtype("int32")
_NOT_GIVEN: Any = object()


def cond(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
    operand: Any = _NOT_GIVEN,
) -> Any:
    """`true_fun(*operands)` if `pred` holds, else `false_fun(*operands)`.

    pred: a scalar; a number holds if it is not 0. Both functions are traced, and must
    return the same pytree of the same shapes and dtypes. Under `vmap` with a `pred` per
    example both run. operand: one operand by keyword.

    >>> import minijax as mj
    >>> print(mj.lax.cond(True, lambda x: x + 1, lambda x: -x, 2))
    3

    Raises:
      TypeError: `pred` is no scalar truth value, a function is no function, an operand
        is no array, or the results of the functions differ in structure or type.
    """
    if operand is not _NOT_GIVEN:
        if operands:
            raise ArgumentTypeError(
                "cond takes its operands by position, or one as `operand=`.",
                f"Found both: {len(operands)} by position, and `operand`.",
            )
        operands = (operand,)
    elif len(operands) == 2 and callable(false_fun) and callable(operands[1]):
        # The order of old programs: pred, true_operand, true_fun, false_operand, ….
        return _cond_of_two(pred, (false_fun, true_fun), (operands[1], operands[0]))
    return _cond(pred, true_fun, false_fun, operands)


def _cond_of_two(pred: Any, when_true: Any, when_false: Any) -> Any:
    (true_fun, true_operand), (false_fun, false_operand) = when_true, when_false
    return _cond(
        pred,
        lambda x, y: true_fun(x),
        lambda x, y: false_fun(y),
        (true_operand, false_operand),
    )


def _cond(pred: Any, true_fun: Any, false_fun: Any, operands: tuple[Any, ...]) -> Any:
    if not (callable(true_fun) and callable(false_fun)):
        shown = ", ".join(
            f"{name}={fun!r}"
            for name, fun in (("true_fun", true_fun), ("false_fun", false_fun))
            if not callable(fun)
        )
        raise NotCallableError("each branch of cond", shown)
    dtype = _predicate_dtype(pred)
    known = _known(pred)
    if known is not None and flags.disable_jit.value:
        return true_fun(*operands) if known != 0 else false_fun(*operands)
    if isinstance(pred, HOST_TYPES):
        index: Any = _INT32.type(bool(np.asarray(pred) != 0))
    else:
        truth = pred if dtype == dtypes.BOOL else ne(pred, np.zeros((), dtype)[()])
        index = convert(truth, _INT32)
    functions = {"true_fun": true_fun, "false_fun": false_fun}
    return _choose("cond", functions, index, operands, flip=True)


def _predicate_dtype(pred: Any) -> Any:
    what = "The predicate of cond must be a scalar truth value."
    if pred is None or isinstance(pred, str | list | tuple | dict):
        raise ArgumentTypeError(what, f"Found {pred!r} of type {type(pred).__name__}.")
    if not is_array_type(pred):
        raise ArgumentTypeError(what, f"Found {pred!r} of type {type(pred).__name__}.")
    aval = typeof(pred)
    if aval.shape:
        raise ArgumentTypeError(
            what,
            f"Found {pred!r} of shape {aval.shape}.",
            "Reduce it with `any` or `all`, or map cond with `vmap`.",
        )
    if dtypes.is_extended(aval.dtype) or (
        aval.dtype.kind not in "biuf" and (aval.dtype not in dtypes.FLOATS)
    ):
        raise ArgumentTypeError(
            what, f"Found {pred!r} of dtype {dtypes.name_of(aval.dtype)}."
        )
    return aval.dtype


def _known(x: Any) -> Any:
    """The value of a scalar, or None where only its type is known."""
    return x.concrete() if isinstance(x, Tracer) else x


# --- switch ---------------------------------------------------------------------------


def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Any]],
    *operands: Any,
    operand: Any = _NOT_GIVEN,
) -> Any:
    """`branches[index](*operands)`, where an index out of range means the nearest.

    index: an integer scalar. All branches are traced, and must return the same pytree
    of the same shapes and dtypes. A single branch is called as it is.

    >>> import minijax as mj
    >>> print(mj.lax.switch(1, [lambda x: x, lambda x: x * 10], 2))
    20

    Raises:
      TypeError: `index` is no integer scalar, a branch is no function, an operand is no
        array, or results differ in structure or type.
      ValueError: there are no branches.
    """
    if operand is not _NOT_GIVEN:
        if operands:
            raise ArgumentTypeError(
                "switch takes its operands by position, or one as `operand=`.",
                f"Found both: {len(operands)} by position, and `operand`.",
            )
        operands = (operand,)
    try:
        all_callable = all(callable(branch) for branch in branches)
    except TypeError as error:
        raise ArgumentTypeError(
            "The branches of switch are a sequence of functions.",
            f"Found {branches!r} of type {type(branches).__name__}.",
        ) from error
    if not all_callable:
        raise NotCallableError("each branch of switch", repr(list(branches)))
    _check_index(index)
    branches = tuple(branches)
    if not branches:
        raise ArgumentValueError("switch chooses among branches.", "Found none.")
    if len(branches) == 1:
        return branches[0](*operands)
    last = len(branches) - 1
    known = _known(index)
    if known is not None and flags.disable_jit.value:
        return branches[_number(known, last)](*operands)
    if isinstance(index, HOST_TYPES) and at_top_level():
        chosen: Any = _INT32.type(_number(index, last))
    else:
        zero, top = _INT32.type(0), _INT32.type(last)
        chosen = clamp(zero, convert(index, _INT32), top)
    functions = {f"branch {i}": branch for i, branch in enumerate(branches)}
    return _choose("switch", functions, chosen, operands)


def _number(index: Any, last: int) -> int:
    """The branch that `index` means; it wraps around at 32 bits first."""
    return min(max(int(np.asarray(index).astype(_INT32)), 0), last)


def _check_index(index: Any) -> None:
    what = "The index of switch must be an integer scalar."
    if not is_array_type(index):
        raise ArgumentTypeError(
            what, f"Found {index!r} of type {type(index).__name__}."
        )
    aval = typeof(index)
    if aval.shape:
        raise ArgumentTypeError(what, f"Found {index!r} of shape {aval.shape}.")
    if aval.dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            what, f"Found {index!r} of dtype {dtypes.name_of(aval.dtype)}."
        )


# --- platform_dependent ---------------------------------------------------------------


def platform_dependent(
    *args: Any,
    default: Callable[..., Any] | None = None,
    **per_platform: Callable[..., Any],
) -> Any:
    """Call the function for the platform that the program runs on.

    Keywords are names of platforms (`cpu`, `cuda`, `rocm`, `tpu`…); `default` is for
    all others. Results must agree as those of the branches of `cond`.

    >>> import minijax as mj
    >>> lax = mj.lax
    >>> print(lax.platform_dependent(1, cpu=lambda x: x + 1, default=lambda x: x))
    2

    Raises:
      TypeError: a branch is no function. ValueError: the name `gpu`.
      NotImplementedError (when lowered): there is none for the platform.
    """
    for name, fun in per_platform.items():
        check_callable("platform_dependent", f"`{name}`", fun)
        if name == "gpu":
            raise ArgumentValueError(
                "platform_dependent tells platforms by their own names.",
                "Found 'gpu', which several are called.",
                "Name 'cuda', 'rocm' or 'oneapi'.",
            )
    if default is not None:
        check_callable("platform_dependent", "`default`", default)
    platforms, branches = _merged(per_platform, default)
    if at_top_level():
        return _at_once(platforms, branches, args)
    if len(branches) == 1 and platforms == (None,):
        return branches[0](*args)
    index = platform_index_p.bind(platforms=platforms)
    names = [f"the branch for {'all others' if p is None else p}" for p in platforms]
    functions = dict(zip(names, branches, strict=True))
    params = {"branches_platforms": platforms}
    return _choose("platform_dependent", functions, index, args, params)


def _merged(
    per_platform: dict[str, Callable[..., Any]], default: Callable[..., Any] | None
) -> tuple[tuple[Any, ...], tuple[Callable[..., Any], ...]]:
    """Platforms and functions, where one function for several stands once."""
    names: dict[Callable[..., Any], list[str]] = {}
    for name, fun in per_platform.items():
        names.setdefault(fun, []).append(name)
    platforms: list[Any] = [tuple(group) for group in names.values()]
    branches = list(names)
    if default is not None:
        platforms.append(None)
        branches.append(default)
    return tuple(platforms), tuple(branches)


def _at_once(platforms: Any, branches: Any, args: Any) -> Any:
    here = default_backend()
    here = "cuda" if here == "gpu" else here
    for names, branch in zip(platforms, branches, strict=True):
        if names is None or here in names:
            return branch(*args)
    index = platform_index_p.bind(platforms=platforms)  # raises: no rule for it
    raise AssertionError(index)


# --- Choosing -------------------------------------------------------------------------


class _Choice(NamedTuple):
    """Branches on common operands.

    forwarded: per result, the operand that it is, or None.
    """

    branches: tuple[Jaxpr, ...]
    forwarded: tuple[int | None, ...]


def _choose(
    api: str,
    functions: dict[str, Callable[..., Any]],
    index: Any,
    operands: tuple[Any, ...],
    params: dict[str, Any] | None = None,
    *,
    flip: bool = False,
) -> Any:
    """Bind a cond of functions, called by their names in errors.

    flip: number the branches from the last to the first.
    """
    leaves, in_tree = tree.flatten(operands)
    avals = avals_of(api, "operands", operands, leaves)
    bodies = tuple(
        [traced(api, fun, DIRECTLY, in_tree, avals) for fun in functions.values()]
    )
    consts: dict[int, Any] = {}
    places = tuple([_places(consts, body.consts) for body in bodies])
    choice = _join(bodies, places, len(consts), flip, lenient=False)
    if choice is None:
        check_branches(
            api,
            list(functions),
            list(functions.values()),
            [body.out_tree for body in bodies],
            [body.jaxpr.out_avals for body in bodies],
        )
        # Trees that differ in nothing that can be told are as good as equal.
        choice = _join(bodies, places, len(consts), flip, lenient=True)
        assert choice is not None
    given = [*consts.values(), *leaves]
    outs = iter(cond_p.bind(index, *given, branches=choice.branches, **(params or {})))
    results = [
        next(outs) if i is None else as_array(given[i]) for i in choice.forwarded
    ]
    return tree.unflatten(bodies[0].out_tree, results)


def _places(consts: dict[int, Any], values: Sequence[Any]) -> tuple[int, ...]:
    """Where values stand among the constants of all branches, one per object."""
    for value in values:
        consts.setdefault(id(value), value)
    order = {number: place for place, number in enumerate(consts)}
    return tuple([order[id(value)] for value in values])


@kept_with_bodies
def _join(
    bodies: tuple[Body, ...],
    places: tuple[tuple[int, ...], ...],
    num_consts: int,
    flip: bool,
    lenient: bool,
) -> _Choice | None:
    """The branches on all constants and operands; None if they do not agree."""
    if not lenient and not _agree(bodies):
        return None
    avals: list[Any] = [None] * num_consts
    for body, where in zip(bodies, places, strict=True):
        for place, var in zip(where, body.jaxpr.invars):
            avals[place] = var.aval
    jaxprs = [
        _with_all_consts(body.jaxpr, where, avals)
        for body, where in zip(bodies, places, strict=True)
    ]
    check_effects("cond", *jaxprs)
    forwarded = _forwarded(jaxprs)
    if any(i is not None for i in forwarded):
        jaxprs = [
            rearranged(
                jaxpr,
                outvars=[
                    x
                    for x, i in zip(jaxpr.outvars, forwarded, strict=True)
                    if i is None
                ],
            )
            for jaxpr in jaxprs
        ]
    return _Choice(tuple(jaxprs[::-1] if flip else jaxprs), forwarded)


def _agree(bodies: Sequence[Body]) -> bool:
    one = bodies[0]
    return all(
        body.out_tree == one.out_tree
        and [a.strip_weak_type() for a in body.jaxpr.out_avals]
        == [a.strip_weak_type() for a in one.jaxpr.out_avals]
        for body in bodies[1:]
    )


def _with_all_consts(jaxpr: Jaxpr, where: Sequence[int], avals: Sequence[Any]) -> Jaxpr:
    """`jaxpr` whose closed-over values stand at `where` among those of all branches."""
    if list(where) == list(range(len(avals))):
        return jaxpr
    own, operands = jaxpr.invars[: len(where)], jaxpr.invars[len(where) :]
    known = dict(zip(where, own, strict=True))
    consts = [known.get(i) or Var(aval) for i, aval in enumerate(avals)]
    return rearranged(jaxpr, [*consts, *operands])


def _forwarded(jaxprs: Sequence[Jaxpr]) -> tuple[int | None, ...]:
    """For each result, the number of the input that every branch returns for it."""
    numbers = [{var: i for i, var in enumerate(jaxpr.invars)} for jaxpr in jaxprs]
    columns = zip(*(jaxpr.outvars for jaxpr in jaxprs), strict=True)
    return tuple([_common(column, numbers) for column in columns])


def _common(column: Sequence[Any], numbers: Sequence[dict[Var, int]]) -> int | None:
    found = {
        None if type(x) is Literal else number_of.get(x)
        for x, number_of in zip(column, numbers, strict=True)
    }
    return found.pop() if len(found) == 1 else None
