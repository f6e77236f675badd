"""Claim: a real model is traced and lowered several times faster, and runs as fast."""

from typing import Any

import numpy as np

from benchmarks.harness import Group, unique

GROUP = Group()

WIDTH, HEADS, LENGTH, VOCABULARY, BATCH = 64, 4, 32, 64, 4


def parameters(layers: int) -> dict[str, Any]:
    """Weights of a transformer, as numpy arrays."""
    rng = np.random.default_rng(0)

    def dense(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    def layer() -> dict[str, Any]:
        return {
            "norm1": {"scale": np.ones(WIDTH, np.float32), "shift": dense(WIDTH)},
            "qkv": dense(WIDTH, 3 * WIDTH),
            "out": dense(WIDTH, WIDTH),
            "norm2": {"scale": np.ones(WIDTH, np.float32), "shift": dense(WIDTH)},
            "up": dense(WIDTH, 4 * WIDTH),
            "down": dense(4 * WIDTH, WIDTH),
        }

    return {
        "embed": dense(VOCABULARY, WIDTH),
        "place": dense(LENGTH, WIDTH),
        "layers": [layer() for _ in range(layers)],
        "head": dense(WIDTH, VOCABULARY),
    }


def normalized(J: Any, p: Any, x: Any) -> Any:
    mean = J.numpy.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = J.numpy.mean(centred * centred, axis=-1, keepdims=True)
    return centred / J.numpy.sqrt(variance + 1e-5) * p["scale"] + p["shift"]


def attention(J: Any, p: Any, x: Any) -> Any:
    """f32[b, t, WIDTH] -> the same, each place looking at itself and those before."""
    batch, length, _ = x.shape
    q, k, v = J.numpy.split(x @ p["qkv"], 3, axis=-1)
    q, k, v = (y.reshape(batch, length, HEADS, -1) for y in (q, k, v))
    scores = J.numpy.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(WIDTH / HEADS)
    mask = J.numpy.tril(J.numpy.ones((length, length), bool))
    weights = J.nn.softmax(J.numpy.where(mask, scores, -1e9), axis=-1)
    mixed = J.numpy.einsum("bhqk,bkhd->bqhd", weights, v)
    return mixed.reshape(batch, length, WIDTH) @ p["out"]


def loss(J: Any, p: Any, tokens: Any) -> Any:
    """Mean negative log-likelihood of each next token: i32[b, t] -> f32[]."""
    x = p["embed"][tokens] + p["place"]
    for layer in p["layers"]:
        x = x + attention(J, layer, normalized(J, layer["norm1"], x))
        hidden = J.nn.gelu(normalized(J, layer["norm2"], x) @ layer["up"])
        x = x + hidden @ layer["down"]
    scores = J.nn.log_softmax((x @ p["head"])[:, :-1], axis=-1)
    wanted = J.nn.one_hot(tokens[:, 1:], VOCABULARY)
    return -J.numpy.mean(J.numpy.sum(scores * wanted, axis=-1))


def step(J: Any, rate: float) -> Any:
    """A new function that makes one step of gradient descent."""

    def descend(p: Any, tokens: Any) -> Any:
        value, slope = J.value_and_grad(lambda p: loss(J, p, tokens))(p)
        return J.tree_util.tree_map(lambda w, d: w - rate * d, p, slope), value

    return descend


def _data(J: Any, layers: int) -> Any:
    tokens = np.random.default_rng(1).integers(0, VOCABULARY, (BATCH, LENGTH))
    return J.device_put(parameters(layers)), J.numpy.asarray(tokens.astype(np.int32))


@GROUP.fresh("12-layer transformer, trace of value_and_grad", target=0.25)
def trace(J: Any) -> Any:
    p, tokens = _data(J, 12)
    f = J.value_and_grad(lambda p, tokens: loss(J, p, tokens))
    return lambda: J.make_jaxpr(f)(p, tokens)


@GROUP.fresh("12-layer transformer, lower", target=0.4)
def lower(J: Any) -> Any:
    p, tokens = _data(J, 12)
    f = J.value_and_grad(lambda p, tokens: loss(J, p, tokens))
    return J.jit(f).trace(p, tokens).lower


@GROUP.fresh("2-layer transformer, first step", target=0.6)
def first_step(J: Any) -> Any:
    p, tokens = _data(J, 2)
    f = J.jit(step(J, 0.01 * unique()))
    return lambda: J.block_until_ready(f(p, tokens))


@GROUP.call("2-layer transformer, steady step", target=1.05)
def steady_step(J: Any) -> Any:
    state, tokens = _data(J, 2)
    f = J.jit(step(J, 0.01))

    def advance() -> Any:
        nonlocal state
        state, value = f(state, tokens)
        return value

    return advance
