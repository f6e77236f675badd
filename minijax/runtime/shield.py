"""The shield: some C++ calls of jaxlib would import an installed jax.

Source: spec/jaxlib.md §4.6.
"""

import sys
import threading
from types import TracebackType

# What C++ looks up in an installed jax, once per process or at every call.
_LOOKED_UP = (
    "jax.core",
    "jax._src.literals",
    "jax._src.named_sharding",
    "jax._src.sharding_impls",
)
_lock = threading.Lock()
_depth = 0


class shielded:
    """Context: C++ calls inside cannot import jax, even if it is installed.

    An import of jax would replace every hook and method that we have set. The calls
    that need the shield are listed in spec/jaxlib.md §4.6. May be entered by several
    threads at once.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        global _depth
        with _lock:
            _depth += 1
            for name in _LOOKED_UP:
                # None in `sys.modules` makes an import fail at once.
                sys.modules.setdefault(name, None)  # type: ignore[arg-type]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _depth
        with _lock:
            _depth -= 1
            if _depth == 0:
                for name in _LOOKED_UP:
                    if sys.modules.get(name) is None:
                        sys.modules.pop(name, None)
