import gc
import weakref

import numpy as np
import pytest

from minijax import lax, tree
from minijax.core import ShapedArray
from minijax.lax import Inline
from minijax.runtime import caches, default_placement
from minijax.sharding import UNSPECIFIED
from minijax.transforms.call_keys import flatten_call
from minijax.transforms.parameters import (
    ANYWHERE,
    JitOptions,
    Prefix,
    infer_parameters,
    parameter_keys,
    without_constants,
)
from minijax.transforms.signatures import choose

F32 = ShapedArray((3,), np.float32)


def f(b, a):
    return lax.sub(b, a)


def options(fun=f, **changes):
    return JitOptions(
        choose(fun, donate_argnums=0),
        keep_unused=False,
        inline=Inline.AUTO,
        device=None,
        backend=None,
        in_shardings=ANYWHERE,
        out_shardings=ANYWHERE,
        compiler_options=(),
    )._replace(**changes)


def parameters(fun, opts, *args, **kwargs):
    key, avals = flatten_call(fun, args, kwargs)
    return infer_parameters(fun, opts, key, tuple(avals))


def test_equal_options_are_one_entry():
    one = parameters(f, options(), F32, F32)
    hits = caches().parameters.hits
    assert parameters(f, options(), F32, F32) is one
    assert caches().parameters.hits == hits + 1
    other = parameters(f, options(keep_unused=True), F32, F32)
    assert other.jaxpr is one.jaxpr
    assert other.params["keep_unused"]
    assert len(parameter_keys(f)) >= 2


def test_what_an_equation_needs():
    found = parameters(f, options(), F32, F32)
    assert found.donated == (True, False)
    assert found.out_tree == tree.structure(0)
    assert found.leading == ()
    assert found.wanted == ()
    assert found.params["name"] == "f"
    assert found.params["donated_invars"] == (True, False)
    assert found.params["in_shardings"] == (UNSPECIFIED, UNSPECIFIED)
    assert len(found.params["out_layouts"]) == 1


def test_keyword_arguments_keep_their_order_in_the_program():
    by_name = parameters(f, options(), a=F32, b=ShapedArray((), np.float32))
    assert by_name.jaxpr.in_avals == [F32, ShapedArray((), np.float32)]
    assert by_name.jaxpr.debug_info.arg_names == ("a", "b")
    assert by_name.donated == (False, True)


def test_prefixes():
    here = default_placement()
    given = Prefix.of({"a": here, "b": None}, "in_shardings")
    assert given.value == {"a": here, "b": None}
    assert hash(given) == hash(Prefix.of({"a": here, "b": None}, "in_shardings"))
    assert not given.is_trivial
    assert ANYWHERE.is_trivial
    with pytest.raises(TypeError, match="out_shardings"):
        Prefix.of([3], "out_shardings")


def test_constants_become_inputs():
    def g(x):
        return lax.add(x, np.arange(3, dtype=np.float32))

    jaxpr = parameters(g, options(g), F32).jaxpr
    opened = without_constants(jaxpr)
    assert (len(jaxpr.consts), len(opened.consts)) == (1, 0)
    assert opened.in_avals == [F32, F32]
    assert opened.debug_info.arg_names == ("", "x")


def test_an_entry_goes_with_its_function():
    def g(x):
        return lax.sin(x)

    dead = weakref.ref(parameters(g, options(g), F32).jaxpr)
    del g
    gc.collect()
    assert dead() is None
