"""Programs with collectives: run here and with jax, the results compared."""

import types

import numpy as np

AXES = [("i", 4), ("j", 3)]


def _x(J, *shape):
    return J.numpy.arange(1.0, 1.0 + float(np.prod(shape))).reshape(shape)


def _calls(J):
    """name -> (function of one example, example shape)"""
    lax = J.lax
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    return {
        "psum": (lambda x: lax.psum(x, "i"), (8,)),
        "psum of a tree": (
            lambda x: lax.psum({"a": x, "b": (x[0], 2, 1.5)}, "i"),
            (8,),
        ),
        "psum of booleans": (lambda x: lax.psum(x > 9, "i"), (8,)),
        "psum of nothing": (lambda x: lax.psum(x, ()), (8,)),
        "pmean": (lambda x: lax.pmean(x, "i"), (8,)),
        "pmax": (lambda x: lax.pmax(x, "i"), (8,)),
        "pmin": (lambda x: lax.pmin(x, "i"), (8,)),
        "axis_index": (lambda x: x + lax.axis_index("i"), (8,)),
        "no axis_index": (lambda x: lax.axis_index(()), (8,)),
        "axis_size": (lambda x: x * lax.axis_size("i"), (8,)),
        "all_gather": (lambda x: lax.all_gather(x, "i"), (2, 3)),
        "all_gather axis": (lambda x: lax.all_gather(x, "i", axis=1), (2, 3)),
        "all_gather last": (lambda x: lax.all_gather(x, "i", axis=-1), (2, 3)),
        "all_gather tiled": (
            lambda x: lax.all_gather(x, "i", axis=1, tiled=True),
            (2, 3),
        ),
        "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), (4, 3)),
        "psum_scatter tiled": (
            lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True),
            (3, 8),
        ),
        "all_to_all in place": (lambda x: lax.all_to_all(x, "i", 0, 0), (4, 3)),
        "all_to_all forward": (lambda x: lax.all_to_all(x, "i", 0, 1), (4, 3)),
        "all_to_all back": (lambda x: lax.all_to_all(x, "i", 1, 0), (3, 4)),
        "all_to_all tiled": (
            lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True),
            (8, 3),
        ),
        "all_to_all tiled forward": (
            lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True),
            (8, 3),
        ),
        "all_to_all tiled back": (
            lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True),
            (3, 8),
        ),
        "pswapaxes": (lambda x: lax.pswapaxes(x, "i", 1), (3, 4)),
        "ppermute": (lambda x: lax.ppermute(x, "i", ring), (3,)),
        "pshuffle": (lambda x: lax.pshuffle(x, "i", [2, 0, 3, 1]), (3,)),
    }


NAMES = list(_calls(types.SimpleNamespace(lax=None)))
# Differentiable, one array in and one out.
SMOOTH = [
    *("psum", "pmean", "all_gather", "all_gather axis", "all_gather tiled"),
    *("psum_scatter", "psum_scatter tiled", "all_to_all in place"),
    *("all_to_all tiled", "all_to_all tiled forward", "all_to_all tiled back"),
    *("pswapaxes", "ppermute"),
]


def mapped(J, name, in_axis):
    """Every collective over the mapped axis; eager and compiled."""
    call, shape = _calls(J)[name]
    x = J.numpy.moveaxis(_x(J, 4, *shape), 0, in_axis)
    fun = J.vmap(call, in_axes=in_axis, axis_name="i")
    return fun(x), J.jit(fun)(x)


def mapped_elsewhere(J, name):
    """The operand has another axis, mapped outside or inside."""
    call, shape = _calls(J)[name]
    x = _x(J, 4, *shape, 2)
    inner = J.vmap(J.vmap(call, in_axes=-1, axis_name="k"), axis_name="i")
    outer = J.vmap(J.vmap(call, axis_name="i"), in_axes=-1, out_axes=-1, axis_name="k")
    return inner(x), outer(x)


def not_mapped(J, name):
    """No operand has the axis."""
    call, shape = _calls(J)[name]
    return J.vmap(lambda _, x: call(x), in_axes=(0, None), axis_name="i")(
        J.numpy.zeros(4), _x(J, *shape)
    )


def derivatives(J, name):
    call, shape = _calls(J)[name]
    x = _x(J, 4, *shape)

    def loss(x):
        return J.numpy.sum(call(x) ** 2)

    def push(x):
        return J.jvp(call, (x,), (2 * x,))

    return J.vmap(J.grad(loss), axis_name="i")(x), J.vmap(push, axis_name="i")(x)


def text(J, name):
    """The program over names that only `axis_env` binds."""
    call, shape = _calls(J)[name]
    jaxpr = J.make_jaxpr(call, axis_env=AXES)(_x(J, *shape))
    return jaxpr.pretty_print(custom_pp_eqn_rules=False)


