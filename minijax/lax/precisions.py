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

__all__ = [
    "DotAlgorithm",
    "DotAlgorithmPreset",
    "Precision",
    "PrecisionLike",
]


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


class DotAlgorithmPreset(enum.Enum):
    """The algorithms that machines know, named lhs_rhs_accumulator and parts.

    Which of them a platform has is its own affair; one that it lacks is refused when
    the program is lowered.
    """

    DEFAULT = enum.auto()
    ANY_F8_ANY_F8_F32 = enum.auto()
    ANY_F8_ANY_F8_F32_FAST_ACCUM = enum.auto()
    ANY_F8_ANY_F8_ANY = enum.auto()
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = enum.auto()
    F16_F16_F16 = enum.auto()
    F16_F16_F32 = enum.auto()
    BF16_BF16_BF16 = enum.auto()
    BF16_BF16_F32 = enum.auto()
    BF16_BF16_F32_X3 = enum.auto()
    BF16_BF16_F32_X6 = enum.auto()
    BF16_BF16_F32_X9 = enum.auto()
    TF32_TF32_F32 = enum.auto()
    TF32_TF32_F32_X3 = enum.auto()
    F32_F32_F32 = enum.auto()
    F64_F64_F64 = enum.auto()

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"DotAlgorithmPreset.{self.name}"


type CanonicalPrecision = (
    tuple[Precision, Precision] | DotAlgorithm | DotAlgorithmPreset | None
)
type PrecisionLike = CanonicalPrecision | str | Precision | tuple[str, str]


# --- reading what users write ---------------------------------------------------------


def canonical_precision(precision: PrecisionLike) -> CanonicalPrecision:
    """The parameter for what a user wrote; None is what `jax_default_matmul_precision`
    says.

    Raises:
      ValueError: it is no precision.
    """
    if precision is None:
        precision = flags.default_matmul_precision.value
        if precision is None:
            return None
    return _parsed(precision)


@memoize()
def _parsed(precision: Any) -> CanonicalPrecision:
    if isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
        return precision
    if isinstance(precision, str) and precision in DotAlgorithmPreset.__members__:
        return DotAlgorithmPreset[precision]
    pair = precision if isinstance(precision, tuple) else (precision, precision)
    try:
        left, right = (Precision(level) for level in pair)
    except ValueError as error:
        raise _unknown(precision) from error
    return left, right


def _unknown(precision: Any) -> ArgumentValueError:
    presets = ", ".join(DotAlgorithmPreset.__members__)
    return ArgumentValueError(
        "A precision is None, a level, a pair of levels or an algorithm. Levels are "
        f"{', '.join(_LEVELS)}; algorithms are {presets}, or a DotAlgorithm.",
        f"Found {precision!r}.",
    )


# --- attributes -----------------------------------------------------------------------


def levels_of(precision: CanonicalPrecision) -> tuple[str, str]:
    """The names of the levels of both operands."""
    if precision is None or isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
        return Precision.DEFAULT.name, Precision.DEFAULT.name
    left, right = precision
    return left.name, right.name


def precision_config(precision: CanonicalPrecision) -> Any:
    """The attribute that holds the levels of both operands."""
    levels = levels_of(precision)
    entries = ", ".join(f"#stablehlo<precision {level}>" for level in levels)
    return lowering.parse_attr(f"[{entries}]")


class AlgorithmTypes(NamedTuple):
    """What an algorithm makes of a product.

    lhs, rhs: dtypes to convert the operands to. out: the dtype of
    the sums. attribute: the StableHLO text.
    """

    lhs: Any
    rhs: Any
    out: Any
    attribute: str

    def result(self, wanted: Any) -> Any:
        """The dtype of the operation's result, nearest to the one that is wanted."""
        # Sums may be rounded to the operands' dtype by the operation itself.
        rounds = dtypes.itemsize_bits(wanted) < dtypes.itemsize_bits(self.out)
        return wanted if rounds and wanted == self.lhs else self.out


class _Preset(NamedTuple):
    """operands: the name of their type; storage: dtypes they may come in, the first is
    what others convert to; accumulation: a dtype; operations: products of parts."""

    operands: str
    storage: tuple[str, ...]
    accumulation: str
    operations: int = 1


