"""What the functions of this room take, for annotations alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..runtime import Array

type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
type DTypeLike = Any
type Axis = int | Sequence[int] | None
