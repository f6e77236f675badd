"""Where gradients go: the slots of `VJP.with_refs`, as jax.ad has them."""

from .transforms import DidntWant, DontWant, GradRef, GradValue

__all__ = ["DidntWant", "DontWant", "GradRef", "GradValue"]
