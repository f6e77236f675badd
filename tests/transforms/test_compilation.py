"""`jit`: the numbered checks of spec/jit.md, and what is ours beside them."""

import functools
import gc
import warnings
import weakref

import numpy as np
import pytest

from minijax import lax
from minijax.base import flags
from minijax.base.errors import (
    DonationWarning,
    IntegerOverflowError,
    NotAnArrayError,
)
from minijax.core import stage, typeof
from minijax.lax import Inline
from minijax.runtime import (
    call_jaxpr,
    default_placement,
    devices,
    put,
)
from minijax.transforms import eager_jit, explain, grad, jit, make_jaxpr, vmap
from minijax.transforms.compilation import jitted_of
from tests.runtime.processes import run


@pytest.fixture
def x():
    return put(np.arange(3, dtype=np.float32))


def counted(fun):
    """`fun`, and the list that grows each time it is traced."""
    traced = []

    @functools.wraps(fun)
    def wrapper(*args, **kwargs):
        traced.append(1)
        return fun(*args, **kwargs)

    return wrapper, traced


def text(fun, *args):
    return str(make_jaxpr(fun)(*args))


# --- signature and validation ---


def test_check_1_three_ways_to_apply_it(x):
    def f(x, n):
        return lax.mul(x, float(n))

    direct = jit(f, static_argnums=1)
    factory = jit(static_argnums=1)(f)
    partial = functools.partial(jit, static_argnums=1)(f)
    for g in (direct, factory, partial):
        assert g(x, 3).tolist() == [0, 3, 6]
    with pytest.raises(TypeError):
        jit(f, 1)
    with pytest.raises(TypeError, match="abstracted_axes"):
        jit(f, abstracted_axes=())


def test_a_jitted_function_looks_like_the_function():
    def f(x, y=2):
        """Doc."""

    g = jit(f)
    assert (g.__name__, g.__doc__, g.__wrapped__) == ("f", "Doc.", f)
    assert str(g.__signature__) == "(x, y=2)"
    assert "PjitFunction" in repr(g)


@pytest.mark.parametrize(
    ("options", "error", "mention"),
    [
        ({"static_argnums": 2}, ValueError, "2"),
        ({"static_argnums": (0, -3)}, ValueError, "-3"),
        ({"donate_argnums": 5}, ValueError, "5"),
        ({"static_argnames": "z"}, ValueError, "'z'"),
        ({"donate_argnames": ("x", "w")}, ValueError, "'w'"),
        ({"static_argnames": "x", "donate_argnames": "x"}, ValueError, "'x'"),
        ({"static_argnums": "x"}, TypeError, "static_argnums"),
        ({"static_argnums": 1.5}, TypeError, "1.5"),
        ({"static_argnames": 1}, TypeError, "static_argnames"),
        ({"inline": "x"}, ValueError, "'x'"),
        ({"compiler_options": 3}, TypeError, "3"),
    ],
)
def test_check_2_options_that_do_not_fit(options, error, mention):
    with pytest.raises(error, match=mention):
        jit(lambda x, y: x, **options)


def test_check_2_what_is_no_function():
    def generator(x):
        yield x

    for fun in (3, generator, staticmethod(lambda x: x)):
        with pytest.raises(TypeError):
            jit(fun)
    with pytest.raises(ValueError, match="'x'"):
        jit(lambda x, /: x, static_argnames="x")
    jit(lambda *args: args, static_argnums=7)  # takes any number


def test_check_2_a_function_that_cannot_be_a_key():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return x

    with pytest.raises(TypeError, match="hashable"):
        jit(Unhashable())(1)


def test_check_3_arguments_that_are_no_arrays(x):
    f = jit(lambda d, y=0: x)
    with pytest.raises(TypeError, match=r"d\['a'\]") as error:
        f({"a": "text", "b": 1})
    assert isinstance(error.value, NotAnArrayError)
    assert "static" in str(error.value)
    assert "'text'" in str(error.value)
    assert "test_compilation.py" in str(error.value)
    with pytest.raises(OverflowError, match=r"d\[1\].*") as overflow:
        f([1, 2**40])
    assert isinstance(overflow.value, IntegerOverflowError)
    assert overflow.value.value == 2**40
    for wrong in (object(), np.array(["a"]), np.array([None])):
        with pytest.raises(TypeError, match="y"):
            f(1, y=wrong)
    with pytest.raises(TypeError, match="positional"):
        f()
    with pytest.raises(TypeError, match="unexpected"):
        f(1, z=2)


