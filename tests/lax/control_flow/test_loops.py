"""while_loop and fori_loop: the checks of spec/control_flow.md §11."""

import numpy as np
import pytest

from tests.oracle import compare, run_here

F32 = np.float32


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


# --- programs -------------------------------------------------------------------------


def doubled(J, x, limit=100.0):
    return J.lax.while_loop(lambda c: c < limit, lambda c: c * 2.0, x)


def bad_while(J, kind):
    cond, body, init = {
        "integer": (lambda c: 1, lambda c: c, 1.0),
        "vector": (lambda c: np.ones(2, bool), lambda c: c, 1.0),
        "tuple": (lambda c: (c < 1,), lambda c: c, 1.0),
        "list for tuple": (lambda c: False, lambda c: [c[0], c[1]], (1.0, 2.0)),
        "extra key": (lambda c: False, lambda c: {**c, "z": 1.0}, {"a": 1.0}),
        "shape": (
            lambda c: False,
            lambda c: J.lax.expand_dims(c, (0,)),
            np.ones(3, F32),
        ),
        "strong dtype": (lambda c: False, lambda c: c + 0.5, np.int32(1)),
        "cond": (3, lambda c: c, 1.0),
        "body": (lambda c: False, 3, 1.0),
        "init": (lambda c: False, lambda c: c, "text"),
        "result": (lambda c: False, lambda c: "text", 1.0),
    }[kind]
    return J.lax.while_loop(cond, body, init)


def never(J, init):
    return J.lax.while_loop(lambda c: False, lambda c: c, init)


def promoted(J, step):
    return J.lax.while_loop(lambda c: c < 10, lambda c: c + step, 0)


def promoted_weak(J):
    return J.lax.while_loop(lambda c: c < 3, lambda c: c + 0.5, 0)


def containers(J):
    """The result has the containers that the body returns."""
    return J.lax.while_loop(
        lambda c: c["n"] < 3, lambda c: {"n": c["n"] + 1, "x": (c["x"][0] * 2.0,)},
        {"n": 0, "x": (1.0,)},
    )  # fmt: skip


def printed_fixed_carry(J, x, y):
    def f(x, y):
        return J.lax.while_loop(
            lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1], c[2] * y), (0, x, x)
        )

    return text(J, f, x, y)


def fixed_carry_comes_back(J):
    table = np.ones(3, F32)
    out = J.lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1], c[2]), (0, table, 0.5)
    )
    return [out[1] is table, type(out[2]).__name__, out[0]]


def printed_tuple(J, x):
    return text(
        J,
        lambda x: J.lax.while_loop(
            lambda c: c[0] < c[1], lambda c: (c[0] + 1, c[1]), (0, x)
        ),
        x,
    )


def printed_closures(J, x, y):
    def f(x, y):
        return J.lax.while_loop(lambda c: c < y, lambda c: c * x + y, 1.0)

    return text(J, f, x, y)


def forward_mode(J, x):
    f = lambda x: doubled(J, x, 30.0)  # noqa: E731
    y, f_lin = J.linearize(f, x)
    return J.jvp(f, (x,), (1.0,)), J.jacfwd(f)(x), y, f_lin(1.0), J.jit(J.jacfwd(f))(x)


def through_a_constant(J, w):
    f = lambda w: J.lax.while_loop(lambda c: c < 10.0, lambda c: c * w, 1.0)  # noqa: E731
    return J.jvp(f, (w,), (1.0,))


def reverse_mode(J, x):
    return J.grad(lambda x: doubled(J, x))(x)


def reverse_mode_of_the_value(J, x):
    return J.vjp(lambda x: doubled(J, x), x)[0]


def reverse_mode_around(J, x):
    """The loop carries integers and a value that it hands on."""

    def f(x):
        n, y = J.lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, c[1]), (0, x))
        return y * y * n

    return J.grad(f)(x)


def printed_linearized(J, x):
    def f(x):
        step = lambda c: (c[0] + 1, c[1] * 2.0)  # noqa: E731
        return J.lax.while_loop(lambda c: c[0] < 3, step, (0, x))[1]

    return text(J, lambda x: J.linearize(f, x)[1](1.0), x)


def second_forward(J, x):
    def f(x):
        step = lambda c: (c[0] + 1, c[1] * c[1])  # noqa: E731
        return J.lax.while_loop(lambda c: c[0] < 3, step, (0, x))[1]

    return J.jacfwd(J.jacfwd(f))(x), J.jacfwd(J.jit(J.jacfwd(f)))(x)


