"""`vmap` against jax, and what it says when it is used wrongly (checks of batching.md).

The programs stand at the top level and take the library as `J`; what only we say is
tested on ours alone.
"""

import re
import threading

import numpy as np
import pytest


def _rows(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# --- programs that succeed ---


def in_axes_of_kinds(J, in_axes):
    x, y = _rows(2, 3), _rows(2, 2)
    return J.vmap(lambda x, y: (J.lax.neg(x), J.lax.sin(y)), in_axes=in_axes)(x, y)


@pytest.mark.parametrize(
    "in_axes", [0, 1 - 1, (0, 0), (0, 1), (-2, -1), (0, None), (None, 0), [0, None]]
)
def test_check_03_in_axes(oracle, in_axes):
    oracle.compare(in_axes_of_kinds, in_axes)


def trees_of_axes(J):
    d = {"a": _rows(3, 2), "b": _rows(2)}
    f = J.vmap(
        lambda d, e: {"r": J.lax.sub(d["a"], e[0]), "s": d["b"]},
        in_axes=({"a": 0, "b": None}, 1),
        out_axes={"r": 1, "s": None},
    )
    return f(d, [_rows(2, 3), _rows(3, 3)])


def test_check_24_prefix_trees(oracle):
    oracle.compare(trees_of_axes)


def keywords(J, in_axes):
    f = J.vmap(lambda a, *, k: (J.lax.neg(a), J.lax.neg(k)), in_axes=in_axes)
    return f(_rows(2, 3), k=_rows(3))


@pytest.mark.parametrize("in_axes", [1, None, (1,), (None,)])
def test_check_07_keywords_are_mapped_over_axis_0(oracle, in_axes):
    oracle.compare(keywords, in_axes)


def sizes_given(J, size):
    return (
        J.vmap(lambda: 1.0, axis_size=size)(),
        J.vmap(lambda a: a, in_axes=None, axis_size=size)(_rows(2)),
    )


@pytest.mark.parametrize("size", [0, 1, 4])
def test_check_10_axis_size(oracle, size):
    oracle.compare(sizes_given, size)


def places_of_results(J, in_axis, out_axis):
    return J.vmap(lambda a: J.lax.neg(a), in_axes=in_axis, out_axes=out_axis)(
        _rows(2, 3, 4)
    )


@pytest.mark.parametrize("in_axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out_axis", [0, 1, 2, -1, -2, -3])
def test_check_17_18_axes_from_either_end(oracle, in_axis, out_axis):
    oracle.compare(places_of_results, in_axis, out_axis)


def nested(J):
    f = J.vmap(J.vmap(lambda a: J.lax.exp(a), out_axes=1), out_axes=2)
    return f(np.zeros((2, 3, 4), np.float32))


def test_check_83_nested(oracle):
    assert oracle.compare(nested).array[1] == (4, 3, 2)


def constants_out(J):
    return (
        J.vmap(lambda a: 3.0, out_axes=0)(_rows(2)),
        J.vmap(lambda a: (3.0, a), out_axes=(None, 0))(_rows(2)),
        J.vmap(lambda a: np.float64(2.0) * np.ones(2), out_axes=None)(_rows(2)),
        J.vmap(lambda a: None)(_rows(2)),
        J.vmap(lambda a: {"n": None, "x": a})(_rows(2)),
    )


def test_check_20_21_results_without_the_axis(oracle):
    oracle.compare(constants_out)


def summed(J):
    f = J.vmap(lambda a: (J.lax.neg(a), 3.0), out_axes=None, sum_match=True)
    return f(_rows(3, 2))


def test_check_22_sum_match(oracle):
    oracle.compare(summed)


def custom_node(J):
    class Pair:
        def __init__(self, a, b):
            if not hasattr(a, "shape"):
                raise TypeError("arrays only")
            self.a, self.b = a, b

    J.tree_util.register_pytree_node(
        Pair, lambda p: ((p.a, p.b), None), lambda _, c: Pair(*c)
    )
    out = J.vmap(lambda p: Pair(J.lax.mul(p.a, p.b), p.b))(
        Pair(_rows(2), _rows(2, 3)[:, 0])
    )
    return out.a, out.b


def test_check_81_nodes_that_check_their_children(oracle):
    oracle.compare(custom_node)


def jaxprs(J):
    x, y = _rows(2, 3), _rows(3)
    return [
        # jax shows the integers that its rules computed with as NumPy's.
        re.sub(r"np\.int64\((\d+)\)", r"\1", str(J.make_jaxpr(f)(*args)))
        for f, args in [
            (J.vmap(lambda a: a, in_axes=1, out_axes=1), (x,)),
            (J.vmap(lambda a, b: b, in_axes=(1, None), out_axes=1), (x, y)),
            (J.vmap(lambda a: J.lax.sin(a), in_axes=1, out_axes=1), (x,)),
            (J.vmap(lambda a: J.lax.sin(a), in_axes=1), (x,)),
            (J.vmap(J.jit(lambda a: J.lax.sin(a))), (x,)),
            (J.vmap(lambda a: 3.0), (x,)),
        ]
    ]


def test_check_33_34_jaxprs(oracle):
    oracle.compare(jaxprs)


def names_of_scopes(J):
    def f(x):
        with J.named_scope("inner"):
            return J.lax.sin(x)

    def outer(x):
        with J.named_scope("outer"):
            return J.vmap(J.vmap(f))(x)

    return J.make_jaxpr(outer)(_rows(2, 3)).pretty_print(name_stack=True)


def test_check_38_scopes(oracle):
    oracle.compare(names_of_scopes)


def inside_jit(J):
    @J.jit
    def f(a, b):
        return J.vmap(lambda x, y: (J.lax.dot(x, y), y), in_axes=(0, None))(a, b)

    return f(_rows(4, 3), _rows(3))


def test_under_jit(oracle):
    oracle.compare(inside_jit)


def jit_of_unmapped(J):
    f = J.jit(lambda a, b: (J.lax.exp(a), J.lax.neg(b)))
    return J.vmap(f, in_axes=(0, None), out_axes=(0, None))(_rows(3), _rows(2))


def test_check_73_a_jitted_function_leaves_the_unmapped_alone(oracle):
    oracle.compare(jit_of_unmapped)


# --- programs that raise ---


def wrong(J, case):
    lax, vmap, x, y = J.lax, J.vmap, _rows(2, 3), _rows(3)
    cases = {
        "float in_axes": lambda: vmap(lax.sin, in_axes=1.0),
        "str in_axes": lambda: vmap(lax.sin, in_axes="0"),
        "dict in_axes": lambda: vmap(lax.sin, in_axes={"a": 0}),
        "bool in_axes": lambda: vmap(lax.sin, in_axes=True),
        "numpy in_axes": lambda: vmap(lax.sin, in_axes=np.int32(0)),
        "float leaf": lambda: vmap(lax.sin, in_axes=(1.0,)),
        "float out_axes": lambda: vmap(lax.sin, out_axes=0.5),
        "no function": lambda: vmap(3),
        "generator": lambda: vmap(_generator),
        "too few in_axes": lambda: vmap(lambda a, b: a, in_axes=(0,))(x, x),
        "by keyword": lambda: vmap(lambda a, b: a, in_axes=(0, None))(x, b=x),
        "all None": lambda: vmap(lambda a: a, in_axes=None)(x),
        "no arguments": lambda: vmap(lambda: 1.0)(),
        "sizes": lambda: vmap(lambda a, b: a)(x, y),
        "size argument": lambda: vmap(lambda a: a, axis_size=5)(x),
        "scalar": lambda: vmap(lambda a: a)(1.0),
        "list of numbers": lambda: vmap(lambda a: a)([1.0, 2.0]),
        "axis 2": lambda: vmap(lambda a: a, in_axes=2)(x),
        "axis -3": lambda: vmap(lambda a: a, in_axes=-3)(x),
        "out axis 2": lambda: vmap(lambda a: a, out_axes=2)(x),
        "out axis -3": lambda: vmap(lambda a: a, out_axes=-3)(x),
        "mapped out None": lambda: vmap(lambda a: a, out_axes=None)(x),
        "named out None": lambda: vmap(lambda a: a, out_axes=None, axis_name="i")(x),
        "long out_axes": lambda: vmap(lambda a: a, out_axes=(0, 0))(x),
        "wrong key": lambda: vmap(lambda a: a, in_axes=({"b": 0},))({"a": x}),
        "str argument": lambda: vmap(lambda a: a)("abc"),
        "str result": lambda: vmap(lambda a: "abc")(x),
        "unmapped str result": lambda: vmap(lambda a: "abc", out_axes=None)(x),
        "bool of tracer": lambda: vmap(lambda a: 1 if lax.gt(a, 0.0) else 0)(y),
        "index by tracer": lambda: vmap(lambda a: [1, 2, 3][a])(np.arange(3)),
        "numpy of tracer": lambda: vmap(lambda a: np.sin(a))(y),
        "int of tracer": lambda: vmap(lambda a: int(a))(y),
        "item of tracer": lambda: vmap(lambda a: a.item())(y),
        "hash of tracer": lambda: vmap(lambda a: hash(a))(y),
        "unbound name": lambda: vmap(lambda a: lax.psum(a, "j"), axis_name="i")(y),
    }
    return cases[case]()


def _generator(x):
    yield x


_WRONG = """float in_axes/str in_axes/dict in_axes/bool in_axes/numpy in_axes/float leaf
float out_axes/no function/generator/too few in_axes/by keyword/all None/no arguments
sizes/size argument/scalar/list of numbers/axis 2/axis -3/out axis 2/out axis -3
mapped out None/named out None/long out_axes/wrong key/str argument/str result
unmapped str result/bool of tracer/index by tracer/numpy of tracer/int of tracer
item of tracer/hash of tracer/unbound name"""


@pytest.mark.parametrize("case", re.split("[/\n]", _WRONG))
def test_checks_01_to_31_wrong_uses(oracle, case):
    oracle.compare(wrong, case, raises=True)


def leaked(J):
    kept = []
    J.vmap(lambda a: kept.append(a))(_rows(2))
    return J.lax.sin(kept[0])


def test_check_32_a_leaked_tracer(oracle):
    oracle.compare(leaked, raises=True)


# --- ours alone ---


@pytest.fixture(scope="module")
def vmap():
    from minijax.transforms import vmap

    return vmap


def _message(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_check_05_the_keywords_are_named(vmap):
    text = _message(
        ValueError,
        lambda: vmap(lambda a, b: a, in_axes=(0, None))(_rows(2), b=_rows(2)),
    )
    assert "2 entries for 1 positional" in text
    assert "'b'" in text and "axis 0" in text and "partial" in text


def test_check_11_12_the_size_report_counts_and_names(vmap):
    two, three = _rows(2, 3), _rows(3)
    text = _message(
        ValueError, lambda: vmap(lambda a, b, c, d: a)(two, two, three, two)
    )
    assert "size 2: most axes (3), e.g. axis 0 of a of type float32[2,3]" in text
    assert "size 3: one axis, axis 0 of c of type float32[3]" in text
    assert text.index("size 2") < text.index("size 3")


def test_check_13_14_leaves_and_keywords_are_named(vmap):
    text = _message(
        ValueError,
        lambda: vmap(lambda d, *args, **kw: d)(
            {"a": _rows(2), "b": _rows(3)}, _rows(2), z=_rows(4), y=_rows(2)
        ),
    )
    assert "axis 0 of d['b'] of type float32[3]" in text
    assert "axis 0 of kwargs['z'] of type float32[4]" in text


def test_check_15_the_axis_size_argument_is_named(vmap):
    text = _message(ValueError, lambda: vmap(lambda a: a, axis_size=5)(_rows(2)))
    assert "axis_size argument was 5" in text
    assert "size 2: one axis" in text


@pytest.mark.parametrize(
    "axis, value, rank", [(0, 1.0, 1), (2, _rows(2, 3), 3), (-3, _rows(2, 3), 3)]
)
def test_check_16_the_rank_that_is_needed(vmap, axis, value, rank):
    text = _message(ValueError, lambda: vmap(lambda arg: arg, in_axes=axis)(value))
    assert f"maps arg over axis {axis}" in text
    assert f"at least {rank}" in text
    assert f"Found rank {np.ndim(value)}, shape {np.shape(value)}" in text


def test_check_19_the_path_in_out_axes(vmap):
    def call(name):
        f = vmap(lambda a: {"m": [a, a]}, out_axes={"m": [0, None]}, axis_name=name)
        return f(_rows(2))

    assert "vmap out_axes['m'][1] is None" in _message(ValueError, lambda: call(None))
    assert "axis 'i'" in _message(ValueError, lambda: call("i"))
    text = _message(ValueError, lambda: vmap(lambda a: [a], out_axes=None)(_rows(2)))
    assert "vmap out_axes is None" in text


def test_check_18_the_out_axis_and_the_rank(vmap):
    text = _message(ValueError, lambda: vmap(lambda a: a, out_axes=2)(_rows(2, 3)))
    assert "vmap out_axes 2 is asked of an array of 2 dimensions" in text


def test_check_23_24_prefixes(vmap):
    text = _message(
        ValueError, lambda: vmap(lambda a: a, in_axes=({"b": 0},))({"a": _rows(2)})
    )
    assert "vmap in_axes[0]" in text and "['a']" in text and "['b']" in text
    assert "kwargs" not in text
    text = _message(ValueError, lambda: vmap(lambda a: a, out_axes=(0, 0))(_rows(2)))
    assert "vmap out_axes" in text


def test_check_25_26_values_that_are_no_arrays(vmap):
    text = _message(TypeError, lambda: vmap(lambda a: a)({"k": "abc"}))
    assert "a['k']" in text and "'abc'" in text and "str" in text
    text = _message(TypeError, lambda: vmap(lambda a: [a, "abc"])(_rows(2)))
    assert "[1]" in text and "'abc'" in text


def test_check_25_an_unmapped_argument_is_passed_as_it_is(vmap):
    thing, seen = object(), []

    def f(a, b):
        seen.append(b)
        return a

    vmap(f, in_axes=(0, None))(_rows(2), thing)
    vmap(f, in_axes=(0, None))(_rows(2), 3)
    assert seen[0] is thing
    assert type(seen[1]) is int


def test_check_29_the_tracer_shows_both_types(vmap):
    shown = []
    vmap(lambda a: shown.append((repr(a), a.shape)))(_rows(3, 2))
    vmap(vmap(lambda a: shown.append((repr(a), a.shape)), in_axes=1))(_rows(4, 3, 2))
    assert shown[0] == ("VmapTracer(aval=float32[2], batched=float32[3,2])", (2,))
    assert shown[1] == ("VmapTracer(aval=float32[3], batched=float32[3,2])", (3,))


def test_the_wrapper_is_like_the_function(vmap):
    def f(x):
        """What f does."""
        return x

    g = vmap(f)
    assert (g.__name__, g.__module__) == ("f", __name__)
    assert g.__wrapped__ is f
    assert "What f does." in g.__doc__
    assert "`f` mapped" in g.__doc__


def test_values_without_the_axis_are_computed_once(vmap):
    from minijax import lax

    seen = []

    def f(x, w):
        seen.append(lax.sin(w))
        return lax.mul(x, seen[-1])

    vmap(f, in_axes=(0, None))(_rows(3), np.float32(0.5))
    np.testing.assert_allclose(np.asarray(seen[0]), np.sin(np.float32(0.5)), rtol=1e-6)


def test_the_trace_ends_with_an_exception_too(vmap):
    from minijax.core import at_top_level, axis_names, current_scope

    def f(x):
        assert axis_names() == ("i",)
        raise KeyError("inside")

    with pytest.raises(KeyError):
        vmap(f, axis_name="i")(_rows(2))
    assert at_top_level()
    assert axis_names() == ()
    assert current_scope() == ()


def test_threads_do_not_meet(vmap):
    from minijax import lax

    found = {}

    def work(i):
        for _ in range(20):
            found[i] = np.asarray(vmap(lambda x: lax.mul(x, x))(_rows(3) + i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        np.testing.assert_array_equal(found[i], (_rows(3) + i) ** 2)


def test_a_leak_is_found_when_asked_for(vmap):
    from minijax.base import flags
    from minijax.base.errors import LeakedTracersError

    kept = []
    with flags.check_tracer_leaks(True):
        vmap(lambda a: a)(_rows(2))
        with pytest.raises(LeakedTracersError, match="index 0") as caught:
            vmap(lambda a: kept.append(a))(_rows(2))
    assert "vmap" in str(caught.value)
    assert __file__ in str(caught.value)
