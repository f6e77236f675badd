"""Lists, axes and the table of caches."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def test_safe_map_and_zip_refuse_unequal_lengths():
    from minijax.base import util

    assert util.safe_map(lambda x, y: x + y, [1, 2], [3, 4]) == [4, 6]
    assert util.safe_zip("ab", [1, 2]) == [("a", 1), ("b", 2)]
    for function in (lambda *xs: util.safe_map(max, *xs), util.safe_zip):
        with pytest.raises(ValueError):
            function([1], [1, 2])


def test_unzip_of_nothing_has_the_right_arity():
    from minijax.base import util

    assert util.unzip2([]) == ((), ())
    assert util.unzip3([]) == ((), (), ())
    assert util.unzip2([(1, "a"), (2, "b")]) == ((1, 2), ("a", "b"))
    assert util.unzip3([(1, "a", None)]) == ((1,), ("a",), (None,))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers())))
def test_merging_undoes_partitioning(pairs):
    from minijax.base import util

    chosen, items = [c for c, _ in pairs], [x for _, x in pairs]
    others, picked = util.partition_list(chosen, items)
    assert len(picked) == sum(chosen)
    assert util.merge_lists(chosen, others, picked) == items


def test_merging_refuses_wrong_counts():
    from minijax.base import util

    with pytest.raises(ValueError, match="1 and 1"):
        util.merge_lists([True, False], [1, 2], [])
    with pytest.raises(ValueError):
        util.partition_list([True], [1, 2])


def test_split_list():
    from minijax.base import util

    assert util.split_list([1, 2, 3, 4], [1, 2]) == [[1], [2, 3], [4]]
    assert util.split_list((), []) == [[]]
    with pytest.raises(ValueError):
        util.split_list([1], [2])


def test_subs_list_and_tuples():
    from minijax.base import util

    assert util.subs_list([None, 1, 0], "xy", [5, 6, 7]) == [5, "y", "x"]
    assert util.tuple_insert((1, 2), 1, 9) == (1, 9, 2)
    assert util.tuple_delete((1, 2), 0) == (2,)
    assert util.tuple_replace((1, 2), 1, 9) == (1, 9)


@pytest.mark.parametrize(("axis", "expected"), [(0, 0), (-1, 2), (2, 2), (-3, 0)])
def test_axes_count_from_both_ends(axis, expected):
    from minijax.base import util

    assert util.canonicalize_axis(axis, 3) == expected
    assert util.canonicalize_axis(np.int64(axis), 3) == expected


@pytest.mark.parametrize(("axis", "ndim"), [(3, 3), (-4, 3), (0, 0)])
def test_axes_out_of_range(axis, ndim):
    from minijax.base import errors, util

    with pytest.raises(ValueError) as caught:
        util.canonicalize_axis(axis, ndim, "source")
    assert isinstance(caught.value, errors.AxisOutOfRangeError)
    assert (caught.value.axis, caught.value.ndim) == (axis, ndim)
    assert "source" in str(caught.value)


@pytest.mark.parametrize("axis", [1.0, "0", None, (0,)])
def test_an_axis_is_an_integer(axis):
    from minijax.base import util

    with pytest.raises(TypeError, match="integer"):
        util.canonicalize_axis(axis, 2)


def test_axes_are_distinct():
    from minijax.base import errors, util

    assert util.canonicalize_axes((-1, 0), 3) == (2, 0)
    assert util.canonicalize_axes(1, 3) == (1,)
    with pytest.raises(errors.DuplicateAxisError):
        util.canonicalize_axes((0, -3), 3)


def test_memoized_functions_are_counted_and_cleared():
    from minijax.base import flags, util

    calls = []

    @util.memoize()
    def plain(x):
        calls.append(x)
        return x

    @util.memoize_in_context()
    def in_context(x):
        calls.append(x)
        return flags.enable_x64.value

    name = f"{plain.__module__}.{plain.__wrapped__.__qualname__}"
    assert [plain(1), plain(1), plain(True)] == [1, 1, True]
    assert util.cache_counts()[name] == (1, 2, 2)
    assert in_context(1) is False and in_context(1) is False
    with flags.enable_x64(True):
        assert in_context(1) is True
    assert calls == [1, True, 1, 1]
    util.clear_caches()
    assert util.cache_counts()[name].size == 0
    plain(1)
    assert calls[-1] == 1 and len(calls) == 5


def test_weakly_memoized_answers_go_with_their_key():
    from minijax.base import util

    class Program:
        pass

    @util.memoize_weakly()
    def size(program, n):
        return n

    program = Program()
    assert [size(program, 2), size(program, 2), size(program, 3)] == [2, 2, 3]
    info = size.cache_info()
    assert (info.hits, info.misses, info.currsize) == (1, 2, 2)
    del program
    gc.collect()
    assert size.cache_info().currsize == 0


def test_a_cache_is_registered_once():
    from minijax.base import util

    table = {1: 2}
    util.register_cache("tests.once", table.clear, lambda: util.CacheCounts(0, 0, 1))
    with pytest.raises(ValueError, match=r"tests\.once"):
        util.register_cache("tests.once", table.clear)
    assert util.cache_counts()["tests.once"].size == 1
    util.clear_caches()
    assert table == {}


def test_names_and_ratios():
    import functools

    from minijax.base import util

    assert util.function_name(functools.partial(max, 1)) == "max"
    assert util.function_name(object(), "?") == "?"
    assert [util.ceil_of_ratio(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
