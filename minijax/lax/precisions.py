"""How exactly products are computed: levels, and algorithms with their element types.

A precision parameter is None, a pair of levels (one per operand), an algorithm, or the
preset of one. Strings are read here and nowhere else.

Source: spec/lowering.md §15.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from .. import lowering
from ..base import dtypes, flags
from ..base.errors import ArgumentValueError
from ..base.util import memoize


class Precision(enum.Enum):
    """How many bits of the operands a matrix unit may leave out.

    DEFAULT: as the machine likes it. HIGH: about three bfloat16 passes. HIGHEST: all.
    Names such as "float32" are accepted: `Precision("float32")`.
    """

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return _LEVELS.get(value) if isinstance(value, str) else None

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Precision.{self.name}"


_LEVELS = {
    "default": Precision.DEFAULT,
    "bfloat16": Precision.DEFAULT,
    "fastest": Precision.DEFAULT,
    "high": Precision.HIGH,
    "bfloat16_3x": Precision.HIGH,
    "tensorfloat32": Precision.HIGH,
    "highest": Precision.HIGHEST,
    "float32": Precision.HIGHEST,
}


class DotAlgorithm(NamedTuple):
    """What a product is computed in.

    lhs_precision_type, rhs_precision_type, accumulation_type: dtypes. The counts: into
    how many parts operands are split, and how many products of parts are taken.
    """

    lhs_precision_type: Any
    rhs_precision_type: Any
    accumulation_type: Any
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class _Types(NamedTuple):
    """The types of a preset: how they are called, and what operands may be stored in."""

    operands: str  # as StableHLO calls the type; empty: any 8-bit float
    storage: tuple[str, ...]  # numpy names; the first is what others convert to
    accumulation: str  # numpy name
    operations: int = 1
    imprecise: bool = False


_BF16_PARTS = ("float32",)
_PRESETS: dict[str, _Types | None] = {
    "DEFAULT": None,
    "ANY_F8_ANY_F8_F32": _Types("", (), "float32"),
    "ANY_F8_ANY_F8_F32_FAST_ACCUM": _Types("", (), "float32", imprecise=True),
    "ANY_F8_ANY_F8_ANY": _Types("", (), "float32"),
    "ANY_F8_ANY_F8_ANY_FAST_ACCUM": _Types("", (), "float32"),
    "F16_F16_F16": _Types("f16", ("float16",), "float16"),
    "F16_F16_F32": _Types("f16", ("float16",), "float32"),
    "BF16_BF16_BF16": _Types("bf16", ("bfloat16", "float32"), "bfloat16"),
    "BF16_BF16_F32": _Types("bf16", ("bfloat16", "float32"), "float32"),
    "BF16_BF16_F32_X3": _Types("bf16", _BF16_PARTS, "float32", 3),
    "BF16_BF16_F32_X6": _Types("bf16", _BF16_PARTS, "float32", 6),
    "BF16_BF16_F32_X9": _Types("bf16", _BF16_PARTS, "float32", 9),
    "TF32_TF32_F32": _Types("tf32", ("float32",), "float32"),
    "TF32_TF32_F32_X3": _Types("tf32", ("float32",), "float32", 3),
    "F32_F32_F32": _Types("f32", ("float32",), "float32"),
    "F64_F64_F64": _Types("f64", ("float64",), "float64"),
}

DotAlgorithmPreset = enum.Enum(  # type: ignore[misc]
    "DotAlgorithmPreset", list(_PRESETS), module=__name__
)
