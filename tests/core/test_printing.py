"""Jaxprs as text. The expected texts are what jax prints for the same programs."""

import re
import time

import numpy as np
import pytest

from minijax.core import (
    NamedAxisEffect,
    Primitive,
    WholeEquation,
    hiding,
    hiding_unset,
    named_scope,
    printing_rules,
)
from minijax.core.printing import pp
from tests.core import printing_programs as programs
from tests.core.toys import add, call, cos, f32, mul, neg, sin, sub, trace


def _chain(length: int):
    def chain(x):
        for _ in range(length):
            x = sin(x)
        return x

    return trace(chain, f32(3))


_SQUARE = trace(lambda v: mul(v, v), f32(2))
_INNER = trace(lambda v: sin(v), f32(3))


# --- check 21: the layout ---

_SHARED = """\
let sq = { lambda ; a:f32[2]. let b:f32[2] = mul a a in (b,) } in
{ lambda ; c:f32[2]. let
    d:f32[2] = jit[name=sq jaxpr=sq] c
    e:f32[2] = jit[name=sq jaxpr=sq] d
    f:f32[2] = sub e 1.0:f32[]
  in (f,) }"""

_NESTED = """\
{ lambda ; a:f32[2]. let
    b:f32[2] = jit[
      name=sq
      jaxpr={ lambda ; a:f32[2]. let b:f32[2] = mul a a in (b,) }
    ] a
    c:f32[2] = sub b 1.0:f32[]
  in (c,) }"""


def test_check_21_a_program_used_twice_is_printed_ahead():
    def program(v):
        return sub(*call("sq", _SQUARE, *call("sq", _SQUARE, v)), 1.0)

    assert str(trace(program, f32(2))) == _SHARED


def test_check_21_a_program_used_once_shares_the_names_around_it():
    program = trace(lambda v: sub(*call("sq", _SQUARE, v), 1.0), f32(2))
    assert str(program) == repr(program) == _NESTED


@pytest.mark.parametrize("length, ahead", [(10, False), (11, True)])
def test_check_21_a_nested_program_of_eleven_equations_is_printed_ahead(length, ahead):
    text = str(trace(lambda v: call("long", _chain(length), v), f32(3)))
    assert text.startswith("let long = { lambda ; a:f32[3]. let\n") is ahead
    assert ("jit[name=long jaxpr=long] m in (n,)" in text) is ahead


_DEEP = """\
let deep = { lambda ; a:f32[3]. let
    b:f32[3] = jit[name=<lambda> jaxpr=lambda] a
    c:f32[3] = jit[name=<lambda> jaxpr=lambda] b
  in (c,) } in
let lambda = { lambda ; d:f32[3]. let
    e:f32[3] = jit[name=<lambda> jaxpr=lambda1] d
  in (e,) } in
let lambda1 = { lambda ; f:f32[3]. let g:f32[3] = sin f in (g,) } in
{ lambda ; h:f32[3]. let
    i:f32[3] = jit[name=deep jaxpr=deep] h
    j:f32[3] = jit[name=deep jaxpr=deep] i
    k:f32[3] = jit[
      name=<lambda>
      jaxpr={ lambda ; j:f32[3]. let
          l:f32[3] = jit[name=<lambda> jaxpr=lambda1] j
          k:f32[3] = cos l
        in (k,) }
    ] j
  in (k,) }"""


def test_check_21_what_a_repeated_program_holds_is_printed_ahead_too():
    once = trace(lambda v: call("<lambda>", _INNER, v), f32(3))
    cosine = trace(lambda v: cos(*call("<lambda>", _INNER, v)), f32(3))
    deep = trace(lambda v: call("<lambda>", once, *call("<lambda>", once, v)), f32(3))

    def program(a):
        return call("<lambda>", cosine, *call("deep", deep, *call("deep", deep, a)))

    assert str(trace(program, f32(3))) == _DEEP


def test_programs_are_printed_ahead_in_the_order_of_discovery():
    r = trace(sin, f32(3))
    p = trace(lambda v: call("r", r, *call("r", r, v)), f32(3))
    q = trace(cos, f32(3))

    def program(a):
        return call("q", q, *call("p", p, *call("q", q, *call("p", p, a))))

    lines = str(trace(program, f32(3))).splitlines()
    names = [line.split()[1] for line in lines if line.startswith("let ")]
    assert names == ["p", "q", "r"]


def test_a_variable_never_has_the_name_of_a_program():
    b = trace(sin, f32(3))
    text = str(trace(lambda x: call("b", b, *call("b", b, x)), f32(3)))
    assert text == (
        "let b = { lambda ; a:f32[3]. let c:f32[3] = sin a in (c,) } in\n"
        "{ lambda ; d:f32[3]. let\n"
        "    e:f32[3] = jit[name=b jaxpr=b] d\n"
        "    f:f32[3] = jit[name=b jaxpr=b] e\n"
        "  in (f,) }"
    )


