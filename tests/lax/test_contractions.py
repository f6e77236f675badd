"""dot_general, dot, batch_matmul."""

import ml_dtypes
import numpy as np
import pytest

from tests.lax.comparing import (
    all_axes,
    same_error,
    same_jvp,
    same_text,
    same_value,
    same_vjp,
    same_vmap,
)
from tests.oracle import compare, run_here
from tests.records import unpacked
from tests.samples.declaring import c64, grid

MATRICES = (((1,), (0,)), ((), ()))
NARROW = (ml_dtypes.bfloat16, np.float16)

# name -> (dimension numbers, lhs, rhs)
SHAPES = {
    "matrices": (MATRICES, grid(2, 3), grid(3, 4)),
    "vectors": ((((0,), (0,)), ((), ())), grid(3), grid(3) + 1),
    "outer": ((((), ()), ((), ())), grid(2), grid(3)),
    "scalars": ((((), ()), ((), ())), np.float32(2), np.float32(3)),
    "batched": ((((2,), (1,)), ((0,), (2,))), grid(4, 2, 3), grid(2, 3, 4)),
    "two axes": ((((1, 3), (2, 0)), ((2,), (1,))), grid(2, 3, 4, 2), grid(2, 4, 3, 3)),
    "crossed": ((((3, 1), (0, 2)), ((2,), (1,))), grid(2, 3, 4, 2), grid(2, 4, 3, 3)),
    "two batch axes": ((((1,), (0,)), ((2, 0), (1, 2))), grid(2, 3, 4), grid(3, 4, 2)),
    "elementwise": ((((), ()), ((0, 1), (1, 0))), grid(2, 3), grid(3, 2)),
    "empty": (MATRICES, grid(2, 0), grid(0, 4)),
    "complex": (MATRICES, c64([[1, 2j], [3, 1 - 1j]]), c64([[1j, 2.0], [1, 3j]])),
}


def dot_general(J, x, y, numbers, options=None):
    options = dict(options or {})
    name = options.pop("preset", None)
    if name is not None:
        options["precision"] = getattr(J.lax.DotAlgorithmPreset, name)
    return J.lax.dot_general(x, y, numbers, **options)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    numbers, x, y = SHAPES[name]
    same_value(dot_general, x, y, static=(numbers,), rtol=1e-5)
    same_text(dot_general, x, y, static=(numbers,))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("where", [(0,), (1,), (0, 1)])
def test_derivatives(name, where):
    numbers, x, y = SHAPES[name]
    static = (numbers,)
    compare_to = {"where": where, "static": static}
    same_jvp(dot_general, x, y, **compare_to)
    same_vjp(dot_general, x, y, **compare_to)


