"""Checks of derivatives against differences, as jax.test_util has them."""

from .transforms import check_grads, check_jvp, check_vjp

__all__ = ["check_grads", "check_jvp", "check_vjp"]
