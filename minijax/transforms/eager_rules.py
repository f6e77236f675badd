"""Derivative rules as compiled programs, for forward mode at top level.

The rule of one operation binds several equations; run one by one, each would be a
dispatch. Compiled together with the operation they are one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..interpreters import ad
from .compilation import eager_jit

_RULES = 4096


# Every value is an argument of its own, for only of arguments are the types compared:
# a rule with 1 is another than with 1.0 or True.
@functools.lru_cache(maxsize=_RULES, typed=True)
def _compiled(rule: Callable[..., Any], names: tuple[str, ...], *values: Any) -> Any:
    settings = dict(zip(names, values, strict=True))

    def run(primals: Any, tangents: Any) -> Any:
        return rule(primals, tangents, **settings)

    run.__name__ = f"jvp_{getattr(rule, '__name__', 'rule')}"
    return eager_jit(run)


def compile_rule(
    rule: Callable[..., Any], params: dict[str, Any]
) -> Callable[..., Any]:
    """`rule(primals, tangents, **params)` as a function of primals and tangents."""
    return _compiled(rule, tuple(params), *params.values())


ad.eager_compilers.append(compile_rule)
