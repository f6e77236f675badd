"""Samples of the primitives of two or more operands that work element by element."""

from tests.samples.declaring import Sample, c64, f32, flags, grid, i32, u32

X = grid(2, 3)
Y = grid(3, 2).reshape(2, 3) + f32(0.1)
POSITIVE = grid(2, 3, low=0.4, high=2.5)
Z = c64([0.5 + 1j, -1.25 - 0.5j, 2 - 0.25j])
W = c64([1 - 0.5j, 0.75 + 0.5j, -2 + 1j])
M = i32(5, -7, 12, 0)
N = i32(3, 2, -5, 4)
BITS = u32(0b1100, 0xFFFF, 7, 2**31)
STEPS = u32(1, 4, 0, 31)


def _function(name):
    return lambda J, x, y: getattr(J.lax, name)(x, y)


def _smooth(name, x, y, case="", primitive=None):
    return Sample(
        primitive or name, _function(name), (x, y), case, differentiable=(0, 1)
    )


def _constant(name, x, y, case="", primitive=None):
    return Sample(primitive or name, _function(name), (x, y), case)


def _compare(name, primitive=None):
    x, y = f32(1.0, 2.0, 3.0, float("nan")), f32(2.0, 2.0, 1.0, 1.0)
    return (
        _constant(name, x, y, primitive=primitive),
        _constant(name, M, N, "integers", primitive=primitive),
    )


def _ordered(name):
    def bind(J, x, y):
        return getattr(J.lax, f"{name}_p").bind(x, y)

    x = f32(1.0, -0.0, float("nan"), float("nan"), 2.0)
    y = f32(2.0, 0.0, float("nan"), float("inf"), 1.0)
    return (Sample(name, bind, (x, y)), Sample(name, bind, (M, N), "integers"))


SAMPLES = (
    # Ring operations.
    _smooth("add", X, Y),
    _smooth("add", Z, W, "complex"),
    _constant("add", M, N, "integers"),
    _smooth("sub", X, Y),
    _constant("sub", M, N, "integers"),
    _smooth("mul", X, Y),
    _smooth("mul", Z, W, "complex"),
    _constant("mul", M, N, "integers"),
    _constant("mulhi", BITS, STEPS),
    # A scalar meets an array.
    Sample(
        "mul",
        lambda J, x: J.lax.mul(x, J.lax.full_like(x, 0.5)),
        (X,),
        "by a constant",
        differentiable=(0,),
    ),
    # Division and powers.
    _smooth("div", X, POSITIVE),
    _smooth("div", Z, W, "complex"),
    _constant("div", M, i32(3, 2, -5, 4), "integers"),
    _smooth("rem", X, POSITIVE),
    _constant("rem", M, N, "integers"),
    _smooth("pow", POSITIVE, X),
    Sample(
        "pow",
        lambda J, x, n: J.lax.pow(x, n),
        (X, i32([[2, 3, 0], [1, 4, 2]])),
        "integer exponent",
        differentiable=(0,),
    ),
    _smooth("atan2", X, Y),
    _constant("nextafter", X, Y),
    # Extremes. The operands never meet, so each is smooth.
    _smooth("max", X, Y),
    _constant("max", M, N, "integers"),
    _smooth("min", X, Y),
    _constant("min", M, N, "integers"),
    _smooth("complex", X, Y),
    # Comparisons.
    *_compare("eq"),
    *_compare("ne"),
    *_compare("lt"),
    *_compare("le"),
    *_compare("gt"),
    *_compare("ge"),
    # In the total order of IEEE 754: NaN equals itself, and is above all.
    *_ordered("eq_to"),
    *_ordered("lt_to"),
    *_ordered("le_to"),
    # Logic and bits.
    _constant("bitwise_and", M, N, primitive="and"),
    _constant("bitwise_and", flags(1, 0, 1), flags(1, 1, 0), "flags", primitive="and"),
    _constant("bitwise_or", M, N, primitive="or"),
    _constant("bitwise_xor", M, N, primitive="xor"),
    _constant("shift_left", BITS, STEPS),
    _constant("shift_right_logical", BITS, STEPS),
    _constant("shift_right_arithmetic", M, i32(1, 2, 0, 3)),
    # Choices.
    Sample(
        "select_n",
        lambda J, which, x, y: J.lax.select_n(which, x, y),
        (flags([[1, 0, 1], [0, 0, 1]]), X, Y),
        differentiable=(1, 2),
    ),
    Sample(
        "select_n",
        lambda J, which, x, y, z: J.lax.select_n(which, x, y, z),
        (i32(2, 0, 1), f32(1, 2, 3), f32(4, 5, 6), f32(7, 8, 9)),
        "three cases",
        differentiable=(1, 2, 3),
    ),
    Sample(
        "select_n",
        lambda J, which, x, y: J.lax.select_n(which, x, y),
        (flags(True), X, Y),
        "one choice for all",
        differentiable=(1, 2),
        others=(flags(False), Y, X),
    ),
    Sample(
        "clamp",
        lambda J, low, x, high: J.lax.clamp(low, x, high),
        (f32(-1.0), X, f32(1.1)),
        # jax has no derivative in a scalar bound: it selects between unlike shapes.
        differentiable=(1,),
        others=(f32(-0.5), Y, f32(0.7)),
    ),
    Sample(
        "clamp",
        lambda J, low, x, high: J.lax.clamp(low, x, high),
        (X - f32(0.3), Y, X + f32(0.4)),
        "bounds for each",
        differentiable=(0, 1, 2),
    ),
)
