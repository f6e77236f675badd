"""Poisson numbers from one normal number each, without a loop.

Few are read off the distribution function. Many are guessed by a Cornish-Fisher
expansion, and the guess is put right by the Peizer-Pratt formula for the distribution
function.

Source: spec/random.md §11.9, "approximate".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lax
from ..core import typeof
from .arguments import cast, scalar
from .normals import normal_in

_FEW = 7.0
# Chances of more are below the precision of a float.
_MOST = 18
_TERMS = 9


def approximate_poisson(key: Any, lam: Any) -> Any:
    """key[], f[*s] -> f[*s]: whole numbers of these means."""
    aval = typeof(lam)
    z = normal_in(key, aval.shape, aval.dtype)
    return lax.select(lam < _FEW, _of_few(lam, z), _of_many(lam, z))


def _rank(z: Any) -> Any:
    """The normal distribution function."""
    w = z * np.sqrt(0.5)
    size = lax.abs(w)
    tail = lax.erfc(size)
    outer = lax.select(w > 0.0, 2.0 - tail, tail)
    return 0.5 * lax.select(size < np.sqrt(0.5), 1.0 + lax.erf(w), outer)


def _of_few(lam: Any, z: Any) -> Any:
    dtype, rank = typeof(lam).dtype, _rank(z)
    chance = total = lax.exp(-lam)
    count = cast(total < rank, dtype)
    for k in range(1, _MOST + 1):
        chance = chance * (lam / k)
        total = total + chance
        count = count + cast(total < rank, dtype)
    return count


def _of_many(lam: Any, z: Any) -> Any:
    dtype, root = typeof(lam).dtype, lax.sqrt(lam)
    x = lam + root * z - 2 / 3 + lax.square(z) / 6.0
    x = x + z * (1.0 - lax.square(z)) / (72.0 * root) + 0.6
    guess = lax.ceil(x)
    at_guess = cast(_quantile(guess, lam) >= z, dtype)
    before = cast(_quantile(guess - 1.0, lam) >= z, dtype)
    return lax.max(guess + 1.0 - at_guess - before, scalar(0, dtype))


def _quantile(count: Any, lam: Any) -> Any:
    """The normal number whose rank is that of `count`."""
    is_none = count < 0.0
    count = lax.max(count, scalar(0, typeof(count).dtype))
    skew = _skewness((count + 0.5) / lam)
    distance = count - lam + 2 / 3 + 0.02 / (count + 1.0)
    out = distance * lax.sqrt((1.0 + skew) / lam)
    return lax.select(is_none, _filled(out, -np.inf), out)


def _skewness(y: Any) -> Any:
    """(1 - y**2 + 2 y log y) / (1 - y)**2, by its series around 1."""
    offset = y - 1.0
    near = lax.abs(offset) < 0.25
    series = _filled(y, 0)
    for j in range(_TERMS, 0, -1):
        series = offset * (2 * (-1) ** j / ((j + 1) * (j + 2)) + series)
    y = lax.select(near, _filled(y, 2), y)
    offset = lax.select(near, _filled(y, 1), offset)
    closed = 1.0 - lax.square(y) + 2.0 * y * lax.log(y)
    return lax.select(near, series, closed / lax.square(offset))


def _filled(x: Any, value: float) -> Any:
    aval = typeof(x)
    return lax.full(aval.shape, scalar(value, aval.dtype))
