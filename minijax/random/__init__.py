"""Random numbers: keys, and samplers that are functions of a key.

Nothing is hidden: the same key gives the same numbers, everywhere. New keys come from
`split` and `fold_in`.

Reading order: `implementations` (what a generator is), `threefry` (the default one),
`key_arrays` and `primitives` (keys as values), `keys` (the public functions of keys),
then the samplers, one file per family.
"""

from .ciphers import (
    philox2x32_prng_impl as philox2x32_prng_impl,
    philox4x32_prng_impl as philox4x32_prng_impl,
    threefry4x32_prng_impl as threefry4x32_prng_impl,
)
from .choices import (
    bernoulli as bernoulli,
    categorical as categorical,
    gumbel as gumbel,
    rademacher as rademacher,
)
from .counts import (
    binomial as binomial,
    multinomial as multinomial,
    poisson as poisson,
)
from .device_generators import (
    rbg_prng_impl as rbg_prng_impl,
    unsafe_rbg_prng_impl as unsafe_rbg_prng_impl,
)
from .gamma_mixtures import (
    ball as ball,
    beta as beta,
    chisquare as chisquare,
    dirichlet as dirichlet,
    f as f,
    generalized_normal as generalized_normal,
    t as t,
)
from .gammas import (
    gamma as gamma,
    loggamma as loggamma,
    random_gamma_p as random_gamma_p,
)
from .implementations import key_dtype as key_dtype
from .inversions import (
    cauchy as cauchy,
    exponential as exponential,
    geometric as geometric,
    laplace as laplace,
    logistic as logistic,
    pareto as pareto,
    rayleigh as rayleigh,
    triangular as triangular,
    weibull_min as weibull_min,
)
from .keys import (
    PRNGKey as PRNGKey,
    bits as bits,
    clone as clone,
    fold_in as fold_in,
    key as key,
    key_data as key_data,
    key_impl as key_impl,
    split as split,
    wrap_key_data as wrap_key_data,
)
from .normals import (
    double_sided_maxwell as double_sided_maxwell,
    lognormal as lognormal,
    maxwell as maxwell,
    normal as normal,
    truncated_normal as truncated_normal,
    wald as wald,
)
from .permutations import choice as choice, permutation as permutation
from .threefry import threefry_prng_impl as threefry_prng_impl
from .uniforms import randint as randint, uniform as uniform
