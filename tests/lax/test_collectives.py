import numpy as np
import pytest

import minijax as mj
from minijax import lax
from minijax.base.errors import UnboundAxisNameError
from minijax.core import NamedAxisEffect
from tests.lax import collective_programs as programs


@pytest.mark.parametrize("name", programs.NAMES)
def test_text_is_that_of_jax(oracle, name):
    oracle.compare(programs.text, name)


@pytest.mark.parametrize("name", programs.NAMES)
def test_values_along_a_mapped_axis(oracle, name):
    oracle.compare(programs.mapped, name, 0)
    oracle.compare(programs.mapped, name, -1)


# jax 0.12 loses count of the axes in these; test_exchanges.py has them.
WRONG_ELSEWHERE = {"psum_scatter"}
WRONG_IF_NOT_MAPPED = {"pswapaxes", *(n for n in programs.NAMES if "all_to_all" in n)}


@pytest.mark.parametrize(
    "name", [n for n in programs.NAMES if n not in WRONG_ELSEWHERE]
)
def test_another_mapped_axis_stays_apart(oracle, name):
    oracle.compare(programs.mapped_elsewhere, name)


@pytest.mark.parametrize(
    "name", [n for n in programs.NAMES if n not in WRONG_IF_NOT_MAPPED]
)
def test_an_operand_that_is_the_same_for_all(oracle, name):
    oracle.compare(programs.not_mapped, name)


@pytest.mark.parametrize("name", programs.SMOOTH)
def test_check_59_derivatives(oracle, name):
    oracle.compare(programs.derivatives, name)


def test_check_31_axis_env_binds_names_for_tracing():
    jaxpr = mj.make_jaxpr(lambda x: lax.psum(x, "i"), axis_env=[("i", 4)])(1.0)
    assert jaxpr.eqns[0].params == {"axes": ("i",), "axis_index_groups": None}
    assert jaxpr.effects == {NamedAxisEffect("i")}
    assert "NamedAxisEffect(name='i')" in jaxpr.pretty_print(print_effects=True)
    with pytest.raises(UnboundAxisNameError, match="'i'"):
        mj.make_jaxpr(lambda x: lax.psum(x, "i"))(1.0)


def test_check_49_constants_are_folded(oracle):
    oracle.compare(programs.folded)


def test_check_49_a_result_without_the_axis():
    x = np.arange(3.0, dtype=np.float32)
    total = mj.vmap(lambda x: lax.psum(x, "i"), axis_name="i", out_axes=None)(x)
    assert float(total) == 3.0
    assert (
        type(mj.vmap(lambda x: lax.psum(1, "i"), axis_name="i", out_axes=None)(x))
        is int
    )


def test_check_50_56_several_names(oracle):
    oracle.compare(programs.two_names)


@pytest.mark.parametrize("case", programs.UNBOUND)
def test_check_57_an_unknown_name(oracle, case):
    oracle.compare(programs.refused, case, raises=True)
    with pytest.raises(UnboundAxisNameError):
        programs.refused(mj, case)


@pytest.mark.parametrize("case", programs.REFUSED)
def test_check_57_what_does_not_fit(oracle, case):
    oracle.compare(programs.refused, case, raises=True)


def test_check_58_87_which_axis_a_name_means(oracle):
    oracle.compare(programs.shadowed)


def test_check_69_84_names_inside_programs(oracle):
    oracle.compare(programs.inside_programs)


@pytest.mark.parametrize("program", [programs.outside, programs.replayed_outside])
def test_outside_of_any_axis(oracle, program):
    oracle.compare(program, raises=True)


def test_no_program_is_lowered_with_a_name_left():
    jaxpr = mj.make_jaxpr(lambda x: lax.pmax(x, "i"), axis_env=[("i", 4)])(1.0)
    with pytest.raises(UnboundAxisNameError, match="'i'"):
        mj.jit(lambda x: mj.core.eval_jaxpr(jaxpr, (), x)).lower(1.0)


def test_positions_are_axes_of_the_operand():
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    assert mj.jit(lambda x: lax.psum(x, 0))(x).tolist() == [3.0, 5.0, 7.0]
    slope = mj.grad(lambda x: lax.psum(x, 1)[0] * 2)(x)
    assert slope.tolist() == [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    mapped = mj.vmap(lambda x: lax.pmin(x, (0, "i")), axis_name="i", out_axes=None)
    assert float(mapped(x)) == 0.0
