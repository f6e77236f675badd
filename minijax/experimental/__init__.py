"""What may still change."""

from ..transforms import io_callback

__all__ = ["io_callback"]
