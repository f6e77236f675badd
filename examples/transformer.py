"""Trains a transformer to write like Python's own documentation, letter by letter.

The text is the help that ships inside Python (`pydoc_data.topics`), so nothing is
downloaded. After a few hundred steps the model closes its brackets and knows `the`.
"""

import argparse
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import minijax as mj
import minijax.numpy as mnp
from examples.training import (
    Clock,
    adam_start,
    adam_step,
    console,
    heading,
    with_progress,
)

WIDTH, HEADS, LAYERS, LENGTH, BATCH, RATE = 64, 4, 2, 64, 16, 3e-3

Weights = dict[str, Any]


def corpus() -> tuple[np.ndarray, list[str]]:
    """The text as numbers, and the letter that each number stands for."""
    lines = "\n".join(topics[name] for name in sorted(topics)).splitlines()
    # Rows of asterisks and equals signs are headings drawn in text: easy, and dull.
    text = "\n".join(line for line in lines if any(map(str.isalpha, line)))
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    return np.array([number[c] for c in text], np.int32), letters


def start(key: Any, vocabulary: int) -> Weights:
    def dense(key: Any, n_in: int, *n_out: int) -> Any:
        return mj.random.normal(key, (n_in, *n_out)) / n_in**0.5

    def block(key: Any) -> Weights:
        keys = mj.random.split(key, 4)
        return {
            "norm1": mnp.ones(WIDTH),
            "qkv": dense(keys[0], WIDTH, 3 * WIDTH),
            "out": dense(keys[1], WIDTH, WIDTH),
            "norm2": mnp.ones(WIDTH),
            "up": dense(keys[2], WIDTH, 4 * WIDTH),
            "down": dense(keys[3], 4 * WIDTH, WIDTH),
        }

    embed, place, head, *blocks = mj.random.split(key, 3 + LAYERS)
    return {
        "embed": dense(embed, vocabulary, WIDTH),
        "place": dense(place, LENGTH, WIDTH),
        "blocks": [block(k) for k in blocks],
        "head": dense(head, WIDTH, vocabulary),
    }


def normalized(scale: Any, x: Any) -> Any:
    """Each place divided by its size: f32[t, WIDTH] -> f32[t, WIDTH]."""
    return x * scale / mnp.sqrt(mnp.mean(x * x, axis=-1, keepdims=True) + 1e-5)


def attention(p: Weights, x: Any) -> Any:
    """Each place looks at itself and those before: f32[t, WIDTH] -> f32[t, WIDTH]."""
    length = x.shape[0]
    q, k, v = (
        y.reshape(length, HEADS, -1) for y in mnp.split(x @ p["qkv"], 3, axis=-1)
    )
    match = mnp.einsum("qhd,khd->hqk", q, k) / (WIDTH // HEADS) ** 0.5
    seen = mnp.tril(mnp.ones((length, length), bool))
    weights = mj.nn.softmax(mnp.where(seen, match, -1e9), axis=-1)
    return mnp.einsum("hqk,khd->qhd", weights, v).reshape(length, WIDTH) @ p["out"]


def scores(weights: Weights, letters: Any) -> Any:
    """A score for each letter that may come next: i32[t] -> f32[t, vocabulary]."""
    x = weights["embed"][letters] + weights["place"]
    for p in weights["blocks"]:
        x = x + attention(p, normalized(p["norm1"], x))
        x = x + mj.nn.gelu(normalized(p["norm2"], x) @ p["up"]) @ p["down"]
    return x @ weights["head"]


def text_loss(weights: Weights, letters: Any) -> Any:
    """Mean negative log-likelihood of each next letter: i32[t+1] -> f32[]."""
    guesses = mj.nn.log_softmax(scores(weights, letters[:-1]), axis=-1)
    wanted = mj.nn.one_hot(letters[1:], guesses.shape[-1])
    return -mnp.mean(mnp.sum(wanted * guesses, axis=-1))


def loss(weights: Weights, texts: Any) -> Any:
    return mnp.mean(mj.vmap(text_loss, in_axes=(None, 0))(weights, texts))


@mj.jit
def step(weights: Weights, state: Any, texts: Any) -> tuple[Any, Any, Any]:
    value, slope = mj.value_and_grad(loss)(weights, texts)
    weights, state = adam_step(weights, slope, state, RATE)
    return weights, state, value


@mj.jit
def write(weights: Weights, key: Any, letters: Any) -> Any:
    """Continues a text by a few lines, each drawn by its likelihood: i32[t]."""

    def draw(window: Any, key: Any) -> tuple[Any, Any]:
        noise = -mnp.log(-mnp.log(mj.random.uniform(key, (weights["head"].shape[1],))))
        letter = mnp.argmax(scores(weights, window)[-1] / 0.7 + noise)
        letter = letter.astype(window.dtype)
        return mnp.concatenate([window[1:], letter[None]]), letter

    return mj.lax.scan(draw, letters, mj.random.split(key, 4 * LENGTH))[1]


def batches(text: np.ndarray, steps: int) -> Any:
    rng = np.random.default_rng(0)
    for _ in range(steps):
        first = rng.integers(0, len(text) - LENGTH - 1, BATCH)
        yield text[first[:, None] + np.arange(LENGTH + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("--steps must be at least 1")
    text, letters = corpus()
    weights = start(mj.random.key(0), len(letters))
    state, clock, values = adam_start(weights), Clock(), []
    for texts, say in with_progress(batches(text, steps), steps):
        with clock.step():
            weights, state, value = step(weights, state, texts)
            mj.block_until_ready(value)
        values.append(float(value))
        say(f"loss {values[-1]:.3f}")
    console.print(f"loss {values[0]:.3f} at first, {np.mean(values[-20:]):.3f} at last")
    heading("what it writes")
    written = write(weights, mj.random.key(1), mnp.asarray(text[:LENGTH]))
    print("".join(letters[int(i)] for i in np.asarray(written)))
    heading("time")
    clock.report()


if __name__ == "__main__":
    main()
