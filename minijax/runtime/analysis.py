"""What the compiler tells about programs: their text, cost and memory.

Source: spec/jit.md §10, spec/jaxlib.md §3.
"""

import importlib
import re
from typing import Any

from ..base import jaxlib_core
from ..lowering import LoweredModule
from .backends import Client
from .compilation import Executable


def computation_of(lowered: LoweredModule) -> Any:
    """A lowered module as an `XlaComputation`, before any optimisation."""
    convert = jaxlib_core.mlir.mlir_module_to_xla_computation
    return convert(lowered.bytecode(), use_tuple_args=False, return_tuple=False)


def cost_before_optimisation(
    lowered: LoweredModule, client: Client
) -> dict[str, float] | None:
    """An estimate of the program as it is written; None where plugins have none."""
    try:
        module = computation_of(lowered).get_hlo_module()
        return dict(jaxlib_core.hlo_module_cost_analysis(client, module))
    except (jaxlib_core.JaxRuntimeError, NotImplementedError):
        return None


def optimised_text(executable: Executable, name: str) -> str | None:
    """The compiled program as HLO text, under the name of the function at hand."""
    hlo = importlib.import_module("jaxlib._hlo")
    try:
        modules = executable.loaded.hlo_modules()
    except jaxlib_core.JaxRuntimeError:
        return None
    options = hlo.HloPrintOptions.short_parsable()
    text = "\n\n".join(module.to_string(options) for module in modules)
    # Equal programs share an executable, which has the name of the first of them.
    return re.sub(r"\AHloModule [^\s,]+", f"HloModule {name}", text)


def cost_after_optimisation(executable: Executable) -> dict[str, float] | None:
    """The costs of the compiled program; None where a platform tells none."""
    try:
        return dict(executable.loaded.cost_analysis())
    except (jaxlib_core.JaxRuntimeError, NotImplementedError):
        return None


def memory_of(executable: Executable) -> Any:
    """The memory the compiled program takes; None where a platform tells none."""
    try:
        return executable.loaded.get_compiled_memory_stats()
    except (jaxlib_core.JaxRuntimeError, NotImplementedError):
        return None


def layouts_of(executable: Executable) -> tuple[list[Any], list[Any]]:
    """The layouts of the parameters and of the results, as jaxlib has them."""
    loaded = executable.loaded
    return list(loaded.get_parameter_layouts()), list(loaded.get_output_layouts())
