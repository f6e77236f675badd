"""Attention: every query takes a mean of the values, weighted by how keys match it.

Heads of queries may share heads of keys and values: head n of N looks at head n // G of
K = N / G. Inside, queries are shaped (B, T, K, G, H), so that groups cost no copies.

Source: spec/nn_scipy_linalg.md §3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import lax
from .. import numpy as jnp
from ..base import dtypes
from ..base.errors import ArgumentValueError
from ..core import typeof
from ..lax import DotAlgorithmPreset
from ..numpy import logsumexp
from ..runtime import Array
from ..transforms import eager_jit
from .normalizations import softmax

if TYPE_CHECKING:
    type ArrayLike = Array | np.ndarray | np.generic | bool | int | float | complex
    type Extra = ArrayLike | None


def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: Extra = None,
    mask: Extra = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: Extra = None,
    key_value_seq_lengths: Extra = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: Literal["xla", "cudnn"] | None = None,
    return_residual: bool = False,
) -> Any:
    """softmax(scale * query @ key + bias) @ value: f[B, T, N, H] -> f[B, T, N, H].

    query: f[B, T, N, H]; key, value: f[B, S, K, H] with N a multiple of K; all also
    without B. bias, mask: broadcast to (B, N, T, S); where the mask is False, a key is
    not looked at. scale: 1 / sqrt(H) by default. is_causal: queries look at no later
    key. query_seq_lengths, key_value_seq_lengths: i[B], what lies beyond is padding.
    local_window_size: how far before and after its place a query looks.
    return_residual: also return the logarithms of the sums, f[B, T, N].

    Raises:
      ValueError: shapes or dtypes that do not fit, or an unknown implementation.
      RuntimeError: cuDNN is asked for, and not there.
    """
    _check_implementation(implementation)
    shapes = [typeof(x).shape for x in (query, key, value)]
    _check_operands(query, key, value, bias, mask, shapes)
    lengths = (query_seq_lengths, key_value_seq_lengths)
    if isinstance(local_window_size, int):
        local_window_size = (local_window_size, local_window_size)
    head = shapes[0][-1]
    out = _attend(
        *(query, key, value, bias, mask, *lengths),
        1 / np.sqrt(head).item() if scale is None else scale,
        bool(is_causal),
        local_window_size,
        bool(return_residual),
    )
    return out if return_residual else out[0]


def _check_implementation(implementation: Any) -> None:
    if implementation == "cudnn":
        raise RuntimeError(
            "dot_product_attention was asked to use cuDNN. There is none here; leave "
            "`implementation` out, and XLA compiles the formula."
        )
    if implementation not in (None, "xla"):
        raise ArgumentValueError(
            "The implementation of dot_product_attention is 'xla', 'cudnn' or None.",
            f"Found {implementation!r}.",
        )


def _check_operands(
    query: Any, key: Any, value: Any, bias: Any, mask: Any, shapes: list[Any]
) -> None:
    avals = [typeof(x) for x in (query, key, value)]
    shown = ", ".join(map(str, avals))
    q, k, v = shapes
    if len(q) not in (3, 4) or len(k) != len(q) or k != v or k[-1] != q[-1]:
        raise ArgumentValueError(
            "dot_product_attention takes queries (B, T, N, H), and keys and values "
            "(B, S, K, H), all with B or without.",
            f"Found {shown}.",
        )
    if q[:-3] != k[:-3] or not k[-2] or q[-2] % k[-2]:
        raise ArgumentValueError(
            "Queries have a multiple of the heads of keys, in as many batches.",
            f"Found {shown}.",
        )
    if len({aval.dtype for aval in avals}) > 1:
        raise ArgumentValueError(
            "Queries, keys and values have one dtype.", f"Found {shown}."
        )
    if mask is not None and typeof(mask).dtype != dtypes.BOOL:
        raise ArgumentValueError("The mask is boolean.", f"Found {typeof(mask)}.")
    batch = q[0] if len(q) == 4 else 1
    whole = (batch, q[-2], q[-3], k[-3])
    for name, x in (("bias", bias), ("mask", mask)):
        if x is not None and not _fits(typeof(x).shape, whole):
            raise ArgumentValueError(
                f"The {name} broadcasts to (B, N, T, S) = {whole}.",
                f"Found {typeof(x)}.",
            )


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    if len(shape) > len(whole):
        return False
    tail = whole[len(whole) - len(shape) :]
    return all(size in (1, wanted) for size, wanted in zip(shape, tail))


@eager_jit(static_argnums=(8, 9, 10))
def _attend(
    query: Any,
    key: Any,
    value: Any,
    bias: Any,
    mask: Any,
    query_lengths: Any,
    key_lengths: Any,
    scale: Any,
    is_causal: bool,
    window: tuple[int, int] | None,
    with_residual: bool,
) -> Any:
    query, key, value = (jnp.asarray(x) for x in (query, key, value))
    shape = typeof(query).shape
    if len(shape) == 3:
        query, key, value = (lax.expand_dims(x, (0,)) for x in (query, key, value))
    batch, queries, heads, size = typeof(query).shape
    _, keys, shared, _ = typeof(key).shape
    groups = heads // shared
    query = lax.reshape(query, (batch, queries, shared, groups, size))
    logits = _logits(query, key) * scale  # (B, K, G, T, S)
    grouped = (shared, groups, queries, keys)
    if bias is not None:
        logits = logits + _grouped(bias, grouped)
    allowed = _allowed(mask, query_lengths, key_lengths, is_causal, window, grouped)
    if allowed is not None:
        lowest = -0.7 * float(dtypes.finfo(typeof(logits).dtype).max)
        logits = jnp.where(allowed, logits, lowest)
    weights = lax.convert_element_type(softmax(logits), typeof(key).dtype)
    out = jnp.einsum("bkgts,bskh->btkgh", weights, value)
    if query_lengths is not None:
        # Padding looks at something like everybody; nobody should look at it.
        real = _within(query_lengths, queries)[:, :, None, None, None]
        out = out * lax.convert_element_type(real, typeof(out).dtype)
    out = lax.reshape(out, shape)
    return (out, _residual(logits, shape)) if with_residual else (out,)


def _logits(query: Any, key: Any) -> Any:
    dtype = typeof(query).dtype
    wide = dtypes.promote_types(dtype, np.float32)
    numbers = (((4,), (3,)), ((0, 2), (0, 2)))
    products = lax.dot_general(
        query,
        key,
        numbers,
        precision=_ALGORITHMS.get(dtype.name),
        preferred_element_type=wide,
    )
    return lax.transpose(products, (0, 1, 3, 2, 4))  # from (B, K, T, G, S)


# No processor has the same for float16; its products are exact in float32 anyway.
_ALGORITHMS = {"bfloat16": DotAlgorithmPreset.BF16_BF16_F32}


def _grouped(x: Any, grouped: tuple[int, int, int, int]) -> Any:
    """What broadcasts to (B, N, T, S) as what broadcasts to (B, K, G, T, S)."""
    x = lax.broadcast_to_rank(jnp.asarray(x), 4)
    batch, heads, queries, keys = typeof(x).shape
    split = (1, 1) if heads == 1 else grouped[:2]
    return lax.reshape(x, (batch, *split, queries, keys))


def _within(lengths: Any, count: int) -> Any:
    """Which places are no padding: i[B] -> bool[B, count]."""
    return jnp.arange(count)[None, :] < jnp.asarray(lengths)[:, None]


def _allowed(
    mask: Any,
    query_lengths: Any,
    key_lengths: Any,
    is_causal: bool,
    window: tuple[int, int] | None,
    grouped: tuple[int, int, int, int],
) -> Any:
    """Which keys each query looks at, broadcasting to (B, K, G, T, S); None for all."""
    *_, queries, keys = grouped
    row, column = jnp.arange(queries)[:, None], jnp.arange(keys)[None, :]
    parts = []
    if mask is not None:
        parts.append(_grouped(mask, grouped))
    if is_causal:
        parts.append(row >= column)
    if window is not None:
        before, after = window
        parts.append((column >= row - before) & (column <= row + after))
    if query_lengths is not None:
        parts.append(_within(query_lengths, queries)[:, None, None, :, None])
    if key_lengths is not None:
        parts.append(_within(key_lengths, keys)[:, None, None, None, :])
    allowed = parts.pop() if parts else None
    for part in parts:
        allowed = allowed & part
    return allowed


def _residual(logits: Any, shape: tuple[int, ...]) -> Any:
    sums = logsumexp(logits, -1)  # (B, K, G, T)
    sums = lax.transpose(lax.stop_gradient(sums), (0, 3, 1, 2))
    return lax.reshape(sums, shape[:-1])
