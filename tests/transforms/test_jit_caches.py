"""The caches behind `jit`: the numbered checks of spec/jit.md §§7-9."""

import functools
import gc
import threading
import weakref

import numpy as np
import pytest

from minijax import lax, random
from minijax.base import flags
from minijax.base.errors import ForbiddenTracingError
from minijax.runtime import caches, clear_caches, default_placement, put
from minijax.transforms import grad, jit, make_jaxpr


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


LEVELS = ("parameters", "trace", "lowering", "executables")


class Answers:
    """Which levels missed ("m"), answered ("h") or were not asked ("-")."""

    def __enter__(self):
        self.before = caches()
        return self

    def __exit__(self, *exc):
        after = caches()
        self.text = ""
        for level in LEVELS:
            old, new = getattr(self.before, level), getattr(after, level)
            if new.misses > old.misses:
                self.text += "m"
            else:
                self.text += "h" if new.hits > old.hits else "-"
        self.python = after.dispatch.misses - self.before.dispatch.misses


def answers(call):
    with Answers() as seen:
        call()
    return seen.text


def test_check_17_which_level_answers(x):
    def f(x):
        return lax.mul(lax.sin(x), 0.375)  # nobody else's program

    clear_caches()
    g, here = jit(f), put(x, default_placement())
    assert answers(lambda: g(x)) == "mmmm"
    with Answers() as repeat:
        g(put(np.ones(3, np.float32)))
    assert (repeat.text, repeat.python) == ("----", 0)
    # A program for one place serves uncommitted and NumPy arguments.
    assert answers(lambda: g(np.ones(3, np.float32))) == "h---"
    # Committed: results differ, the executable does not (jax compiles anew).
    assert answers(lambda: g(here)) == "h-hh"
    lowered = g.lower(x)
    options = {"xla_cpu_enable_fast_math": True}
    assert answers(lambda: g.lower(x)) == "h-h-"
    assert answers(lambda: lowered.compile(options)) == "--hm"
    assert answers(lambda: lowered.compile(options)) == "----"
    late = jit(f, inline=True)
    assert answers(lambda: late.lower(x).compile()) == "mhh-"
    assert (
        answers(
            lambda: jit(f, compiler_options={"xla_cpu_enable_fast_min_max": True})(x)
        )
        == "mhhm"
    )
    assert (
        answers(lambda: jit(f, donate_argnums=0)(put(np.ones(3, np.float32)))) == "mhmm"
    )
    assert answers(lambda: make_jaxpr(f)(x)) == "-h--"
    for new in (np.ones(4, np.float32), 1.0):
        assert answers(lambda new=new: g(new)) == "mmmm"
    # A weak and a strong scalar are one module.
    assert answers(lambda: g(np.float32(1))) == "mmmh"
    with flags.default_matmul_precision("high"):
        assert answers(lambda: g(x))[:2] == "mm"


def test_check_18_the_print_that_fires_once(x):
    step, printed = counted(lambda x: lax.neg(x))
    jitted = jit(step)

    def prints(call):
        before = len(printed)
        call()
        return len(printed) - before

    assert prints(lambda: jitted(x)) == 1
    assert prints(lambda: jitted(put(np.zeros(3, np.float32)))) == 0
    assert prints(lambda: jitted(np.ones(3, np.float32))) == 0
    assert prints(lambda: jitted(put(x, default_placement()))) == 0
    assert prints(lambda: jitted(put(np.ones(4, np.float32)))) == 1
    assert prints(lambda: jitted(put(np.ones(3, np.int32)))) == 1
    assert prints(lambda: jitted(1.0)) == 1
    assert prints(lambda: jitted(2.0)) == 0
    assert prints(lambda: jitted(np.float32(1))) == 1
    assert prints(lambda: jitted(1)) == 1
    with flags.default_matmul_precision("high"):
        assert prints(lambda: jitted(x)) == 1
    assert prints(lambda: jitted.lower(x)) == 0
    assert prints(lambda: jit(lambda x: jitted(x))(x)) == 0
    assert prints(lambda: make_jaxpr(step)(x)) == 0
    jitted.clear_cache()
    assert prints(lambda: jitted(x)) == 1
    clear_caches()
    assert prints(lambda: jitted(x)) == 1


