"""Random small programs give what jax gives: values, text, batches and derivatives."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws import drawn

QUICK = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
LONG = settings(QUICK, max_examples=400, derandomize=False)

# 64 bits, for a sum of random terms may cancel; a sum of two orders differs by this.
WIDE = {"x64": True, "rtol": 1e-9, "atol": 1e-11}

DERIVED = (drawn.batched, drawn.pushed, drawn.pulled, drawn.second_order)


@QUICK
@given(shape=drawn.shapes, steps=drawn.printed_alike)
def test_the_text_of_a_drawn_program(oracle, shape, steps):
    oracle.compare(drawn.text, shape, "float32", steps)


@QUICK
@given(
    shape=drawn.shapes,
    steps=drawn.instructions,
    dtype=st.sampled_from(["float32", "float16", "bfloat16"]),
)
def test_the_types_and_values_of_a_drawn_program(oracle, shape, steps, dtype):
    # One operation after the other, each the same program of XLA in both libraries.
    oracle.compare(drawn.value, shape, dtype, steps)


@pytest.mark.parametrize("question", DERIVED, ids=lambda f: f.__name__)
@QUICK
@given(shape=drawn.shapes, steps=drawn.instructions)
def test_what_is_derived_from_a_drawn_program(oracle, question, shape, steps):
    oracle.compare(question, shape, "float64", steps, **WIDE)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "question", (drawn.text, drawn.staged, *DERIVED), ids=lambda f: f.__name__
)
@LONG
@given(shape=drawn.shapes, steps=drawn.instructions)
def test_many_drawn_programs(oracle, question, shape, steps):
    oracle.compare(question, shape, "float64", steps, **WIDE)
