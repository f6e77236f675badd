"""The answers of the toy primitives to the interpreters' questions."""

from minijax.interpreters import batching
from minijax.interpreters import partial_eval as pe
from tests.core import toys

for _primitive in (
    *(toys.sin_p, toys.cos_p, toys.neg_p, toys.exp_p, toys.tanh_p),
    *(toys.add_p, toys.mul_p, toys.sub_p),
):
    batching.batch_rules.define(_primitive, batching.elementwise(_primitive))


def _call_batch(axis, operands, axes, *, name, jaxpr):
    batched, out_axes = batching.batch_jaxpr(jaxpr, axis, axes)
    return toys.toy_jit_p.bind(*operands, name=name, jaxpr=batched), out_axes


batching.batch_rules.define(toys.toy_jit_p, batching.with_axis(_call_batch))
pe.dce_rules.define(toys.toy_jit_p, pe.call_dce_rule())
pe.partial_eval_rules.define(toys.toy_jit_p, pe.call_split_rule())
pe.policy_rules.define(toys.toy_jit_p, pe.call_policy_rule())
