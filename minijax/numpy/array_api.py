"""What the array API asks of a namespace: its version, its devices, its dtypes.

Source: spec/numpy.md §18.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import runtime
from ..base import dtypes
from ..base.errors import ArgumentValueError

API_VERSION = "2025.12"

_DTYPES: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_DTYPES["integral"] = _DTYPES["signed integer"] + _DTYPES["unsigned integer"]
_DTYPES["numeric"] = (
    _DTYPES["integral"] + _DTYPES["real floating"] + _DTYPES["complex floating"]
)


class NamespaceInfo:
    """Facts about this namespace, as the array API standard wants them.

    >>> import minijax.numpy as jnp
    >>> jnp.__array_namespace_info__().capabilities()["max dimensions"]
    64
    """

    def capabilities(self) -> dict[str, Any]:
        """What depends on the library; shapes do not depend on values."""
        return {
            "boolean indexing": False,
            "data-dependent shapes": False,
            "max dimensions": 64,
        }

    def default_device(self) -> None:
        """None: arrays go where the computation runs."""
        return

    def devices(self) -> list[Any]:
        """All devices, and None for no wish."""
        return [None, *runtime.devices()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The dtypes of arrays that are made without one."""
        return {
            "real floating": dtypes.default_float(),
            "complex floating": dtypes.default_complex(),
            "integral": dtypes.default_int(),
            "indexing": dtypes.default_int(),
        }

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype]:
        """The dtypes of a kind, by name. Raises: ValueError for an unknown kind."""
        kinds = ("bool", "numeric") if kind is None else kind
        names: list[str] = []
        for one in kinds if isinstance(kinds, tuple) else (kinds,):
            if one not in _DTYPES:
                known = ", ".join(map(repr, _DTYPES))
                raise ArgumentValueError(
                    f"A kind is one of {known}.", f"Found {one!r}."
                )
            names += _DTYPES[one]
        found = {name: dtypes.canonicalize_dtype(name) for name in names}
        return {name: dtype for name, dtype in found.items() if dtype.name == name}
