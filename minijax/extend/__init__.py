"""For libraries that extend minijax: its types and tables, under JAX's names.

Not imported by `import minijax`.
"""

from . import core, linear_util

__all__ = ["core", "linear_util"]
