"""The checks of spec/ad.md, run here and with jax and compared."""

import gc
import time
import weakref

import numpy as np
import pytest

import minijax as mj
from minijax import lax
from tests.transforms import (
    ad_programs,
    derivative_compositions,
    derivative_programs,
)
from tests.transforms.ad_programs import PROGRAMS, RAISING


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_ad(oracle, name):
    oracle.compare(ad_programs.run, name, raises=name in RAISING)


@pytest.mark.parametrize(
    ("module", "subject", "number"),
    [
        pytest.param(module, name, i, id=f"{name}-{i}")
        for module in (derivative_programs, derivative_compositions)
        for name, programs in module.SUBJECTS.items()
        for i in range(len(programs))
    ],
)
def test_subject(oracle, module, subject, number):
    raises = module.SUBJECTS[subject][number] in module.REFUSED
    oracle.compare(module.run, subject, number, raises=raises, x64=subject == "x64")


# --- Where the trace ends -------------------------------------------------------------

LEAKING = {
    "grad": lambda f: mj.grad(f)(1.0),
    "jvp": lambda f: mj.jvp(f, (1.0,), (1.0,)),
    "vjp": lambda f: mj.vjp(f, 1.0)[1](1.0),
    "linearize": lambda f: mj.linearize(f, 1.0)[1](1.0),
    "jit of grad": lambda f: mj.jit(mj.grad(f))(1.0),
    "linear_transpose": lambda f: mj.linear_transpose(f, 1.0)(1.0),
    "vmap of grad": lambda f: mj.vmap(mj.grad(f))(np.ones(2, "f")),
}


def leaked(transform):
    box = []
    transform(lambda x: (box.append(x), x * 2)[1])
    return box[0]


@pytest.mark.parametrize("name", LEAKING)
def test_check_28_a_leaked_value_is_refused(name):
    x = leaked(LEAKING[name])
    for use in (
        lambda: x + 1,
        lambda: mj.grad(lambda y: y * x)(1.0),
        lambda: mj.jit(lambda y: y * x)(1.0),
        lambda: mj.vmap(lambda y: y * x)(np.ones(2, "f")),
    ):
        with pytest.raises(mj.errors.UnexpectedTracerError):
            use()


def test_check_28_leak_checks_find_it_at_the_end():
    box = []
    with mj.checking_leaks(), pytest.raises(Exception, match="leak"):
        mj.grad(lambda x: (box.append(x), x * 2)[1])(1.0)


@pytest.mark.parametrize("name", [n for n in LEAKING if n != "linear_transpose"])
def test_an_exception_leaves_no_trace_behind(name):
    box = []

    def fails(x):
        box.append(x * 2)
        raise KeyError("inside")

    with pytest.raises(KeyError):
        LEAKING[name](fails)
    assert mj.grad(lambda x: x * x)(3.0) == 6.0
    assert mj.numpy.sin(0.0) == 0.0
    with pytest.raises(mj.errors.UnexpectedTracerError):
        box[0] + 1  # it does not count that the trace never came to its end


def test_an_exception_in_a_backward_rule_leaves_no_trace_behind():
    f = mj.custom_vjp(lambda x: x)

    def bwd(_, g):
        raise KeyError("inside")

    f.defvjp(lambda x: (x, None), bwd)
    for run_it in (mj.grad(f), mj.jit(mj.grad(f)), mj.grad(mj.jit(f))):
        with pytest.raises(KeyError):
            run_it(1.0)
        assert mj.grad(lambda x: x * x)(3.0) == 6.0


# --- Names, deliberate differences ----------------------------------------------------


def test_check_29_names():
    assert mj.grad(mj.numpy.sin).__name__ == "sin"
    assert mj.grad(mj.numpy.sin).__wrapped__ is mj.numpy.sin


def test_check_3_an_argument_is_named_once():
    with pytest.raises(ValueError, match="twice"):
        mj.grad(lambda x, y: x * y, (0, -2))(1.0, 2.0)


def test_top_level_values_are_arrays():
    # jax hands Python numbers through; ours are on the device and say so.
    (value, aux), _ = mj.value_and_grad(lambda x: (2.0, x), has_aux=True)(3.0)
    assert isinstance(value, mj.Array) and isinstance(aux, mj.Array)


def test_check_72_a_leak_is_told_from_a_constant():
    y = mj.numpy.ones(2)
    assert mj.grad(lambda x: (x * y).sum())(2.0) == 2.0


# --- What is done once ----------------------------------------------------------------


def test_check_112_grad_of_jit_traces_once():
    traces = []

    @mj.jit
    def f(x):
        traces.append(1)
        return mj.numpy.sin(x) * x

    gradient = mj.grad(f)
    for x in (1.0, 2.0, 3.0):
        gradient(x)
        mj.grad(f)(x)
    assert len(traces) == 1
    mj.hessian(f)(1.0)
    assert len(traces) == 1


def test_check_112_the_linearization_is_kept(monkeypatch):
    from minijax.interpreters.ad import linearize_jaxpr

    f = mj.jit(lambda x: mj.numpy.sin(x) * x)
    mj.grad(f)(1.0)
    before = linearize_jaxpr.cache_info()
    mj.grad(f)(2.0)
    after = linearize_jaxpr.cache_info()
    assert after.misses == before.misses
    assert after.hits == before.hits + 1