_PRESETS = {
    DotAlgorithmPreset.F16_F16_F16: _Preset("f16", ("float16",), "float16"),
    DotAlgorithmPreset.F16_F16_F32: _Preset("f16", ("float16",), "float32"),
    DotAlgorithmPreset.BF16_BF16_BF16: _Preset(
        "bf16", ("bfloat16", "float32"), "bfloat16"
    ),
    DotAlgorithmPreset.BF16_BF16_F32: _Preset(
        "bf16", ("bfloat16", "float32"), "float32"
    ),
    DotAlgorithmPreset.BF16_BF16_F32_X3: _Preset("bf16", ("float32",), "float32", 3),
    DotAlgorithmPreset.BF16_BF16_F32_X6: _Preset("bf16", ("float32",), "float32", 6),
    DotAlgorithmPreset.BF16_BF16_F32_X9: _Preset("bf16", ("float32",), "float32", 9),
    DotAlgorithmPreset.TF32_TF32_F32: _Preset("tf32", ("float32",), "float32"),
    DotAlgorithmPreset.TF32_TF32_F32_X3: _Preset("tf32", ("float32",), "float32", 3),
    DotAlgorithmPreset.F32_F32_F32: _Preset("f32", ("float32",), "float32"),
    DotAlgorithmPreset.F64_F64_F64: _Preset("f64", ("float64",), "float64"),
}

_ON_CPU = frozenset(
    {
        DotAlgorithmPreset.DEFAULT,
        DotAlgorithmPreset.F16_F16_F16,
        DotAlgorithmPreset.BF16_BF16_F32,
        DotAlgorithmPreset.BF16_BF16_F32_X3,
        DotAlgorithmPreset.BF16_BF16_F32_X6,
        DotAlgorithmPreset.F32_F32_F32,
        DotAlgorithmPreset.F64_F64_F64,
    }
)


def algorithm_types(
    precision: CanonicalPrecision, lhs: Any, rhs: Any, platform: str
) -> AlgorithmTypes | None:
    """How an algorithm multiplies operands of these dtypes; None where none is asked.

    Raises:
      ValueError: the platform lacks it, or it does not take these dtypes.
    """
    if not isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
        return None
    if platform == "cpu" and precision not in _ON_CPU:
        known = ", ".join(sorted(preset.name for preset in _ON_CPU))
        raise ArgumentValueError(
            f"A product is to be computed by the algorithm {precision}.",
            "Found that the CPU does not have it.",
            f"There are {known}.",
        )
    if precision is DotAlgorithmPreset.DEFAULT:
        return None
    if isinstance(precision, DotAlgorithm):
        return _types_of_algorithm(precision)
    preset = _PRESETS.get(precision)
    if preset is None:
        return _types_of_8_bits(precision, lhs, rhs)
    storage = [dtypes.to_dtype(name) for name in preset.storage]
    accumulation = dtypes.to_dtype(preset.accumulation)
    name = preset.operands
    return AlgorithmTypes(
        lhs if lhs in storage else storage[0],
        rhs if rhs in storage else storage[0],
        accumulation,
        _attribute(name, name, accumulation, 1, 1, preset.operations, False),
    )


def _types_of_algorithm(algorithm: DotAlgorithm) -> AlgorithmTypes:
    lhs, rhs, out = (dtypes.to_dtype(dtype) for dtype in algorithm[:3])
    attribute = _attribute(_type_name(lhs), _type_name(rhs), out, *algorithm[3:])
    return AlgorithmTypes(lhs, rhs, out, attribute)


def _types_of_8_bits(preset: Any, lhs: Any, rhs: Any) -> AlgorithmTypes:
    for dtype in (lhs, rhs):
        if dtype not in dtypes.SMALL_FLOATS:
            raise ArgumentValueError(
                f"The algorithm {preset} multiplies 8-bit floats.", f"Found {dtype}."
            )
    out = dtypes.to_dtype("float32")
    imprecise = preset is DotAlgorithmPreset.ANY_F8_ANY_F8_F32_FAST_ACCUM
    names = _type_name(lhs), _type_name(rhs)
    return AlgorithmTypes(lhs, rhs, out, _attribute(*names, out, 1, 1, 1, imprecise))


def _type_name(dtype: Any) -> str:
    return str(lowering.element_type(dtype))


def _attribute(
    lhs: str,
    rhs: str,
    accumulation: Any,
    lhs_parts: int,
    rhs_parts: int,
    operations: int,
    imprecise: bool,
) -> str:
    return (
        "#stablehlo.dot_algorithm<"
        f"lhs_precision_type = {lhs}, rhs_precision_type = {rhs}, "
        f"accumulation_type = {_type_name(accumulation)}, "
        f"lhs_component_count = {lhs_parts}, rhs_component_count = {rhs_parts}, "
        f"num_primitive_operations = {operations}, "
        f"allow_imprecise_accumulation = {str(imprecise).lower()}>"
    )
