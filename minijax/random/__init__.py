"""Random numbers: keys, and samplers that are functions of a key.

Nothing is hidden: the same key gives the same numbers, everywhere. New keys come from
`split` and `fold_in`.

Reading order: `implementations` (what a generator is), `threefry` (the default one),
`key_arrays` and `primitives` (keys as values), `keys` (the public functions of keys),
then the samplers, one file per family.

The names in `__all__` are the public namespace; the others serve `minijax.extend`.
"""

from .choices import bernoulli, categorical, gumbel, rademacher
from .ciphers import philox2x32_prng_impl as philox2x32_prng_impl
from .ciphers import philox4x32_prng_impl as philox4x32_prng_impl
from .ciphers import threefry4x32_prng_impl as threefry4x32_prng_impl
from .counts import binomial, multinomial, poisson
from .device_generators import rbg_prng_impl as rbg_prng_impl
from .device_generators import unsafe_rbg_prng_impl as unsafe_rbg_prng_impl
from .gamma_mixtures import (
    ball,
    beta,
    chisquare,
    dirichlet,
    f,
    generalized_normal,
    t,
)
from .gammas import gamma, loggamma, random_gamma_p
from .implementations import PRNGImpl as PRNGImpl
from .implementations import PRNGSpec as PRNGSpec
from .implementations import define_prng_impl as define_prng_impl
from .implementations import (
    key_dtype,
)
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
from .key_arrays import PRNGKeyArray as PRNGKeyArray
from .keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_impl,
    split,
    wrap_key_data,
)
from .keys import seed_keys as seed_keys
from .keys import seed_with_impl as seed_with_impl
from .normals import (
    double_sided_maxwell,
    lognormal,
    maxwell,
    normal,
    truncated_normal,
    wald,
)
from .permutations import choice, permutation
from .primitives import random_bits_p as random_bits_p
from .primitives import random_fold_in_p as random_fold_in_p
from .primitives import random_seed_p as random_seed_p
from .primitives import random_split_p as random_split_p
from .threefry import threefry2x32_p as threefry2x32_p
from .threefry import threefry_2x32 as threefry_2x32
from .threefry import threefry_prng_impl as threefry_prng_impl
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
