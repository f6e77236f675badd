"""How exactly products are computed."""

import numpy as np
import pytest

from tests.lax.comparing import same_error, same_text, same_value
from tests.lax.test_contractions import MATRICES, dot_general
from tests.oracle import compare, run_here
from tests.samples.declaring import grid


@pytest.mark.parametrize(
    "precision",
    [
        None, "default", "high", "highest", "bfloat16", "tensorfloat32", "float32",
        "bfloat16_3x", "fastest", ("default", "high"), "F32_F32_F32",
        "BF16_BF16_F32_X3", "DEFAULT", "ANY_F8_ANY_F8_F32",
    ],
)  # fmt: skip
def test_check_56_precisions(precision):
    options = {"precision": precision}
    same_text(dot_general, grid(2, 3), grid(3, 4), static=(MATRICES, options))


def under_default(J, name):
    def fun(x, y):
        return J.lax.dot_general(x, y, MATRICES)

    before = J.config.jax_default_matmul_precision
    J.config.update("jax_default_matmul_precision", name)
    try:
        program = J.make_jaxpr(fun)(grid(2, 3), grid(3, 4))
        return str(program.eqns[0].params["precision"])
    finally:
        J.config.update("jax_default_matmul_precision", before)


@pytest.mark.parametrize(
    "name", ["tensorfloat32", "highest", "F32_F32_F32", "bfloat16"]
)
def test_check_56_default_precision(name):
    compare(under_default, name)


@pytest.mark.parametrize("precision", ["bad", 3, ("high", "bad")])
def test_unknown_precision(precision):
    options = {"precision": precision}
    same_error(dot_general, grid(2, 3), grid(3, 4), static=(MATRICES, options))


@pytest.mark.parametrize(
    "preset",
    ["DEFAULT", "F16_F16_F16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "F32_F32_F32"],
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_check_56_algorithms(preset, dtype):
    x, y = (grid(*s).astype(np.dtype(dtype)) for s in ((2, 3), (3, 4)))
    same_value(
        dot_general, x, y, static=(MATRICES, {"preset": preset}), rtol=2e-2, atol=2e-2
    )


@pytest.mark.parametrize(
    "preset", ["TF32_TF32_F32", "F16_F16_F32", "ANY_F8_ANY_F8_F32"]
)
def test_check_56_algorithms_that_the_cpu_lacks(preset):
    compare(
        dot_general, grid(2, 3), grid(3, 4), MATRICES, {"preset": preset}, raises=True
    )


def names(J):
    level = J.lax.Precision("float32")
    return [str(level), repr(level), str(J.lax.DotAlgorithmPreset.F32_F32_F32)], [
        J.lax.Precision(name).name
        for name in ("default", "high", "highest", "bfloat16", "tensorfloat32")
    ]


def test_names():
    compare(names)


def algorithm(J, dtype):
    exact = J.lax.DotAlgorithm(dtype, dtype, dtype)
    return exact, exact.num_primitive_operations, exact.allow_imprecise_accumulation


def test_algorithm_fields():
    compare(algorithm, "float32")


def refusal(J):
    try:
        J.lax.dot_general(grid(2, 3), grid(3, 4), MATRICES, precision="bad")
    except ValueError as error:
        return str(error)


def test_the_refusal_lists_what_there_is():
    words = run_here(refusal).facts["value"]
    assert "'bad'" in words and "highest" in words and "TF32_TF32_F32" in words


def algorithm_text(J, preset, dtype):
    def fun(x, y):
        return dot_general(J, x, y, MATRICES, {"preset": preset})

    x, y = (grid(*s).astype(np.dtype(dtype)) for s in ((2, 3), (3, 4)))
    words = J.jit(fun).lower(x, y).as_text()
    marks = (
        "convert",
        "algorithm",
        "num_primitive_operations = 3",
        "-> tensor<2x4xf32>",
    )
    return {mark: words.count(mark) for mark in marks}


@pytest.mark.parametrize("preset", ["DEFAULT", "F16_F16_F16", "BF16_BF16_F32_X3"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_check_56_algorithm_attributes(preset, dtype):
    compare(algorithm_text, preset, dtype)
