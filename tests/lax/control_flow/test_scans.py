"""scan: the checks of spec/control_flow.md §11."""

import gc
import weakref

import numpy as np
import pytest

from tests.oracle import compare, run_here

F32 = np.float32
XS = np.arange(1.0, 6.0, dtype=F32)


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


# --- programs -------------------------------------------------------------------------

RESULTS = {
    "tuple": lambda c, x: (c, x),
    "list": lambda c, x: [c, x],
    "triple": lambda c, x: (c, x, x),
    "none": lambda c, x: None,
    "array": lambda c, x: x,
    "scalar": lambda c, x: 1.0,
    "dict": lambda c, x: {"a": c, "b": x},
}


def results(J, kind):
    return J.lax.scan(RESULTS[kind], 1.0, XS)


def lengths(J, kind):
    step = lambda c, x: (c + 1.0, c)  # noqa: E731
    xs, length = {
        "different": ((np.ones(2), np.ones(3)), None),
        "wrong": (np.ones(3), 2),
        "right": (np.ones(3), 3),
        "none": (None, None),
        "float": (None, 2.7),
        "negative": (None, -1),
        "text": (None, "x"),
        "numbers": ([1.0, 2.0], None),
        "scalar": (F32(1), None),
        "array scalar": (np.array(1.0), None),
        "empty": (np.ones((0, 2)), None),
        "zero": (None, 0),
        "no leaves": ((), 2),
    }[kind]
    return J.lax.scan(step, 0.0, xs, length=length)


def traced_length(J):
    return J.jit(lambda n: J.lax.scan(lambda c, x: (c, c), 0.0, None, length=n))(3)


def bad_scan(J, kind):
    f, init = {
        "function": (3, 0.0),
        "init": (lambda c, x: (c, x), "text"),
        "strong": (lambda c, x: (c + x, x), np.int32(0)),
        "structure": (lambda c, x: ([c, 1.0], x), 1.0),
        "y": (lambda c, x: (c, "text"), 1.0),
        "complex": (lambda c, x: (c + 1j, x), F32(1)),
    }[kind]
    return J.lax.scan(f, init, XS)


def promoted(J, init, xs):
    return J.lax.scan(lambda c, x: (c + x, c * x), init, xs)


def promoted_weak(J):
    return J.lax.scan(lambda c, x: (c + 0.5, None), 0, None, length=3)


def containers(J):
    def step(carry, x):
        a, (b,) = carry["a"], carry["b"]
        return {"b": (b * x["p"],), "a": a + 1}, {"y": (a, None), "z": x["q"] + b}

    xs = {"p": XS, "q": np.ones((5, 2), F32)}
    return J.lax.scan(step, {"a": 0, "b": (1.0,)}, xs)


def empty_carries(J):
    out = (
        J.lax.scan(lambda c, x: ((), x * 2), (), XS),
        J.lax.scan(lambda c, x: (None, x * 2), None, XS),
    )
    host = J.lax.scan(lambda c, x: (c, (np.float32(3), np.ones(2, F32), 1.0)), 0, XS)
    return out, host


UNROLLS = (False, True, 0, 1, 2, 3, 7, 100)


def unrolled(J, unroll, reverse, length):
    xs = np.arange(float(length), dtype=F32)
    step = lambda c, x: (J.lax.sin(c) + x, (c * x, x + 1.0))  # noqa: E731
    return J.jit(
        lambda: J.lax.scan(step, F32(0.5), xs, reverse=reverse, unroll=unroll)
    )()


def bad_unroll(J, unroll):
    return J.lax.scan(lambda c, x: (c + x, c), 0.0, XS, unroll=unroll)


def forwarded(J):
    table = np.ones(3, F32)
    xs = np.arange(4.0, dtype=F32)
    carry, ys = J.lax.scan(lambda c, x: ((c[0], c[1] + x), (x, c[1])), (table, 0.0), xs)
    return carry[0] is table, carry[1], ys


