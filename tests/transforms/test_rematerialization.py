"""checkpoint: the checks of spec/ad.md that concern it, and laws."""

import gc
import weakref

import numpy as np
import pytest

from tests.oracle import compare, run_here

F32 = np.float32
W = np.linspace(-1.0, 1.0, 9, dtype=F32).reshape(3, 3)
X = np.array([0.5, -1.0, 2.0], F32)


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


def dot(J, w, x):
    return J.lax.dot_general(w, x, (((1,), (0,)), ((), ())))


def total(J, x):
    return J.lax.reduce_sum(x, (0,))


# --- programs -------------------------------------------------------------------------


def twice(J):
    return lambda x: J.lax.sin(J.lax.sin(x))


def printed(J, kind, x):
    f = J.checkpoint(twice(J))
    g = {
        "plain": f,
        "grad": J.grad(f),
        "second": J.grad(J.grad(f)),
        "jvp": lambda x: J.jvp(f, (x,), (x,)),
        "vmap": J.vmap(f),
        "flags": lambda x: J.checkpoint(
            lambda x, y: J.lax.sin(x * y), prevent_cse=(True, False)
        )(x, x),
        "flags of grad": lambda x: J.grad(
            J.checkpoint(lambda x, y: J.lax.sin(x * y), prevent_cse=(True, False))
        )(x, x * 2.0),
    }[kind]
    return text(J, g, np.ones(2, F32) if kind == "vmap" else x)


def layers(J, policy):
    def f(w1, w2, x):
        x = J.ad_checkpoint.checkpoint_name(J.lax.sin(dot(J, w1, x)), "a")
        x = J.ad_checkpoint.checkpoint_name(J.lax.sin(dot(J, w2, x)), "b")
        return total(J, x)

    policies = J.checkpoint_policies
    if policy is None:
        return f
    chosen = {
        "default": None,
        "dots": policies.dots_saveable,
        "plain dots": policies.dots_with_no_batch_dims_saveable,
        "a": policies.save_only_these_names("a"),
        "not a": policies.save_any_names_but_these("a"),
        "everything": policies.everything_saveable,
        "nothing": policies.nothing_saveable,
        "anything but a": policies.save_anything_except_these_names("a"),
        "sines": lambda prim, *_, **__: prim.name == "sin",
        "both": policies.save_from_both_policies(
            policies.save_only_these_names("b"), policies.dots_saveable
        ),
    }[policy]
    return J.checkpoint(f, policy=chosen)


POLICIES = (
    *("default", "dots", "plain dots", "a", "not a", "everything", "nothing"),
    *("anything but a", "sines", "both"),
)


def layer_grads(J, policy):
    f = layers(J, policy)
    return [
        J.value_and_grad(f, (0, 1, 2))(W, W, X),
        J.jit(J.grad(f, (0, 1, 2)))(W, W, X),
        J.grad(J.jit(f), 2)(W, W, X),
        J.vmap(J.grad(f, 2), (None, None, 0))(W, W, W),
        J.jacfwd(J.grad(f, 2), 2)(W, W, X),
        J.hessian(f, 2)(W, W, X),
        J.jvp(f, (W, W, X), (W, W, X)),
        J.linearize(f, W, W, X)[1](W, W, X),
    ]


def printed_layer_grads(J, policy):
    return text(J, J.grad(layers(J, policy)), W, W, X).replace(
        "preferred_element_type=float32", ""
    )


def with_control_flow(J, kind, policy):
    def scanned(x, xs):
        step = lambda c, y: (J.lax.sin(J.lax.sin(c) * y) + x, J.lax.cos(c))  # noqa: E731
        last, ys = J.lax.scan(step, x, xs)
        return last * total(J, ys)

    def chosen(x, xs):
        y = J.lax.cond(
            x > 0.0, lambda x: J.lax.sin(J.lax.sin(x)), lambda x: J.lax.exp(x) * x, x
        )
        return y * total(J, xs)

    def counted(x, xs):
        n = J.lax.while_loop(lambda n: n < 3, lambda n: n + 1, 0)
        return J.lax.sin(x) * n * total(J, xs)

    def compiled(x, xs):
        return J.jit(lambda x: J.lax.sin(J.lax.sin(x)))(x) * total(J, xs)

    def nested(x, xs):
        inner = J.checkpoint(lambda x: J.lax.sin(J.lax.sin(x)))
        return J.lax.sin(inner(J.lax.sin(x))) * total(J, xs)

    f = {
        "scan": scanned, "cond": chosen, "while": counted, "jit": compiled,
        "remat": nested,
    }[kind]  # fmt: skip
    rule = {
        "default": None,
        "everything": J.checkpoint_policies.everything_saveable,
        "sines": lambda prim, *_, **__: prim.name == "sin",
        "cosines": lambda prim, *_, **__: prim.name == "cos",
    }[policy]
    g = J.checkpoint(f, policy=rule)
    xs = np.array([0.5, 1.5], F32)
    out = [J.grad(g, (0, 1))(x, xs) for x in (F32(0.7), F32(-0.7))]
    return [
        *out,
        J.jit(J.grad(g, (0, 1)))(F32(0.7), xs),
        J.vmap(J.grad(g), (0, None))(np.array([0.7, -0.7], F32), xs),
        J.grad(J.grad(g))(F32(0.7), xs),
    ]


def keywords(J):
    f = J.checkpoint(lambda x, *, scale: {"y": x * scale, "z": (x, None)})
    return f(X, scale=2.0), J.grad(lambda x: total(J, f(x, scale=x)["y"]))(X)


