"""Programs over `J` about derivatives, named after the checks of spec/ad.md §7.

The oracle imports this module beside jax, so it imports neither library.
"""

import numpy as np

from tests.transforms.program_tables import ProgramTable

_table = ProgramTable()
PROGRAMS, RAISING = _table.programs, _table.refused
check, raising = _table.check, _table.raising


# --- Core API -------------------------------------------------------------------------

check(1, "argnums")(lambda J: J.grad(lambda x, y: x * y, (1, 0))(2.0, 3.0))
check(1, "list")(lambda J: J.grad(lambda x, y: x * y, [0])(2.0, 3.0))
check(1, "negative")(lambda J: J.grad(lambda x, y: x * y, -1)(2.0, 3.0))
check(2, "keyword")(lambda J: J.grad(lambda x, y: x * y)(2.0, y=3.0))
raising(2, "only_keywords", lambda J: J.grad(lambda x, y: x * y)(x=2.0, y=3.0))
raising(
    3,
    "argnums",
    lambda J: J.grad(lambda x: x, argnums=1)(1.0),
    lambda J: J.grad(lambda x: x, argnums=())(1.0),
    lambda J: J.grad(lambda x: x, argnums=0.5)(1.0),
    lambda J: J.grad(3),
)
raising(
    4,
    "integers",
    lambda J: J.grad(lambda x: x * 1.0)(3),
    lambda J: J.grad(lambda x: x * 1.0)(True),
)
check(4, "allow_int")(lambda J: J.grad(lambda x: x * 1.0, allow_int=True)(3))
check(4, "allow_int_array")(
    lambda J: J.grad(lambda x: J.numpy.sum(x * 1.0), allow_int=True)(J.numpy.arange(3))
)
raising(
    5,
    "output",
    lambda J: J.grad(lambda x: x)(J.numpy.ones(2)),
    lambda J: J.grad(lambda x: x)(J.numpy.ones(1)),
    lambda J: J.grad(lambda x: x)(J.numpy.ones((1, 1))),
    lambda J: J.grad(lambda x: (x, x))(1.0),
    lambda J: J.grad(lambda x: None)(1.0),
    lambda J: J.grad(lambda x: "text")(1.0),
)
raising(
    6,
    "output_dtype",
    lambda J: J.grad(lambda x: J.numpy.int32(3))(1.0),
    lambda J: J.grad(lambda x: x > 0)(1.0),
    lambda J: J.grad(lambda x: x * 1j)(1.0),
    lambda J: J.grad(lambda z: z * z, holomorphic=True)(1.0),
    lambda J: J.grad(lambda z: J.numpy.real(z), holomorphic=True)(1.0 + 2j),
)
check(6, "holomorphic")(lambda J: J.grad(lambda z: z * z, holomorphic=True)(1.0 + 2j))
check(7, "aux")(
    # A Python float that is only handed back is an array here, by design.
    lambda J: [
        J.numpy.asarray(leaf)
        for leaf in J.tree.leaves(
            J.value_and_grad(lambda x: (x**2, {"k": x, "s": 3}), has_aux=True)(2.0)
        )
    ]
)
raising(7, "no_pair", lambda J: J.value_and_grad(lambda x: x, has_aux=True)(2.0))
check(7, "string_aux")(
    lambda J: J.value_and_grad(lambda x: (x**2, "text"), has_aux=True)(2.0)[0][1]
)
check(8, "tree")(
    lambda J: J.grad(lambda d: d["a"] * d["b"][0])(
        {"a": 2.0, "b": [3.0, np.float32(1)]}
    )
)
check(9, "constant")(lambda J: J.grad(lambda x: 3.0)(1.0))
check(9, "unused")(lambda J: J.grad(lambda x, y: y, (0, 1))(1.0, 2.0))
check(9, "none")(lambda J: J.grad(lambda x: 3.0)(None))
check(9, "empty")(lambda J: J.grad(lambda t, x: x)((), 3.0))
raising(
    10,
    "jvp",
    lambda J: J.jvp(lambda x: x, (1.0,), [1.0]),
    lambda J: J.jvp(lambda x: x, (1.0,), (1,)),
    lambda J: J.jvp(lambda x: x, (np.ones(1, "f"),), (np.ones(2, "f"),)),
    lambda J: J.jvp(lambda x: x, 1.0, 1.0),
    lambda J: J.jvp(lambda x: x, (1.0,), (None,)),
)
check(11, "float0")(
    lambda J: J.jvp(lambda x: x * 2.0, (3,), (np.zeros((), J.dtypes.float0),))
)
raising(11, "int_tangent", lambda J: J.jvp(lambda x: x * 2.0, (3,), (1,)))
check(11, "int_output")(lambda J: J.jvp(lambda x: (x, 3), (1.0,), (1.0,))[1])
check(12, "int_input")(lambda J: J.vjp(lambda x, y: x * y, 3, 2.0)[1](1.0))
check(12, "int_output")(lambda J: J.vjp(lambda x: (x, 3), 2.0)[1]((1.0, 1)))
raising(
    13,
    "cotangent",
    lambda J: J.vjp(lambda x: (x, x), 1.0)[1](1.0),
    lambda J: J.vjp(lambda x: x, 1.0)[1](1.0, 2.0),
    lambda J: J.vjp(lambda x: x, 1.0)[1](J.numpy.ones(2)),
    lambda J: J.vjp(lambda x: x.astype("float16"), 1.0)[1](1.0),
)
check(13, "float64")(lambda J: J.vjp(lambda x: x * 2, 1.0)[1](np.float64(1)))
check(14, "no_primals")(lambda J: J.vjp(lambda: 3.0)[1](1.0))
check(14, "zero_size")(lambda J: J.vjp(J.numpy.sum, J.numpy.zeros((0, 3)))[1](1.0))
raising(
    15,
    "linearize",
    lambda J: J.linearize(J.numpy.sin, 1.0)[1](1.0, 2.0),
    lambda J: J.linearize(J.numpy.sin, 1.0)[1](1),
    lambda J: J.linearize(J.numpy.sin, 1.0)[1](J.numpy.ones(2)),
)
check(15, "vmap")(
    lambda J: J.vmap(J.linearize(J.numpy.sin, 1.0)[1])(J.numpy.arange(3.0))
)
check(15, "grad")(lambda J: J.grad(J.linearize(J.numpy.sin, 1.0)[1])(1.0))
check(15, "transpose")(
    lambda J: J.linear_transpose(J.linearize(J.numpy.sin, 1.0)[1], 1.0)(1.0)
)
check(15, "jit")(lambda J: J.jit(J.linearize(J.numpy.sin, 1.0)[1])(2.0))
raising(
    16,
    "integers",
    lambda J: J.jacrev(lambda x: x * 2.0)(J.numpy.arange(2)),
    lambda J: J.jacfwd(lambda x: x * 2.0)(J.numpy.arange(2)),
    lambda J: J.jacfwd(lambda x: x * 2.0)(J.numpy.ones(2) * 1j),
)
check(16, "allow_int")(
    lambda J: J.jacrev(lambda x: x * 2.0, allow_int=True)(J.numpy.arange(2))
)
check(16, "holomorphic")(
    lambda J: J.jacfwd(lambda x: x * x, holomorphic=True)(J.numpy.arange(2) * 1j)
)
check(16, "int_output")(
    lambda J: J.jacfwd(lambda x: J.numpy.int32(x))(J.numpy.arange(2.0))
)


