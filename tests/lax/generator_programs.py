"""Programs of `test_random_bits` over `J`; this module imports neither library."""

from tests.lax.comparing import text


def drawn(J, state, shape, dtype, algorithm):
    """The next state and bits of a named generator."""
    chosen = getattr(J.lax.RandomAlgorithm, algorithm)
    return J.lax.rng_bit_generator(state, shape, dtype, chosen)


def program(J, state):
    return text(J, lambda s: J.lax.rng_bit_generator(s, (2,)), state)


def mapped(J, states):
    return J.vmap(lambda s: J.lax.rng_bit_generator(s, (3,)))(states)