def test_check_19_weak_and_strong_types():
    f, traced = counted(lambda x: lax.mul(x, 2.0))
    g = jit(f)
    assert g(1.0).weak_type
    assert not g(np.float32(1)).weak_type
    assert len(traced) == 2


def test_check_20_wrappers_of_one_function(x):
    def f(x):
        return lax.cos(x)

    one = jit(f)
    one(x)
    before = caches().dispatch.misses
    jit(f)(x)
    assert caches().dispatch.misses == before
    jit(f, donate_argnums=0)(put(np.ones(3, np.float32)))
    jit(f, keep_unused=True)(x)  # another program: it takes other arguments
    assert caches().dispatch.misses == before + 2


def test_check_21_options_of_the_trace_context(x):
    f, traced = counted(lambda x: lax.neg(x))
    g = jit(f)
    g(x)
    for context in (flags.enable_x64(True), flags.numpy_rank_promotion("warn")):
        count = len(traced)
        with context:
            g(x)
            g(x)
        assert len(traced) == count + 1
        g(x)
        assert len(traced) == count + 1
    with flags.log_compiles(False), flags.explain_cache_misses(False):
        before = caches().dispatch.misses
        g(x)
        assert caches().dispatch.misses == before


def test_check_22_clear_cache_of_one_function(x):
    f, traced = counted(lambda x: lax.mul(x, 2.0))
    other, others = counted(lambda x: lax.mul(x, 3.0))
    g, h = jit(f), jit(other)
    for _ in range(2):
        g(x), h(x)
        g.clear_cache()
    assert (len(traced), len(others)) == (2, 1)
    assert g._cache_size() == 0
    assert h._cache_size() == 1


def test_check_23_everything_goes_with_the_function(x):
    def make():
        def f(x):
            return lax.sub(lax.sin(x), 0.4375)

        g = jit(f)
        g(x)
        g.lower(x).compile()(x)
        grad(lambda y: lax.reduce_sum(g(y), (0,)))(x)
        return weakref.ref(f), g

    dead, g = make()
    before = caches()
    del g
    gc.collect()
    after = caches()
    assert dead() is None
    for level in ("dispatch", "parameters", "trace", "lowering", "executables"):
        assert getattr(after, level).size < getattr(before, level).size, level


def test_check_25_an_exception_while_tracing(x):
    calls = []

    @jit
    def f(x):
        calls.append(1)
        if len(calls) == 1:
            raise KeyError("first")
        return lax.sin(x)

    with pytest.raises(KeyError, match="first"):
        f(x)
    f(x)
    before = caches().dispatch.misses
    f(x)
    assert len(calls) == 2
    assert caches().dispatch.misses == before
    assert f._cache_size() == 1


def test_check_26_threads(x):
    f, traced = counted(lambda x: lax.mul(x, 2.0))
    g, seen = jit(f), []

    def work():
        seen.append(g(x).tolist())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[0, 2, 4]] * 8
    assert len(traced) == 1

    def other_precision():
        with flags.default_matmul_precision("high"):
            g(x)

    thread = threading.Thread(target=other_precision)
    thread.start()
    thread.join()
    assert len(traced) == 2


def test_check_27_no_tracing(x):
    f = jit(lambda x: lax.sin(x))
    f(x)
    with flags.no_tracing(True):
        f(x)
        with pytest.raises(ForbiddenTracingError, match="lambda"):
            f(1.0)


def test_typed_keys_stay_in_cpp():
    key = random.key(1)
    f = jit(lambda key: (random.uniform(key), key))
    (one, same), (two, _) = f(key), f(key)
    assert float(one) == float(two)
    assert same.dtype == key.dtype
    assert f.cache_info().misses == 1
    assert f.lower(key).compile()(key)[0].dtype == np.float32
    assert jit(lambda key: f(key)[1])(key).dtype == key.dtype


def test_custom_nodes_and_none_stay_in_cpp(x):
    f = jit(lambda d, n: {"a": d["b"][0], "n": n})
    for _ in range(3):
        result = f({"b": (x, None)}, None)
    assert result["n"] is None
    assert f.cache_info().misses == 1
