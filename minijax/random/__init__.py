"""Random numbers: keys, and samplers that are functions of a key.

Nothing is hidden: the same key gives the same numbers, everywhere. New keys come from
`split` and `fold_in`.

Reading order: `implementations` (what a generator is), `threefry` (the default one),
`key_arrays` and `primitives` (keys as values), `keys` (the public functions of keys),
then the samplers, one file per family.
"""

from .choices import (
    bernoulli,
    categorical,
    gumbel,
    rademacher,
)
from .ciphers import (  # noqa: F401  for `extend.random`, as is what is marked below
    philox2x32_prng_impl,
    philox4x32_prng_impl,
    threefry4x32_prng_impl,
)
from .counts import (
    binomial,
    multinomial,
    poisson,
)
from .device_generators import rbg_prng_impl, unsafe_rbg_prng_impl  # noqa: F401
from .gamma_mixtures import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    generalized_normal,
    t,
)
from .gammas import (
    gamma,
    loggamma,
    random_gamma_p,
)
from .implementations import define_prng_impl, key_dtype  # noqa: F401
from .inversions import (
    cauchy,
    exponential,
    geometric,
    laplace,
    logistic,
    pareto,
    rayleigh,
    triangular,
    weibull_min,
)
from .keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_impl,
    seed_keys,  # noqa: F401
    seed_with_impl,  # noqa: F401
    split,
    wrap_key_data,
)
from .normals import (
    double_sided_maxwell,
    lognormal,
    maxwell,
    normal,
    truncated_normal,
    wald,
)
from .permutations import choice, permutation
from .threefry import (  # noqa: F401
    threefry2x32_p,
    threefry_2x32,
    threefry_prng_impl,
)
from .uniforms import randint, uniform

__all__ = [
    "PRNGKey",
    "ball",
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cauchy",
    "chisquare",
    "choice",
    "clone",
    "dirichlet",
    "double_sided_maxwell",
    "exponential",
    "f",
    "fold_in",
    "gamma",
    "generalized_normal",
    "geometric",
    "gumbel",
    "key",
    "key_data",
    "key_dtype",
    "key_impl",
    "laplace",
    "loggamma",
    "logistic",
    "lognormal",
    "maxwell",
    "multinomial",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
    "random_gamma_p",
    "rayleigh",
    "split",
    "t",
    "triangular",
    "truncated_normal",
    "uniform",
    "wald",
    "weibull_min",
    "wrap_key_data",
]
