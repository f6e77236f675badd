"""Questions that are asked of primitives, one room each, with the table of answers."""

from . import ad, batching, partial_eval

__all__ = ["ad", "batching", "partial_eval"]
