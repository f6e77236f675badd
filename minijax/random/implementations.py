"""What a random generator is, the dtype of its keys, and how users name one.

A generator is a record of four functions on key words; the dtype of a key array holds
the record. Generators with a public name enter the registry in the files that make
them; one made by `define_prng_impl` needs no name.

Source: spec/random.md §§3.1, 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import lax
from ..base import dtypes, flags
from ..base.errors import ArgumentTypeError, ArgumentValueError
from ..core import Primitive

# Ruled in `primitives`; a dtype must say how keys are made of words.
random_wrap_p = Primitive("random_wrap")


class PRNGImpl(NamedTuple):
    """A generator, as functions on its key words K = `u32[*key_shape]`.

    seed: i[] -> K. split: K, shape -> u32[*shape, *key_shape]. random_bits: K, width,
    shape -> uint[*shape]. fold_in: K, u32[] -> K. tag: what types print.
    """

    key_shape: tuple[int, ...]
    seed: Callable[..., Any]
    split: Callable[..., Any]
    random_bits: Callable[..., Any]
    fold_in: Callable[..., Any]
    name: str = "<unnamed>"
    tag: str = "?"

    def __hash__(self) -> int:
        return hash(self.tag)

    def __str__(self) -> str:
        return self.tag


class KeyDType(dtypes.ExtendedDType):
    """The dtype of keys of one generator, which it holds: `impl`."""

    __slots__ = ("impl",)
    type = dtypes.prng_key

    def __init__(self, impl: PRNGImpl) -> None:
        super().__init__(f"key<{impl.tag}>", impl.key_shape, np.dtype(np.uint32))
        self.impl = impl

    def filled(self, shape: tuple[int, ...], word: int) -> Any:
        """Keys whose words are all the same."""
        whole = (*shape, *self.element_shape)
        words = lax.full(whole, np.uint32(int(word) % 2**32))
        return random_wrap_p.bind(words, impl=self.impl)

    def __reduce__(self) -> Any:
        return dtype_of, (self.impl,)


_dtypes: dict[PRNGImpl, KeyDType] = {}
_registry: dict[str, PRNGImpl] = {}


def dtype_of(impl: PRNGImpl | str) -> KeyDType:
    """The one dtype of the keys of a generator, given by its record or its name."""
    if isinstance(impl, str):
        impl = _registry[impl]
    dtype = _dtypes.get(impl)
    if dtype is None:
        dtype = _dtypes.setdefault(impl, KeyDType(impl))
    return dtype


def register(impl: PRNGImpl) -> PRNGImpl:
    """Give a generator its public name."""
    _registry[impl.name] = impl
    return impl


class PRNGSpec:
    """A generator as users hold it: what `define_prng_impl` returns."""

    __slots__ = ("_impl",)

    def __init__(self, impl: PRNGImpl) -> None:
        self._impl = impl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PRNGSpec) and self._impl == other._impl

    def __hash__(self) -> int:
        return hash(self._impl)

    def __str__(self) -> str:
        return str(self._impl)

    def __repr__(self) -> str:
        return f"PRNGSpec({self._impl.name!r})"


def define_prng_impl(
    *,
    key_shape: tuple[int, ...],
    seed: Callable[[Any], Any],
    split: Callable[[Any, tuple[int, ...]], Any],
    random_bits: Callable[[Any, int, tuple[int, ...]], Any],
    fold_in: Callable[[Any, Any], Any],
    name: str = "<unnamed>",
    tag: str = "?",
) -> PRNGSpec:
    """A generator of one's own, to be given as `impl` where keys are made.

    seed, split, random_bits, fold_in: functions on key words K = `u32[*key_shape]`,
    traced where keys are used. seed: i[] -> K. split: K, shape -> u32[*shape, *K].
    random_bits: K, width, shape -> uint[*shape]. fold_in: K, u32[] -> K.
    """
    impl = PRNGImpl(tuple(key_shape), seed, split, random_bits, fold_in, name, tag)
    return PRNGSpec(impl)


def impl_of(spec: Any) -> PRNGImpl:
    """The generator that a user's description means; None means the default one.

    Raises:
      ValueError: no generator has this name.
      TypeError: no description of a generator.
    """
    if spec is None:
        return _registry[flags.default_prng_impl.value]
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, PRNGImpl):
        return spec
    if isinstance(spec, PRNGSpec):
        return spec._impl
    if isinstance(spec, KeyDType):
        return spec.impl
    raise ArgumentTypeError(
        "A generator is given by its name, its record or a dtype of keys.",
        f"Found {spec!r} of type {type(spec).__name__}.",
    )


def _named(name: str) -> PRNGImpl:
    impl = _registry.get(name)
    if impl is None:
        raise ArgumentValueError(
            "A generator is given by its name.",
            f"Found {name!r}.",
            f"Known are {', '.join(sorted(_registry))}.",
        )
    return impl


def spec_of(impl: PRNGImpl) -> str | PRNGSpec:
    """How users name a generator: its registered name, or a spec object."""
    return impl.name if _registry.get(impl.name) == impl else PRNGSpec(impl)


def key_dtype(impl_spec: Any = None) -> KeyDType:
    """The dtype of keys of a generator; of the default one without a description.

    >>> import minijax as mj
    >>> mj.random.key_dtype("rbg")
    key<rbg>

    Raises:
      ValueError: no generator has this name.
      TypeError: no description of a generator.
    """
    return dtype_of(impl_of(impl_spec))
