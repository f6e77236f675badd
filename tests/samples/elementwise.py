"""Samples of the primitives of one operand that work on each element by itself."""

from tests.samples.declaring import Sample, c64, f32, grid, i32, u32

ANY = grid(2, 3)
POSITIVE = grid(2, 3, low=0.3, high=3.0)
INSIDE = grid(2, 3, low=-0.9, high=0.9)
ABOVE_ONE = grid(2, 3, low=1.2, high=3.0)
COMPLEX = c64([0.5 + 1j, -1.25 - 0.5j, 2 - 0.25j])
COUNTS = i32([[0, -3, 7], [12, -128, 5]])


def _function(name):
    return lambda J, x: getattr(J.lax, name)(x)


def _smooth(name, x, primitive=None):
    return Sample(primitive or name, _function(name), (x,), differentiable=(0,))


def _complex(name, primitive=None):
    return Sample(
        primitive or name, _function(name), (COMPLEX,), "complex", differentiable=(0,)
    )


def _constant(name, x, case="", primitive=None):
    return Sample(primitive or name, _function(name), (x,), case)


SAMPLES = (
    # Sign and size. Away from zero each is smooth.
    _smooth("neg", ANY),
    _constant("neg", COUNTS, "integers"),
    _constant("sign", ANY),
    _constant("sign", COUNTS, "integers"),
    _smooth("abs", ANY),
    _complex("abs"),
    _constant("abs", COUNTS, "integers"),
    # Powers with a fixed exponent.
    _smooth("square", ANY),
    _constant("square", COUNTS, "integers"),
    _smooth("sqrt", POSITIVE),
    _complex("sqrt"),
    _smooth("rsqrt", POSITIVE),
    _smooth("cbrt", POSITIVE),
    Sample(
        "integer_pow", lambda J, x: J.lax.integer_pow(x, 3), (ANY,), differentiable=(0,)
    ),
    Sample(
        "integer_pow",
        lambda J, x: J.lax.integer_pow(x, -2),
        (POSITIVE,),
        "negative",
        differentiable=(0,),
    ),
    # Exponentials and logarithms.
    _smooth("exp", ANY),
    _complex("exp"),
    _smooth("exp2", ANY),
    _smooth("expm1", ANY),
    _smooth("log", POSITIVE),
    _complex("log"),
    _smooth("log1p", POSITIVE),
    _smooth("log2", POSITIVE),
    _smooth("logistic", ANY),
    # Trigonometric and hyperbolic functions and their inverses.
    _smooth("sin", ANY),
    _complex("sin"),
    _smooth("cos", ANY),
    _smooth("tan", INSIDE),
    _smooth("asin", INSIDE),
    _smooth("acos", INSIDE),
    _smooth("atan", ANY),
    _smooth("sinh", ANY),
    _smooth("cosh", ANY),
    _smooth("tanh", ANY),
    _complex("tanh"),
    _smooth("asinh", ANY),
    _smooth("acosh", ABOVE_ONE),
    _smooth("atanh", INSIDE),
    # Rounding.
    _constant("floor", ANY),
    _constant("ceil", ANY),
    _constant("round", f32(-2.5, -0.5, 0.5, 1.5, 2.4), "away from zero"),
    Sample(
        "round",
        lambda J, x: J.lax.round(x, J.lax.RoundingMethod.TO_NEAREST_EVEN),
        (f32(-2.5, -0.5, 0.5, 1.5, 2.4),),
        "to even",
    ),
    _constant("is_finite", f32(1.0, float("inf"), float("nan"))),
    # Bits.
    _constant("bitwise_not", COUNTS, primitive="not"),
    _constant("population_count", u32(0, 1, 255, 2**32 - 1)),
    _constant("clz", u32(0, 1, 255, 2**32 - 1)),
    # Complex numbers and their parts.
    _complex("real"),
    _complex("imag"),
    _complex("conj"),
)
