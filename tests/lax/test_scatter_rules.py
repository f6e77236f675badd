"""What all scatters answer alike: compiled text, and types of results."""

import pytest

from tests.lax.test_scattering import NAMES, NEW, ROWS, SHAPES, X, scatter
from tests.oracle import compare

OPERATIONS = {
    "scatter": "return",
    "scatter_add": "add",
    "scatter_sub": "subtract",
    "scatter_mul": "multiply",
    "scatter_min": "minimum",
    "scatter_max": "maximum",
}


def lowered(J, name, options):
    def fun(x, indices, updates):
        return scatter(J, x, indices, updates, name, SHAPES["rows"][0], options)

    return J.jit(fun).lower(X, ROWS, NEW).as_text()


def said(J, name, mode):
    """What the text of the program says about the scatter."""
    words = lowered(J, name, {"mode": mode, "unique_indices": True})
    return {
        "combines": OPERATIONS[name] in words,
        "clamps": "stablehlo.clamp" in words,
        "unique": "unique_indices = true" in words,
        "axes": "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"
        in words,
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_check_54_only_clip_clamps(name, mode):
    ours = compare(said, name, mode)
    assert dict(ours.children)["['clamps']"].facts["value"] is (mode == "clip")


def result(J, name):
    def fun(x, indices, updates):
        return scatter(J, x, indices, updates, name, SHAPES["rows"][0], {})

    return J.eval_shape(fun, X, ROWS, NEW)


@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_like_the_operand(name):
    compare(result, name)
