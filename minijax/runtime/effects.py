"""Effects at run time: their order between programs, and waiting for them.

Programs with an ordered effect hand a token from one to the next, so that their effects
happen in the order of the calls. Effects without an order are only waited for.

Source: spec/jit.md §6.
"""

import atexit
import contextlib
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import jaxlib_core
from ..core import Effect, ShapedArray
from ..sharding import Device
from .arrays import Array, put_on
from .backends import on_clear
from .devices import placement_on

# A token is an array without elements: what matters is when it is there.
_TOKEN = ShapedArray((0,), np.dtype(bool))

# The last token of each ordered effect on each device.
_tokens: dict[tuple[Effect, Device], Array] = {}
# What tells that a program with effects has ended, of the last ones that were started.
_running: deque[Any] = deque(maxlen=256)
on_clear.append(_tokens.clear)
on_clear.append(_running.clear)


def tokens_of(effects: Sequence[Effect], device: Device) -> list[Array]:
    """What a program with these ordered effects must wait for: one token each."""
    known = [_tokens.get((effect, device)) for effect in effects]
    return [_first(device) if token is None else token for token in known]


def _first(device: Device) -> Array:
    return put_on(np.zeros((0,), bool), _TOKEN, placement_on(device), committed=False)


def token_handler(device: Device) -> Any:
    """Makes a token from a result of a program."""
    return jaxlib_core.array_result_handler(_TOKEN, placement_on(device), False)


def note_effects(
    effects: Sequence[Effect], device: Device, tokens: Sequence[Array], running: Any
) -> None:
    """A program was started: its new tokens, and what tells that it has ended."""
    for effect, token in zip(effects, tokens, strict=True):
        _tokens[effect, device] = token
    if len(_running) == _running.maxlen:
        _running.popleft().block_until_ready()
    _running.append(running)


def effects_barrier() -> None:
    """Wait until every effect of the programs called so far has happened.

    Raises:
        JaxRuntimeError: a program failed.

    >>> import minijax as mj
    >>> mj.effects_barrier()
    """
    while _running:
        _running.popleft().block_until_ready()
    jaxlib_core.batched_block_until_ready(list(_tokens.values()))


@atexit.register
def _wait_at_exit() -> None:
    # A failure has been reported where the results were read.
    with contextlib.suppress(jaxlib_core.JaxRuntimeError):
        effects_barrier()
