"""Batching: helpers, rules by kind, jaxprs (those checks that rules decide)."""

import gc
import itertools
import time
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.core import (
    NamedAxisEffect,
    Primitive,
    ShapedArray,
    check_jaxpr,
    eval_jaxpr,
    jit_p,
    stage,
    typeof,
)
from minijax.interpreters import batching
from minijax.transforms import jit, vmap
from tests.interpreters import programs

AXIS = batching.BatchAxis(batching.UNNAMED, 2)


def f32(*shape):
    return ShapedArray(shape, np.float32)


def traced(fun, *avals):
    def flat(*args):
        out = fun(*args)
        return list(out) if isinstance(out, tuple | list) else [out]

    return stage(flat, avals)


def out_axes(fun, in_axes, *shapes):
    """Where the rules put the axis of size 2; `shapes` have it."""
    avals = [
        f32(*shape) if axis is None else f32(*shape[:axis], *shape[axis + 1 :])
        for shape, axis in zip(shapes, in_axes, strict=True)
    ]
    batched, axes = batching.batch_jaxpr(traced(fun, *avals), AXIS, in_axes)
    check_jaxpr(batched)
    assert batched.in_avals == [f32(*shape) for shape in shapes]
    return axes


# --- helpers ---


def test_renumber():
    assert batching.renumber((0, 1, 2), past=1) == (0, 2, 3)
    assert batching.renumber(0, past=0) == 1
    assert batching.renumber(0, past=1) == 0
    assert all(type(d) is int for d in batching.renumber((np.int64(0),), past=0))


def _shape_after(fun, *shape):
    (aval,) = traced(fun, f32(*shape)).out_avals
    return aval.shape


def test_moving():
    assert _shape_after(lambda x: batching.moveaxis(x, 0, 2), 2, 3, 4) == (3, 4, 2)
    assert _shape_after(lambda x: batching.moveaxis(x, -1, 0), 2, 3, 4) == (4, 2, 3)
    assert _shape_after(lambda x: batching.broadcast(x, 5, 1), 2, 3) == (2, 5, 3)
    assert _shape_after(lambda x: batching.broadcast(x, 5, -1), 2, 3) == (2, 3, 5)
    assert _shape_after(lambda x: batching.at_front(x, 1, 3), 2, 3) == (3, 2)
    assert _shape_after(lambda x: batching.at_front(x, None, 5), 2, 3) == (5, 2, 3)
    assert _shape_after(lambda x: batching.sum_over(x, 1), 2, 3) == (2,)


def test_moving_to_where_it_is_binds_nothing():
    assert traced(lambda x: batching.moveaxis(x, 1, 1), f32(2, 3)).eqns == []
    assert traced(lambda x: batching.at_front(x, 0, 2), f32(2, 3)).eqns == []


@pytest.mark.parametrize("axis", [2, -3])
def test_moving_an_axis_that_is_not_there(axis):
    with pytest.raises(ValueError):
        batching.moveaxis(np.ones((2, 3)), axis, 0)


@pytest.mark.parametrize(
    "src, dst, shape, position",
    [
        (1, 0, (2, 3), 0),
        (1, None, (3, 2), 1),
        (None, 1, (3, 2, 2), 1),
        (None, None, (3, 2), None),
        (1, batching.zero_if_mapped, (2, 3), 0),
        (None, batching.zero_if_mapped, (3, 2), None),
    ],
)
def test_match(src, dst, shape, position):
    found = []

    def program(x):
        out, axis = batching.match(AXIS, x, src, dst)
        found.append(axis)
        return out

    assert _shape_after(program, 3, 2) == shape
    assert found == [position]


def test_align_puts_all_at_the_front():
    def program(x, y, z):
        moved, axis = batching.align((x, y, z), (1, None, 0))
        assert axis == 0
        return moved

    avals = traced(program, f32(3, 2), f32(3), f32(2, 3)).out_avals
    assert [aval.shape for aval in avals] == [(2, 3)] * 3


# --- rules ---


