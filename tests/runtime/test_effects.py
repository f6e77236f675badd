import gc

import numpy as np
import pytest

from minijax import lax, lowering
from minijax.core import Effect, Primitive
from minijax.runtime import effects_barrier, put
from minijax.transforms import jit
from tests.runtime.processes import run

said = []


class Spoken(Effect):
    def __init__(self, *, ordered):
        self.ordered = ordered


def speaking(name, effect):
    """A primitive that says its operand when it is run."""
    primitive = Primitive(name, multiple_results=True)
    primitive.def_abstract_eval(lambda x: [])
    primitive.effects = lambda x: frozenset([effect])

    def lower(ctx, x):
        def say(value):
            said.append((name, float(value)))
            return ()

        token = effect if effect.ordered else None
        options = {"has_side_effect": True, "effect": token}
        lowering.host_callback(ctx, say, [x], ctx.avals_in, [], **options)
        return []

    lowering.lower_rules.define(primitive, lower)
    return primitive


say_p = speaking("say", Spoken(ordered=True))
mumble_p = speaking("mumble", Spoken(ordered=False))


@pytest.fixture(autouse=True)
def silence():
    said.clear()


def test_check_24_ordered_effects_happen_in_the_order_of_calls():
    f = jit(lambda x: (say_p.bind(x), say_p.bind(lax.mul(x, 2.0)), lax.sin(x))[2])
    misses = f.cache_info().misses
    for i in range(20):
        f(float(i))
    effects_barrier()
    assert said == [("say", v) for i in range(20) for v in (i, 2 * i)]
    assert f.cache_info().misses == misses + 20  # python each time


def test_effects_without_an_order_happen_once_each():
    f = jit(lambda x: (mumble_p.bind(x), lax.sin(x))[1])
    for i in range(300):
        f(float(i))
    effects_barrier()
    assert sorted(said) == [("mumble", float(i)) for i in range(300)]


def test_single_operations_have_effects_too():
    assert say_p.bind(put(1.5)) == []
    mumble_p.bind(put(np.float32(2)))
    effects_barrier()
    assert sorted(said) == [("mumble", 2.0), ("say", 1.5)]


def test_a_program_without_effects_stays_in_cpp():
    ask_p = Primitive("ask")
    ask_p.def_abstract_eval(lambda x: x)

    def lower(ctx, x):
        def double(value):
            return (np.asarray(value) * 2,)

        avals = ctx.avals_in, ctx.avals_out
        return lowering.host_callback(ctx, double, [x], *avals, has_side_effect=False)

    lowering.lower_rules.define(ask_p, lower)
    f = jit(lambda x: ask_p.bind(x))
    assert [float(f(v)) for v in (1.0, 2.0, 3.0)] == [2, 4, 6]
    assert f.cache_info().misses == 1
    # The callable belongs to the program, not to equal ones.
    gc.collect()
    g = jit(lambda x: ask_p.bind(x))
    assert float(g(4.0)) == 8


def test_effects_are_waited_for_at_exit():
    out = run(
        """
        import time
        from tests.runtime.test_effects import say_p, said
        from minijax import lax
        from minijax.transforms import jit
        import atexit
        f = jit(lambda x: (say_p.bind(x), lax.sin(x))[1])
        for i in range(3):
            f(float(i))
        print(len(said) <= 3)
        """
    )
    assert out == "True\n"