@pytest.mark.parametrize(
    "name", ["matrices", "outer", "scalars", "batched", "two axes"]
)
def test_check_39_batches(name):
    numbers, x, y = SHAPES[name]
    axes = all_axes((x, y))
    same_vmap(dot_general, x, y, static=(numbers,), axes=axes[:: 1 + len(axes) // 16])


# --- dtypes ---------------------------------------------------------------------------

DTYPES = ("bool", "int8", "uint8", "int32", "uint32", "bfloat16", "float16", "float32",
          "complex64")  # fmt: skip


def result_dtypes(J, numbers):
    import itertools

    def one(x, y):
        def fun(x, y):
            return J.lax.dot_general(x, y, numbers)

        return str(J.eval_shape(fun, np.ones((2, 3), x), np.ones((3, 2), y)).dtype)

    return [one(x, y) for x, y in itertools.product(DTYPES, DTYPES)]


def test_result_dtypes():
    compare(result_dtypes, MATRICES)


def preferred_dtypes(J, numbers):
    import itertools

    def one(x, preferred):
        def fun(x, y):
            return J.lax.dot_general(x, y, numbers, preferred_element_type=preferred)

        try:
            return str(J.eval_shape(fun, np.ones((2, 3), x), np.ones((3, 2), x)).dtype)
        except TypeError:
            return "refused"

    return [one(x, p) for x, p in itertools.product(DTYPES, DTYPES)]


def test_preferred_dtypes():
    compare(preferred_dtypes, MATRICES)


@pytest.mark.parametrize(
    ("left", "right", "preferred"),
    [
        ("bfloat16", "bfloat16", "float32"),
        ("bfloat16", "bfloat16", None),
        ("float32", "bfloat16", None),
        ("float32", "bfloat16", "bfloat16"),
        ("int8", "int8", "int32"),
        ("int32", "int32", "float32"),
        ("int32", "float32", None),
        ("bool", "float32", None),
        ("bool", "bool", None),
        ("int32", "uint32", None),
        ("float32", "float32", "complex64"),
        ("complex64", "float32", None),
        ("float8_e4m3fn", "float8_e5m2", "float32"),
    ],
)
def test_mixed_dtypes(left, right, preferred):
    x, y = (np.abs(grid(*s)) * 2 for s in ((2, 3), (3, 4)))
    x, y = x.astype(np.dtype(left)), y.astype(np.dtype(right))
    static = (MATRICES, {"preferred_element_type": preferred})
    same_value(
        dot_general, x, y, static=static, rtol=1e-2 if "16" in left + right else None
    )
    same_text(dot_general, x, y, static=static)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("preferred", ["float32", None])
def test_check_58_cotangents_have_the_operands_dtype(dtype, preferred):
    x, y = grid(2, 3).astype(dtype), grid(3, 4).astype(dtype)
    options = {"preferred_element_type": preferred, "precision": "highest"}
    same_vjp(dot_general, x, y, where=(0, 1), static=(MATRICES, options))


@pytest.mark.parametrize("preferred", ["bfloat16", None])
def test_check_58_mixed_operands(preferred):
    x, y = grid(2, 3).astype(ml_dtypes.bfloat16), grid(3, 4)
    options = {"preferred_element_type": preferred}
    same_vjp(dot_general, x, y, where=(0, 1), static=(MATRICES, options))


def weak(J, options):
    w, s = J.lax.full((2, 2), 1.0), np.ones((2, 2), np.float32)

    def one(x, y):
        def fun(x, y):
            return J.lax.dot_general(x, y, MATRICES, **options)

        return [aval.weak_type for aval in J.make_jaxpr(fun)(x, y).out_avals]

    return one(w, w), one(w, s), one(s, w)


def test_weak_if_both_are():
    compare(weak, {})
    compare(weak, {"preferred_element_type": np.float32})


# --- the simpler names ----------------------------------------------------------------


def dot(J, x, y, options=None):
    return J.lax.dot(x, y, **(options or {}))


def batch_matmul(J, x, y):
    return J.lax.batch_matmul(x, y)


@pytest.mark.parametrize("left", [(2, 3), (3,)])
@pytest.mark.parametrize("right", [(3, 4), (3,)])
def test_dot(left, right):
    same_value(dot, grid(*left), grid(*right), rtol=1e-5)
    same_text(dot, grid(*left), grid(*right))


def test_dot_with_numbers():
    options = {"dimension_numbers": (((0,), (1,)), ((), ()))}
    same_text(dot, grid(2, 3), grid(3, 2), static=(options,))


@pytest.mark.parametrize(("left", "right"), [((7, 2, 3), (7, 3, 4)), ((2, 3), (3, 4))])
def test_batch_matmul(left, right):
    same_value(batch_matmul, grid(*left), grid(*right), rtol=1e-5)
    same_text(batch_matmul, grid(*left), grid(*right))


@pytest.mark.parametrize(
    "numbers",
    [
        MATRICES,
        (([1], [0]), ([], [])),
        ((1, 0), ((), ())),
        ((np.array([1]), np.array([0])), ((), ())),
    ],
)
def test_ways_to_write_numbers(numbers):
    same_text(dot_general, grid(2, 3), grid(3, 4), static=(numbers,))


def shown(J, x, y, numbers, options):
    return J.make_jaxpr(lambda x, y: dot_general(J, x, y, numbers, options))(x, y)


def test_printed_form():
    options = {"precision": "highest", "preferred_element_type": "float32"}
    compare(shown, grid(2, 3), grid(3, 4), MATRICES, options)
    numbers, x, y = SHAPES["batched"]
    compare(shown, x, y, numbers, {})


@pytest.mark.parametrize(
    "numbers",
    [
        (((1,), (1,)), ((), ())),
        (((1,), (0, 0)), ((), ())),
        (((2,), (0,)), ((), ())),
        (((-1,), (0,)), ((), ())),
        (((1, 1), (0, 0)), ((), ())),
        (((1,), (0,)), ((1,), (0,))),
        (((), ()), ((0,), (0,))),
        (((1,), (0,)), ((0,), ())),
        (((1,), (0,)),),
    ],
)
def test_refusals(numbers):
    same_error(dot_general, grid(2, 3), grid(3, 4), static=(numbers,))


@pytest.mark.parametrize(
    ("left", "right"), [((1, 2, 3), (3,)), ((), ()), ((2, 3), (2, 3)), ((2, 3), ())]
)
def test_refused_dots(left, right):
    same_error(dot, grid(*left), grid(*right))


@pytest.mark.parametrize(
    ("left", "right"), [((3,), (3,)), ((2, 3), (1, 2, 3)), ((2, 3), (2, 3))]
)
def test_refused_matmuls(left, right):
    same_error(batch_matmul, grid(*left), grid(*right))


def keys(J):
    try:
        J.lax.dot_general(
            np.zeros(2, J.dtypes.float0), np.zeros(2, J.dtypes.float0),
            (((0,), (0,)), ((), ())),
        )  # fmt: skip
    except TypeError as error:
        return str(error)


def test_what_is_no_number_has_no_product():
    assert "float0" in run_here(keys).facts["value"]  # jax trips over an assertion


def second(J, x, y):
    def fun(x):
        return J.lax.dot_general(x, x, MATRICES)

    def pull(x):
        return J.vjp(fun, x)[1](y)[0]

    return J.jvp(pull, (x,), (x + 1,))


def test_second_order():
    compare(second, grid(3, 3), grid(3, 3), rtol=1e-5)
    x = unpacked(run_here(dot_general, grid(2, 3), grid(3, 4), MATRICES).array)
    np.testing.assert_allclose(x, grid(2, 3) @ grid(3, 4), rtol=1e-5)