def test_equal_names_of_programs_get_numbers():
    s, c, t = trace(sin, f32()), trace(cos, f32()), trace(neg, f32())

    def program(a):
        for name, jaxpr in (("f", s), ("f1", t), ("<f>", c)):
            (a,) = call(name, jaxpr, *call(name, jaxpr, a))
        return a

    text = str(trace(program, f32()))
    assert [line.split()[1] for line in text.splitlines() if " = {" in line] == [
        "f",
        "f1",
        "f2",
    ]
    assert "jit[name=<f> jaxpr=f2]" in text


_MANY = """\
{ lambda ; a:f32[3] b:f32[3] c:f32[3] d:f32[3] e:f32[3] f:f32[3] g:f32[3] h:f32[3]
    i:f32[3] j:f32[3] k:f32[3] l:f32[3] m:f32[3] n:f32[3] o:f32[3] p:f32[3] q:f32[3]
    r:f32[3] s:f32[3] t:f32[3] u:f32[3] v:f32[3] w:f32[3] x:f32[3] y:f32[3] z:f32[3]
    ba:f32[3] bb:f32[3] bc:f32[3] bd:f32[3] be:f32[3] bf:f32[3] bg:f32[3] bh:f32[3]
    bi:f32[3] bj:f32[3] bk:f32[3] bl:f32[3] bm:f32[3] bn:f32[3]. let
    bo:f32[120] = concatenate[dimension=0] a b c d e f g h i j k l m n o p q r s
      t u v w x y z ba bb bc bd be bf bg bh bi bj bk bl bm bn
  in (bo,) }"""


def test_check_21_long_lists_wrap_and_the_27th_variable_is_ba():
    join = Primitive("concatenate")
    join.def_abstract_eval(lambda *avals, dimension: f32(120))
    text = str(trace(lambda *a: join.bind(*a, dimension=0), *[f32(3)] * 40))
    assert text == _MANY


def test_names_after_zz():
    text = str(trace(lambda *a: a, *[f32()] * 680))
    assert "z:f32[] ba:f32[]" in text and "bz:f32[] ca:f32[]" in text
    assert "zz:f32[]\n" in text or "zz:f32[] " in text
    assert " baa:f32[]" in text


# --- check 22: small programs ---


def test_check_22_empty_program():
    assert str(trace(lambda: ())) == "{ lambda ; . let  in () }"


def test_check_22_constant_result():
    assert str(trace(lambda: 1)) == "{ lambda ; . let  in (1:i32[],) }"


def test_check_22_an_unused_argument_is_listed():
    text = str(trace(lambda a, b: a, f32(3), f32()))
    assert text == "{ lambda ; a:f32[3] b:f32[]. let  in (a,) }"


def test_check_22_a_result_nobody_reads():
    text = str(trace(lambda a: (sin(a), cos(a))[0], f32(3)))
    assert text == (
        "{ lambda ; a:f32[3]. let b:f32[3] = sin a; _:f32[3] = cos a in (b,) }"
    )


_UNREAD = """\
{ lambda ; a:f32[3]. let
    _:f32[] b:f32[3] _:f32[] = jit[
      name=<lambda>
      jaxpr={ lambda ; a:f32[3] c:f32[]. let
          _:f32[] = sin c
          b:f32[3] = cos a
          _:f32[] = sin c
        in (_, b, _) }
    ] a 1.0:f32[]
  in (b,) }"""


def test_results_nobody_reads_of_a_program_inside():
    inner = trace(lambda a, b: (sin(b), cos(a), sin(b)), f32(3), f32())
    text = str(trace(lambda a: call("<lambda>", inner, a, 1.0)[1], f32(3)))
    assert text == _UNREAD


def test_one_operand_twice_shares_its_name_once():
    inner = trace(add, f32(3), f32(3))
    text = str(trace(lambda a: call("f", inner, a, a), f32(3)))
    assert "{ lambda ; a:f32[3] c:f32[3]. let b:f32[3] = add a c in (b,) }" in text


def test_constants_of_a_program_inside_stand_there():
    c = np.arange(3, dtype=np.float32)
    inner = trace(lambda a: add(a, c), f32(3))
    text = str(trace(lambda a: call("f", inner, a), f32(3)))
    assert "{ lambda c:f32[3]; a:f32[3]. let b:f32[3] = add a c in (b,) }" in text


# --- literals and params ---