def test_check_35_elementwise():
    add = lax.add
    assert out_axes(add, (2, 2), (3, 4, 2), (3, 4, 2)) == (2,)
    assert out_axes(add, (2, 1), (3, 4, 2), (3, 2, 4)) == (0,)
    assert out_axes(add, (2, None), (3, 4, 2), (3, 4)) == (0,)
    assert out_axes(lambda x: lax.add(x, 1.0), (2,), (3, 4, 2)) == (2,)
    assert out_axes(lax.sin, (1,), (3, 2)) == (1,)


def test_check_35_an_operand_without_the_axis_is_not_repeated():
    jaxpr = traced(lax.add, f32(3), f32(3))
    batched, _ = batching.batch_jaxpr(jaxpr, AXIS, (0, None))
    assert str(batched) == (
        "{ lambda ; a:f32[2,3] b:f32[3]. let\n"
        "    c:f32[1,3] = broadcast_in_dim[broadcast_dimensions=(1,)] b\n"
        "    d:f32[2,3] = add a c\n"
        "  in (d,) }"
    )


def test_check_36_reducers():
    assert out_axes(lambda x: lax.reduce_sum(x, (0,)), (2,), (3, 4, 2)) == (1,)
    assert out_axes(lambda x: lax.reduce_sum(x, (1,)), (0,), (2, 3, 4)) == (0,)
    assert out_axes(lambda x: lax.argmax(x, 0, np.int32), (2,), (3, 4, 2)) == (1,)


def test_check_37_what_comes_to_the_front():
    assert out_axes(lambda x: lax.transpose(x, (1, 0)), (2,), (3, 4, 2)) == (0,)
    assert out_axes(lambda x: lax.reshape(x, (12,)), (1,), (3, 2, 4)) == (0,)
    assert out_axes(lambda x: lax.squeeze(x, (0,)), (2,), (1, 4, 2)) == (0,)
    assert out_axes(lambda x: lax.expand_dims(x, (0,)), (1,), (3, 2)) == (0,)
    assert out_axes(lambda x: lax.broadcast_in_dim(x, (5, 3), (1,)), (1,), (3, 2)) == (
        0,
    )
    both = out_axes(lambda x, y: lax.concatenate([x, y], 0), (1, None), (3, 2), (4,))
    assert both == (0,)


def test_check_38_what_stays():
    assert out_axes(lambda x: lax.slice(x, (1,), (3,)), (1,), (4, 2)) == (1,)
    assert out_axes(lambda x: lax.pad(x, 0.0, ((1, 0, 0),)), (1,), (4, 2)) == (1,)
    assert out_axes(lambda x: lax.cumsum(x, 0), (1,), (4, 2)) == (1,)
    assert out_axes(lambda x: lax.sort(x, dimension=0), (1,), (4, 2)) == (1,)
    assert out_axes(lambda x: lax.top_k(x, 2), (0,), (2, 4)) == (0, 0)
    assert out_axes(lambda x: lax.rev(x, (0,)), (1,), (4, 2)) == (1,)
    assert out_axes(lambda x: lax.split(x, (1, 3)), (1,), (4, 2)) == (1, 1)


def _dot(x, y):
    return lax.dot_general(x, y, (((x.ndim - 1,), (0,)), ((), ())))


def test_check_39_dot():
    assert out_axes(_dot, (2, None), (3, 4, 2), (4, 5)) == (1,)
    assert out_axes(_dot, (None, 2), (3, 4), (4, 5, 2)) == (2,)
    assert out_axes(_dot, (None, 0), (3, 4), (2, 4, 5)) == (1,)
    assert out_axes(_dot, (2, 0), (3, 4, 2), (2, 4, 5)) == (0,)


def test_check_44_select():
    def select(p, x, y):
        return lax.select(lax.gt(p, 0.0), x, y)

    assert out_axes(select, (1, 1, 1), (4, 2), (4, 2), (4, 2)) == (1,)
    assert out_axes(select, (0, 1, 1), (2,), (4, 2), (4, 2)) == (0,)
    assert out_axes(select, (0, 1, 0), (2, 4), (4, 2), (2, 4)) == (0,)
    assert out_axes(lambda x, y: lax.select(True, x, y), (1, 1), (4, 2), (4, 2)) == (1,)