def test_check_4_results_that_are_no_arrays():
    def bad(x):
        return {"a": (x, "text")}

    with pytest.raises(TypeError, match=r"\['a'\]\[1\]") as error:
        jit(bad)(1)
    assert "bad at " in str(error.value)


def test_check_5_device_and_backend(x):
    with pytest.warns(DeprecationWarning):
        f = jit(lambda x: lax.sin(x), backend="cpu")
    assert f(x).committed
    with pytest.warns(DeprecationWarning):
        g = jit(lambda x: lax.sin(x), device=devices()[0])
    assert g(x).device is devices()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="both"):
            jit(lambda x: x, device=devices()[0], backend="cpu")
        with pytest.raises(ValueError, match="shardings"):
            jit(lambda x: x, backend="cpu", in_shardings=None)
        bad = jit(lambda x: x, backend="abacus")
    with pytest.raises(RuntimeError, match="abacus"):
        bad(x)


def test_check_6_inline(x):
    def outer(**options):
        inner = jit(lambda x: lax.sin(x), **options)
        return text(lambda x: inner(x), x)

    assert "jit[" not in outer(inline=Inline.JAX_EARLY)
    for inline in (True, False, Inline.AUTO, Inline.XLA_LATE):
        assert outer(inline=inline).count("jit[") == 1
    late = jit(lambda x: jit(lambda x: lax.sin(x), inline=True)(x)).lower(x).as_text()
    assert "call" not in late
    kept = jit(lambda x: jit(lambda x: lax.sin(x))(x)).lower(x).as_text()
    assert "call" in kept


def test_check_7_compiler_options(x):
    f = jit(lambda x: lax.exp(x), compiler_options={"xla_cpu_enable_fast_math": True})
    np.testing.assert_allclose(f(x), np.exp([0, 1, 2]), rtol=1e-6)
    for options in ({"xla_abacus": 1}, {"xla_cpu_enable_fast_math": "perhaps"}):
        with pytest.raises(RuntimeError) as error:
            jit(lambda x: lax.exp(x), compiler_options=options)(x)
        assert type(error.value).__name__ == "JaxRuntimeError"
    with pytest.raises(ValueError, match="xla_cpu_enable_fast_math") as nested:
        jit(lambda x: f(x))(x)
    assert "test_compilation.py" in str(nested.value)


def test_check_8_in_shardings(x):
    here = default_placement()
    f = jit(lambda x, y: lax.add(x, y), in_shardings=(here, None))
    assert f(x, x).committed
    with pytest.raises(ValueError, match="keyword"):
        f(x, y=x)
    with pytest.raises(ValueError, match="in_shardings"):
        jit(lambda x: x, in_shardings=(here, here))(x)
    with pytest.raises(TypeError, match="'here'"):
        jit(lambda x: x, in_shardings=("here",))
    tree = {"a": x, "b": [x, 1.0]}
    by_name = jit(lambda d: d["a"], in_shardings=({"a": here, "b": None},))
    assert by_name(tree).committed
    assert by_name(tree).committed
    assert jit(lambda x: lax.sin(x), out_shardings=here)(x).committed
    with pytest.raises(ValueError, match="out_shardings"):
        jit(lambda x: (x, x), out_shardings=(here,) * 3)(x)


def test_check_9_keep_unused(x):
    def f(x, y):
        return lax.sin(x)

    pruned, kept = jit(f), jit(f, keep_unused=True)
    assert pruned.lower(x, x).as_text().count("%arg1") == 0
    assert kept.lower(x, x).as_text().count("%arg1") == 1
    (ins, _) = pruned.lower(x, x).compile().input_shardings
    assert ins == (default_placement(), None)
    (ins, _) = kept.lower(x, x).compile().input_shardings
    assert ins == (default_placement(),) * 2


def test_check_10_methods(x):
    class Scaled:
        def __init__(self, by):
            self.by = by

        @jit
        def plain(self, x):
            return x

        @functools.partial(jit, static_argnums=0)
        def static(self, x):
            return lax.mul(x, self.by)

    with pytest.raises(TypeError, match="self"):
        Scaled(2.0).plain(x)
    assert Scaled(2.0).static(x).tolist() == [0, 2, 4]
    assert Scaled(3.0).static(x).tolist() == [0, 3, 6]


# --- static arguments ---


def test_check_11_static_values_are_keyed_by_type(x):
    f, traced = counted(lambda x, n: lax.mul(x, float(n)))
    g = jit(f, static_argnums=1)
    for n in (3, 3.0, True, 4, 3, 3.0, True, 4):
        assert g(x, n).tolist() == [0, float(n), 2 * float(n)]
    assert len(traced) == 4
    assert g(x, n=3).tolist() == [0, 3, 6]


