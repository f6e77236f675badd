"""Partial evaluation: dead code, the known and the unknown, what is computed twice."""

from .calls import call_dce_rule as call_dce_rule
from .calls import call_policy_rule as call_policy_rule
from .calls import call_split_rule as call_split_rule
from .dce import dce_jaxpr as dce_jaxpr
from .dce import dce_jaxpr_consts as dce_jaxpr_consts
from .dce import dce_rules as dce_rules
from .policies import Offloadable as Offloadable
from .policies import Policy as Policy
from .policies import Recompute as Recompute
from .policies import Saveable as Saveable
from .policies import answer_of as answer_of
from .policies import movers as movers
from .policies import partial_eval_jaxpr_custom as partial_eval_jaxpr_custom
from .policies import policy_rules as policy_rules
from .splitting import partial_eval_rules as partial_eval_rules
from .splitting import split_jaxpr as split_jaxpr