def test_check_60_a_primitive_without_a_rule():
    mute_p = Primitive("mute")
    mute_p.def_abstract_eval(lambda x: x)
    mute_p.def_impl(lambda x: x)
    x = np.ones(3, np.float32)
    with pytest.raises(NotImplementedError, match="mute"):
        vmap(mute_p.bind)(x)
    out = vmap(lambda x, y: (x, mute_p.bind(y)), in_axes=(0, None), out_axes=(0, None))
    assert out(x, x)[1] is x


def test_check_61_when_rules_are_called():
    p = Primitive("noted")
    p.def_abstract_eval(lambda x: x)
    p.def_impl(lambda x: x)
    called = []

    def rule(operands, axes):
        called.append(axes)
        return operands[0], axes[0]

    def with_axis(axis, operands, axes):
        called.append((axis.size, axes))
        return operands[0], axes[0]

    x = np.ones(3, np.float32)

    def unmapped(axis_rule):
        batching.batch_rules[p] = axis_rule
        called.clear()
        vmap(lambda x, y: (p.bind(x), p.bind(y))[0], in_axes=(0, None))(x, x)
        return list(called)

    assert unmapped(rule) == [(0,)]
    assert unmapped(batching.with_axis(with_axis)) == [(3, (0,))]
    always = batching.with_axis(with_axis, always=True)
    assert unmapped(always) == [(3, (0,)), (3, (None,))]


def test_rules_run_in_the_parent():
    p = Primitive("inside")
    p.def_abstract_eval(lambda x: x)
    seen = []

    def rule(operands, axes):
        seen.append(type(operands[0]).__name__)
        return lax.neg(operands[0]), axes[0]

    batching.batch_rules.define(p, rule)
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(vmap(vmap(p.bind))(x), -x)
    assert seen == ["BatchTracer"]  # the tracer of the outer one; its own rule is neg's


def test_several_results():
    out = vmap(lambda x: lax.split(x, (1, 3)), in_axes=1, out_axes=[0, 1])(
        np.arange(8, dtype=np.float32).reshape(4, 2)
    )
    np.testing.assert_array_equal(out[0], [[0], [1]])
    np.testing.assert_array_equal(out[1], [[2, 3], [4, 5], [6, 7]])


def test_leading():
    p = Primitive("pair", multiple_results=True)
    p.def_abstract_eval(lambda x, y: [x, y])
    batching.batch_rules.define(p, batching.leading(p))
    assert out_axes(p.bind, (1, None), (3, 2), (4,)) == (0, 0)


# --- jaxprs ---


def _program(x, y):
    z = lax.sin(x)
    return lax.mul(z, y), lax.cos(y), z


def test_batch_jaxpr_leaves_alone_what_is_not_mapped():
    jaxpr = traced(_program, f32(3), f32(3))
    batched, axes = batching.batch_jaxpr(jaxpr, AXIS, (1, None))
    assert axes == (0, None, 1)
    assert [aval.shape for aval in batched.out_avals] == [(2, 3), (3,), (3, 2)]
    check_jaxpr(batched)
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    y = np.array([1, 2, 3], np.float32)
    outs = eval_jaxpr(batched, batched.consts, x, y)
    np.testing.assert_allclose(outs[0], np.sin(x.T) * y, rtol=1e-6)


def test_batch_jaxpr_puts_results_where_they_are_wanted():
    jaxpr = traced(_program, f32(3), f32(3))
    wanted = (1, 1, batching.zero_if_mapped)
    batched, axes = batching.batch_jaxpr(jaxpr, AXIS, (1, None), wanted)
    assert axes == (1, 1, 0)
    assert [aval.shape for aval in batched.out_avals] == [(3, 2), (3, 2), (2, 3)]
    wanted = (0, batching.zero_if_mapped, None)
    _, axes = batching.batch_jaxpr(jaxpr, AXIS, (1, None), wanted)
    assert axes == (0, None, 1)