@pytest.mark.parametrize(
    "value, text",
    [
        (2.0, "2.0:f32[]"),
        (1e-10, "1e-10:f32[]"),
        (float("inf"), "inf:f32[]"),
        (1 / 3, "0.3333333333333333:f32[]"),
        (np.float32(1 / 3), "0.3333333432674408:f32[]"),
        (np.array(7), "7:i32[]"),
        (True, "True:bool[]"),
        (1j, "1j:c64[]"),
    ],
)
def test_literals(value: object, text: str):
    assert str(trace(lambda: value)) == f"{{ lambda ; . let  in ({text},) }}"


def test_constants_with_axes_are_named_and_scalars_are_not():
    text = str(trace(lambda a: (sin(a), 2.0, np.arange(3)), f32(3)))
    assert text == (
        "{ lambda a:i32[3]; b:f32[3]. let c:f32[3] = sin b in (c, 2.0:f32[], a) }"
    )


class _Plain:
    pass


_PARAMS = """\
{ lambda ; a:f32[]. let
    b:f32[] = pr[
      f=frozenset({1, 3, 20})
      m=<tests.core.test_printing._Plain object at 0xXXXXXXXXXXXX>
      s=frozenset({'a', 'b'})
      t=(1, (2,), None)
    ] a
  in (b,) }"""


def _one_equation(name: str, **params: object):
    primitive = Primitive(name)
    primitive.def_abstract_eval(lambda x, **params: x)
    return primitive, trace(lambda a: primitive.bind(a, **params), f32())


def test_params_are_sorted_and_addresses_masked():
    _, jaxpr = _one_equation(
        "pr",
        t=(1, (2,), None),
        s=frozenset({"b", "a"}),
        m=_Plain(),
        f=frozenset({20, 1, 3}),
    )
    assert str(jaxpr) == _PARAMS


def test_check_40_rules_hide_params_unless_told_otherwise():
    primitive, jaxpr = _one_equation("pr", accuracy=None, mode=None, size=3)
    printing_rules.define(primitive, hiding_unset("accuracy"))
    assert "pr[mode=None size=3] a" in str(jaxpr)
    printing_rules[primitive] = hiding("mode", "size")
    assert "pr[accuracy=None] a" in str(jaxpr)
    printing_rules[primitive] = hiding("accuracy", "mode", "size")
    assert "b:f32[] = pr a" in str(jaxpr)
    full = jaxpr.pretty_print(custom_pp_eqn_rules=False)
    assert "pr[accuracy=None mode=None size=3] a" in full


def test_a_rule_may_draw_the_equation():
    primitive, jaxpr = _one_equation("get", index=0)

    def draw(eqn, printer):
        operand = printer.atom(eqn.invars[0])
        index = pp.text(f"[{eqn.params['index']}]")
        return pp.concat(
            [*printer.result_binders(eqn)[:1], pp.text(" <- "), operand, index]
        )

    printing_rules.define(primitive, WholeEquation(draw))
    assert str(jaxpr) == "{ lambda ; a:f32[]. let b:f32[] <- a[0] in (b,) }"


_BRANCHES = """\
{ lambda ; a:f32[] b:f32[2]. let
    c:f32[2] = cond[
      branches=(
        { lambda ; d:f32[2]. let e:f32[2] = neg d in (e,) }
        { lambda ; f:f32[2]. let g:f32[2] = mul f 2.0:f32[] in (g,) }
      )
    ] a b
  in (c,) }"""


def _branching(*branches):
    cond = Primitive("cond", multiple_results=True, holds_programs=True)
    cond.def_abstract_eval(lambda i, *xs, branches: branches[0].out_avals)
    avals = branches[0].in_avals
    return trace(lambda i, *xs: cond.bind(i, *xs, branches=branches), f32(), *avals)


def test_check_21_programs_in_a_tuple():
    negated, doubled = trace(neg, f32(2)), trace(lambda a: mul(a, 2.0), f32(2))
    assert str(_branching(negated, doubled)) == _BRANCHES
    same = str(_branching(negated, negated))
    assert same.startswith("let jaxpr = {")
    assert "cond[branches=(jaxpr jaxpr)] c d" in same


def test_one_equation():
    jaxpr = trace(lambda v: call("sq", _SQUARE, add(v, v)), f32(2))
    assert str(jaxpr.eqns[0]) == "a:f32[2] = add b b"
    assert repr(jaxpr.eqns[1]) == (
        "b:f32[2] = jit[\n"
        "  name=sq\n"
        "  jaxpr={ lambda ; a:f32[2]. let b:f32[2] = mul a a in (b,) }\n"
        "] a"
    )


# --- options ---


