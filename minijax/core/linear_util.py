"""Wrapped functions: a function, transformations stacked on it, what they found out.

For libraries that build transformations the way JAX's extension interface does; nothing
in minijax itself stacks functions like this. A transformation is a plain function
`gen(f, *static, *args, **kwargs)` that calls `f`. One that finds something out while it
runs, such as the tree of the results, puts it into a store, for it cannot be returned.

Rules:
1. Arguments meet the transformation applied last first; results meet it last.
2. Wrapped functions are equal if they would do the same: stores do not count.
3. A store is written once in each run.

Source: spec/tracing.md §17.
"""

from __future__ import annotations

import functools
import itertools
import warnings
import weakref
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ..base import util
from ..base.errors import ArgumentValueError, StoreException
from .jaxprs import DebugInfo, unknown_debug_info

# --- Stores -------------------------------


class _Empty:
    def __repr__(self) -> str:
        return "<empty>"


_EMPTY = _Empty()


class Store:
    """A place for one value, written once and read afterwards.

    Example:
        >>> store = Store()
        >>> bool(store)
        False
        >>> store.store(3)
        >>> store.val
        3
    """

    __slots__ = ("_val",)

    def __init__(self) -> None:
        self._val: Any = _EMPTY

    def store(self, val: Any) -> None:
        """Put `val` here. Raises: StoreException if something is here."""
        if self:
            raise StoreException("A store is written once. Found it full.")
        self._val = val

    def reset(self) -> None:
        """Make the store empty again."""
        self._val = _EMPTY

    @property
    def val(self) -> Any:
        """What is here. Raises: StoreException if nothing is."""
        if not self:
            raise StoreException(
                "A store is read after the function that fills it has run. Found it "
                "empty."
            )
        return self._val

    def __bool__(self) -> bool:
        return self._val is not _EMPTY

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._val!r})"


class EqualStore(Store):
    """A store that may be written again, with an equal value."""

    __slots__ = ()

    def store(self, val: Any) -> None:
        """Put `val` here. Raises: StoreException if something else is here."""
        if not self:
            self._val = val
            return
        try:
            equal = bool(self._val == val)
        except Exception as error:
            raise StoreException(
                f"A store is written again with an equal value. Found {val!r}, which "
                f"does not compare with {self._val!r}."
            ) from error
        if not equal:
            raise StoreException(
                f"A store is written again with an equal value. Found {val!r} for "
                f"{self._val!r}."
            )


# --- Wrapped functions --------------------

Transform = tuple[Callable[..., Any], tuple[Any, ...]]


