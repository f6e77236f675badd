"""Programs for the oracle: run with minijax here and with jax in the child."""

import numpy as np


def printed(J, values, options):
    """The text of arrays with these values and dtypes."""
    with np.printoptions(**options):
        return [repr(J.device_put(np.asarray(v, d))) for v, d in values] + [
            str(J.device_put(np.asarray(v, d))) for v, d in values
        ]


def weak_text(J):
    return [repr(J.device_put(x)) for x in (1.0, 1, 1j, True)]