def mapped(J, in_axes, x, limit):
    def f(x, limit):
        return J.lax.while_loop(
            lambda c: c[0] < limit, lambda c: (c[0] * 2.0, c[1] + 1), (x, 0)
        )

    return J.vmap(f, in_axes)(x, limit)


def printed_mapped(J, in_axes, x, limit):
    def f(x, limit):
        return J.lax.while_loop(
            lambda c: c[0] < limit, lambda c: (c[0] + 1, c[1] + limit), (0, x)
        )

    return text(J, J.vmap(f, in_axes), x, limit)


def mapped_twice(J, x, limits, order):
    """The predicate has the axes of both maps, or of one; carries lie behind them."""

    def f(x, limit):
        return J.lax.while_loop(
            lambda c: c[0] < limit, lambda c: (c[0] + 1, c[1] * 1.5 + c[0]), (0, x)
        )

    if order == "inner predicate":
        return J.vmap(J.vmap(f, (None, 0)), (0, None))(x, limits)
    return J.vmap(J.vmap(f, (0, None)), (None, 0))(x, limits)


def mapped_forward(J, x):
    def f(x):
        return J.lax.while_loop(lambda c: c < 20.0, lambda c: c * x, x)

    return J.vmap(J.jacfwd(f))(x), J.jacfwd(J.vmap(f))(x), J.jit(J.vmap(J.jacfwd(f)))(x)


def summed(J, lower, upper, x):
    return J.lax.fori_loop(lower, upper, lambda i, total: total + i * x, x)


def counted(J, lower, upper):
    return J.lax.fori_loop(lower, upper, lambda i, n: n + 1, 0)


def jitted_counted(J, lower, upper):
    return J.jit(
        lambda a, b: J.lax.fori_loop(a, b, lambda i, n: (i, n[1] + 1), (a, 0))
    )(lower, upper)


def printed_fori(J, kind, x):
    def static(x):
        return J.lax.fori_loop(0, 10, lambda i, v: v * i, x)

    def dynamic(x):
        return J.lax.fori_loop(0, x, lambda i, v: v * 2.0, 1.0)

    def numpy_bound(x):
        return J.lax.fori_loop(0, np.int64(3), lambda i, v: v * 2.0, x)

    return text(
        J, {"static": static, "dynamic": dynamic, "numpy": numpy_bound}[kind], x
    )


def bad_fori(J, kind):
    lower, upper, body = {
        "dtypes": (np.int32(0), np.uint8(3), lambda i, v: v),
        "int and float": (0, 3.0, lambda i, v: v),
        "vector": (0, np.ones(2, np.int32), lambda i, v: v),
        "body": (0, 3, 5),
        "text": (0, "3", lambda i, v: v),
    }[kind]
    return J.lax.fori_loop(lower, upper, body, 1.0)


def unrolled(J, unroll, upper):
    return J.lax.fori_loop(0, upper, lambda i, v: v + i, 0, unroll=unroll)


def unrolled_traced(J, unroll):
    return J.jit(lambda n: J.lax.fori_loop(0, n, lambda i, v: v + i, 0, unroll=unroll))(
        3
    )


def grad_of_power(J, x):
    return J.grad(lambda x: J.lax.fori_loop(0, 3, lambda i, v: v * x, 1.0))(x)


def grad_of_traced_bound(J, x):
    def f(x, n):
        return J.lax.fori_loop(0, n, lambda i, v: v * x, 1.0)

    return J.jit(J.grad(f))(x, 3)


def grad_with_static_bound(J, x):
    def f(x, n):
        return J.lax.fori_loop(0, n, lambda i, v: v * x, 1.0)

    return J.jit(J.grad(f), static_argnums=1)(x, 3)


def mapped_bounds(J, bounds):
    return J.vmap(lambda n: J.lax.fori_loop(0, n, lambda i, v: v + i, 0))(bounds)


def without_compilation(J):
    with J.disable_jit():
        grown = J.lax.while_loop(
            lambda c: c.shape[0] < 8,
            lambda c: J.numpy.concatenate([c, c]),
            J.numpy.ones(1),
        )
        same = J.lax.fori_loop(3, 1, lambda i, v: 1 / 0, "init")
        steps = J.lax.fori_loop(0, 3, lambda i, v: v + i, 0)
        counted = J.lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2.0), (0, 1.0)
        )
        lanes = J.vmap(lambda n: J.lax.while_loop(lambda c: c < n, lambda c: c + 2, 0))(
            J.numpy.arange(3)
        )
        return grown, same, steps, counted, lanes


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["integer", "vector", "tuple"])
def test_check_26_the_predicate_returns_a_boolean_scalar(kind):
    compare(bad_while, kind, raises=True)
    compare(never, 1.5)


