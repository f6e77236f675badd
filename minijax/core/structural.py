"""Primitives that interpreters and staging must bind themselves.

Named here so that floors 3 and 4 can use them; ruled in `lax` and `transforms`, like
every other primitive.
"""

from __future__ import annotations

from .primitives import Primitive

add_any_p = Primitive("add_any")
mul_p = Primitive("mul")
select_n_p = Primitive("select_n")
convert_element_type_p = Primitive("convert_element_type")
broadcast_in_dim_p = Primitive("broadcast_in_dim")
reshape_p = Primitive("reshape")
squeeze_p = Primitive("squeeze")
transpose_p = Primitive("transpose")
reduce_sum_p = Primitive("reduce_sum")
copy_p = Primitive("copy")

jit_p = Primitive("jit", multiple_results=True, holds_programs=True)
custom_jvp_call_p = Primitive(
    "custom_jvp_call", multiple_results=True, holds_programs=True
)
custom_vjp_call_p = Primitive(
    "custom_vjp_call", multiple_results=True, holds_programs=True
)
# The linear half of a custom_vjp call: only its transpose is known.
custom_lin_p = Primitive("custom_lin", multiple_results=True, holds_programs=True)