def grads(J, reverse, x, xs, w):
    def f(x, xs, w):
        def step(c, x):
            c = J.lax.sin(c * x) + J.lax.exp(w)
            return c, (c * w, x)

        last, (ys, zs) = J.lax.scan(step, x, xs, reverse=reverse)
        return last + J.lax.reduce_sum(ys * zs, (0,))

    return J.grad(f, (0, 1, 2))(x, xs, w)


def product_grads(J, reverse):
    def f(xs):
        weights = np.array([1.0, 10.0, 100.0], F32)
        last, ys = J.lax.scan(lambda c, x: (c * x, c * x), 1.0, xs, reverse=reverse)
        return last if not reverse else J.lax.reduce_sum(ys * weights, (0,))

    return J.grad(f)(np.array([2.0, 3.0, 4.0], F32))


def grad_beside_integers(J, x):
    def f(x):
        def step(c, _):
            n, y = c
            return (n + 1, y * x), n

        (_, y), _ = J.lax.scan(step, (0, 1.0), None, length=3)
        return y

    return J.grad(f)(x)


def hessians(J, x):
    def inner(x):
        return J.lax.scan(lambda c, _: (J.lax.sin(c) * x, None), x, None, length=2)[0]

    def f(x):
        return J.lax.scan(lambda c, _: (inner(c) + x, None), x, None, length=2)[0]

    return J.hessian(f)(x), J.grad(J.grad(f))(x), J.jacfwd(J.jacrev(f))(x)


def transposed(J, x):
    def f(x):
        return J.lax.scan(lambda c, _: (2.0 * c, c), x, None, length=3)

    return J.linear_transpose(f, x)((x, np.ones(3, F32)))


def transposed_jvp(J, x, xs):
    """The tangent half of a forward derivative, transposed: the loop carries both."""

    def f(x):
        return J.lax.scan(lambda c, y: (J.lax.sin(c) * y * x, c * c), x, xs)

    pushed = lambda t: J.jvp(f, (x,), (t,))[1]  # noqa: E731
    return J.linear_transpose(pushed, x)((F32(1), np.ones(3, F32))), J.vjp(f, x)[1](
        (F32(1), np.ones(3, F32))
    )


def all_orders(J, x, xs):
    """Every order of derivative, map and compilation."""

    def f(x, xs):
        step = lambda c, y: (J.lax.sin(c) * y + x, J.lax.cos(c))  # noqa: E731
        last, ys = J.lax.scan(step, x, xs)
        return last * J.lax.reduce_sum(ys, (0,))

    def mapped(g):
        return J.vmap(g, (0, None))(x, xs)

    total = lambda x: J.lax.reduce_sum(mapped2(x), (0,))  # noqa: E731
    mapped2 = lambda x: J.vmap(f, (0, None))(x, xs)  # noqa: E731
    return [
        mapped(f),
        mapped(J.grad(f)),
        mapped(J.grad(f, 1)),
        mapped(J.grad(J.grad(f))),
        mapped(J.jit(J.grad(J.jit(f)))),
        J.jit(lambda: mapped(J.grad(J.grad(f))))(),
        J.grad(total)(x),
        J.jvp(mapped2, (x,), (x,)),
        J.linearize(mapped2, x)[1](x),
        J.grad(lambda x: J.jvp(lambda x: f(x, xs), (x,), (1.0,))[1])(x[0]),
        J.jacrev(lambda xs: J.vmap(f, (None, 0))(x[0], J.numpy.stack([xs, xs * 2.0])))(
            xs
        ),
    ]


def mapped(J, in_axes, w, init, xs):
    def f(w, init, xs):
        def step(c, x):
            n, y = c
            return (n + 1, y * w), (y + x, n, x * 2.0)

        return J.lax.scan(step, (0, init), xs)

    return J.vmap(f, in_axes)(w, init, xs)


def booleans(J, xs):
    return J.lax.scan(lambda c, x: (c ^ (x > 2), c), False, xs)