def test_check_12_statics_that_cannot_be_keys(x):
    f = jit(lambda x, n: x, static_argnums=1)
    for value in ([1], np.ones(2), x, {}):
        with pytest.raises(ValueError, match=type(value).__name__):
            f(x, value)
    with pytest.raises(ValueError, match="list"):
        jit(lambda x, n: x, static_argnames="n")(x, n=[1])
    with pytest.raises(ValueError, match="list"):
        f.lower(x, [1])
    with pytest.raises((TypeError, ValueError), match="hash"):
        jit(lambda n: f(x, n))(1)

    class Quarrelsome:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise RuntimeError("no comparison")

    f(x, Quarrelsome())
    with pytest.raises(ValueError, match="no comparison"):
        f(x, Quarrelsome())


def test_check_13_positions_and_names(x):
    def f(a, b, c):
        return lax.mul(a, float(c))

    assert jit(f, static_argnums=-1)(x, x, 2).tolist() == [0, 2, 4]
    inferred = jit(f, static_argnums=2)
    assert inferred(x, x, c=2).tolist() == [0, 2, 4]
    assert jit(f, static_argnames="c")(x, x, 2).tolist() == [0, 2, 4]
    both = jit(f, static_argnums=(1,), static_argnames=("c",))
    with pytest.raises(TypeError):
        both(x, 1, 2)  # c by position is traced, and float() of a tracer raises


# --- donation ---