def test_check_40_without_shapes_literals_keep_their_types():
    inner = trace(lambda a: (mul(a, 2.0), a), f32(3))
    text = trace(lambda a: call("g", inner, a), f32(3)).pretty_print(print_shapes=False)
    assert text == (
        "{ lambda ; a. let\n"
        "    b c = jit[name=g jaxpr={ lambda ; a. let b = mul a 2.0:f32[] in (b, a) }] "
        "a\n"
        "  in (b, c) }"
    )


def test_check_40_source_info():
    def program(a):
        return sin(a)

    line = program.__code__.co_firstlineno + 1
    text = trace(program, f32()).pretty_print(source_info=True)
    where = f"{__file__}:{line}:15 ({program.__qualname__})"
    assert text == f"{{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }} # {where}"


def test_check_38_name_stack_in_columns():
    def program(a):
        with named_scope("enc"):
            b = sin(a)
            with named_scope("inner"):
                b = add(b, 1.0)
        return b

    text = trace(program, f32()).pretty_print(name_stack=True)
    line = (
        "{ lambda ; a:f32[]. let b:f32[] = sin a; c:f32[] = add b 1.0:f32[] in (c,) }"
    )
    assert text == f"{line} # [enc]\n{' ' * len(line)} # [enc/inner]"
    narrow = trace(program, f32()).pretty_print(name_stack=True, width=40)
    assert narrow == (
        "{ lambda ; a:f32[]. let\n"
        "    b:f32[] = sin a           # [enc]\n"
        "    c:f32[] = add b 1.0:f32[] # [enc/inner]\n"
        "  in (c,) }"
    )


def test_check_38_scopes_leave_the_text_unchanged():
    def program(a):
        with named_scope("enc"):
            return sin(a)

    assert str(trace(program, f32())) == str(trace(sin, f32()))


def test_check_39_print_effects():
    primitive = Primitive("psum")
    primitive.def_abstract_eval(lambda x: x)
    primitive.effects = lambda x: frozenset({NamedAxisEffect("i")})
    jaxpr = trace(primitive.bind, f32())
    assert jaxpr.effects == {NamedAxisEffect("i")}
    assert jaxpr.pretty_print(print_effects=True).endswith(
        "in (b,) : { NamedAxisEffect(name='i') } }"
    )
    silent = trace(sin, f32()).pretty_print(print_effects=True)
    assert silent == "{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) : {  } }"


def test_color_and_width():
    jaxpr = trace(sin, f32(3))
    assert jaxpr.pretty_print(use_color=True) == (
        "{ \x1b[34;1mlambda \x1b[39;22m; a\x1b[35m:f32[3]\x1b[39m. \x1b[34;1mlet"
        "\x1b[39;22m b\x1b[35m:f32[3]\x1b[39m = sin a \x1b[34;1min \x1b[39;22m(b,) }"
    )
    assert jaxpr.pretty_print(width=20).splitlines() == [
        "{ lambda ; a:f32[3]. let",
        "    b:f32[3] = sin a",
        "  in (b,) }",
    ]


def test_an_unknown_option_is_refused():
    with pytest.raises(TypeError):
        trace(sin, f32()).pretty_print(shapes=False)


def test_printing_takes_linear_time():
    def seconds(length: int) -> float:
        jaxpr = _chain(length)
        start = time.perf_counter()
        lines = str(jaxpr).count("\n")
        elapsed = time.perf_counter() - start
        assert lines == length + 1
        return elapsed

    seconds(1000)
    assert seconds(50_000) < 30 * max(seconds(5_000), 0.01)


def test_nesting_a_hundred_deep():
    jaxpr = trace(sin, f32())
    for _ in range(100):
        jaxpr = trace(lambda v, inner=jaxpr: call("f", inner, v), f32())
    assert str(jaxpr).count("jit[") == 100


# --- beside jax ---


@pytest.mark.parametrize("name", re.split("[/\n]", programs.NAMES))
def test_check_21_as_jax_prints(oracle, name):
    oracle.compare(programs.text, name)


@pytest.mark.parametrize("name", ["shared", "single", "mixed", "unused", "scalars"])
@pytest.mark.parametrize(
    "options",
    [
        {"print_shapes": False},
        {"name_stack": True},
        {"width": 40},
        {"print_effects": True},
        {"use_color": True},
    ],
    ids=str,
)
def test_check_40_as_jax_prints_with_options(oracle, name, options):
    oracle.compare(programs.with_options, name, options)


@pytest.mark.parametrize("transform", ["none", "grad", "jvp", "jit", "vmap"])
def test_check_38_scopes_as_jax_prints_them(oracle, transform):
    oracle.compare(programs.scopes, transform)
