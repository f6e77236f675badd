"""Wrapped functions: order, stores, equality, memoising (checks 41 to 45)."""

import gc
import weakref

import pytest

from minijax.base import flags, util
from minijax.base.errors import StoreException
from minijax.core import DebugInfo
from minijax.core import linear_util as lu

INFO = DebugInfo("test", "f at here:1")


def wrap(f, params=None):
    return lu.wrap_init(f, params, debug_info=INFO)


def _tracing(log, name):
    def gen(f, *args):
        log.append(f"{name} in")
        out = f(*args)
        log.append(f"{name} out")
        return out

    return lu.transformation2(gen)


def test_check_41_the_last_applied_meets_arguments_first():
    log: list[str] = []
    fun = _tracing(log, "A")(wrap(lambda x: (log.append("f"), x)[1]))
    fun = _tracing(log, "B")(fun)
    assert fun.call_wrapped(7) == 7
    assert log == ["B in", "A in", "f", "A out", "B out"]


def test_check_41_generator_style():
    @lu.transformation
    def shifted(by, *args):
        out = yield tuple(x + by for x in args), {"c": 100}
        yield out * 2

    fun = shifted(wrap(lambda a, b, *, c: a + 10 * b + c), 1)
    assert fun.call_wrapped(1, 2) == 2 * (2 + 30 + 100)


def test_params_are_keywords_of_every_call():
    fun = wrap(lambda x, *, a, b: (x, a, b), {"b": 2, "a": 1})
    assert fun.params == (("a", 1), ("b", 2))
    assert fun.call_wrapped(0) == (0, 1, 2)
    assert fun.call_wrapped(0, b=5) == (0, 1, 5)


def test_wrap_init_without_debug_info_warns():
    with pytest.warns(DeprecationWarning, match="debug_info"):
        lu.wrap_init(abs)


# --- stores ---


def test_check_42_store():
    store = lu.Store()
    assert not store
    with pytest.raises(StoreException, match="empty"):
        _ = store.val
    store.store(None)
    assert store and store.val is None
    with pytest.raises(StoreException, match="full"):
        store.store(None)
    store.reset()
    assert not store


class _Uncomparable:
    def __eq__(self, other):
        raise ValueError("no")

    __hash__ = None


def test_check_42_equal_store():
    store = lu.EqualStore()
    store.store((1, 2))
    store.store((1, 2))
    assert store.val == (1, 2)
    with pytest.raises(StoreException):
        store.store((1, 3))
    other = lu.EqualStore()
    other.store(_Uncomparable())
    with pytest.raises(StoreException, match="compare"):
        other.store(_Uncomparable())


@lu.transformation_with_aux2
def _counting(f, store, *args):
    store.store(len(args))
    return f(*args)


def test_check_42_an_aux_function_runs_once():
    fun, thunk = _counting(wrap(max))
    with pytest.raises(StoreException):
        thunk()
    assert fun.call_wrapped(3, 5) == 5
    assert thunk() == 2
    with pytest.raises(StoreException):
        fun.call_wrapped(3, 5)


def test_check_42_generator_style_with_aux():
    @lu.transformation_with_aux
    def gen(*args):
        out = yield args, {}
        yield out, ("found", out)

    fun, thunk = gen(wrap(max))
    assert fun.call_wrapped(3, 5) == 5
    assert thunk() == ("found", 5)


# --- equality ---


@lu.transformation2
def _adding(f, by, *args):
    return f(*args) + by


def test_check_43_stores_do_not_count():
    one, first = _counting(wrap(max))
    other, _ = _counting(wrap(max))
    one.call_wrapped(1, 2)
    assert first() == 2
    assert one == other and hash(one) == hash(other)


@pytest.mark.parametrize(
    "other",
    [
        _adding(wrap(max), 2),
        _adding(wrap(min), 1),
        _adding(wrap(max, {"key": abs}), 1),
        _adding(lu.wrap_init(max, debug_info=DebugInfo("other")), 1),
        lu.annotate(_adding(wrap(max), 1), (int,)),
        wrap(max),
    ],
)
def test_check_43_everything_else_counts(other):
    fun = _adding(wrap(max), 1)
    assert fun == _adding(wrap(max), 1)
    assert fun != other


