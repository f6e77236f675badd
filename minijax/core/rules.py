"""Rule tables: one question, its answers keyed by primitive.

A file of its own because every interpreter owns a table and imports nothing else to
have one. A table is a `dict`; what it adds is an error that names the question when
an answer is missing, and a `define` that refuses to answer twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import DuplicateRuleError, MissingRuleError


class RuleTable(dict[Any, Callable[..., Any]]):
    """The answers of all primitives to one interpreter's question."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __missing__(self, primitive: Any) -> Callable[..., Any]:
        raise MissingRuleError(self.name, str(primitive))

    def define(self, primitive: Any, rule: Callable[..., Any] | Refusal) -> None:
        """Enter the answer of `primitive`; a `Refusal` becomes a rule that raises."""
        if primitive in self:
            raise DuplicateRuleError(self.name, str(primitive))
        self[primitive] = (
            rule.rule_for(primitive) if isinstance(rule, Refusal) else rule
        )


class Refusal:
    """A named "no": the primitive has an answer, and the answer is an error.

    Fields: table (the question), reason (why there is no answer).
    """

    def __init__(self, table: str, reason: str) -> None:
        self.table, self.reason = table, reason

    def rule_for(self, primitive: Any) -> Callable[..., Any]:
        """The rule that raises on behalf of `primitive`."""

        def refuse(*args: Any, **params: Any) -> Any:
            raise MissingRuleError(self.table, str(primitive), why=self.reason)

        refuse.refusal = self  # type: ignore[attr-defined]
        return refuse

    def __repr__(self) -> str:
        return f"Refusal({self.table}: {self.reason})"


NOT_LINEAR = Refusal("transpose", "it is not a linear function of its operands")
NOT_DIFFERENTIABLE = Refusal("jvp", "it has no derivative")
NOT_BATCHABLE = Refusal("batch", "it cannot be mapped over an axis")
NOT_LOWERABLE = Refusal("lower", "it only exists while a program is transformed")
