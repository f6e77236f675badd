"""Donation: spec/lowering.md §4."""

import warnings

import numpy as np
import pytest

from minijax.base.errors import DonationWarning
from minijax.core import ShapedArray
from minijax.lowering import Placement, match_donations
from tests.lowering.toys import Order, add, f32, lower, make, mul, sin, tell

NOWHERE = Placement()


class Split:
    """A placement that splits the first axis over `count` devices."""

    def __init__(self, count):
        self.count = count

    def shard_shape(self, shape):
        return (shape[0] // self.count, *shape[1:])


def match(donated, ins, outs, *, ins_at=None, outs_at=None, partitions=1):
    return match_donations(
        donated,
        ins,
        ins_at or [NOWHERE] * len(ins),
        outs,
        outs_at or [NOWHERE] * len(outs),
        partitions,
    )


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_check_22_same_type_is_aliased():
    low = lower(lambda a: add(a, 1.0), f32(2, 4), donated=[True])
    assert low.donations == ({0: 0}, frozenset())
    assert "%arg0: tensor<2x4xf32> {tf.aliasing_output = 0 : i32}" in low.as_text()


def test_check_22_same_size_is_left_to_the_compiler():
    for other in (f32(4, 2), ShapedArray((2, 4), np.int32)):
        assert match([True], [f32(2, 4)], [other]) == ({}, frozenset({0}))
    p = make("other")
    p.def_abstract_eval(lambda x: f32(4, 2))

    def reshape(ctx, x):
        return [ctx.op("stablehlo.reshape", (x,), ctx.avals_out[0])]

    low = lower(p.bind, f32(2, 4), donated=[True], overrides=((p, reshape),))
    assert "{jax.buffer_donor = true}" in low.as_text()


def test_check_22_no_fitting_result_warns():
    with pytest.warns(UserWarning, match=r"float32\[2, 4\]") as caught:
        assert match([True], [f32(2, 4)], [f32()]) == ({}, frozenset())
    assert caught[0].category is DonationWarning


def test_check_22_results_are_counted_with_tokens():
    low = lower(lambda a: (tell(a, Order("a")), a)[1], f32(2, 4), donated=[True])
    assert "{tf.aliasing_output = 1 : i32}" in low.as_text()


def test_check_23_one_result_serves_one_input():
    with pytest.warns(DonationWarning, match=r"float32\[2\]"):
        low = lower(add, f32(2), f32(2), donated=[True, True])
    assert low.donations.aliases == {0: 0}


def test_results_are_taken_in_order():
    found = match([True, False, True], [f32(2)] * 3, [f32(3), f32(2), f32(2)])
    assert found.aliases == {0: 1, 2: 2}


def test_check_24_several_devices():
    split, whole = Placement(Split(8)), Placement(Split(1))
    shapes = [f32(8, 4)]
    one = {"ins_at": [split], "partitions": 8}
    assert match([True], shapes, shapes, **one) == ({}, frozenset({0}))
    assert match([True], shapes, shapes, outs_at=[split], **one).aliases == {0: 0}
    with pytest.warns(DonationWarning, match=r"float32\[1, 4\]"):
        assert match([True], shapes, shapes, outs_at=[whole], **one).aliases == {}


def test_check_25_a_dropped_input_is_dropped_silently():
    low = lower(lambda a, b: sin(b), f32(7), f32(2), donated=[True, False])
    assert low.donations == ({}, frozenset())


def test_memories_must_not_differ():
    host, device = Placement(memory_kind="pinned_host"), Placement(memory_kind="device")
    both = {"ins_at": [host], "outs_at": [device]}
    assert match([True], [f32(2)], [f32(2)], **both) == ({}, frozenset({0}))
    assert match([True], [f32(2)], [f32(2)], ins_at=[host]).aliases == {0: 0}


def test_layouts_must_agree():
    fixed, auto = Placement(layout="{0,1}"), Placement(layout="auto")
    shapes = [f32(2, 3)]
    assert match([True], shapes, shapes, ins_at=[fixed]).donors == {0}
    assert match([True], shapes, shapes, ins_at=[auto], outs_at=[auto]).aliases
    with pytest.raises(ValueError, match=r"auto.*\{0,1\}"):
        match([True], shapes, shapes, ins_at=[auto], outs_at=[fixed])


def test_platforms_without_donation_ignore_it():
    low = lower(lambda a: mul(a, 2.0), f32(2), donated=[True], platform="proxy")
    assert low.donations == ({}, frozenset())