def _dictionary(J):
    return {"a": J.numpy.arange(2.0), "b": J.numpy.ones((2, 3))}


def _of_dictionary(J):
    return lambda d: {"s": d["a"] @ d["b"], "t": J.numpy.sum(d["a"])}


check(17, "jacfwd")(lambda J: J.jacfwd(_of_dictionary(J))(_dictionary(J)))
check(17, "jacrev")(lambda J: J.jacrev(_of_dictionary(J))(_dictionary(J)))
check(17, "hessian")(
    lambda J: J.hessian(lambda d: J.numpy.sum((d["a"] @ d["b"]) ** 2))(_dictionary(J))
)
check(17, "hessian_argnums")(
    lambda J: J.hessian(lambda x, y: x * y * y, (0, 1))(2.0, 3.0)
)
check(17, "aux")(
    lambda J: (
        J.jacfwd(lambda x: (x * 2, x), has_aux=True)(J.numpy.ones(2)),
        J.jacrev(lambda x: (x * 2, "text"), has_aux=True)(J.numpy.ones(2))[0],
    )
)
check(18, "small_floats")(
    lambda J: [
        J.grad(lambda x: J.numpy.sum(x * x))(J.numpy.ones(2, d))
        for d in ("float16", "bfloat16")
    ]
)
raising(
    19, "aux", lambda J: J.jacfwd(lambda x: (x * 2, "s"), has_aux=True)(J.numpy.ones(2))
)
check(26, "two")(
    lambda J: J.linear_transpose(lambda x, y: 0.5 * x - 2.0 * y, 1.0, 1.0)(1.0)
)
check(26, "integers")(lambda J: J.linear_transpose(lambda x: x * 2, 1)(1))
raising(
    26,
    "not_linear",
    lambda J: J.linear_transpose(lambda x: x * 2.0, 1)(1.0),
    lambda J: J.linear_transpose(J.numpy.sin, 1.0)(1.0),
)
check(26, "constant")(lambda J: J.linear_transpose(lambda x: 3.0, 1.0)(1.0))
check(27, "branch")(lambda J: J.grad(lambda x: x * x if x > 0 else -x)(3.0))
raising(
    27,
    "concrete",
    lambda J: J.jit(J.grad(lambda x: x * x if x > 0 else -x))(3.0),
    lambda J: J.grad(lambda x: x * float(x))(3.0),
    lambda J: J.grad(lambda x: np.sin(x))(3.0),
)
check(29, "name")(
    lambda J: (
        J.grad(J.numpy.sin).__name__,
        J.grad(J.numpy.sin).__wrapped__ is J.numpy.sin,
    )
)