class WrappedFun:
    """A function with transformations on it.

    f: the original function. f_transformed: all of it, as one callable. transforms:
    pairs of a transformation and its static arguments, the newest first; stores:
    theirs, or None. params: keyword arguments given at wrapping, sorted. in_type: types
    of the arguments, if annotated.
    """

    __slots__ = (
        "__weakref__",
        "debug_info",
        "f",
        "f_transformed",
        "in_type",
        "params",
        "stores",
        "transforms",
    )

    def __init__(
        self,
        f: Callable[..., Any],
        f_transformed: Callable[..., Any],
        transforms: tuple[Transform, ...],
        stores: tuple[Store | None, ...],
        params: tuple[tuple[str, Any], ...],
        in_type: tuple[Any, ...] | None,
        debug_info: DebugInfo,
    ) -> None:
        self.f, self.f_transformed = f, f_transformed
        self.transforms, self.stores = transforms, stores
        self.params, self.in_type, self.debug_info = params, in_type, debug_info

    @property
    def __name__(self) -> str:
        return util.function_name(self.f)

    def wrap(
        self,
        gen: Callable[..., Any],
        static: tuple[Any, ...],
        store: Store | None,
    ) -> WrappedFun:
        """One more transformation on top; the annotated types are dropped."""
        bound = (*static,) if store is None else (store, *static)
        return WrappedFun(
            self.f,
            functools.partial(gen, self.f_transformed, *bound),
            ((gen, static), *self.transforms),
            (store, *self.stores),
            self.params,
            None,
            self.debug_info,
        )

    def call_wrapped(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function with its transformations."""
        return self.f_transformed(*args, **{**dict(self.params), **kwargs})

    def populate_stores(self, stores: Sequence[Store | None]) -> None:
        """Fill the stores with what is in those of an equal function."""
        for own, other in util.safe_zip(self.stores, stores):
            if own is not None and other:
                own.store(other.val)

    def replace_debug_info(self, debug_info: DebugInfo) -> WrappedFun:
        """The same function, described otherwise in error texts."""
        return WrappedFun(
            self.f,
            self.f_transformed,
            self.transforms,
            self.stores,
            self.params,
            self.in_type,
            debug_info,
        )

    def with_unknown_names(self) -> WrappedFun:
        """The same function, without the names of its arguments and results."""
        return self.replace_debug_info(
            self.debug_info._replace(arg_names=None, result_paths=None)
        )

    def _identity(self) -> tuple[Any, ...]:
        return self.f, self.transforms, self.params, self.in_type, self.debug_info

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrappedFun) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        lines = [
            f"{number}: {util.function_name(gen)}{static}"
            for number, (gen, static) in enumerate(self.transforms)
        ]
        return "\n".join(["Wrapped function:", *lines, f"Core: {self.__name__}"])


def wrap_init(
    f: Callable[..., Any],
    params: dict[str, Any] | None = None,
    *,
    debug_info: DebugInfo | None = None,
) -> WrappedFun:
    """Wrap a function, with no transformation on it yet.

    params: keyword arguments for every call. debug_info: what error texts say of the
    function.

    Example:
        >>> wrap_init(abs, debug_info=DebugInfo()).call_wrapped(-3)
        3
    """
    if debug_info is None:
        warnings.warn(
            "linear_util.wrap_init needs debug_info: without it error texts cannot say "
            "which function they speak of.",
            DeprecationWarning,
            stacklevel=2,
        )
        debug_info = unknown_debug_info
    items = tuple(sorted((params or {}).items()))
    return WrappedFun(f, f, (), (), items, None, debug_info)


def annotate(fun: WrappedFun, in_type: tuple[Any, ...] | None) -> WrappedFun:
    """Record the types of the arguments, once.

    Raises:
        ValueError: they are recorded already.
    """
    if in_type is None:
        return fun
    if fun.in_type is not None:
        raise ArgumentValueError(
            "A wrapped function is annotated once.", f"Found {fun.in_type}."
        )
    return WrappedFun(
        fun.f,
        fun.f_transformed,
        fun.transforms,
        fun.stores,
        fun.params,
        tuple(in_type),
        fun.debug_info,
    )


# --- Transformations ----------------------


def transformation2(gen: Callable[..., Any]) -> Callable[..., WrappedFun]:
    """Make `gen(f, *static, *args, **kwargs)` applicable: `(fun, *static) -> fun`.

    Example:
        >>> @transformation2
        ... def doubled(f, *args):
        ...     return 2 * f(*args)
        >>> doubled(wrap_init(abs, debug_info=DebugInfo())).call_wrapped(-3)
        6
    """

    @functools.wraps(gen)
    def apply(fun: WrappedFun, *static: Any) -> WrappedFun:
        return fun.wrap(gen, static, None)

    return apply


def transformation_with_aux2(
    gen: Callable[..., Any], *, use_eq_store: bool = False
) -> Callable[..., tuple[WrappedFun, Callable[[], Any]]]:
    """As `transformation2` for `gen(f, store, *static, *args, **kwargs)`.

    `gen` puts what it finds out into `store`. Applied, it gives the function and a
    thunk that reads the store.
    """

    @functools.wraps(gen)
    def apply(fun: WrappedFun, *static: Any) -> tuple[WrappedFun, Callable[[], Any]]:
        store = EqualStore() if use_eq_store else Store()
        return fun.wrap(gen, static, store), _Thunk(store)

    return apply


class _Thunk:
    """Reads a store when called."""

    __slots__ = ("store",)

    def __init__(self, store: Store) -> None:
        self.store = store

    def __call__(self) -> Any:
        return self.store.val


Steps = Generator[Any, Any, None]


def transformation(gen: Callable[..., Steps]) -> Callable[..., WrappedFun]:
    """As `transformation2`, from a generator in two steps.

    `gen(*static, *args, **kwargs)` yields the arguments `(args, kwargs)` for the
    function, is sent its results, and yields its own.
    """
    return transformation2(_GeneratorStyle(gen, with_aux=False))


def transformation_with_aux(
    gen: Callable[..., Steps], *, use_eq_store: bool = False
) -> Callable[..., tuple[WrappedFun, Callable[[], Any]]]:
    """As `transformation`; the second step yields a pair, the second part is stored."""
    style = _GeneratorStyle(gen, with_aux=True)
    return transformation_with_aux2(style, use_eq_store=use_eq_store)


class _GeneratorStyle:
    """A generator as a plain transformation; equal if the generators are."""

    def __init__(self, gen: Callable[..., Steps], *, with_aux: bool) -> None:
        self.gen, self.with_aux = gen, with_aux
        functools.update_wrapper(self, gen)

    def __call__(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        store, args = (args[0], args[1:]) if self.with_aux else (None, args)
        steps = self.gen(*args, **kwargs)
        inner_args, inner_kwargs = next(steps)
        out = steps.send(f(*inner_args, **inner_kwargs))
        steps.close()
        if store is None:
            return out
        result, found = out
        store.store(found)
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _GeneratorStyle) and (self.gen, self.with_aux) == (
            other.gen,
            other.with_aux,
        )

    def __hash__(self) -> int:
        return hash((self.gen, self.with_aux))


@transformation2
def hashable_partial(f: Callable[..., Any], *args: Any) -> Any:
    """Bind leading arguments; the bound function is equal if they are."""
    return f(*args)


def merge_linear_aux(
    one: Callable[[], Any], other: Callable[[], Any]
) -> tuple[bool, Any]:
    """What the one of two thunks says whose function has run, and whether it is `one`.

    Raises:
        StoreException: both functions have run, or neither.
    """
    first, second = _read(one), _read(other)
    if first is _EMPTY and second is _EMPTY:
        raise StoreException("One of two functions must have run. Found neither.")
    if first is not _EMPTY and second is not _EMPTY:
        raise StoreException("One of two functions must have run. Found both.")
    return (False, second) if first is _EMPTY else (True, first)


def _read(thunk: Callable[[], Any]) -> Any:
    try:
        return thunk()
    except StoreException:
        return _EMPTY


# --- Memoising ----------------------------

_numbers = itertools.count()


class _Cache:
    """The answers of `call`; see `cache`."""

    def __init__(
        self, call: Callable[..., Any], explain: Callable[..., Any] | None
    ) -> None:
        self.call, self.explain = call, explain
        self._by_function: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = (
            weakref.WeakKeyDictionary()
        )
        functools.update_wrapper(self, call)

    def __call__(self, fun: WrappedFun, *args: Any) -> Any:
        answers = self._by_function.get(fun.f)
        if answers is None:
            answers = self._by_function[fun.f] = {}
        key = (fun.transforms, fun.params, fun.in_type, args, util.trace_context())
        known = answers.get(key)
        if known is not None:
            answer, stores = known
            fun.populate_stores(stores)
            return answer
        if self.explain is not None:
            self.explain(fun, list(answers), key)
        answer = self.call(fun, *args)
        answers[key] = answer, fun.stores
        return answer

    def cache_clear(self) -> None:
        """Forget all answers."""
        self._by_function.clear()

    def evict_function(self, f: Callable[..., Any]) -> None:
        """Forget the answers for wrappers of `f`."""
        self._by_function.pop(f, None)


def cache(
    call: Callable[..., Any], *, explain: Callable[..., Any] | None = None
) -> _Cache:
    """Memoise a function whose first argument is a `WrappedFun`.

    The answers live as long as the original function: its wrappers come and go with
    every call. An answer brings with it what the stores held. `explain(fun, known_keys,
    key)` is called on a miss.
    """
    memo = _Cache(call, explain)
    name = f"linear_util.cache {next(_numbers)} of {util.function_name(call)}"
    util.register_cache(name, memo.cache_clear)
    return memo