def keys(J, seed):
    """Random keys as carry, slices, results and operands of all constructs."""
    fold, data, lax = J.random.fold_in, J.random.key_data, J.lax
    key = J.random.key(seed)
    many = J.random.split(key, 3)
    last, seen = lax.scan(lambda c, k: (fold(k, 1), (c, k)), key, many)
    looped = lax.while_loop(
        lambda c: c[0] < 2, lambda c: (c[0] + 1, fold(c[1], c[0])), (0, key)
    )
    counts = np.arange(3, dtype="int32")
    mapped = J.vmap(lambda n, k: lax.fori_loop(0, n, lambda i, k: fold(k, i), k))(
        counts, many
    )
    flags = np.array([True, False, True])
    pick = J.vmap(lambda p, k: lax.cond(p, lambda k: k, lambda k: fold(k, 1), k))
    found = [
        last,
        *seen,
        looped[1],
        mapped,
        pick(flags, many),
        J.jit(pick)(flags, many),
    ]
    return [data(k) for k in found], lax.map(J.random.bits, many)


def grads_beside_keys(J, w):
    keys = J.random.split(J.random.key(0), 3)

    def f(w):
        def step(c, k):
            return J.lax.sin(c * w) + J.random.uniform(k) * w, k

        return J.lax.scan(step, w, keys)[0]

    return J.grad(f)(w), J.jit(J.grad(J.checkpoint(f)))(w), J.vmap(J.grad(f))(w[None])


def without_compilation(J, reverse):
    with J.disable_jit():
        seen = []

        def step(c, x):
            seen.append(float(x[0]))
            return c + x[0], {"y": c * x[1], "z": None}

        out = J.lax.scan(step, 0.0, (XS, XS), reverse=reverse)
        return out, seen, J.lax.map(lambda x: x * 2, XS)


def without_compilation_empty(J):
    with J.disable_jit():
        return J.lax.scan(lambda c, x: (c, x), 0.0, np.ones((0,)))


def shapes_only(J):
    out = J.eval_shape(
        lambda c, xs: J.lax.scan(lambda c, x: (c + x, c), c, xs), F32(0), XS
    )
    return [(x.shape, x.dtype.name) for x in J.tree.leaves(out)]


# --- checks ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", RESULTS)
def test_check_40_the_body_returns_a_pair(kind):
    compare(results, kind, raises=kind not in ("tuple", "list"))


FINE = ("right", "float", "empty", "zero", "no leaves")


@pytest.mark.parametrize(
    "kind",
    [*FINE, "different", "wrong", "none", "text", "numbers"],
)
def test_check_41_42_43_lengths(kind):
    compare(lengths, kind, raises=kind not in FINE)


@pytest.mark.parametrize("kind", ["negative", "scalar", "array scalar"])
def test_check_43_jax_fails_late_on_these(kind):
    import minijax as mj

    with pytest.raises(ValueError):
        lengths(mj, kind)


def test_check_41_a_traced_length():
    compare(traced_length, raises=True)


def test_check_42_length_zero_needs_no_loop():
    import minijax as mj

    f = lambda x: mj.lax.scan(lambda c, x: (c + x, x * 2), 0.0, x)  # noqa: E731
    assert "while" not in mj.jit(f).lower(np.ones((0, 2), F32)[:, 0]).as_text()


@pytest.mark.parametrize(
    "kind", ["function", "init", "strong", "structure", "y", "complex"]
)
def test_what_does_not_fit_is_refused(kind):
    compare(bad_scan, kind, raises=True)


def test_check_44_differences_are_told_by_name():
    import minijax as mj

    def step(c, x):
        return {
            "b": c["b"] + 0.5,
            "d": mj.lax.expand_dims(c["d"], (0,)),
            "e": c["e"],
        }, x

    init = {"b": np.int32(1), "d": np.ones(3, F32), "e": 1.0}
    with pytest.raises(TypeError) as caught:
        mj.lax.scan(step, init, XS)
    message = str(caught.value)
    for fact in (
        "c['b']",
        "int32[]",
        "float32[]",
        "c['d']",
        "float32[3]",
        "float32[1,3]",
    ):
        assert fact in message
    assert "c['e']" not in message


