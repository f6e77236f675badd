"""Modules as text and bytes: for people, for the compiler, for keys.

Source: spec/lowering.md §5, spec/jaxlib.md §2.2.
"""

from __future__ import annotations

import importlib
import io
import itertools
import os
from typing import Any

from ..base import flags
from ..base.errors import ArgumentValueError
from .mlir import pass_manager, string_of

_dump_numbers = itertools.count()


def as_text(module: Any, *, debug_info: bool = False) -> str:
    """A module as StableHLO text, with the user's lines if `debug_info`."""
    text: str = module.operation.get_asm(enable_debug_info=debug_info)
    return text


def bytecode(module: Any) -> bytes:
    """A module as bytecode, with names and places."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def without_debug_info(module: Any) -> Any:
    """A copy of a module that does not say where its operations come from."""
    copy = module.operation.clone()
    pass_manager("builtin.module(strip-debuginfo)", module.context).run(copy.operation)
    return copy


def key_bytes(module: Any) -> bytes:
    """A module built for compilation as bytes that depend on what it does alone.

    The same for every name of the function and its arguments, every file and line, and
    in every process.
    """
    copy = without_debug_info(module)
    copy.operation.attributes["sym_name"] = string_of(module.context, "program")
    return bytecode(copy)


def verify(module: Any, name: str) -> None:
    """Check that every operation is well-formed.

    Raises:
        ValueError: names the operation that is not, and the file with the module.
    """
    try:
        module.operation.verify()
    except Exception as error:
        # The verifier's own class is not ours to show, and loads with MLIR.
        path = dump(as_text(module, debug_info=True), name, "verification")
        raise ArgumentValueError(
            f"The lowering of {name} must be a valid module.",
            f"Found: {error}",
            f"A lowering rule has emitted this; the module is in {path}.",
        ) from error


def dump(text: str, name: str, stage: str) -> str:
    """Write a module where `jax_dump_ir_to` says, else where temporary files go.

    stage: what it was dumped for. Returns the path.
    """
    folder = flags.dump_ir_to.value
    if not folder:  # loaded here: it brings the modules of all archive formats
        folder = importlib.import_module("tempfile").gettempdir()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"jax_ir{next(_dump_numbers):04d}_{name}_{stage}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
