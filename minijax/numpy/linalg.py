"""Norms and products of matrices, under the names of `numpy.linalg`."""

from .contractions import cross as cross
from .contractions import matmul as matmul
from .contractions import outer as outer
from .contractions import tensordot as tensordot
from .contractions import vecdot as vecdot
from .grids import diagonal as diagonal
from .grids import trace as trace
from .norms import matrix_norm as matrix_norm
from .norms import matrix_power as matrix_power
from .norms import multi_dot as multi_dot
from .norms import norm as norm
from .norms import vector_norm as vector_norm
from .shaping import matrix_transpose as matrix_transpose