@pytest.mark.parametrize(
    "init", [0, 0.0, True, F32(0), np.float16(1), np.zeros(5, F32)]
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_check_45_a_weak_carry_takes_the_type_of_the_body(init, dtype):
    strong = not isinstance(init, int | float) or isinstance(init, bool)
    fits = (
        not strong
        or np.result_type(np.asarray(init).dtype, dtype) == np.asarray(init).dtype
    )
    compare(promoted, init, XS.astype(dtype), raises=not fits)
    compare(promoted_weak)


def test_check_46_promotion_goes_on_until_nothing_changes():
    # jax makes one pass and refuses this.
    import minijax as mj

    step = lambda c, x: ((c[0] + x, c[1] + c[0], c[2] + c[1]), None)  # noqa: E731
    out, _ = mj.lax.scan(step, (0.0, 0.0, 0.0), XS.astype("float16"))
    assert [x.dtype.name for x in out] == ["float16"] * 3


@pytest.mark.parametrize("unroll", [-1, 1.5, "2", None])
def test_check_47_bad_unrolls(unroll):
    compare(bad_unroll, unroll, raises=True)


@pytest.mark.parametrize("unroll", UNROLLS)
def test_check_47_how_unroll_is_written(unroll):
    import minijax as mj

    jaxpr = mj.make_jaxpr(lambda x: bad_unroll(mj, unroll))(0)
    (eqn,) = jaxpr.eqns
    wanted = {False: 1, True: 5}[unroll] if isinstance(unroll, bool) else unroll
    assert eqn.params["unroll"] == wanted


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 5, 7])
def test_check_48_90_unrolling_changes_nothing(reverse, length):
    plain = compare(unrolled, 1, reverse, length)
    for unroll in UNROLLS:
        assert run_here(unrolled, unroll, reverse, length) == plain


@pytest.mark.parametrize(
    ("length", "unroll", "loops"),
    [
        (1, 1, 1), (3, False, 1), (4, 2, 1), (1, True, 1), (5, 2, 1),
        (2, 2, 0), (3, 0, 0), (3, 100, 0), (0, 1, 0), (4, True, 0),
    ],
)  # fmt: skip
def test_check_49_when_the_module_has_a_loop(length, unroll, loops):
    import minijax as mj

    def f(xs):
        return mj.lax.scan(lambda c, x: (c + x, c), F32(0), xs, unroll=unroll)

    shown = mj.jit(f).lower(np.ones(length, F32)).as_text()
    assert shown.count("stablehlo.while") == loops


def test_check_50_84_what_is_handed_on_costs_nothing():
    compare(forwarded)
    compare(containers)
    compare(empty_carries)


def test_check_51_79_a_body_is_traced_once():
    import minijax as mj

    calls = []

    def inner(c, x):
        calls.append("inner")
        return c * x, c

    def body(c, x):
        calls.append("body")
        return mj.lax.scan(inner, c, x)

    for _ in range(3):
        mj.lax.scan(body, 1.0, np.ones((2, 3), F32))
        mj.grad(lambda c: mj.lax.scan(body, c, np.ones((2, 3), F32))[0])(1.0)
    assert calls == ["body", "inner"]


def test_what_is_kept_goes_with_the_function():
    import minijax as mj

    def body(c, x):
        return c * x, c

    mj.lax.scan(body, 1.0, XS)
    mj.grad(lambda c: mj.lax.scan(body, c, XS)[0])(1.0)
    mj.vmap(lambda c: mj.lax.scan(body, c, XS)[0])(XS)
    gone, body = weakref.ref(body), None
    gc.collect()
    assert gone() is None


def test_a_closed_over_value_of_a_finished_trace_is_traced_anew():
    import minijax as mj

    holder = {}

    def body(c, x):
        return c * holder["w"], None

    def f(w):
        holder["w"] = w
        return mj.lax.scan(body, 1.0, None, length=2)[0]

    np.testing.assert_allclose(mj.jit(f)(2.0), 4.0)
    np.testing.assert_allclose(mj.jit(lambda w: f(w))(3.0), 9.0)
    np.testing.assert_allclose(mj.grad(f)(3.0), 6.0)


