"""The gate to jaxlib: nothing of minijax loads before this file has looked.

One file, so that the three refusals (the real jax is loaded, no jaxlib, a jaxlib of
another age) stand before the first use of jaxlib. The other files of this room take
jaxlib's module from here and so cannot come first.
"""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from .errors import JaxAlreadyImportedError, JaxlibMissingError, JaxlibVersionError

VERSION = "0.1.0"
JAXLIB_NEEDED = ">=0.11.2,<0.13"
_FROM, _BELOW = (0, 11, 2), (0, 13)


def version_tuple(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: `"0.12.0.1.dev3"` -> `(0, 12, 0, 1)`."""
    numbers: list[int] = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def check_version(version: str) -> None:
    """Refuse a jaxlib we were not built for.

    Raises:
      JaxlibVersionError: `version` lies outside of what `JAXLIB_NEEDED` says.
    """
    if not _FROM <= version_tuple(version) < _BELOW:
        raise JaxlibVersionError(JAXLIB_NEEDED, version)


def _load_jaxlib() -> ModuleType:
    # A name mapped to None is a shield against an import, not a loaded module.
    if sys.modules.get("jax") is not None:
        raise JaxAlreadyImportedError()
    # Read by jaxlib when it is loaded: without it the CPU client prints INFO lines.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    try:
        version = importlib.import_module("jaxlib.version").__version__
        check_version(version)
        # Must precede the typed-array hook of `_jax`, which crashes without it.
        importlib.import_module("jaxlib.weakref_lru_cache")
        return importlib.import_module("jaxlib._jax")
    except JaxlibVersionError:
        raise
    except ImportError as error:
        raise JaxlibMissingError(JAXLIB_NEEDED, str(error)) from error


jaxlib_core: Any = _load_jaxlib()
JaxRuntimeError: type[RuntimeError] = jaxlib_core.JaxRuntimeError
JAXLIB_VERSION: tuple[int, ...] = version_tuple(
    importlib.import_module("jaxlib.version").__version__
)