def test_batch_jaxpr_is_kept_while_the_program_lives():
    jaxpr = traced(_program, f32(3), f32(3))
    first, _ = batching.batch_jaxpr(jaxpr, AXIS, [0, None])
    again, _ = batching.batch_jaxpr(jaxpr, AXIS, (0, None))
    other, _ = batching.batch_jaxpr(jaxpr, AXIS._replace(size=3), (0, None))
    assert again is first and other is not first
    gone = weakref.ref(first)
    del jaxpr, first, again
    gc.collect()
    assert gone() is None


def test_constants_stay_attached():
    c = np.arange(3, dtype=np.float32)
    jaxpr = traced(lambda x: lax.add(x, c), f32(3))
    batched, _ = batching.batch_jaxpr(jaxpr, AXIS, (0,))
    assert len(batched.consts) == 1 and batched.consts[0] is c


def test_a_program_that_speaks_of_the_axis_is_batched_without_operands():
    p = Primitive("number")
    p.def_abstract_eval(lambda: f32())
    p.effects = lambda: frozenset({NamedAxisEffect("i")})

    def rule(axis, operands, axes):
        return np.arange(axis.size, dtype=np.float32), 0

    batching.batch_rules.define(p, batching.with_axis(rule, always=True))
    call_p = Primitive("call", multiple_results=True, holds_programs=True)
    call_p.def_abstract_eval(lambda *avals, jaxpr: jaxpr.out_avals)
    call_p.def_impl(lambda *xs, jaxpr: eval_jaxpr(jaxpr, jaxpr.consts, *xs))

    def call_rule(axis, operands, axes, *, jaxpr):
        batched, found = batching.batch_jaxpr(jaxpr, axis, axes)
        return call_p.bind(*operands, jaxpr=batched), found

    batching.batch_rules.define(call_p, batching.with_axis(call_rule))
    inner = traced(p.bind)
    assert inner.effects
    f = vmap(lambda x: call_p.bind(jaxpr=inner)[0], axis_name="i")
    np.testing.assert_array_equal(f(np.ones(3, np.float32)), [0, 1, 2])


def test_a_jit_equation_is_batched_whole():
    program = traced(lambda x: jit(lambda x: lax.neg(x))(x), f32(3))
    batched, axes = batching.batch_jaxpr(program, AXIS, (1,))
    (eqn,) = batched.eqns
    assert eqn.primitive is jit_p
    assert axes == (1,)
    assert eqn.params["jaxpr"].out_avals == [f32(3, 2)]


def test_the_axis_keys_compare_by_content():
    assert batching.BatchAxis("i", 3) == batching.BatchAxis("i", 3)
    assert hash(batching.BatchAxis("i", 3)) == hash(batching.BatchAxis("i", 3))
    assert batching.BatchAxis("i", 3).is_named
    assert not AXIS.is_named


def test_types_without_the_axis_are_shared():
    seen = []
    vmap(lambda x: (seen.append(typeof(x)), x)[1], in_axes=1)(
        np.ones((3, 2), np.float32)
    )
    assert seen[0] is f32(3)


def test_linear_time():
    def chain(length):
        def program(x):
            for _ in range(length):
                x = lax.sin(x)
            return x

        return traced(program, f32(3))

    def seconds(length):
        jaxpr = chain(length)
        start = time.perf_counter()
        batched, _ = batching.batch_jaxpr(jaxpr, AXIS, (0,))
        assert len(batched.eqns) == length
        return time.perf_counter() - start

    seconds(100)
    assert seconds(20_000) < 40 * max(seconds(2_000), 0.01)


# --- rules as other libraries give them ---


def _fresh():
    p = Primitive("theirs")
    p.def_abstract_eval(lambda x: x)
    p.def_impl(lambda x: np.asarray(x))
    return p


X = np.arange(3, dtype=np.float32)


