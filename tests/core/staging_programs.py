"""Programs over `J` about staging; the oracle imports this module beside jax."""

import numpy as np


def text(J, which):
    jnp, lax = J.numpy, J.lax
    array = jnp.arange(3.0)
    programs = {
        "empty": (lambda: (), ()),
        "constant": (lambda: 1, ()),
        "unused": (lambda x, y: x, (1.0, 2.0)),
        "dead": (lambda x: (lax.sin(x), x)[1], (1.0,)),
        "literal": (lambda x: x + jnp.sin(3.0), (1.0,)),
        "numpy": (lambda x: x + np.sin(3.0), (1.0,)),
        "same constant": (lambda x: lax.mul(lax.add(array, array), array), (1.0,)),
        "equal constants": (
            lambda x: lax.add(jnp.array([1.0]), jnp.array([1.0])),
            (1.0,),
        ),
        "scalar array": (
            lambda x: lax.mul(x, SCALARS[J.__name__](J)),
            (np.float32(1),),
        ),
        "numpy scalar": (lambda x: lax.mul(x, np.float32(2)), (np.float32(1),)),
        "numpy 0-d": (lambda x: lax.mul(x, np.array(2, "float32")), (np.float32(1),)),
        "numpy array": (
            lambda x: lax.mul(x, np.ones(1, "float32")),
            (np.ones(1, "float32"),),
        ),
    }
    fun, args = programs[which]
    return str(J.make_jaxpr(fun)(*args))


SCALARS = {"minijax": lambda J: J.numpy.float32(2), "jax": lambda J: J.numpy.float32(2)}

NAMES = [
    *("empty", "constant", "unused", "dead", "literal", "numpy", "same constant"),
    *("equal constants", "scalar array", "numpy scalar", "numpy 0-d", "numpy array"),
]


def nested(J):
    def outer(x):
        return J.jit(lambda y: y * x)(2.0)

    return str(J.make_jaxpr(outer)(1.0))


def shapes(J):
    _, out = J.make_jaxpr(lambda x: {"a": x, "b": J.numpy.ones(2)}, return_shape=True)(
        1.0
    )
    return J.tree_util.tree_map(lambda s: (s.shape, str(s.dtype), s.weak_type), out)