def two_names(J):
    """One psum over two positions, and what several names mean together."""
    x = _x(J, 2, 3)

    def both(fun, **axes):
        return J.vmap(J.vmap(fun, axis_name="j", **axes), axis_name="i", **axes)

    whole = both(lambda x: J.lax.psum(x, ("i", "j")), out_axes=None)
    return (
        str(J.make_jaxpr(whole)(x)),
        whole(x),
        both(lambda x: J.lax.axis_index(("i", "j")))(x),
        both(lambda x: J.lax.psum(1, ("i", "j")) * x)(x),
        both(lambda x: J.lax.pmax(x, ("j", "i")))(x),
    )


def folded(J):
    """The reduction of what is the same for all, by Python type."""
    found = []

    def f(x):
        found.extend(
            [
                *(J.lax.psum(1, "i"), J.lax.psum(2.5, "i"), J.lax.psum(True, "i")),
                *(J.lax.axis_size("i"), J.lax.pmean(3, "i")),
            ]
        )
        return x

    J.vmap(f, axis_name="i")(_x(J, 4))
    return [(type(v).__name__, v) for v in found]


def shadowed(J):
    """An inner name hides an outer one; without a name the outer one stays."""
    x = _x(J, 2, 3)

    def total(x):
        return J.lax.psum(x, "i")

    return (
        J.vmap(J.vmap(total, axis_name="i"), axis_name="i")(x),
        J.vmap(J.vmap(total), axis_name="i")(x),
    )


def inside_programs(J):
    """The name reaches through jit, loops and branches."""
    lax, x = J.lax, _x(J, 4, 3)

    def body(carry, row):
        return lax.psum(carry, "i") + row * lax.axis_index("i"), carry

    def looped(x):
        return lax.fori_loop(0, 3, lambda k, c: c + lax.axis_index("i") + k, x)

    def chosen(x):
        return lax.cond(x[0] > 3, lambda v: v + lax.axis_index("i"), lambda v: -v, x)

    calls = (
        J.jit(lambda x: x / lax.psum(x, "i")),
        lambda x: lax.scan(body, x[0], x),
        lambda x: lax.scan(body, 1.0, J.numpy.ones(2)),
        looped,
        chosen,
        J.jit(lambda x: lax.axis_index("i")),
        J.grad(lambda x: J.jit(lambda x: J.numpy.sum(lax.pmean(x, "i")))(x)),
    )
    return [J.vmap(call, axis_name="i")(x) for call in calls]


def refused(J, case):
    lax, x = J.lax, _x(J, 4, 8)
    groups = [[0, 1], [2, 3]]
    unbound = {
        "psum": lambda x: lax.psum(x, "k"),
        "psum of a constant": lambda x: lax.psum(1, "k"),
        "psum of None": lambda x: lax.psum(x, None),
        "axis_index": lambda x: lax.axis_index("k"),
        "axis_size": lambda x: lax.axis_size("k"),
        "all_gather": lambda x: lax.all_gather(x, "k"),
        "all_to_all": lambda x: lax.all_to_all(x, "k", 0, 0),
        "psum_scatter": lambda x: lax.psum_scatter(x, "k"),
    }
    others = {
        "groups of psum": lambda x: lax.psum(x, "i", axis_index_groups=groups),
        "groups of all_gather": lambda x: lax.all_gather(
            x, "i", axis_index_groups=groups
        ),
        "groups that overlap": lambda x: lax.psum(
            x, "i", axis_index_groups=[[0, 1], [1, 2]]
        ),
        "a permutation that is a dict": lambda x: lax.ppermute(x, "i", {0: 1}),
        "a shuffle that is none": lambda x: lax.pshuffle(x, "i", [0, 0, 1, 2]),
        "a scalar, tiled": lambda x: lax.all_gather(x[0], "i", tiled=True),
        "a split that does not fit": lambda x: lax.all_to_all(x, "i", 0, 0),
        "parts that do not fit": lambda x: lax.psum_scatter(x[:6], "i", tiled=True),
        "the slope of pmax": J.grad(lambda x: lax.pmax(x, "i").sum()),
    }
    return J.vmap({**unbound, **others}[case], axis_name="i")(x)


UNBOUND = [
    *("psum", "psum of a constant", "psum of None", "axis_index", "axis_size"),
    *("all_gather", "all_to_all", "psum_scatter"),
]
REFUSED = [
    *("groups of psum", "groups of all_gather", "groups that overlap"),
    *("a permutation that is a dict", "a shuffle that is none", "a scalar, tiled"),
    *("a split that does not fit", "parts that do not fit", "the slope of pmax"),
]


def outside(J):
    """Nobody bound the name: at once, and in a program of `make_jaxpr`."""
    return J.lax.psum(_x(J, 3), "i")


def replayed_outside(J):
    jaxpr = J.make_jaxpr(lambda x: J.lax.psum(x, "i"), axis_env=AXES)(_x(J, 3))
    return J.core.eval_jaxpr(jaxpr, (), _x(J, 3))


def pbroadcast_text(J):
    jaxpr = J.make_jaxpr(lambda x: J.lax.pbroadcast(x, "i", 2), axis_env=[("i", 4)])
    return str(jaxpr(1.0))
