"""What all of control flow shares: see also the files in `control_flow/`."""

import numpy as np
import pytest

F32 = np.float32


def test_a_long_body_is_not_worked_on_again_for_each_order():
    """Programs derived from a body are kept, so a repeated derivative is cheap."""
    import minijax as mj
    from minijax.interpreters.ad import programs

    def body(c, x):
        for _ in range(50):
            c = mj.lax.sin(c) * x
        return c, c

    f = lambda c, xs: mj.lax.scan(body, c, xs)[0]  # noqa: E731
    mj.make_jaxpr(mj.grad(f))(F32(1), np.ones(3, F32))
    before = programs.linearize_jaxpr.cache_info().misses
    mj.make_jaxpr(mj.grad(f))(F32(1), np.ones(3, F32))
    mj.make_jaxpr(mj.grad(lambda c, xs: 2.0 * f(c, xs)))(F32(1), np.ones(3, F32))
    assert programs.linearize_jaxpr.cache_info().misses == before


def test_scalars_are_literals_and_arrays_are_operands():
    """Check 82."""
    import minijax as mj

    zero_d = mj.device_put(F32(2))
    jaxpr = mj.make_jaxpr(
        lambda c: mj.lax.scan(
            lambda c, _: (c * zero_d + F32(3) + 4.0, None), c, None, 2
        )[0]
    )(F32(1))
    (eqn,) = jaxpr.eqns
    assert eqn.params["num_consts"] == 1 and jaxpr.consts[0] is zero_d
    assert "3.0:f32[]" in str(eqn.params["jaxpr"])
    assert "4.0:f32[]" in str(eqn.params["jaxpr"])


@pytest.mark.parametrize("wrong", ["operand", "carry", "index"])
def test_a_wrong_program_is_found_out(wrong):
    """The checking rules see what types alone do not tell."""
    import minijax as mj

    if wrong == "index":
        jaxpr = mj.make_jaxpr(
            lambda p, x: mj.lax.cond(p, lambda x: x, lambda x: -x, x)
        )(True, F32(1))
        eqn = jaxpr.eqns[-1].replace(invars=[jaxpr.invars[0], jaxpr.invars[1]])
        broken = jaxpr.replace(eqns=[*jaxpr.eqns[:-1], eqn])
    else:
        jaxpr = mj.make_jaxpr(
            lambda c, xs: mj.lax.scan(lambda c, x: (c + x, None), c, xs)[0]
        )(F32(1), np.ones(3, F32))
        (eqn,) = jaxpr.eqns
        body = eqn.params["jaxpr"]
        if wrong == "operand":
            eqn = eqn.replace(params={**eqn.params, "length": 4})
        else:
            wide = mj.make_jaxpr(lambda c, x: mj.lax.broadcast(c + x, (2,)))(
                F32(1), F32(1)
            )
            eqn = eqn.replace(params={**eqn.params, "jaxpr": wide})
            eqn.outvars[0] = type(eqn.outvars[0])(wide.out_avals[0])
            del body
        broken = jaxpr.replace(eqns=[eqn], outvars=list(eqn.outvars))
    with pytest.raises(TypeError):
        mj.core.check_jaxpr(broken)


def test_a_function_that_closes_over_another_value_is_traced_anew():
    """jax keeps the first program, so its second result is that of the first value."""
    import minijax as mj

    def f(x):
        y = x

        def step(c, _):
            return c + y, None

        first, _ = mj.lax.scan(step, 0.0, None, length=2)
        y = y * 10.0
        second, _ = mj.lax.scan(step, 0.0, None, length=2)
        again = mj.lax.cond(x > 0, lambda: step(0.0, None)[0], lambda: 0.0)
        return first, second, again

    for g in (f, mj.jit(f)):
        np.testing.assert_allclose(g(1.0), [2.0, 20.0, 10.0])
    np.testing.assert_allclose(mj.jit(mj.grad(lambda x: f(x)[1]))(1.0), 20.0)


def test_check_86_locations_say_where_in_a_loop_or_branch():
    import minijax as mj

    def f(n, x):
        looped = mj.lax.while_loop(lambda c: c < n, lambda c: mj.lax.exp(c), x)
        chosen = mj.lax.cond(x > 0, mj.lax.sin, mj.lax.cos, x)
        last, _ = mj.lax.scan(lambda c, y: (mj.lax.tanh(c), y * 2), x, np.ones(3, F32))
        kept = mj.checkpoint(mj.lax.log)(x)
        return looped + chosen + last + kept

    plain = mj.jit(f).lower(F32(3), F32(1)).as_text(debug_info=True)
    for name in (
        *("while/cond/lt", "while/body/exp", "cond/branch_0_fun/cos"),
        *("cond/branch_1_fun/sin", "while/body/tanh", "checkpoint/log"),
    ):
        assert f'"jit(f)/{name}"' in plain
    loop = lambda n: mj.lax.while_loop(lambda c: c < n, lambda c: c + 1.0, F32(0))  # noqa: E731
    mapped = mj.jit(mj.vmap(loop)).lower(np.ones(2, F32)).as_text(debug_info=True)
    assert "vmap()/while/body_pred/lt" in mapped
