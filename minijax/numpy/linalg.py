"""Norms and products of matrices, under the names of `numpy.linalg`.

Matrices stand in the last two axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..runtime import Array
from . import grids
from .contractions import cross as cross
from .contractions import matmul as matmul
from .contractions import outer as outer
from .contractions import tensordot as tensordot
from .contractions import vecdot as vecdot
from .norms import matrix_norm as matrix_norm
from .norms import matrix_power as matrix_power
from .norms import multi_dot as multi_dot
from .norms import norm as norm
from .norms import vector_norm as vector_norm
from .shaping import matrix_transpose as matrix_transpose

if TYPE_CHECKING:
    from .promotion import ArrayLike, DTypeLike

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """The diagonals of matrices: T[*b, n, m] -> T[*b, k].

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.diagonal(jnp.ones((2, 3, 4))).shape)
    (2, 3)

    Raises:
      ValueError: fewer than two axes.
    """
    return grids.diagonal(x, offset, -2, -1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """The sums of the diagonals of matrices: T[*b, n, m] -> T[*b].

    >>> import minijax.numpy as jnp
    >>> print(jnp.linalg.trace(jnp.ones((2, 3, 3))))
    [3. 3.]

    Raises:
      ValueError: fewer than two axes.
    """
    return grids.trace(x, offset, -2, -1, dtype)