def test_check_52_tangents_stand_beside_their_values():
    import minijax as mj

    def f(c, xs):
        return mj.lax.scan(lambda c, x: (mj.lax.sin(c) * x, x * 2.0), c, xs)

    pushed = lambda c, xs: mj.jvp(f, (c, xs), (c, xs))  # noqa: E731
    jaxpr = mj.make_jaxpr(pushed)(F32(1), XS)
    (eqn,) = jaxpr.eqns
    types = [v.aval.str_short(short_dtypes=True) for v in (*eqn.invars, *eqn.outvars)]
    assert types == ["f32[]", "f32[]", "f32[5]", "f32[5]"] * 2
    assert eqn.params["num_carry"] == 2
    mj.core.check_jaxpr(jaxpr)


@pytest.mark.parametrize("reverse", [False, True])
def test_check_53_89_reverse_mode(reverse):
    compare(grads, reverse, F32(0.5), XS, F32(-0.25), rtol=1e-5)
    compare(product_grads, reverse)


def test_check_53_what_is_the_same_in_every_step_is_computed_once():
    import minijax as mj

    def f(c, xs, w):
        return mj.lax.scan(
            lambda c, x: (mj.lax.sin(c) * x * mj.lax.exp(w), None), c, xs
        )[0]

    jaxpr = mj.make_jaxpr(mj.grad(f, (0, 2)))(F32(1), XS, F32(2))
    outside = [e.primitive.name for e in jaxpr.eqns]
    assert outside[0] == "exp" and outside.count("exp") == 1
    scans = [e for e in jaxpr.eqns if e.primitive.name == "scan"]
    assert [e.params["num_consts"] for e in scans] == [1, 1]
    assert scans[0].invars[0] is jaxpr.eqns[0].outvars[0] is scans[1].invars[0]
    assert all("exp" not in str(e.params["jaxpr"]) for e in scans)
    # xs are read by the backward loop as they are: only products are stacked.
    assert jaxpr.invars[1] in scans[1].invars
    mj.core.check_jaxpr(jaxpr)


def test_check_54_integers_beside_floats():
    compare(grad_beside_integers, 2.0)


def test_check_55_second_order():
    compare(hessians, 0.7, rtol=1e-5)


def test_check_55_a_checkpointed_body_keeps_the_carry_only():
    import minijax as mj

    body = mj.checkpoint(lambda c, x: (mj.lax.sin(mj.lax.sin(c)), None))
    jaxpr = mj.make_jaxpr(mj.grad(lambda c, xs: mj.lax.scan(body, c, xs)[0]))(
        F32(1), XS
    )
    first, second = [e for e in jaxpr.eqns if e.primitive.name == "scan"]
    assert len(first.outvars) == 2  # the carry and its history
    assert "remat2" in str(second.params["jaxpr"])
    assert second.params["reverse"]


def test_check_56_a_linear_scan_is_transposed():
    compare(transposed, F32(3))
    compare(transposed_jvp, F32(0.5), XS[:3], rtol=1e-5)


def test_check_57_dead_carries_and_slices_are_cut_out():
    import minijax as mj
    from minijax.interpreters import partial_eval as pe

    def f(a, b, xs, zs):
        def step(c, x):
            return (c[0] + x[0], c[1] * c[0], c[2] * x[1]), (c[0], x[1] * 2.0)

        return mj.lax.scan(step, (a, b, b), (xs, zs))

    jaxpr = mj.make_jaxpr(f)(F32(1), F32(2), XS, XS)
    small, used = pe.dce_jaxpr(jaxpr, [False, True, False, False, False])
    assert used == [True, True, True, False]
    (eqn,) = small.eqns
    assert eqn.params["num_carry"] == 2 and len(eqn.outvars) == 2
    mj.core.check_jaxpr(small)
    ys_only, used = pe.dce_jaxpr(jaxpr, [False, False, False, False, True])
    assert used == [False, False, False, True]
    assert ys_only.eqns[0].params["num_carry"] == 0
    same, _ = pe.dce_jaxpr(jaxpr, True)
    assert same is jaxpr