def test_a_plain_rule():
    p = _fresh()
    batching.primitive_batchers[p] = lambda args, dims: (lax.neg(args[0]), dims[0])
    np.testing.assert_array_equal(vmap(p.bind)(X), -X)
    del batching.primitive_batchers[p]
    with pytest.raises(NotImplementedError):
        vmap(p.bind)(X)


def test_a_fancy_rule_is_called_for_operands_without_the_axis_too():
    p, seen = _fresh(), []

    def rule(axis, args, dims):
        seen.append((axis.size, axis.name, dims))
        return args[0], dims[0]

    batching.fancy_primitive_batchers[p] = rule
    vmap(lambda x: (p.bind(x), p.bind(1.0))[0], axis_name="i")(X)
    assert seen == [(3, "i", (0,)), (3, "i", (None,))]


def test_an_axis_rule():
    p, seen = _fresh(), []

    def rule(size, name, trace_type, args, dims):
        seen.append((size, name, trace_type, dims))
        return args[0], dims[0]

    batching.axis_primitive_batchers[p] = rule
    vmap(p.bind, axis_name="i")(X)
    assert seen == [(3, "i", None, (0,))]


def test_one_table_seen_in_three_ways():
    p = _fresh()
    batching.defvectorized(p)
    views = batching.fancy_primitive_batchers, batching.axis_primitive_batchers
    for view in views:
        assert p in view and len(view) == len(batching.batch_rules)
    fancy, axis = (view[p] for view in views)
    np.testing.assert_array_equal(fancy(AXIS, (X,), (0,))[0], X)
    np.testing.assert_array_equal(axis(3, "i", None, (X,), (0,))[0], X)
    del batching.fancy_primitive_batchers[p]
    assert p not in batching.batch_rules
    with pytest.raises(KeyError):
        batching.fancy_primitive_batchers[p]


def test_installers():
    p = Primitive("total")
    p.def_abstract_eval(lambda x, *, axes: f32(*x.shape[1:]))
    batching.defreducer(p)
    assert out_axes(lambda x: p.bind(x, axes=(0,)), (2,), (3, 4, 2)) == (1,)
    q = Primitive("joined")
    q.def_abstract_eval(lambda x, y: x)
    batching.defbroadcasting(q)
    assert out_axes(q.bind, (1, 1), (3, 2), (3, 2)) == (1,)


def test_helpers_under_jaxs_names():
    assert _shape_after(lambda x: batching.bdim_at_front(x, 1, 3), 2, 3) == (3, 2)
    assert _shape_after(lambda x: batching.broadcast(x, 5, 1, None), 2, 3) == (2, 5, 3)
    jaxpr = traced(_program, f32(3), f32(3))
    wanted = (0, batching.zero_if_mapped, 0)
    batched, mapped = batching.batch_jaxpr_axes(jaxpr, AXIS, (1, None), wanted)
    assert mapped == [True, False, True]
    assert [aval.shape for aval in batched.out_avals] == [(2, 3), (3,), (2, 3)]


# --- beside jax ---


@pytest.mark.parametrize(
    "name, in_axes",
    [
        *(("add", axes) for axes in itertools.product([0, 1, 2], [0, 2, None])),
        *(("scaled", (axis,)) for axis in (0, 1, 2)),
        *(("select", axes) for axes in [(0, 0, 0), (2, 2, 2), (0, 2, 0), (2, None, 2)]),
        *(("dot", axes) for axes in itertools.product([0, 2, None], [0, 1, 2])),
        *(("sum", (axis,)) for axis in (0, 1, 2)),
        *(("transpose", (axis,)) for axis in (0, 1, 2)),
        *(("clamp", axes) for axes in [(0, 0), (0, 1), (None, 1)]),
        *(("pad", (axis,)) for axis in (0, 2)),
        *(("jit", axes) for axes in [(0, None), (2, 2), (None, 1)]),
        ("nested", (0, None)),
    ],
)
def test_checks_35_to_45_as_jax_batches(oracle, name, in_axes):
    oracle.compare(programs.batched, name, in_axes)
