"""Programs for the oracle that call a function of lax by name, in several ways.

`tests/lax` says what to call, in tables; here is how. An operand is a NumPy array or a
Python scalar, a type is a pair (shape, dtype).
"""

import numpy as np


def bound(J, name, params):
    """`J.lax.<name>` with keyword parameters; a text "lax.X" stands for `J.lax.X`."""
    values = {k: constant(J, v) for k, v in params.items()}
    return lambda *operands: getattr(J.lax, name)(*operands, **values)


def constant(J, value):
    """What a parameter of a table stands for."""
    if isinstance(value, str) and value.startswith("lax."):
        found = J.lax
        for part in value.split(".")[1:]:
            found = getattr(found, part)
        return found
    return value


def restricted(f, operands, moving):
    """`f` as a function of the operands numbered in `moving`; the others stay."""

    def of_moving(*values):
        filled = list(operands)
        for i, x in zip(moving, values):
            filled[i] = x
        return f(*filled)

    return of_moving


def structs(J, types):
    return [J.ShapeDtypeStruct(shape, dtype) for shape, dtype in types]


def value(J, name, operands, params):
    """What the call returns, eagerly."""
    return bound(J, name, params)(*operands)


def jitted(J, name, operands, params):
    """What the call returns under jit."""
    return J.jit(bound(J, name, params))(*operands)


def text(J, name, types, params):
    """The jaxpr of the call."""
    return J.make_jaxpr(bound(J, name, params))(*structs(J, types))


def jvp_text(J, name, types, params, moving):
    """The jaxpr of the forward derivative in the operands numbered in `moving`."""
    f = bound(J, name, params)

    def forward(operands, tangents):
        of_moving = restricted(f, operands, moving)
        return J.jvp(of_moving, [operands[i] for i in moving], tangents)

    operands = structs(J, types)
    return J.make_jaxpr(forward)(operands, [operands[i] for i in moving])


def jvp_value(J, name, operands, params, moving, tangents):
    """Value and forward derivative, eagerly."""
    of_moving = restricted(bound(J, name, params), operands, moving)
    # A host value that passes through untouched may stay one.
    tangents = [J.lax.add(x_dot, np.zeros_like(x_dot)) for x_dot in tangents]
    return J.jvp(of_moving, tuple(operands[i] for i in moving), tuple(tangents))


def pullback(J, name, operands, params, moving, cotangent):
    """What reverse mode gives for the operands numbered in `moving`."""
    of_moving = restricted(bound(J, name, params), operands, moving)
    # A host value that passes through untouched may stay one.
    cotangent = J.lax.add(cotangent, np.zeros_like(cotangent))
    return J.vjp(of_moving, *[operands[i] for i in moving])[1](cotangent)


def second_derivative(J, name, x, params):
    """d²f/dx² at the number x."""
    f = bound(J, name, params)
    return J.jvp(lambda x: J.jvp(f, (x,), (np.float32(1),))[1], (x,), (np.float32(1),))


def transpose_text(J, name, operands, params, linear, like):
    """The jaxpr of the transpose in operand number `linear`, of type `like`."""
    f = bound(J, name, params)

    def of_linear(x):
        filled = list(operands)
        filled.insert(linear, x)
        return f(*filled)

    (struct,) = structs(J, [like])
    out = J.eval_shape(of_linear, struct)
    return J.make_jaxpr(lambda y: J.linear_transpose(of_linear, struct)(y))(out)


def mapped(J, name, operands, params, in_axes):
    """The call under vmap."""
    return J.vmap(bound(J, name, params), in_axes=tuple(in_axes))(*operands)


def pullback_of_bool(J, name, *operands):
    """The derivative of a use of a truth value: zero, as a real array."""
    f = getattr(J.lax, name)

    def weighted(*xs):
        return J.lax.reduce_sum(J.lax.select_n(f(*xs), xs[0], xs[0]), (0,))

    return J.vjp(weighted, *operands)[1](np.float32(1))
