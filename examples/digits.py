"""Trains a small network to read handwritten digits, then looks inside the compiler.

The data are scikit-learn's 1797 images of 8 by 8 pixels, shipped in its package; a
fifth of them is held out. Run it twice: the second time, compiled programs come from
disk.
"""

import time
from typing import Any

from sklearn.datasets import load_digits

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

SIZES = (64, 128, 64, 10)
EPOCHS, BATCH, RATE = 40, 64, 2e-3

Layer = dict[str, Any]


def load() -> tuple[Any, Any, Any, Any]:
    """Images f32[n, 64] in [0, 1] and labels i32[n], for training and held out."""
    pixels, labels = load_digits(return_X_y=True)
    order = mj.random.permutation(mj.random.key(0), len(labels))
    images = (mnp.asarray(pixels, mnp.float32) / 16)[order]
    labels = mnp.asarray(labels, mnp.int32)[order]
    held = len(labels) // 5
    return images[held:], labels[held:], images[:held], labels[:held]


def start(key: Any) -> list[Layer]:
    """Random weights, scaled so that signals neither grow nor fade (He)."""
    keys = mj.random.split(key, len(SIZES) - 1)
    return [
        {
            "w": mj.random.normal(k, (n_in, n_out)) * (2 / n_in) ** 0.5,
            "b": mnp.zeros(n_out),
        }
        for k, n_in, n_out in zip(keys, SIZES[:-1], SIZES[1:])
    ]


def layer(p: Layer, x: Any) -> Any:
    """f32[n_in] -> f32[n_out]."""
    return mj.nn.relu(x @ p["w"] + p["b"])


def scores(weights: list[Layer], image: Any) -> Any:
    """One image to one score for each digit: f32[64] -> f32[10]."""
    x = image
    for p in weights[:-1]:
        x = layer(p, x)
    return x @ weights[-1]["w"] + weights[-1]["b"]


def example_loss(weights: list[Layer], image: Any, label: Any) -> Any:
    """Negative log-likelihood of the label of one image: f32[]."""
    wanted = mj.nn.one_hot(label, 10)
    return -mnp.sum(wanted * mj.nn.log_softmax(scores(weights, image)))


def loss(weights: list[Layer], images: Any, labels: Any) -> Any:
    """The mean over a batch: the loss of one example, mapped over the examples."""
    each = mj.vmap(example_loss, in_axes=(None, 0, 0))(weights, images, labels)
    return mnp.mean(each)


@mj.jit
def step(weights: Any, state: Any, images: Any, labels: Any) -> tuple[Any, Any, Any]:
    value, slope = mj.value_and_grad(loss)(weights, images, labels)
    weights, state = adam_step(weights, slope, state, RATE)
    return weights, state, value


@mj.jit
def accuracy(weights: list[Layer], images: Any, labels: Any) -> Any:
    guesses = mnp.argmax(mj.vmap(scores, in_axes=(None, 0))(weights, images), axis=1)
    return mnp.mean(guesses == labels)


def batches(images: Any, labels: Any) -> Any:
    """Shuffled batches of one size, epoch after epoch."""
    for epoch in range(EPOCHS):
        order = mj.random.permutation(mj.random.key(epoch + 1), len(labels))
        for first in range(0, len(labels) - BATCH + 1, BATCH):
            chosen = order[first : first + BATCH]
            yield epoch, images[chosen], labels[chosen]


def train() -> tuple[list[Layer], Clock, float]:
    images, labels, held_images, held_labels = load()
    weights = start(mj.random.key(42))
    state, clock = adam_start(weights), Clock()
    total = EPOCHS * (len(labels) // BATCH)
    for (epoch, x, y), say in with_progress(batches(images, labels), total):
        with clock.step():
            weights, state, value = step(weights, state, x, y)
            mj.block_until_ready(value)
        if len(clock.seconds) % 20 == 0:
            say(f"epoch {epoch + 1:2d}/{EPOCHS}, loss {float(value):.4f}")
    return weights, clock, float(accuracy(weights, held_images, held_labels))


def look_inside(weights: list[Layer]) -> None:
    """One layer as a program, as StableHLO, and what the caches hold by now."""
    p, x = weights[0], mnp.zeros(SIZES[0])
    heading("the jaxpr of one layer")
    print(mj.make_jaxpr(layer)(p, x))
    heading("the head of its StableHLO")
    print("\n".join(mj.jit(layer).lower(p, x).as_text().splitlines()[:8]))
    heading("the caches")
    print(mj.caches())


def main() -> None:
    begun = time.perf_counter()
    weights, clock, held_out = train()
    took = time.perf_counter() - begun
    console.print(
        f"held-out accuracy {held_out:.2%} after {took:.1f} s", highlight=False
    )
    look_inside(weights)
    heading("time")
    clock.report()
    if held_out <= 0.95:
        raise SystemExit(f"accuracy {held_out:.2%} is not above 95 %")


if __name__ == "__main__":
    main()