def statics(J, kind):
    def power(x, n, flag=True):
        return x**n if flag else x

    if kind == "positive":
        f = J.checkpoint(power, static_argnums=(1,))
        return J.grad(f)(2.0, 3)
    if kind == "negative":
        f = J.checkpoint(power, static_argnums=-1)
        return J.grad(f)(2.0, 3, True)
    if kind == "unhashable":
        f = J.checkpoint(lambda x, ns: x ** ns[0], static_argnums=1)
        return J.grad(f)(2.0, [3]), J.grad(f)(2.0, [2])
    if kind == "names":
        f = J.checkpoint(lambda x, n: x * n, static_argnames="n")
        return J.grad(f)(2.0, n=3.0)
    raise AssertionError(kind)


def refused(J, kind):
    same = lambda x, y=None: x  # noqa: E731
    calls = {
        "concrete": lambda: J.checkpoint(same, concrete=True),
        "prevent_cse": lambda: J.checkpoint(same, prevent_cse=None),
        "list": lambda: J.checkpoint(same, static_argnums=[0])(1.0),
        "range": lambda: J.checkpoint(same, static_argnums=3)(1.0),
        "keyword": lambda: J.checkpoint(same, static_argnums=1)(1.0, y=3),
        "bool": lambda: J.checkpoint(lambda x, b: x if b else -x)(1.0, True),
        "argument": lambda: J.checkpoint(same)("text"),
        "result": lambda: J.checkpoint(lambda x: "text")(1.0),
        "policy": lambda: J.grad(J.checkpoint(J.lax.sin, policy=lambda *_, **__: 3))(
            1.0
        ),
    }
    return calls[kind]()


# --- tests ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    ["plain", "grad", "second", "jvp", "vmap", "flags", "flags of grad"],
)
def test_check_93_the_printed_program_is_that_of_jax(kind):
    compare(printed, kind, F32(2))


@pytest.mark.parametrize("policy", POLICIES)
def test_check_90_a_policy_changes_no_value(policy):
    compare(layer_grads, policy, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("policy", ["default", "dots", "a", "sines", "everything"])
def test_check_90_what_is_saved_and_what_is_computed_again(policy):
    import minijax as mj

    shown = mj.make_jaxpr(mj.grad(layers(mj, policy), (0, 1)))(W, W, X)
    (eqn,) = [e for e in shown.eqns if e.primitive.name == "remat2"]
    inside = [e.primitive.name for e in eqn.params["jaxpr"].eqns]
    recomputed = {
        "default": {"sin": 2, "cos": 2, "name": 1},
        "dots": {"sin": 1, "cos": 2},
        "a": {"sin": 0, "cos": 2},
        "sines": {"sin": 0, "cos": 2},
        "everything": {"sin": 0, "cos": 0},
    }[policy]
    for name in ("cos",):
        assert inside.count(name) == recomputed[name]
    assert inside.count("sin") <= recomputed["sin"]
    mj.core.check_jaxpr(shown)


@pytest.mark.parametrize("kind", ["scan", "cond", "while", "jit", "remat"])
@pytest.mark.parametrize("policy", ["default", "everything", "sines", "cosines"])
def test_programs_inside(kind, policy):
    compare(with_control_flow, kind, policy, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["scan", "cond", "while", "jit", "remat"])
@pytest.mark.parametrize("policy", ["default", "everything", "sines"])
def test_programs_inside_stay_well_typed(kind, policy):
    import minijax as mj

    mj.core.check_jaxpr(mj.make_jaxpr(lambda: with_control_flow(mj, kind, policy))())


def test_check_91_arguments():
    compare(keywords)
    for kind in ("positive", "negative", "unhashable", "names"):
        compare(statics, kind)


@pytest.mark.parametrize(
    "kind",
    [
        *("concrete", "prevent_cse", "list", "range", "keyword", "bool"),
        *("argument", "result", "policy"),
    ],
)
def test_check_92_what_is_refused(kind):
    compare(refused, kind, raises=True)


def test_check_92_a_traced_bool_speaks_of_static_argnums():
    import minijax as mj

    with pytest.raises(mj.errors.TracerBoolConversionError) as caught:
        refused(mj, "bool")
    assert any("static_argnums" in note for note in caught.value.__notes__)


def test_a_function_is_traced_once():
    import minijax as mj

    calls = []

    def f(x):
        calls.append(1)
        return mj.lax.sin(x)

    for _ in range(3):
        mj.checkpoint(f)(1.0)
        mj.grad(mj.checkpoint(f))(1.0)
    assert len(calls) == 1
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_a_closed_over_value_is_differentiated():
    import minijax as mj

    def loss(w):
        return mj.checkpoint(lambda x: mj.lax.sin(x * w))(2.0)

    np.testing.assert_allclose(mj.grad(loss)(0.5), 2.0 * np.cos(1.0), rtol=1e-6)
    np.testing.assert_allclose(mj.jit(mj.grad(loss))(0.5), 2.0 * np.cos(1.0), rtol=1e-6)


def test_a_long_body_is_cheap_to_differentiate_again():
    import minijax as mj
    from minijax.interpreters.ad import programs

    def f(x):
        for _ in range(50):
            x = mj.lax.sin(x)
        return x

    mj.make_jaxpr(mj.grad(mj.checkpoint(f)))(1.0)
    before = programs.linearize_jaxpr.cache_info().misses
    mj.make_jaxpr(mj.grad(mj.checkpoint(f)))(1.0)
    assert programs.linearize_jaxpr.cache_info().misses == before


def test_remat_is_checkpoint():
    assert run_here(_remat_grad).array == run_here(_checkpoint_grad).array


def _remat_grad(J):
    return J.grad(J.remat(twice(J)))(2.0)


def _checkpoint_grad(J):
    return J.grad(J.checkpoint(twice(J)))(2.0)
