"""What the options of a jitted function say about a call: level 2 of the cache stack.

For one set of options and one structure and types of arguments: the program, which
arguments are donated, where they were asked to lie, and the equation that the call is
inside a trace. Nothing here depends on values or on where the arguments are.

Source: spec/jit.md §§4-7.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import tree
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..base.util import function_name, trace_context, weakref_lru_cache
from ..core import Jaxpr, Ref
from ..lax import Inline
from ..runtime import Options, counters_of, define_cache
from ..sharding import UNSPECIFIED, Device, Sharding
from .call_keys import CallKey
from .signatures import Choice
from .tracing import Open, cached_trace


class Prefix(NamedTuple):
    """A tree of shardings, hashable. Fields: leaves, structure."""

    leaves: tuple[Any, ...]
    structure: tree.PyTreeDef

    @classmethod
    def of(cls, given: Any, what: str) -> "Prefix":
        """Read what the user gave. Raises: TypeError for what is no sharding."""
        leaves, structure = tree.none_leaf_registry.flatten(given)
        for leaf in leaves:
            if leaf is None or leaf is UNSPECIFIED or isinstance(leaf, Sharding):
                continue
            raise ArgumentTypeError(
                f"`{what}` holds shardings and None.",
                f"Found {leaf!r} of type {type(leaf).__name__}.",
            )
        return cls(tuple(leaves), structure)

    @property
    def is_trivial(self) -> bool:
        return self.leaves == (UNSPECIFIED,)

    @property
    def value(self) -> Any:
        return self.structure.unflatten(self.leaves)


ANYWHERE = Prefix.of(UNSPECIFIED, "")


class JitOptions(NamedTuple):
    """What the user asked of `jit`: hashable, and without the function."""

    choice: Choice
    keep_unused: bool
    inline: Inline
    device: Device | None
    backend: str | None
    in_shardings: Prefix
    out_shardings: Prefix
    compiler_options: Options


class Parameters(NamedTuple):
    """A call inside a wrapper, as far as types decide it.

    jaxpr: the program. out_tree: of the result. donated: per leaf. leading: values that
    stand before the leaves (what the program closes over, where that is traced).
    wanted: the placements that were asked for. params: of the equation inside a trace.
    """

    jaxpr: Jaxpr
    out_tree: tree.PyTreeDef
    donated: tuple[bool, ...]
    leading: tuple[Any, ...]
    wanted: tuple[Sharding, ...]
    params: dict[str, Any]


# --- The cache ------------------------------------------------------------------------


def _infer(
    fun: Any, options: JitOptions, key: CallKey, avals: tuple[Any, ...]
) -> Parameters:
    normal, order = key.normalised(fun)
    in_order = tuple([avals[i] for i in order])
    try:
        staged, is_open = cached_trace(fun, normal, in_order), False
    except Open as opened:
        staged, is_open = opened.answer, True
    jaxpr, leading = staged.jaxpr, ()
    if order != tuple(range(len(order))):
        jaxpr = _reordered(jaxpr, order)
    if is_open or any(type(const) is Ref for const in jaxpr.consts):
        # The values of the trace around come in as operands of the equation.
        leading, jaxpr = jaxpr.consts, without_constants(jaxpr)
    ins = _in_placements(options.in_shardings, key)
    outs = _out_placements(options.out_shardings, staged.out_tree)
    donated = key.selected_leaves(options.choice.donated)
    ahead = len(leading)
    params = {
        "jaxpr": jaxpr,
        "in_shardings": (UNSPECIFIED,) * ahead + ins,
        "out_shardings": outs,
        "in_layouts": (None,) * (ahead + len(avals)),
        "out_layouts": (None,) * len(outs),
        "donated_invars": (False,) * ahead + donated,
        "ctx_mesh": None,
        "name": function_name(fun),
        "keep_unused": options.keep_unused,
        "inline": options.inline,
        "compiler_options_kvs": options.compiler_options,
    }
    wanted = tuple(p for p in (*ins, *outs) if p is not UNSPECIFIED)
    found = Parameters(jaxpr, staged.out_tree, donated, leading, wanted, params)
    if is_open:
        raise Open(found)
    return found


def _reordered(jaxpr: Jaxpr, order: Sequence[int]) -> Jaxpr:
    """The program with its inputs in the order of the call: i came from order[i]."""
    place = {leaf: i for i, leaf in enumerate(order)}
    picked = [place[leaf] for leaf in range(len(order))]
    info, invars = jaxpr.debug_info, jaxpr.invars
    names = info.arg_names and tuple(info.arg_names[i] for i in picked)
    return jaxpr.replace(
        invars=[invars[i] for i in picked], debug_info=info._replace(arg_names=names)
    )


def without_constants(jaxpr: Jaxpr) -> Jaxpr:
    """The program with its constants as first inputs."""
    info = jaxpr.debug_info
    names = ("",) * len(jaxpr.consts) + info.safe_arg_names(len(jaxpr.invars))
    return Jaxpr(
        (),
        jaxpr.all_invars,
        jaxpr.outvars,
        jaxpr.eqns,
        jaxpr.effects,
        info._replace(arg_names=names),
    )


_PARAMETERS = 8192
cached_parameters = weakref_lru_cache(trace_context, _infer, _PARAMETERS)
define_cache(
    "parameters",
    level="parameters",
    key=(*("function", "options", "trees", "static values", "types", "trace context"),),
    bound=_PARAMETERS,
    counts=counters_of(cached_parameters),
    clear=cached_parameters.cache_clear,
)


def infer_parameters(
    fun: Any, options: JitOptions, key: CallKey, avals: tuple[Any, ...]
) -> Parameters:
    """The program of a call and what the options say about it, cached."""
    try:
        return cached_parameters(fun, options, key, avals)
    except Open as opened:
        return opened.answer


def parameter_keys(fun: Any) -> list[tuple[JitOptions, CallKey, tuple[Any, ...]]]:
    """The keys of level 2 that belong to a function, in the trace context at hand."""
    context = trace_context()
    return [
        args
        for function, known, args, _ in cached_parameters.cache_keys()
        if function() is fun and known == context
    ]


# --- Placements -----------------------------------------------------------------------


def _in_placements(given: Prefix, key: CallKey) -> tuple[Any, ...]:
    if given.is_trivial:
        return (UNSPECIFIED,) * key.num_leaves
    if key.keywords:
        raise ArgumentValueError(
            "`in_shardings` describes arguments by position.",
            f"Found keyword arguments {[name for name, _ in key.keywords]}.",
            "Pass them by position.",
        )
    args, _ = key.fill([0] * key.num_leaves, with_static=False)
    prefix = given.value
    if isinstance(prefix, list):
        prefix = tuple(prefix)
    do = ""
    if not isinstance(prefix, tuple):
        do = f"For one argument write `in_shardings=({prefix!r},)`."
    return _spread("in_shardings", prefix, tree.structure(tuple(args)), do)


def _out_placements(given: Prefix, out_tree: Any) -> tuple[Any, ...]:
    if given.is_trivial:
        return (UNSPECIFIED,) * out_tree.num_leaves
    return _spread("out_shardings", given.value, out_tree)


def _spread(what: str, prefix: Any, structure: Any, do: str = "") -> tuple[Any, ...]:
    """One placement per leaf. Raises: ValueError, if `prefix` does not fit."""
    try:
        leaves = tree.flatten_axes(f"jit {what}", structure, prefix)
    except ValueError as error:
        raise ArgumentValueError(
            f"`{what}` is a tree prefix of {structure}.", str(error), do
        ) from error
    return tuple([UNSPECIFIED if leaf is None else leaf for leaf in leaves])
