"""`define`: one primitive, all questions, in one block.

Five questions always have an answer, a rule or a named refusal; the others have
defaults and are mostly answered by primitives that hold programs. This is the only
writer of the rule tables inside minijax.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import (
    Effects,
    Primitive,
    Refusal,
    checking_rules,
    discharge_rules,
    impl_rules,
    printing_rules,
    replay_rules,
    staging_rules,
)
from ..interpreters import ad, batching
from ..interpreters import partial_eval as _partial_eval
from ..lowering import lower_rules

Rule = Callable[..., Any]
Answer = Rule | Refusal


def define(
    primitive: Primitive,
    *,
    abstract_eval: Rule,
    jvp: Answer,
    transpose: Answer,
    batch: Answer,
    lower: Answer,
    linearize: Rule | None = None,
    partial_eval: Rule | None = None,
    dce: Rule | None = None,
    policy: Rule | None = None,
    printing: Rule | None = None,
    checking: Rule | None = None,
    impl: Rule | None = None,
    staging: Rule | None = None,
    replay: Rule | None = None,
    discharge: Rule | None = None,
    effects: Callable[..., Effects] | None = None,
) -> Primitive:
    """Enter the answers of `primitive`. Raises: ValueError for a second answer.

    The modules that own the tables say what each rule gets and returns.
    """
    primitive.abstract_eval = abstract_eval
    primitive.effects = effects
    answers: list[tuple[Any, Answer | None]] = [
        (ad.jvp_rules, jvp),
        (ad.transpose_rules, transpose),
        (batching.batch_rules, batch),
        (lower_rules, lower),
        (ad.linearize_rules, linearize),
        (_partial_eval.partial_eval_rules, partial_eval),
        (_partial_eval.dce_rules, dce),
        (_partial_eval.policy_rules, policy),
        (printing_rules, printing),
        (checking_rules, checking),
        (impl_rules, impl),
        (staging_rules, staging),
        (replay_rules, replay),
        (discharge_rules, discharge),
    ]
    for table, answer in answers:
        if answer is not None:
            table.define(primitive, answer)
    return primitive
