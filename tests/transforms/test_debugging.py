import pytest

import minijax as mj
from minijax.interpreters.partial_eval import dce_jaxpr
from tests.transforms import callback_programs as programs


def test_check_39_the_effect_of_a_print(oracle):
    oracle.compare(programs.print_text, False)
    oracle.compare(programs.print_text, True)
    jaxpr = mj.make_jaxpr(lambda x: mj.debug.print("{}", x))(1.0)
    (effect,) = jaxpr.effects
    assert isinstance(effect, mj.debug.DebugEffect) and not effect.ordered
    assert jaxpr.pretty_print(print_effects=True).endswith("in () : { Debug } }")
    assert str(jaxpr).endswith("in () }")


def test_check_34_a_print_stays_though_nobody_reads_it():
    def f(x, y):
        z = mj.lax.sin(x)
        mj.debug.print("{}", z)
        return mj.lax.cos(x), y

    jaxpr = mj.make_jaxpr(f)(1.0, 2.0)
    small, used = dce_jaxpr(jaxpr, [False, False])
    assert [eqn.primitive.name for eqn in small.eqns] == ["sin", "debug_print"]
    assert used == [True, False]


def test_formats(oracle):
    oracle.compare(programs.prints)


@pytest.mark.parametrize("case", programs.TRANSFORMED)
def test_check_80_transformed(oracle, case):
    oracle.compare(programs.print_transformed, case)


@pytest.mark.parametrize("case", programs.FORMATS)
def test_wrong_formats(oracle, case):
    oracle.compare(programs.formats, case, raises=True)


def test_doubled_braces_beside_an_argument(capsys):
    mj.debug.print("a {{}} {}", 1)
    assert capsys.readouterr().out == "a {} 1\n"


def test_callback(oracle):
    oracle.compare(programs.callbacks)
    oracle.compare(programs.failing_callback, raises=True)
    with pytest.raises(TypeError, match="takes a function"):
        mj.debug.callback(3)


def test_a_print_is_not_recomputed(capsys):
    def f(x):
        mj.debug.print("x {}", x)
        return mj.lax.sin(x)

    mj.grad(mj.checkpoint(f))(1.0)
    mj.effects_barrier()
    assert capsys.readouterr().out == "x 1.0\n"
