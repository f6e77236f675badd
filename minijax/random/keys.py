"""Keys: made from seeds, split, folded with numbers, and taken apart.

Every function that takes a key takes a typed one, or the words of one for the default
generator; what comes in with a type goes out with one.

Source: spec/random.md §§3.3, 4, 6.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import lax
from ..base import dtypes, flags
from ..base.errors import ArgumentTypeError, ArgumentValueError, IntegerOverflowError
from ..core import Tracer, typeof
from ..runtime import Array
from .arguments import check_placement, shape_of
from .implementations import (
    KeyDType,
    PRNGImpl,
    PRNGSpec,
    impl_of,
    random_wrap_p,
    spec_of,
)
from .key_arrays import PRNGKeyArray
from .primitives import (
    U32,
    random_bits_p,
    random_clone_p,
    random_fold_in_p,
    random_seed_p,
    random_split_p,
    random_unwrap_p,
)

_MOST = 2**32
# Integers that every default integer dtype holds need no conversion.
_SMALL = 2**31
_SEED = np.dtype(np.int64)


# --- keys as arguments ----------------------------------------------------------------


def typed(function: str, key: Any) -> tuple[Any, bool]:
    """Keys with their type, and whether they came as bare words.

    Raises:
      TypeError: neither keys nor words of keys.
      ValueError: bare words, where `jax_legacy_prng_key` refuses them.
    """
    if type(key) is PRNGKeyArray:
        return key, False
    if isinstance(key, Tracer) and isinstance(key.aval.dtype, KeyDType):
        return key, False
    if isinstance(key, str) or key is None:
        found = None
    else:
        try:
            found = typeof(key)
        except (TypeError, ValueError):
            found = None
    if found is None:
        raise ArgumentTypeError(
            f"random.{function} takes a key.",
            f"Found {key!r} of type {type(key).__name__}.",
            "Make one with `random.key(seed)`.",
        )
    _tell_of_bare_words(function)
    return random_wrap_p.bind(key, impl=impl_of(None)), True


def _tell_of_bare_words(function: str) -> None:
    asked = f"random.{function} was given a key without a type: an array of words."
    do = "Make keys with `random.key`, or give words a type with `wrap_key_data`."
    if flags.legacy_prng_key.value == "error":
        raise ArgumentValueError(asked, "`jax_legacy_prng_key` refuses them.", do)
    if flags.legacy_prng_key.value == "warn":
        warnings.warn(f"{asked} {do}", UserWarning, stacklevel=4)
    if flags.enable_custom_prng.value:
        warnings.warn(f"{asked} {do}", FutureWarning, stacklevel=4)


def one_key(function: str, key: Any) -> Any:
    """A single key with its type.

    Raises:
      TypeError: no key.
      ValueError: several keys.
    """
    key, _ = typed(function, key)
    check_single(function, key)
    return key


def check_single(function: str, key: Any) -> None:
    """Refuse several keys. Raises: ValueError."""
    if key.aval.shape:
        raise ArgumentValueError(
            f"random.{function} takes one key.",
            f"Found an array of keys of shape {key.aval.shape}.",
            "Map over them with `vmap`.",
        )


def _as_given(keys: Any, *, bare: bool) -> Any:
    if bare and not flags.enable_custom_prng.value:
        return random_unwrap_p.bind(keys)
    return keys


# --- seeds ----------------------------------------------------------------------------


def key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Array:
    """A key made from a seed: i[] -> key[].

    impl: which generator, by name, record or dtype of keys; `dtype` says the same.

    >>> import minijax as mj
    >>> mj.random.key(0)
    Array((), dtype=key<fry>) overlaying:
    [0 0]

    Raises:
      TypeError: the seed is no integer, or has axes.
      OverflowError: a Python int that 64 bits do not hold.
      ValueError: no generator has this name; both `impl` and `dtype` are given.
    """
    return _make_key("key", seed, _choose(impl, dtype))


def PRNGKey(seed: Any, *, impl: Any = None) -> Array:
    """The words of a key made from a seed, without a type: i[] -> u32[*key_shape].

    >>> import minijax as mj
    >>> mj.random.PRNGKey(7)
    Array([0, 7], dtype=uint32)

    Raises:
      TypeError: the seed is no integer, or has axes.
      OverflowError: a Python int that 64 bits do not hold.
    """
    return _as_given(_make_key("PRNGKey", seed, impl_of(impl)), bare=True)


def _choose(impl: Any, dtype: Any) -> PRNGImpl:
    if impl is not None and dtype is not None:
        raise ArgumentValueError(
            "`impl` and `dtype` both say which generator.",
            f"Found {impl!r} and {dtype!r}.",
            "Give one of them.",
        )
    return impl_of(dtype if impl is None else impl)


def _make_key(function: str, seed: Any, impl: PRNGImpl) -> Any:
    return random_seed_p.bind(_seed(function, seed), impl=impl)


def seed_keys(seeds: Any, impl: PRNGImpl | PRNGSpec) -> Array:
    """Keys of a generator, one from each seed: i[*s] -> key[*s]."""
    return random_seed_p.bind(_integers("random_seed", seeds), impl=impl_of(impl))


def seed_with_impl(impl: PRNGImpl | PRNGSpec, seed: Any) -> Array:
    """A key of a generator from a seed: i[] -> key[]."""
    return _make_key("seed_with_impl", seed, impl_of(impl))


def _seed(function: str, seed: Any) -> Any:
    if seed is None:
        raise ArgumentValueError(f"random.{function} needs a seed.", "Found None.")
    seed = _integers(function, seed)
    aval = typeof(seed)
    if aval.shape:
        raise ArgumentTypeError(
            f"random.{function} makes one key from one integer.",
            f"Found seeds of shape {aval.shape}.",
            "Map over them with `vmap`, or split one key.",
        )
    return seed


def _integers(function: str, seed: Any) -> Any:
    if type(seed) is int or type(seed) is bool:
        # The range of seeds does not depend on the flags.
        dtypes.check_int_fits(seed, _SEED, f"seed of random.{function}")
        seed = np.int64(seed)
    refused = isinstance(seed, str | list | tuple | float | complex)
    aval = None if refused else typeof(seed)
    if aval is None or aval.dtype not in dtypes.INTEGERS:
        raise ArgumentTypeError(
            f"random.{function} takes an integer as seed.",
            f"Found {seed!r} of type {type(seed).__name__}.",
        )
    if isinstance(seed, np.ndarray | np.generic):
        seed = seed.astype(aval.dtype)
    offset = flags.random_seed_offset.value
    if not offset:
        return seed
    if isinstance(seed, int):
        seed = np.int64(seed).astype(aval.dtype)
    return lax.add(seed, np.array(offset).astype(aval.dtype)[()])


# --- from keys to keys ----------------------------------------------------------------


def split(key: Any, num: Any = 2) -> Array:
    """Several new keys from one: key[] -> key[num], or key[*num] for a shape.

    >>> import minijax as mj
    >>> first, second = mj.random.split(mj.random.key(0))
    >>> mj.random.key_data(first)
    Array([1797259609, 2579123966], dtype=uint32)

    Raises:
      TypeError: no key; `num` is neither an integer nor a sequence of them.
      ValueError: several keys.
    """
    key, bare = typed("split", key)
    check_single("split", key)
    shape = shape_of(num)
    return _as_given(random_split_p.bind(key, shape=shape), bare=bare)


def fold_in(key: Any, data: Any) -> Array:
    """A new key from a key and a number: key[], i[] -> key[].

    >>> import minijax as mj
    >>> key = mj.random.key(0)
    >>> bool(mj.random.fold_in(key, 1) == mj.random.split(key)[1])
    True

    Raises:
      TypeError: no key, or `data` has axes.
      OverflowError: a Python int that 32 bits do not hold.
      ValueError: several keys.
    """
    key, bare = typed("fold_in", key)
    check_single("fold_in", key)
    return _as_given(random_fold_in_p.bind(key, _number(data)), bare=bare)


def _number(data: Any) -> Any:
    if isinstance(data, int):
        if not 0 <= data < _MOST:
            raise IntegerOverflowError(data, "uint32", "data of random.fold_in")
        return np.uint32(data)
    aval = typeof(data)
    if aval.shape:
        raise ArgumentTypeError(
            "fold_in takes one number.",
            f"Found an array of shape {aval.shape}.",
            "Map over its elements with `vmap`.",
        )
    if isinstance(data, float | np.generic | np.ndarray):
        return np.asarray(data).astype(aval.dtype).astype(U32)[()]
    return lax.convert_element_type(data, U32)


def clone(key: Any) -> Array:
    """The same keys, as if they were new: for code that checks that none is reused.

    >>> import minijax as mj
    >>> key = mj.random.key(0)
    >>> bool(mj.random.clone(key) == key)
    True

    Raises:
      TypeError: no key.
    """
    keys, bare = typed("clone", key)
    return _as_given(random_clone_p.bind(keys), bare=bare)


# --- words ----------------------------------------------------------------------------


def key_data(keys: Any) -> Array:
    """The words of keys: key[*s] -> u32[*s, *key_shape].

    >>> import minijax as mj
    >>> mj.random.key_data(mj.random.key(3))
    Array([0, 3], dtype=uint32)

    Raises:
      TypeError: no keys.
    """
    keys, _ = typed("key_data", keys)
    return random_unwrap_p.bind(keys)


def wrap_key_data(key_bits_array: Any, *, impl: Any = None, dtype: Any = None) -> Array:
    """Keys from their words: u32[*s, *key_shape] -> key[*s].

    >>> import minijax as mj
    >>> key = mj.random.key(3)
    >>> bool(mj.random.wrap_key_data(mj.random.key_data(key)) == key)
    True

    Raises:
      TypeError: no words of keys of this generator.
      ValueError: no generator has this name; both `impl` and `dtype` are given.
    """
    chosen = _choose(impl, dtype)
    if not hasattr(key_bits_array, "dtype"):
        raise ArgumentTypeError(
            "wrap_key_data takes an array of words of type uint32.",
            f"Found {key_bits_array!r} of type {type(key_bits_array).__name__}.",
        )
    return random_wrap_p.bind(key_bits_array, impl=chosen)


def key_impl(keys: Any) -> str | PRNGSpec:
    """The name of the generator of keys; a spec object if it has none.

    >>> import minijax as mj
    >>> mj.random.key_impl(mj.random.key(0))
    'threefry2x32'

    Raises:
      TypeError: no keys.
    """
    keys, _ = typed("key_impl", keys)
    return spec_of(keys.aval.dtype.impl)


# --- bits -----------------------------------------------------------------------------


def bits(
    key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Array:
    """Random bits as unsigned integers: key[] -> uint[*shape], all values alike.

    dtype: unsigned; by default 32 bits, or 64 under x64.

    >>> import minijax as mj
    >>> mj.random.bits(mj.random.key(0), (2,), "uint8")
    Array([231, 213], dtype=uint8)

    Raises:
      TypeError: no key.
      ValueError: several keys, or a dtype that is not unsigned.
    """
    key = one_key("bits", key)
    check_placement("bits", out_sharding)
    width = _width(dtype)
    return random_bits_p.bind(key, bit_width=width, shape=shape_of(shape))


def _width(dtype: Any) -> int:
    if dtype is None:
        return 64 if flags.enable_x64.value else 32
    found = dtypes.requested_dtype(dtype, "bits")
    if found not in dtypes.UNSIGNED:
        raise ArgumentValueError(
            "random.bits makes unsigned integers.",
            f"Found dtype {dtypes.name_of(found)}.",
        )
    return max(8, dtypes.itemsize_bits(found))