def chain(count):
    def f(x):
        for _ in range(count // 3):
            x = lax.sin(x)
            x = lax.mul(x, x)
            x = lax.add(x, x)
        return x

    return f


def cost(transform, count):
    start = time.process_time()
    transform(chain(count))
    return time.process_time() - start


TRACED = {
    "grad": lambda f: mj.make_jaxpr(mj.grad(f))(1.0),
    "jvp": lambda f: mj.make_jaxpr(lambda x: mj.jvp(f, (x,), (x,)))(1.0),
    "linearize": lambda f: mj.make_jaxpr(lambda x: mj.linearize(f, x)[1](x))(1.0),
    "grad of jit": lambda f: mj.make_jaxpr(mj.grad(mj.jit(f)))(1.0),
}


@pytest.mark.parametrize("name", TRACED)
def test_check_111_cost_is_linear(name):
    transform = TRACED[name]
    transform(chain(300))
    small = min(cost(transform, 3000) for _ in range(2))
    assert cost(transform, 30000) <= 10 * 2.3 * small


def test_check_111_long_programs_need_no_recursion():
    jaxpr = mj.make_jaxpr(mj.grad(chain(50_001)))(1.0)
    assert len(jaxpr.eqns) == 150_003


# --- Lifetimes ------------------------------------------------------------------------


class Owned:
    pass


def closing_over(owned):
    def f(x):
        assert owned is not None
        return mj.numpy.sin(x) * x

    return f


USES = {
    "grad": lambda f: mj.grad(f)(1.0),
    "jvp": lambda f: mj.jvp(f, (1.0,), (1.0,)),
    "vjp": lambda f: mj.vjp(f, 1.0)[1](1.0),
    "linearize": lambda f: mj.linearize(f, 1.0)[1](1.0),
    "hessian": lambda f: mj.hessian(f)(1.0),
    "jit of grad": lambda f: mj.jit(mj.grad(f))(1.0),
    "grad of jit": lambda f: mj.grad(mj.jit(f))(1.0),
    "grad of checkpoint": lambda f: mj.grad(mj.checkpoint(f))(1.0),
    "vmap of grad": lambda f: mj.vmap(mj.grad(f))(np.ones(2, "f")),
    "grad of scan": lambda f: mj.grad(
        lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=3)[0]
    )(1.0),
}


@pytest.mark.parametrize("name", USES)
def test_nothing_keeps_the_function_alive(name):
    owned = Owned()
    alive = weakref.ref(owned)
    USES[name](closing_over(owned))
    del owned
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("name", ["grad", "jvp", "vjp", "linearize", "vmap of grad"])
def test_what_is_not_staged_leaves_no_cycle(name):
    owned = Owned()
    alive = weakref.ref(owned)
    gc.collect()
    gc.disable()
    try:
        USES[name](closing_over(owned))
        del owned
        assert alive() is None
    finally:
        gc.enable()


def test_threads_do_not_see_each_other():
    import threading

    found = [None] * 6

    def work(i):
        for _ in range(3):
            second = mj.grad(mj.grad(lambda x: mj.numpy.sin(x) * i))
            found[i] = float(second(0.5))

    def inside(x):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return x * x

    assert mj.grad(inside)(3.0) == 6.0
    np.testing.assert_allclose(found, -np.sin(0.5) * np.arange(6), rtol=1e-6)


# --- linear_transpose -----------------------------------------------------------------


def test_check_26_what_is_not_linear_is_named():
    with pytest.raises(NotImplementedError, match="'sin'"):
        mj.linear_transpose(mj.numpy.sin, 1.0)(1.0)
    with pytest.raises(NotImplementedError, match="two linear operands"):
        mj.linear_transpose(lambda x: x * x, 1.0)(1.0)
    with pytest.raises((NotImplementedError, RuntimeError)):
        mj.linear_transpose(lambda x: x / x, 1.0)(1.0)


def test_check_26_affine_functions_and_structs():
    struct = mj.ShapeDtypeStruct((2,), "float32")
    (x_bar,) = mj.linear_transpose(lambda x: 3 * x + 1, struct)(np.ones(2, "f"))
    np.testing.assert_array_equal(x_bar, [3, 3])
    assert mj.linear_transpose(lambda x: 5.0, 1.0)(1.0)[0] == 0.0


def test_check_26_types_are_checked():
    with pytest.raises(TypeError, match="integer"):
        mj.linear_transpose(lambda x: x.astype("float32"), 1)
    transposed = mj.linear_transpose(lambda x: 2 * x, 1.0)
    with pytest.raises(TypeError, match="tree"):
        transposed((1.0,))
    with pytest.raises(TypeError, match="type"):
        transposed(np.ones(2, "f"))


# --- Flags ----------------------------------------------------------------------------


def test_check_104_debug_nans_stops_in_the_backward_pass():
    with mj.debug_nans(True), pytest.raises(FloatingPointError):
        mj.grad(lambda x: mj.numpy.sqrt(x) * 0.0)(0.0)
    assert np.isnan(mj.grad(lambda x: mj.numpy.sqrt(x) * 0.0)(0.0))


def test_derivatives_pass_the_checks_of_programs():
    mj.config.update("jax_enable_checks", True)
    try:
        x = mj.numpy.arange(2.0)
        f = lambda x: (mj.numpy.tanh(x) ** 2).sum()  # noqa: E731
        for run_it in (mj.grad(f), mj.hessian(f), mj.jit(mj.grad(mj.checkpoint(f)))):
            run_it(x)
    finally:
        mj.config.update("jax_enable_checks", False)


def test_check_89_nested_scans_cost_no_more_per_level():
    def nested(depth):
        if depth == 0:
            return mj.numpy.sin
        inner = nested(depth - 1)
        return lambda x: lax.scan(lambda c, _: (inner(c), None), x, None, length=2)[0]

    def seconds(depth):
        f = nested(depth)
        start = time.process_time()
        mj.make_jaxpr(mj.grad(f))(1.0)
        return time.process_time() - start

    seconds(2)
    assert seconds(8) <= 8 * seconds(2) + 0.05
