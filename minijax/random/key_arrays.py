"""Arrays of keys on a device: the words of a generator, seen as one element per key.

The class is an `Array` and a leaf of trees. Everything that arrays can do comes through
the same table of operators; what has no meaning for keys refuses by their dtype.

Rules:
1. `k[*s]` holds `u32[*s, *key_shape]`. The words say where it lies; the type says what
   it is.
2. Only the C++ call path takes a key array apart, as a node whose child is the words
   and whose structure is the type.

Source: spec/random.md §3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import lowering, runtime, tree
from ..base.errors import (
    ArgumentTypeError,
    ImmutableArrayError,
    NotSupportedError,
    ScalarConversionError,
)
from ..core import Operator, ShapedArray, aval_makers, register_array_type, shaped
from ..numpy import equal, not_equal
from ..runtime import Array, ArrayImpl
from .implementations import KeyDType, dtype_of, spec_of


class PRNGKeyArray(Array):
    """Random keys on a device: `key<tag>[*s]`, made by `random.key` and `split`."""

    __slots__ = ("__weakref__", "_words", "aval")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100
    _words: ArrayImpl
    aval: ShapedArray

    # --- what the type tells ---
    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def dtype(self) -> KeyDType:
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def itemsize(self) -> int:
        return self.aval.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.aval.size * self.aval.dtype.itemsize

    def __len__(self) -> int:
        if not self.aval.shape:
            raise ArgumentTypeError(
                "The length of an array is the size of its first axis.",
                f"Found a single key, {self.aval}.",
            )
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[PRNGKeyArray]:
        if not self.aval.shape:
            raise ArgumentTypeError(
                "Iteration goes along the first axis.",
                f"Found a single key, {self.aval}.",
                "Make several with `random.split`.",
            )
        aval = shaped(self.aval.shape[1:], self.aval.dtype)
        return iter([wrap(words, aval) for words in self._words])

    def __reversed__(self) -> Iterator[PRNGKeyArray]:
        return reversed(list(self))

    # --- where Python or NumPy wants numbers ---
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentTypeError(
            "NumPy asks for the elements of an array.",
            f"Found keys, {self.aval}.",
            "`random.key_data(keys)` gives their words.",
        )

    def _refuse_python(self, function: str) -> Any:
        raise ScalarConversionError(function, str(self.aval))

    def __bool__(self) -> bool:
        return self._refuse_python("bool")

    def __int__(self) -> int:
        return self._refuse_python("int")

    def __float__(self) -> float:
        return self._refuse_python("float")

    def __complex__(self) -> complex:
        return self._refuse_python("complex")

    def __index__(self) -> int:
        return self._refuse_python("__index__")

    def item(self, *args: Any) -> Any:
        """Refused: a key is no Python number."""
        raise NotSupportedError(
            "`item()` asks for a Python number.",
            f"Found keys, {self.aval}.",
            "`random.key_data(keys)` gives their words.",
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        raise ImmutableArrayError("PRNGKeyArray")

    # --- what keys can be asked ---
    def __eq__(self, other: object) -> Any:
        return equal(self, self._comparable(other))

    def __ne__(self, other: object) -> Any:
        return not_equal(self, self._comparable(other))

    def _comparable(self, other: Any) -> Any:
        if getattr(other, "dtype", None) is self.aval.dtype:
            return other
        raise ArgumentTypeError(
            f"Keys of type {self.aval.dtype} are compared with keys of the same type.",
            f"Found {other!r:.60} of type {type(other).__name__}.",
        )

    # --- text and copies ---
    def __repr__(self) -> str:
        return (
            f"Array({self.aval.shape}, dtype={self.aval.dtype.name}) overlaying:\n"
            f"{self._words}"
        )

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce__(self) -> Any:
        spec = spec_of(self.aval.dtype.impl)
        impl = spec if isinstance(spec, str) else self.aval.dtype.impl
        return _rebuild, (impl, np.asarray(self._words))

    def __copy__(self) -> PRNGKeyArray:
        return wrap(runtime.copy_of(self._words), self.aval)

    def __deepcopy__(self, memo: Any) -> PRNGKeyArray:
        return self.__copy__()

    def copy(self) -> PRNGKeyArray:
        """The same keys with memory of their own."""
        return self.__copy__()

    # --- placement and life ---
    def block_until_ready(self) -> PRNGKeyArray:
        """Wait until the keys are computed; returns them."""
        self._words.block_until_ready()
        return self

    def addressable_data(self, index: int) -> PRNGKeyArray:
        """The part on this process's device number `index`."""
        return wrap_words(self._words.addressable_data(index), self.aval.dtype)

    def to_device(self, device: Any, *, stream: Any = None) -> PRNGKeyArray:
        """The keys on another device, committed to it."""
        return wrap(self._words.to_device(device, stream=stream), self.aval)


