"""Programs whose text is kept in a file, for people to read and to notice changes by.

Each gives one text. After a change that is meant, `python -m tests.golden.texts` writes
the files anew, and the difference is reviewed like code.
"""

import importlib
import pathlib
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).parent

VECTOR = np.arange(3, dtype=np.float32)
MATRIX = np.ones((3, 2), np.float32)


def jaxpr_of_a_derivative(J: Any) -> str:
    """Reverse mode: the forward pass, then cotangents, with sums where they meet."""
    return str(J.make_jaxpr(J.grad(lambda x: J.lax.mul(J.lax.sin(x), x)))(1.0))


def jaxpr_of_a_batched_product(J: Any) -> str:
    """The batch axis becomes a batch dimension of the product."""
    product = J.vmap(lambda w, x: J.lax.dot(x, w), in_axes=(0, None))
    return str(J.make_jaxpr(product)(np.ones((4, 3, 2), np.float32), VECTOR))


def jaxpr_of_calls_and_branches(J: Any) -> str:
    """Programs within programs, with constants that were closed over."""
    scale = J.numpy.asarray(VECTOR)

    @J.jit
    def scaled(x: Any) -> Any:
        return J.lax.mul(x, scale)

    def whole(flag: Any, x: Any) -> Any:
        y = J.lax.cond(flag, scaled, J.lax.neg, x)
        return J.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1]), (0, y))

    return str(J.make_jaxpr(whole)(True, VECTOR))


def jaxpr_of_a_scan(J: Any) -> str:
    def step(carry: Any, row: Any) -> Any:
        total = J.lax.add(carry, row)
        return total, J.lax.sin(total)

    zero = np.float32(0)
    return str(J.make_jaxpr(lambda xs: J.lax.scan(step, zero, xs))(VECTOR))


def stablehlo_of_a_layer(J: Any) -> str:
    """The module, its arguments and results by name."""

    def layer(p: Any, x: Any) -> Any:
        return {"y": J.lax.tanh(J.lax.add(J.lax.dot(x, p["w"]), p["b"]))}

    p = {"w": MATRIX, "b": np.ones(2, np.float32)}
    return str(J.jit(layer).lower(p, VECTOR).as_text())


def stablehlo_of_two_calls(J: Any) -> str:
    """A function called twice is emitted once."""
    inner = J.jit(lambda x: J.lax.sin(J.lax.cos(x)))
    return str(J.jit(lambda x: inner(inner(x))).lower(VECTOR).as_text())


def stablehlo_of_a_loop(J: Any) -> str:
    """A while with a closed-over constant and a donated argument."""

    def power(x: Any, n: Any) -> Any:
        def step(state: Any) -> Any:
            return state[0] - 1, J.lax.mul(state[1], x)

        return J.lax.while_loop(lambda s: s[0] > 0, step, (n, x))[1]

    f = J.jit(power, donate_argnums=0)
    return str(f.lower(VECTOR, np.int32(5)).as_text())


TEXTS = (
    jaxpr_of_a_derivative,
    jaxpr_of_a_batched_product,
    jaxpr_of_calls_and_branches,
    jaxpr_of_a_scan,
    stablehlo_of_a_layer,
    stablehlo_of_two_calls,
    stablehlo_of_a_loop,
)

# Those that jax prints the same. Its scan shows internal trees, and its modules other
# names and attributes.
AS_IN_JAX = (
    jaxpr_of_a_derivative,
    jaxpr_of_a_batched_product,
    jaxpr_of_calls_and_branches,
)


def file_of(program: Any) -> pathlib.Path:
    return FOLDER / f"{program.__name__}.txt"


if __name__ == "__main__":
    J = importlib.import_module("minijax")
    for text in TEXTS:
        file_of(text).write_text(text(J).rstrip() + "\n")