def test_check_14_what_becomes_of_donated_memory(x):
    f = jit(lambda x: lax.add(x, 1.0), donate_argnums=0)
    assert "tf.aliasing_output = 0" in f.lower(x).as_text()
    assert f(x).tolist() == [1, 2, 3]
    assert x.is_deleted()
    turned = jit(lambda x: lax.reshape(lax.sin(x), (4,)), donate_argnums=0)
    square = put(np.ones((2, 2), np.float32))
    assert "jax.buffer_donor = true" in turned.lower(square).as_text()
    small = jit(lambda x: lax.reduce_sum(x, (0,)), donate_argnums=0)
    y = put(np.ones(3, np.float32))
    with pytest.warns(DonationWarning, match=r"float32\[3\]"):
        small(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(y)
    assert not y.is_deleted()


def test_check_15_use_after_donation(x):
    f = jit(lambda x: lax.add(x, 1.0), donate_argnums=0)
    f(x)
    for use in (lambda: f(x), lambda: lax.sin(x), lambda: repr(x)):
        with pytest.raises(RuntimeError, match=r"float32\[3\]"):
            use()
    assert x.shape == (3,)
    assert f(put(np.ones(3, np.float32))).tolist() == [2, 2, 2]


def test_check_16_more_on_donation(x):
    f = jit(lambda a, b: lax.add(a, b), donate_argnums=0)
    with pytest.raises((RuntimeError, ValueError), match="donated"):
        f(x, x)
    y = put(np.ones(3, np.float32))
    f(b=np.ones(3, np.float32), a=y)
    assert y.is_deleted()
    tree = {"a": put(np.ones(3, np.float32)), "b": [put(np.ones(3, np.float32))]}
    jit(lambda t: (lax.add(t["a"], 1.0), lax.add(t["b"][0], 1.0)), donate_argnums=0)(
        tree
    )
    assert tree["a"].is_deleted()
    assert tree["b"][0].is_deleted()
    assert f(np.ones(3, np.float32), np.ones(3, np.float32)).tolist() == [2, 2, 2]
    inner = jit(lambda x: lax.add(x, 1.0), donate_argnums=0)
    z = put(np.ones(3, np.float32))
    jit(lambda x: lax.add(inner(x), x))(z)
    assert not z.is_deleted()


def test_check_59_disable_jit(x):
    inner, inners = counted(lambda x: lax.mul(x, 2.0))
    g = jit(inner)
    outer, outers = counted(lambda x: lax.add(g(x), 1.0))
    f = jit(outer)
    with flags.disable_jit(True):
        for _ in range(3):
            assert f(x).tolist() == [1, 3, 5]
    assert (len(outers), len(inners)) == (3, 3)
    f(x), f(x)
    assert (len(outers), len(inners)) == (4, 4)


# --- ours: methods, keywords ---


def test_bound_methods_are_keyed_by_function_and_instance(x):
    class Scaled:
        def __init__(self, by):
            self.by, self.traced = by, 0

        def __call__(self, x):
            self.traced += 1
            return lax.mul(x, self.by)

    one, other = Scaled(2.0), Scaled(3.0)
    for _ in range(3):
        assert jit(one.__call__)(x).tolist() == [0, 2, 4]
        assert jit(other.__call__)(x).tolist() == [0, 3, 6]
    assert (one.traced, other.traced) == (1, 1)
    dead = weakref.ref(one)
    del one
    gc.collect()
    assert dead() is None


def test_calls_by_position_and_by_name_are_one_trace(x):
    f, traced = counted(lambda b, a, c=0.0: lax.sub(b, a))
    g, y = jit(f), put(np.ones(3, np.float32))
    calls = [
        lambda: g(x, y),
        lambda: g(x, a=y),
        lambda: g(a=y, b=x),
        lambda: g(b=x, a=y),
        lambda: g(a=y, b=x),
    ]
    assert [call().tolist() for call in calls] == [[-1, 0, 1]] * 5
    assert len(traced) == 1
    assert text(lambda p, q: g(a=p, b=q), x, y).count("sub") == 1


# --- inside a trace ---


def test_a_call_inside_a_trace_is_one_equation(x):
    f = jit(lambda x: {"a": lax.sin(x), "b": x})
    shown = text(lambda x: f(f(x)["a"]), x)
    assert shown.count("jit[name=<lambda>") == 2
    assert f._cache_size() == 0


def test_transformations_leave_nothing_in_the_cpp_cache(x):
    f = jit(lambda x: lax.mul(x, x))
    f(1.0)
    size = f._cache_size()
    for _ in range(2):
        grad(f)(2.0), vmap(f)(x), jit(vmap(f))(x)
    assert f._cache_size() == size


def test_a_program_that_closes_over_a_trace_is_not_kept(x):
    f, traced = counted(lambda z, y=None: lax.add(z, holder[0]))
    holder = [None]
    g = jit(f)

    def outer(x):
        holder[0] = lax.mul(x, 2.0)
        return g(x)

    assert jit(outer)(x).tolist() == [0, 3, 6]
    assert float(grad(lambda x: outer(x))(1.0)) == 3.0
    assert len(traced) == 2
    assert jitted_of(g).options.inline is Inline.AUTO


def test_a_leaked_tracer_is_refused(x):
    leaked = []
    jit(lambda x: leaked.append(x) or x)(x)
    f = jit(lambda x: lax.sin(x))
    for _ in range(2):
        with pytest.raises(TypeError, match="float32"):
            f(leaked[0])


def test_the_default_place_follows_the_option():
    out = run(
        """
        import numpy as np
        from minijax.base import flags
        from minijax.runtime import *
        from minijax.transforms import jit
        from minijax import lax
        f = jit(lambda x: lax.sin(x))
        x, (a, b) = put(np.ones(2)), devices()
        y = put(x, placement_on(b))
        print(*(f(v).device for v in (x, y, x, y, 1.0)))
        with flags.default_device(b):
            print(*(f(v).device for v in (x, y, 1.0)))
        import warnings; warnings.simplefilter("ignore")
        g = jit(lambda x: lax.cos(x), device=b)
        print(*(g(v).device for v in (x, y, put(x, placement_on(a)), x, 1.0)))
        """,
        devices=2,
    )
    assert out.splitlines() == [
        "cpu:0 cpu:1 cpu:0 cpu:1 cpu:0",
        "cpu:1 cpu:1 cpu:1",
        "cpu:1 cpu:1 cpu:1 cpu:1 cpu:1",
    ]


# --- the form for our own functions ---


def test_eager_jit(x):
    f, traced = counted(lambda x, axis=0: lax.reduce_sum(x, (axis,)))
    g = eager_jit(static_argnames="axis")(f)
    square = put(np.ones((2, 3), np.float32))
    assert g(square, axis=1).tolist() == [3, 3]
    assert g(square).tolist() == [2, 2, 2]
    g(square, axis=1)
    assert len(traced) == 2
    assert "jit" not in text(lambda x: g(x), x)
    assert vmap(g)(square).tolist() == [3, 3]
    assert g._cache_size() == 2
    with flags.disable_jit(True):
        assert g(square).tolist() == [2, 2, 2]


def test_eager_jit_is_a_method(x):
    owner = type("Owner", (), {"twice": eager_jit(lambda self, x: lax.mul(x, 2.0))})
    assert owner.twice(x, x).tolist() == [0, 2, 4]


def test_explain_knows_what_cpp_knows(x):
    f = jit(lambda x: lax.sin(x))
    f(x)
    assert explain(f, x).level == 1
    (y,) = call_jaxpr(stage(lambda x: [lax.sin(x)], [typeof(x)]), [x], name="f")
    assert y.tolist() == f(x).tolist()