def _delegated(name: str, *, is_property: bool) -> Any:
    if is_property:
        return property(
            lambda self: getattr(self._words, name), doc=f"`{name}` of the words."
        )

    def call(self: PRNGKeyArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._words, name)(*args, **kwargs)

    call.__name__, call.__doc__ = name, f"`{name}` of the words."
    return call


for _name in ("delete", "is_deleted", "is_ready", "copy_to_host_async", "devices"):
    setattr(PRNGKeyArray, _name, _delegated(_name, is_property=False))
for _name in ("unsafe_buffer_pointer", "on_device_size_in_bytes"):
    setattr(PRNGKeyArray, _name, _delegated(_name, is_property=False))
for _name in (
    *("device", "committed", "_committed", "sharding", "_sharding"),
    *("is_fully_addressable", "is_fully_replicated"),
    *("addressable_shards", "global_shards"),
):
    setattr(PRNGKeyArray, _name, _delegated(_name, is_property=True))


# --- making them ----------------------------------------------------------------------

_make = object.__new__


def wrap(words: Any, aval: ShapedArray) -> PRNGKeyArray:
    """Words as keys of type `aval`."""
    keys = _make(PRNGKeyArray)
    keys._words, keys.aval = words, aval
    return keys


def wrap_words(words: Any, dtype: KeyDType) -> PRNGKeyArray:
    """Words `u32[*s, *key_shape]` as keys of a dtype: `key[*s]`."""
    inner = len(dtype.element_shape)
    return wrap(words, shaped(words.shape[: words.ndim - inner], dtype))


def _rebuild(impl: Any, words: np.ndarray) -> PRNGKeyArray:
    return wrap_words(runtime.put(words, copy=True), dtype_of(impl))


# --- entering the tables --------------------------------------------------------------


def _words_of(keys: PRNGKeyArray) -> Any:
    return keys._words


def _take_apart(keys: PRNGKeyArray) -> tuple[tuple[Any], ShapedArray]:
    return (keys._words,), keys.aval


def _put_together(aval: ShapedArray, children: tuple[Any]) -> PRNGKeyArray:
    keys = _make(PRNGKeyArray)
    (keys._words,), keys.aval = children, aval
    return keys


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(self: PRNGKeyArray, *others: Any) -> Any:
        raise ArgumentTypeError(
            f"`{name}` computes with numbers.", f"Found keys, {self.aval}."
        )

    return refuse


def _install(name: str, operator: Operator) -> None:
    if name not in _OWN:
        entry = _refusal(name) if name in _ARITHMETIC else operator.eager
        setattr(PRNGKeyArray, name, entry)


_OWN = frozenset(vars(PRNGKeyArray))
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_ARITHMETIC = frozenset(
    [f"__{name}__" for name in _BINARY]
    + [f"__r{name}__" for name in _BINARY]
    + [f"__{name}__" for name in ("lt", "le", "gt", "ge", "neg", "pos", "abs")]
    + ["__invert__", "__round__"]
)
_aval_of: Callable[[PRNGKeyArray], ShapedArray] = lambda keys: keys.aval  # noqa: E731

aval_makers[PRNGKeyArray] = _aval_of
tree.register_dispatch_node(PRNGKeyArray, _take_apart, _put_together)
runtime.physical_values[PRNGKeyArray] = _words_of
runtime.logical_makers[KeyDType] = lambda aval, words: wrap(words, aval)
lowering.numpy_makers[PRNGKeyArray] = lambda keys: runtime.value_of(keys._words)
register_array_type(_install)