# --- Values and corner cases ----------------------------------------------------------

for _name, _x in (
    ("zero", 0.0),
    ("minus_zero", -0.0),
    ("nan", np.nan),
    ("complex", 3 + 4j),
):
    check(30, f"abs_{_name}")(lambda J, x=_x: J.grad(J.numpy.abs)(x))
check(30, "abs_complex_zero")(lambda J: J.grad(J.numpy.abs)(0j))
check(31, "maximum")(lambda J: J.grad(lambda x: J.numpy.maximum(x, 0.0))(0.0))
check(31, "clip")(
    lambda J: [
        J.grad(lambda x: J.numpy.clip(x, -1.0, 1.0))(x) for x in (-1.0, 0.0, 1.0, 2.0)
    ]
)
check(31, "clamp")(
    lambda J: [J.grad(lambda x: J.lax.clamp(0.0, x, 1.0))(x) for x in (0.0, 0.5, 1.0)]
)
check(31, "clamp_to_bound")(lambda J: J.grad(J.lax.clamp, (0, 1, 2))(0.0, 2.0, 1.0))
check(32, "sqrt")(lambda J: J.grad(J.numpy.sqrt)(0.0))
check(32, "where")(
    lambda J: [
        J.grad(lambda x: J.numpy.where(x > 0, J.numpy.sqrt(x), 0.0))(x)
        for x in (0.0, -1.0)
    ]
)
check(33, "where_log")(
    lambda J: J.grad(lambda x: J.numpy.where(True, x, J.numpy.log(x)))(0.0)
)
check(34, "sqrt_square")(lambda J: J.grad(lambda x: J.numpy.sqrt(x**2))(0.0))
check(35, "powers")(
    lambda J: [
        J.grad(lambda x: x**0)(3.0),
        J.grad(lambda x: x**2)(0.0),
        J.grad(lambda x: x**2.0)(-3.0),
        J.grad(lambda x: x**0.5)(0.0),
        J.grad(lambda x, k: x**k)(0.0, 0),
        J.grad(lambda x, k: x**k)(0.0, 0.0),
    ]
)
check(36, "atan2")(lambda J: J.grad(J.numpy.arctan2, (0, 1))(0.0, 0.0))
check(37, "max_ties")(
    lambda J: [
        J.grad(J.numpy.max)(J.numpy.array(x))
        for x in ([1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [np.nan, 1.0])
    ]
)
check(37, "min_ties")(lambda J: J.grad(J.numpy.min)(J.numpy.ones(3)))
check(37, "hessian")(
    lambda J: J.hessian(lambda x: J.numpy.max(x) ** 2)(J.numpy.array([1.0, 1.0]))
)
check(38, "prod")(
    lambda J: [
        J.grad(J.numpy.prod)(J.numpy.array(x)) for x in ([0.0, 2, 3], [0.0, 0, 3])
    ]
)
check(38, "cumprod")(
    lambda J: J.grad(lambda x: J.numpy.sum(J.numpy.cumprod(x)))(
        J.numpy.array([0.0, 2, 3])
    )
)
check(39, "cummax")(
    lambda J: J.grad(lambda x: J.numpy.sum(J.lax.cummax(x)))(J.numpy.array([1.0, 1, 2]))
)
check(39, "cumsum_reverse")(
    lambda J: J.grad(
        lambda x: J.lax.cumsum(x, reverse=True) @ J.numpy.array([1.0, 10, 100])
    )(J.numpy.ones(3))
)
check(39, "cumlogsumexp")(
    lambda J: J.grad(lambda x: J.numpy.sum(J.lax.cumlogsumexp(x)))(J.numpy.zeros(2))
)
check(40, "sort")(
    lambda J: J.grad(lambda x: J.numpy.sort(x) @ J.numpy.array([1.0, 10, 100]))(
        J.numpy.array([3.0, 1, 2])
    )
)
check(40, "argmax")(
    lambda J: J.grad(lambda x: J.numpy.argmax(x) * 1.0)(J.numpy.array([3.0, 1, 2]))
)
check(41, "gather_duplicates")(
    lambda J: J.grad(lambda x: J.numpy.sum(x[J.numpy.array([1, 1, 0])]))(
        J.numpy.arange(3.0)
    )
)
check(41, "gather_negative")(lambda J: J.grad(lambda x: x[-1])(J.numpy.arange(3.0)))
check(42, "set_duplicates")(
    lambda J: J.grad(
        lambda x, u: x.at[J.numpy.array([1, 1])].set(u) @ J.numpy.array([1.0, 10, 100]),
        (0, 1),
    )(J.numpy.zeros(3), J.numpy.ones(2))
)
check(42, "add_duplicates")(
    lambda J: J.grad(
        lambda x, u: x.at[J.numpy.array([1, 1])].add(u) @ J.numpy.array([1.0, 10, 100]),
        (0, 1),
    )(J.numpy.zeros(3), J.numpy.ones(2))
)
check(43, "dynamic_slice")(
    lambda J: J.grad(lambda x: J.numpy.sum(J.lax.dynamic_slice(x, (5,), (2,))))(
        J.numpy.arange(3.0)
    )
)
check(43, "dynamic_update_slice")(
    lambda J: J.grad(
        lambda x, u: (
            J.lax.dynamic_update_slice(x, u, (5,)) @ J.numpy.array([1.0, 10, 100])
        ),
        (0, 1),
    )(J.numpy.zeros(3), J.numpy.ones(2))
)
check(44, "pad")(
    lambda J: J.grad(lambda x, v: J.numpy.sum(J.lax.pad(x, v, ((-1, 2, 1),))), (0, 1))(
        J.numpy.arange(3.0), 0.0
    )
)
check(45, "casts")(
    lambda J: [
        J.grad(lambda x: x.astype("int32").astype("float32"))(1.5),
        J.grad(lambda x: x.astype("float16").astype("float32"))(1.5),
        J.grad(lambda x: J.lax.reduce_precision(x, 5, 10))(1.5),
    ]
)
check(46, "rem")(
    lambda J: [
        J.grad(J.lax.rem, (0, 1))(5.0, 2.0),
        J.grad(J.lax.rem, (0, 1))(-5.0, 2.0),
    ]
)
check(50, "compositions")(
    lambda J: [
        J.grad(J.numpy.logaddexp, (0, 1))(1.0, 2.0),
        J.grad(J.nn.softplus)(0.5),
        J.grad(lambda x: J.nn.logsumexp(x))(J.numpy.arange(3.0)),
        J.grad(lambda x: J.nn.relu(x))(0.0),
    ]
)
check(56, "complex")(
    lambda J: [
        J.vjp(J.numpy.conj, 1 + 2j)[1](np.complex64(-1j)),
        J.vjp(J.numpy.real, 1 + 2j)[1](1.0),
        J.vjp(J.numpy.imag, 1 + 2j)[1](1.0),
        J.vjp(lambda z: z * (3 + 4j), 1 + 2j)[1](np.complex64(1)),
        J.vjp(J.lax.complex, 1.0, 2.0)[1](np.complex64(3 + 4j)),
    ]
)
check(58, "dot_bf16")(
    lambda J: J.grad(
        lambda x, y: J.numpy.sum(
            J.lax.dot_general(
                x, y, (((1,), (0,)), ((), ())), preferred_element_type="float32"
            )
        ),
        (0, 1),
    )(J.numpy.ones((2, 3), "bfloat16"), J.numpy.ones((3, 2), "bfloat16"))
)
check(59, "einsum")(
    lambda J: J.grad(lambda x: J.numpy.einsum("ij,ij->", x, x))(J.numpy.eye(2))
)
check(61, "stop_gradient")(lambda J: J.grad(lambda x: J.lax.stop_gradient(x) * x)(3.0))
check(61, "nested")(
    lambda J: J.grad(
        lambda y: J.grad(lambda x: J.lax.stop_gradient(x * y) * x)(2.0) * y
    )(1.0)
)
raising(61, "string", lambda J: J.lax.stop_gradient("text"))
check(62, "second")(
    lambda J: [
        J.grad(J.grad(J.numpy.tanh))(1e-30),
        J.grad(J.grad(J.nn.softplus))(0.0),
        J.grad(J.grad(J.lax.erf_inv))(0.5),
    ]
)

# --- Everything together --------------------------------------------------------------

check(85, "while")(
    lambda J: J.jvp(
        lambda x: J.lax.while_loop(lambda c: c < 5.0, lambda c: c * 2, x),
        (1.0,),
        (1.0,),
    )
)
raising(
    85,
    "reverse",
    lambda J: J.grad(lambda x: J.lax.while_loop(lambda c: c < 5.0, lambda c: c * 2, x))(
        1.0
    ),
)
check(86, "fori")(
    lambda J: J.grad(lambda x: J.lax.fori_loop(0, 3, lambda i, c: c * 2, x))(1.0)
)
check(87, "cond")(
    lambda J: [
        J.grad(lambda x: J.lax.cond(x > 0, J.numpy.sqrt, lambda x: 0 * x, x))(x)
        for x in (4.0, -1.0)
    ]
)
check(87, "vmap_cond")(
    lambda J: J.vmap(
        J.grad(lambda x: J.lax.cond(x > 0, J.numpy.sqrt, lambda x: 0 * x, x))
    )(J.numpy.array([4.0, -1.0]))
)
check(87, "switch")(
    lambda J: [
        J.grad(
            lambda x, i: J.lax.switch(i, [J.numpy.sin, J.numpy.cos, lambda x: x], x)
        )(1.0, i)
        for i in range(3)
    ]
)
check(88, "int_carry")(
    lambda J: J.grad(
        lambda x: J.lax.scan(
            lambda c, _: ((c[0] * 2, c[1] + 1), None), (x, 0), None, length=5
        )[0][0]
    )(1.0)
)
check(102, "vmap_grad")(
    lambda J: (
        J.vmap(J.grad(lambda x: J.numpy.sin(x) * x))(J.numpy.arange(3.0)),
        J.grad(lambda x: J.numpy.sum(J.vmap(lambda x: J.numpy.sin(x) * x)(x)))(
            J.numpy.arange(3.0)
        ),
    )
)
check(102, "rows")(
    lambda J: J.vmap(J.vjp(lambda x: x * x, J.numpy.arange(3.0))[1])(J.numpy.eye(3))
)


@check(103, "disable_jit")
def without_jit(J):
    with J.disable_jit():
        return J.grad(J.jit(lambda x: J.numpy.sin(x) * x))(2.0)


check(113, "float0")(
    lambda J: (
        J.jit(J.grad(lambda i: i * 2.0, allow_int=True))(3),
        J.vmap(J.grad(lambda i: i * 2.0, allow_int=True))(J.numpy.arange(2)),
        str(J.make_jaxpr(J.grad(lambda i: i * 2.0, allow_int=True))(3)),
    )
)
check(117, "list")(lambda J: J.vjp(lambda x: [x, x * 2], 1.0)[1]([1.0, 1.0]))
raising(117, "tuple", lambda J: J.vjp(lambda x: [x, x * 2], 1.0)[1]((1.0, 1.0)))
check(118, "reverse_walk")(
    lambda J: str(J.make_jaxpr(J.grad(lambda x: J.lax.mul(J.lax.sin(x), x)))(2.0))
)
check(110, "tracers")(
    lambda J: [
        _shown(lambda note: J.jvp(note, (1.0,), (2.0,))),
        _shown(lambda note: J.grad(note)(1.0)),
        _shown(lambda note: J.jit(J.grad(note))(1.0)),
    ]
)


def _shown(run):
    texts = []

    def note(x):
        texts.append(repr(x))
        return x

    run(note)
    return texts


raising(
    60,
    "float0",
    lambda J: np.zeros((), J.dtypes.float0) + 1,
    lambda J: J.numpy.add(np.zeros((), J.dtypes.float0), 1.0),
    lambda J: J.lax.mul(*[np.zeros((), J.dtypes.float0)] * 2),
    lambda J: J.numpy.sin(np.zeros((), J.dtypes.float0)),
)
check(60, "zeros")(lambda J: J.numpy.zeros((2, 3), J.dtypes.float0))
check(61, "straight_through")(
    lambda J: J.grad(lambda x: x + J.lax.stop_gradient(J.numpy.round(x) - x))(1.4)
)
check(62, "relu_squared")(lambda J: J.grad(J.grad(lambda x: J.nn.relu(x) ** 2))(0.0))


def run(J, name):
    """One program, by its name."""
    return PROGRAMS[name](J)