@pytest.mark.parametrize(
    "kind",
    [
        *("list for tuple", "extra key", "shape", "strong dtype"),
        *("cond", "body", "init", "result"),
    ],
)
def test_check_27_29_what_does_not_fit_is_refused(kind):
    compare(bad_while, kind, raises=True)


def test_check_27_29_differences_are_told_by_name():
    import minijax as mj

    with pytest.raises(TypeError) as caught:
        mj.lax.while_loop(lambda c: False, lambda c: [c[0]], (1.0,))
    assert "c comes in as a tuple of length 1" in str(caught.value)
    with pytest.raises(TypeError) as caught:
        mj.lax.while_loop(lambda s: False, lambda s: {"a": 1.0, "z": 2.0}, {"a": 1.0})
    assert "'z'" in str(caught.value)
    with pytest.raises(TypeError) as caught:
        mj.lax.while_loop(
            lambda st: False,
            lambda st: {"x": np.ones((1, 3), F32), "n": st["n"] + 0.5},
            {"x": np.ones(3, F32), "n": np.int32(1)},
        )
    message = str(caught.value)
    for fact in ("st['x']", "float32[3]", "float32[1,3]", "st['n']", "int32[]"):
        assert fact in message


@pytest.mark.parametrize("step", [F32(2.5), np.float16(2.5), 2.5, 1, np.int32(3)])
def test_check_28_a_weak_carry_takes_the_type_of_the_body(step):
    compare(promoted, step)
    compare(promoted_weak)


def test_check_28_how_often_functions_are_traced():
    import minijax as mj

    def counts(init, step):
        traced = [0, 0]

        def cond(c):
            traced[0] += 1
            return c < 10

        def body(c):
            traced[1] += 1
            return c + step

        mj.lax.while_loop(cond, body, init)
        mj.lax.while_loop(cond, body, init)
        return traced

    assert counts(0, F32(2.5)) == [2, 2]
    assert counts(F32(0), F32(2.5)) == [1, 1]


def test_promotion_goes_on_until_nothing_changes():
    import minijax as mj

    def body(c):
        return c[0] + np.float16(1), c[1] + c[0], c[2] + c[1]

    out = mj.lax.while_loop(lambda c: c[0] < 3, body, (0.0, 0.0, 0.0))
    assert [x.dtype.name for x in out] == ["float16"] * 3


def test_check_30_84_a_fixed_carry_is_a_constant():
    compare(printed_fixed_carry, F32(1), F32(2))
    compare(fixed_carry_comes_back)


def test_check_31_printed_params_are_sorted():
    compare(printed_tuple, 5)
    compare(printed_closures, F32(1), F32(2))
    compare(containers)


def test_check_32_93_forward_mode():
    compare(forward_mode, 2.0)
    compare(through_a_constant, 2.0)
    compare(second_forward, 1.1)
    compare(printed_linearized, F32(2))


def test_check_32_reverse_mode_is_refused_where_it_has_no_answer():
    compare(reverse_mode, 2.0, raises=True)
    compare(reverse_mode_of_the_value, 2.0)
    compare(reverse_mode_around, 3.0)


def test_check_33_a_batched_predicate_in_the_module():
    import minijax as mj

    def f(n, x):
        return mj.lax.while_loop(
            lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, x)
        )

    shown = (
        mj.jit(mj.vmap(f)).lower(np.arange(3, dtype="int32"), np.ones(3, F32)).as_text()
    )
    assert shown.count("stablehlo.while") == 1
    assert "stablehlo.or" in shown and "stablehlo.reduce" in shown
    assert shown.count("stablehlo.select") == 2
    assert shown.count("stablehlo.compare") == 2  # in the condition and in the body


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0)])
def test_mapped(in_axes):
    xs, limits = np.array([1.0, 3.0, 50.0], F32), np.array([4.0, 40.0, 2.0], F32)
    x = xs if in_axes[0] == 0 else F32(1)
    limit = limits if in_axes[1] == 0 else F32(30)
    compare(mapped, in_axes, x, limit)
    compare(printed_mapped, in_axes, x, np.asarray(limit).astype("int32"))


@pytest.mark.parametrize("order", ["inner predicate", "outer predicate"])
def test_mapped_twice(order):
    x = np.array([1.0, 3.0], F32)
    compare(mapped_twice, x, np.array([0, 2, 5], "int32"), order)