def test_a_scan_is_split_into_known_and_unknown():
    import minijax as mj
    from minijax.core import eval_jaxpr
    from minijax.interpreters import partial_eval as pe

    def f(a, b, xs):
        def step(c, x):
            k, u = c
            return (mj.lax.sin(k) * x, u * k + mj.lax.exp(a)), (k * x, u * x)

        return mj.lax.scan(step, (a, b), xs)

    jaxpr = mj.make_jaxpr(f)(F32(1), F32(2), XS)
    known, unknown, late, _ = pe.split_jaxpr(jaxpr, [False, True, False])
    assert late == [False, True, False, True]
    mj.core.check_jaxpr(known)
    mj.core.check_jaxpr(unknown)
    outs = eval_jaxpr(known, known.consts, F32(1), XS)
    rest = eval_jaxpr(unknown, unknown.consts, *outs[2:], F32(2))
    (k, u), (ys, zs) = f(F32(1), F32(2), XS)
    for got, wanted in zip([*outs[:2], *rest], [k, ys, u, zs], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_check_58_booleans_and_keys_are_carried():
    compare(booleans, XS)
    compare(keys, 3)
    compare(grads_beside_keys, np.ones((), F32), rtol=1e-5)


def test_check_60_a_tracer_that_leaks_out_of_a_body():
    import minijax as mj

    leaked = []

    def body(c, x):
        leaked.append(c)
        return c + x, c

    mj.lax.scan(body, F32(0), XS)
    with pytest.raises(mj.errors.UnexpectedTracerError) as caught:
        leaked[0] + 1.0
    assert "body at" in str(caught.value) and "scan" in str(caught.value)


def test_check_62_the_carry_is_donated():
    import minijax as mj

    f = lambda c, xs: mj.lax.scan(lambda c, x: (c + x, None), c, xs)[0]  # noqa: E731
    shown = (
        mj.jit(f, donate_argnums=0)
        .lower(np.ones(3, F32), np.ones((4, 3), F32))
        .as_text()
    )
    assert "tf.aliasing_output" in shown


@pytest.mark.parametrize(
    "in_axes",
    [
        (0, 0, 0), (None, 0, None), (None, None, 0), (0, None, None), (None, 0, 1),
        (1, 0, 2),
    ],
)  # fmt: skip
def test_check_63_mapped(in_axes):
    w = np.arange(6.0, dtype=F32).reshape(2, 3).swapaxes(0, in_axes[0] or 0)
    init = np.arange(6.0, dtype=F32).reshape(2, 3) + 1.0
    xs = np.moveaxis(np.arange(24.0, dtype=F32).reshape(2, 4, 3), 0, in_axes[2] or 0)
    w = w if in_axes[0] is not None else w[0]
    init = init if in_axes[1] is not None else init[0]
    xs = xs if in_axes[2] is not None else xs[0]
    compare(mapped, in_axes, w, init, xs)


def test_all_orders_of_transformations():
    compare(all_orders, np.array([0.1, 0.7], F32), XS, rtol=2e-4, atol=1e-4)


@pytest.mark.parametrize("reverse", [False, True])
def test_check_76_without_compilation(reverse):
    compare(without_compilation, reverse)
    compare(without_compilation_empty, raises=True)


def test_check_76_without_compilation_results_are_promoted():
    # jax refuses an integer first and a float later.
    import minijax as mj

    with mj.disable_jit():
        _, ys = mj.lax.scan(lambda c, x: (0.5, c), 0, XS)
    np.testing.assert_array_equal(ys, [0.0, 0.5, 0.5, 0.5, 0.5])


def test_check_78_shapes_without_running():
    compare(shapes_only)


def test_programs_are_well_typed():
    import minijax as mj

    def f(x, xs):
        def step(c, y):
            return (c[0] + 1, mj.lax.sin(c[1]) * y + x), mj.lax.cos(c[1])

        (_, last), ys = mj.lax.scan(step, (0, x), xs)
        return last * mj.lax.reduce_sum(ys, (0,))

    gradient = mj.grad(f, (0, 1))
    second = mj.grad(lambda x, xs: mj.lax.reduce_sum(gradient(x, xs)[1], (0,)))
    for g in (f, gradient, second, mj.checkpoint(f), mj.grad(mj.checkpoint(f))):
        mj.core.check_jaxpr(mj.make_jaxpr(g)(F32(1), XS))
        mapped = mj.vmap(g, (0, None))
        mj.core.check_jaxpr(mj.make_jaxpr(mapped)(np.ones(2, F32), XS))
