"""Effects inside loops and branches, with a primitive that has an ordered one."""

import functools

import numpy as np
import pytest

F32 = np.float32


DEFINED = []


def teardown_module():
    """Takes the primitives out of the tables: other tests read these as a whole."""
    from minijax.interpreters import ad, batching
    from minijax.lowering import lower_rules

    tables = ad.jvp_rules, ad.transpose_rules, batching.batch_rules, lower_rules
    for primitive in DEFINED:
        for table in tables:
            del table[primitive]
    DEFINED.clear()
    noting.cache_clear()


@functools.cache
def noting():
    """A primitive that notes its operand in a list, in program order; and the list."""
    from minijax import lowering
    from minijax.core import Effect, Primitive
    from minijax.interpreters import ad
    from minijax.lax import define

    class Note(Effect):
        ordered = True
        in_mapped_control_flow = False
        in_checkpoint = False

        def __repr__(self):
            return "Note"

    effects = frozenset([Note()])
    seen = []
    note_p = Primitive("note")
    DEFINED.append(note_p)

    def callback(x):
        seen.append(float(x))
        return (np.asarray(x),)

    def lower(ctx, x):
        (effect,) = effects
        avals = ctx.avals_in, ctx.avals_out
        return lowering.host_callback(
            ctx, callback, [x], *avals, has_side_effect=True, effect=effect
        )

    def batch(operands, axes):
        raise AssertionError("the loop around must refuse first")

    define(
        note_p,
        abstract_eval=lambda x: x,
        effects=lambda x: effects,
        jvp=ad.ZERO(note_p),
        transpose=lambda y_bar, x: [None],
        batch=batch,
        lower=lower,
    )
    return note_p.bind, seen


def run(f, *args):
    import minijax as mj

    _, seen = noting()
    seen.clear()
    out = mj.jit(f)(*args)
    mj.block_until_ready(out)
    mj.effects_barrier()
    return list(seen), out


@pytest.mark.parametrize("pred", [True, False])
def test_check_23_a_branch_with_an_ordered_effect(pred):
    import minijax as mj

    note, _ = noting()

    def f(p, x):
        x = note(x)
        y = mj.lax.cond(p, lambda x: note(x + 1.0), lambda x: x, x)
        return note(y * 10.0)

    seen, _ = run(f, pred, F32(1))
    assert seen == ([1.0, 2.0, 20.0] if pred else [1.0, 10.0])
    shown = mj.jit(f).lower(True, F32(1)).as_text()
    case = next(line for line in shown.splitlines() if "stablehlo.case" in line)
    end = next(
        line
        for line in shown.splitlines()
        if line.strip().startswith("}) : (tensor<i32>)")
    )
    assert case and "-> (!stablehlo.token, tensor<f32>)" in end


def test_check_59_a_scan_with_an_ordered_effect():
    import minijax as mj

    note, _ = noting()

    def f(xs, reverse, unroll):
        step = lambda c, x: (c + note(x), c)  # noqa: E731
        return mj.lax.scan(step, F32(0), xs, reverse=reverse, unroll=unroll)

    xs = np.arange(5.0, dtype=F32)
    for unroll in (1, 2, 0, 7):
        for reverse in (False, True):
            g = functools.partial(f, reverse=reverse, unroll=unroll)
            seen, (last, _) = run(g, xs)
            assert seen == sorted(xs.tolist(), reverse=reverse)
            assert float(last) == 10.0


def test_check_34_a_while_with_ordered_effects_in_predicate_and_body():
    import minijax as mj

    note, _ = noting()

    def f(x):
        body = lambda c: note(c + 0.5) + 0.5  # noqa: E731
        return mj.lax.while_loop(lambda c: note(c) < 2.0, body, x)

    seen, last = run(f, F32(0))
    assert seen == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert float(last) == 2.0
    only_body, _ = run(
        lambda x: mj.lax.while_loop(lambda c: c < 2.0, lambda c: note(c) + 1.0, x),
        F32(0),
    )
    assert only_body == [0.0, 1.0]


def test_effects_keep_their_loops():
    import minijax as mj
    from minijax.interpreters import partial_eval as pe

    note, _ = noting()

    def f(c, xs):
        return mj.lax.scan(lambda c, x: (c + 1.0, note(x)), c, xs)

    jaxpr = mj.make_jaxpr(f)(F32(0), np.ones(3, F32))
    assert jaxpr.effects
    small, used = pe.dce_jaxpr(jaxpr, [False, False])
    assert used == [False, True]
    assert len(small.eqns) == 1 and small.eqns[0].params["num_carry"] == 0
    mj.core.check_jaxpr(small)


def test_effects_happen_once_in_each_step_when_differentiated():
    import minijax as mj

    note, _ = noting()

    def f(x):
        def step(c, _):
            note(F32(7))  # reads nothing that changes, but is no invariant
            return mj.lax.sin(c) * x, None

        return mj.lax.scan(step, x, None, length=3)[0]

    seen, _ = run(mj.grad(f), F32(1))
    assert seen == [7.0] * 3


@pytest.mark.parametrize("kind", ["cond", "choice", "while", "checkpoint"])
def test_check_77_effects_where_they_cannot_be(kind):
    import minijax as mj

    note, _ = noting()
    x = np.ones(2, F32)
    programs = {
        "cond": lambda: mj.vmap(lambda x: mj.lax.cond(True, note, lambda x: x, x))(x),
        "choice": lambda: mj.vmap(lambda x: mj.lax.cond(x > 0, note, lambda x: x, x))(
            x
        ),
        "while": lambda: mj.vmap(
            lambda x: mj.lax.while_loop(lambda c: c < 2.0, lambda c: note(c) + 1.0, x)
        )(x),
        "checkpoint": lambda: mj.grad(mj.checkpoint(lambda x: mj.lax.sin(x) * note(x)))(
            1.0
        ),
    }
    with pytest.raises(NotImplementedError, match="Note"):
        programs[kind]()


def test_effects_that_may_not_be_repeated():
    import minijax as mj
    from minijax.core import Effect, Primitive
    from minijax.interpreters import ad
    from minijax.lax import define

    class Once(Effect):
        in_control_flow = False

        def __repr__(self):
            return "Once"

    once_p = Primitive("once")
    DEFINED.append(once_p)
    effects = frozenset([Once()])
    define(
        once_p,
        abstract_eval=lambda x: x,
        effects=lambda x: effects,
        jvp=ad.ZERO(once_p),
        transpose=lambda y_bar, x: [None],
        batch=lambda operands, axes: (operands[0], axes[0]),
        lower=lambda ctx, x: [x],
    )
    once = once_p.bind
    for f in (
        lambda x: mj.lax.scan(lambda c, _: (once(c), None), x, None, length=2),
        lambda x: mj.lax.while_loop(lambda c: c < 1.0, once, x),
        lambda x: mj.lax.cond(x > 0, once, lambda x: x, x),
    ):
        with pytest.raises(NotImplementedError, match="Once"):
            mj.jit(f)(1.0)