def test_mapped_forward_mode():
    compare(mapped_forward, np.array([1.5, 2.0, 30.0], F32), rtol=1e-5)


@pytest.mark.parametrize("kind", ["static", "dynamic", "numpy"])
def test_check_35_known_bounds_make_a_scan(kind):
    if kind == "dynamic":
        compare(printed_fori, kind, 3)
    else:
        assert " = scan[" in run_here(printed_fori, kind, F32(1)).facts["value"]


@pytest.mark.parametrize("kind", ["dtypes", "int and float", "vector", "body", "text"])
def test_check_36_bounds_that_do_not_fit(kind):
    compare(bad_fori, kind, raises=True)


@pytest.mark.parametrize(
    "bounds",
    [
        (0, 4), (2, 5), (5, 2), (-3, 2), (0, np.int32(3)), (np.int64(1), 4),
        (np.int8(120), np.int8(127)), (np.uint8(1), np.uint8(4)), (0.0, 3.0),
    ],
)  # fmt: skip
def test_check_36_bounds(bounds):
    compare(counted, *bounds)
    compare(jitted_counted, *bounds)
    if not isinstance(bounds[0], float):
        compare(summed, *bounds, F32(2))


@pytest.mark.parametrize("unroll", [None, False, True, 1, 2, 0, 3])
@pytest.mark.parametrize("upper", [7, 0, -2])
def test_check_37_unroll(unroll, upper):
    compare(unrolled, unroll, upper)


@pytest.mark.parametrize("unroll", [None, False, True, 1])
def test_check_37_unroll_with_traced_bounds(unroll):
    compare(unrolled_traced, unroll)
    compare(unrolled_traced, 2, raises=True)


def test_check_38_reverse_mode_through_known_bounds():
    compare(grad_of_power, 2.0)
    compare(grad_with_static_bound, 2.0)
    compare(grad_of_traced_bound, 2.0, raises=True)


def test_mapped_bounds():
    compare(mapped_bounds, np.array([0, 3, 5], "int32"))


def test_check_39_a_dead_carry_is_cut_out():
    import minijax as mj
    from minijax.interpreters import partial_eval as pe

    def f(x, y):
        def body(c):
            return c[0] + 1, c[1] * x, c[2] * y

        return mj.lax.while_loop(lambda c: c[0] < 5, body, (0, x, y))

    jaxpr = mj.make_jaxpr(f)(1.0, 2.0)
    small, used = pe.dce_jaxpr(jaxpr, [False, True, False])
    assert used == [True, False]
    (eqn,) = [e for e in small.eqns if e.primitive.name == "while"]
    assert len(eqn.outvars) == 2  # the counter stays: the predicate reads it
    assert len(eqn.params["body_jaxpr"].outvars) == 2
    assert len(eqn.params["cond_jaxpr"].invars) == 2
    mj.core.check_jaxpr(small)
    same, _ = pe.dce_jaxpr(jaxpr, [True, True, True])
    assert same is jaxpr


def test_the_known_part_of_a_while_is_a_loop_of_its_own():
    import minijax as mj
    from minijax.core import eval_jaxpr
    from minijax.interpreters import partial_eval as pe

    def f(x, y):
        return mj.lax.while_loop(
            lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2.0, c[2] * c[1]), (0, x, y)
        )

    jaxpr = mj.make_jaxpr(f)(1.5, 2.0)
    known, unknown, late, _ = pe.split_jaxpr(jaxpr, [False, True])
    assert late == [False, False, True]
    mj.core.check_jaxpr(known)
    mj.core.check_jaxpr(unknown)
    outs = eval_jaxpr(known, (), F32(1.5))
    rest = eval_jaxpr(unknown, (), *outs[2:], F32(2))
    np.testing.assert_allclose([*outs[:2], *rest], f(F32(1.5), F32(2)))


def test_check_76_without_compilation():
    compare(without_compilation)


def test_programs_are_well_typed():
    import minijax as mj

    def f(n, x):
        return mj.lax.while_loop(
            lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, x)
        )

    forward = lambda n, x: mj.jvp(lambda x: f(n, x), (x,), (x,))  # noqa: E731
    for g in (f, forward, lambda n, x: mj.linearize(lambda x: f(n, x)[1], x)[1](x)):
        mj.core.check_jaxpr(mj.make_jaxpr(g)(3, F32(1)))
        mj.core.check_jaxpr(mj.make_jaxpr(mj.vmap(g))(np.arange(3), np.ones(3, F32)))