def test_check_43_generators_are_equal_if_they_are_the_same():
    def gen(*args):
        out = yield args, {}
        yield out

    one, other = lu.transformation(gen), lu.transformation(gen)
    assert one(wrap(max)) == other(wrap(max))


def test_annotate():
    fun = lu.annotate(wrap(max), (int,))
    assert fun.in_type == (int,)
    assert lu.annotate(fun, None) is fun
    assert _adding(fun, 1).in_type is None
    with pytest.raises(ValueError, match="once"):
        lu.annotate(fun, (int,))


def test_debug_info_can_be_replaced():
    info = DebugInfo("jit", "g", ("x",), ("result",))
    fun = wrap(max).replace_debug_info(info)
    assert fun.debug_info is info
    assert fun.with_unknown_names().debug_info == DebugInfo("jit", "g")


def test_hashable_partial():
    fun = lu.hashable_partial(wrap(lambda a, b: a - b), 10)
    assert fun.call_wrapped(3) == 7
    assert fun == lu.hashable_partial(wrap(fun.f), 10)


# --- check 44: cache ---


def _memo():
    calls: list[object] = []

    @lu.cache
    def run(fun, *args):
        calls.append(args)
        return fun.call_wrapped(*args)

    return run, calls


def test_check_44_a_second_equal_wrapper_does_not_run():
    run, calls = _memo()

    def f(x):
        return None

    for _ in range(2):
        fun, thunk = _counting(wrap(f))
        assert run(fun, 1) is None
        assert thunk() == 1
    assert len(calls) == 1


def test_check_44_what_misses():
    run, calls = _memo()

    def f(x):
        return x

    run(wrap(f), 1)
    run(wrap(f), 2)
    run(_adding(wrap(f), 1), 1)
    run(lu.annotate(wrap(f), (int,)), 1)
    assert len(calls) == 4
    with flags.enable_x64(True):
        run(wrap(f), 1)
    assert len(calls) == 5
    run(wrap(f), 1)
    assert len(calls) == 5


def test_check_44_evict_and_clear():
    run, calls = _memo()

    def f(x):
        return x

    def g(x):
        return x

    run(wrap(f), 1), run(wrap(g), 1)
    run.evict_function(f)
    run(wrap(f), 1), run(wrap(g), 1)
    assert len(calls) == 3
    run.cache_clear()
    run(wrap(f), 1), run(wrap(g), 1)
    assert len(calls) == 5
    util.clear_caches()
    run(wrap(g), 1)
    assert len(calls) == 6


def test_check_44_answers_die_with_the_function():
    run = lu.cache(lambda fun, x: fun.call_wrapped(x))

    def make():
        def f(x):
            return x

        return f

    class Answer:
        pass

    f = make()
    answer = Answer()
    assert run(wrap(f), answer) is answer
    gone, gone_answer = weakref.ref(f), weakref.ref(answer)
    del f, answer
    gc.collect()
    assert gone() is None
    assert gone_answer() is None


def test_check_44_an_unhashable_argument():
    run, _ = _memo()
    with pytest.raises(TypeError):
        run(wrap(max), [1])


def test_check_44_explain_hears_of_misses():
    heard: list[int] = []
    run = lu.cache(
        lambda fun, x: x, explain=lambda fun, known, key: heard.append(len(known))
    )
    f = wrap(max)
    run(f, 1), run(f, 1), run(f, 2)
    assert heard == [0, 1]


# --- check 45 ---


def test_check_45_merge_linear_aux():
    def pair():
        return _counting(wrap(max)), _counting(wrap(max))

    (one, a), (other, b) = pair()
    with pytest.raises(StoreException, match="neither"):
        lu.merge_linear_aux(a, b)
    one.call_wrapped(1, 2)
    assert lu.merge_linear_aux(a, b) == (True, 2)
    assert lu.merge_linear_aux(b, a) == (False, 2)
    other.call_wrapped(1, 2)
    with pytest.raises(StoreException, match="both"):
        lu.merge_linear_aux(a, b)
