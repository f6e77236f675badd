"""Generators of one's own, and the parts of ours, for libraries that extend minijax."""

from ..random import define_prng_impl as define_prng_impl
from ..random import rbg_prng_impl as rbg_prng_impl
from ..random import seed_keys as random_seed
from ..random import seed_with_impl as seed_with_impl
from ..random import threefry2x32_p as threefry2x32_p
from ..random import threefry_2x32 as threefry_2x32
from ..random import threefry_prng_impl as threefry_prng_impl
from ..random import unsafe_rbg_prng_impl as unsafe_rbg_prng_impl

__all__ = [
    "define_prng_impl",
    "random_seed",
    "rbg_prng_impl",
    "seed_with_impl",
    "threefry2x32_p",
    "threefry_2x32",
    "threefry_prng_impl",
    "unsafe_rbg_prng_impl",
]
