"""einsum: sums of products written with letters.

The text is read into one string of labels per operand and one for the result; labels
are letters, or numbers for the axes that `...` stands for. Operands are joined two at a
time, in the order of a path, by one `dot_general` each. Rules of a join:

1. A label that nothing else needs is summed first; a repeated one leaves its diagonal.
2. If the labels of the product are not in the order of the result, the operands are
   exchanged, and the product is transposed if that does not help.

Source: spec/numpy.md §13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import lax
from ..base import dtypes
from ..base.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NotSupportedError,
)
from ..core import typeof
from ..transforms import eager_jit
from .contractions import product
from .promotion import JOIN, cast_to, check_arrays, common_kind, refuse
from .reductions import reduce_sum

if TYPE_CHECKING:
    from ..runtime import Array

# A label: a letter, or a negative number for an axis under "...".
type Labels = tuple[str | int, ...]
type Path = list[tuple[int, ...]]


def einsum(
    subscripts: Any,
    /,
    *operands: Any,
    out: None = None,
    optimize: Any = "auto",
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """Sums of products, as a text says: `"ij,jk->ik"` is the matrix product.

    A letter names an axis; letters that the result lacks are summed over, repeated ones
    mean the diagonal, `...` stands for axes that broadcast. Without "->" the result has
    the letters that appear once, in the order of the alphabet. Also called as
    `einsum(x, [0, 1], y, [1, 2], [0, 2])`. optimize: "auto", "optimal", "greedy", True,
    False for left to right, or a path.

    >>> import minijax.numpy as jnp
    >>> print(jnp.einsum("ij,j->i", jnp.ones((2, 3)), jnp.arange(3.0)))
    [3. 3.]

    Raises:
      ValueError: operands do not fit the text, or sizes differ.
      TypeError: an operand is no array.
    """
    refuse("einsum", out=out)
    if out_sharding is not None:
        raise NotSupportedError(
            "The result of einsum lies where its operands do.",
            f"Found placement {out_sharding!r}.",
            "Move it with `device_put`.",
        )
    text, operands = _as_text(subscripts, operands)
    check_arrays("einsum", *operands)
    ranks = tuple(typeof(x).ndim for x in operands)
    inputs, output = read_subscripts(text, ranks)
    shapes = [typeof(x).shape for x in operands]
    sizes = _sizes(text, inputs, shapes)
    path = _path(inputs, output, sizes, optimize)
    options = (precision, preferred_element_type)
    return _einsum(operands, (inputs, output), tuple(path), options)


def einsum_path(subscripts: Any, /, *operands: Any, optimize: Any = "auto") -> Any:
    """The order in which `einsum` joins its operands, and a text about it.

    >>> import minijax.numpy as jnp
    >>> jnp.einsum_path("ij,jk->ik", jnp.ones((2, 3)), jnp.ones((3, 4)))[0]
    [(0, 1)]
    """
    text, operands = _as_text(subscripts, operands)
    shapes = [typeof(x).shape for x in operands]
    inputs, output = read_subscripts(text, tuple(map(len, shapes)))
    sizes = _sizes(text, inputs, shapes)
    path = _path(inputs, output, sizes, optimize)
    return path, f"{text}: joined as {path}"


# --- reading --------------------------------------------------------------------------


def _as_text(subscripts: Any, operands: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    if isinstance(subscripts, str):
        return subscripts.replace(" ", ""), tuple(operands)
    items = [subscripts, *operands]
    arrays, lists = items[0::2], items[1::2]
    result = None
    if len(items) % 2:
        arrays, result = arrays[:-1], items[-1]
    text = ",".join(_letters(labels) for labels in lists)
    if result is not None:
        text += "->" + _letters(result)
    return text, tuple(arrays)


def _letters(labels: Any) -> str:
    if not isinstance(labels, list | tuple):
        raise ArgumentTypeError(
            "einsum takes a text, or arrays each followed by a list of labels.",
            f"Found {labels!r:.60}.",
        )
    letters = []
    for label in labels:
        if label is Ellipsis:
            letters.append("...")
        elif isinstance(label, int):
            letters.append(
                chr(ord("a") + label) if label < 26 else chr(ord("A") + label - 26)
            )
        else:
            letters.append(str(label))
    return "".join(letters)


def read_subscripts(
    text: str, ranks: tuple[int, ...]
) -> tuple[tuple[Labels, ...], Labels]:
    """The labels of each operand and of the result. Raises: ValueError."""
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ArgumentValueError(
            f"einsum takes one operand per term of {text!r}.", f"Found {len(ranks)}."
        )
    inputs = tuple(
        _labels(term, rank, text) for term, rank in zip(terms, ranks, strict=True)
    )
    if arrow:
        widest = min(
            [x for term in inputs for x in term if isinstance(x, int)], default=0
        )
        output = _output_labels(right, -widest, text)
    else:
        output = _implied(inputs)
    known = {label for term in inputs for label in term}
    if len(set(output)) != len(output) or not set(output) <= known:
        raise ArgumentValueError(
            f"The result of {text!r} lists labels of its operands, each once.",
            f"Found {right!r}.",
        )
    return inputs, output


def _labels(term: str, rank: int, text: str) -> Labels:
    before, dots, after = term.partition("...")
    if any(not letter.isalpha() for letter in before + after):
        raise ArgumentValueError(
            "The labels of einsum are letters and `...`.",
            f"Found {term!r} in {text!r}.",
        )
    missing = rank - len(before) - len(after)
    if missing < 0 or (missing and not dots):
        raise ArgumentValueError(
            f"The term {term!r} of {text!r} names the axes of its operand.",
            f"Found an operand of {rank} axes.",
        )
    return (*before, *range(-missing, 0), *after)


def _output_labels(term: str, widest: int, text: str) -> Labels:
    before, dots, after = term.partition("...")
    axes = range(-widest, 0) if dots else ()
    if not dots and widest:
        axes = ()
    return (*before, *axes, *after)


def _implied(inputs: tuple[Labels, ...]) -> Labels:
    letters = [x for term in inputs for x in term if isinstance(x, str)]
    once = sorted(x for x in set(letters) if letters.count(x) == 1)
    widest = -min([x for term in inputs for x in term if isinstance(x, int)], default=0)
    return (*range(-widest, 0), *once)


def _sizes(text: str, inputs: Any, shapes: Any) -> dict[str | int, int]:
    sizes: dict[str | int, int] = {}
    for term, shape in zip(inputs, shapes, strict=True):
        for label, size in zip(term, shape, strict=True):
            old = sizes.get(label, 1)
            if size != 1 and old not in (1, size):
                raise ArgumentValueError(
                    f"A label of {text!r} names axes of one size, or of size 1.",
                    f"Found {label!r} for sizes {old} and {size}.",
                )
            sizes[label] = max(old, size) if size and old else min(old, size)
    return sizes


# --- the order ------------------------------------------------------------------------


def _path(inputs: Any, output: Labels, sizes: dict[Any, int], optimize: Any) -> Path:
    count = len(inputs)
    if isinstance(optimize, list | tuple):
        steps = [step for step in optimize if not isinstance(step, str)]
        return [tuple(step) for step in steps]
    if count < 3:
        return [tuple(range(count))]
    if optimize is False:
        return [(0, 1)] * (count - 1)
    terms = [frozenset(term) for term in inputs]
    if optimize == "greedy" or count > 6:
        return _greedy(terms, frozenset(output), sizes)
    return _best(terms, frozenset(output), sizes)[1]


def _cost(labels: Any, sizes: dict[Any, int]) -> int:
    return math.prod(sizes[label] for label in labels)


def _merged(
    terms: list[frozenset[Any]], i: int, j: int, output: frozenset[Any]
) -> tuple[frozenset[Any], list[frozenset[Any]]]:
    rest = [term for k, term in enumerate(terms) if k not in (i, j)]
    needed = output.union(*rest) if rest else output
    return (terms[i] | terms[j]) & needed, rest


def _greedy(
    terms: list[frozenset[Any]], output: frozenset[Any], sizes: dict[Any, int]
) -> Path:
    path: Path = []

    def growth(pair: tuple[int, int]) -> tuple[int, int]:
        i, j = pair
        kept, _ = _merged(terms, i, j, output)
        added = _cost(kept, sizes) - _cost(terms[i], sizes) - _cost(terms[j], sizes)
        return added, _cost(terms[i] | terms[j], sizes)

    while len(terms) > 1:
        pairs = [(i, j) for i in range(len(terms)) for j in range(i + 1, len(terms))]
        i, j = min(pairs, key=growth)
        kept, rest = _merged(terms, i, j, output)
        path.append((i, j))
        terms = [*rest, kept]
    return path


def _best(
    terms: list[frozenset[Any]], output: frozenset[Any], sizes: dict[Any, int]
) -> tuple[int, Path]:
    """The cheapest order of all, by trying them: for few operands."""
    if len(terms) == 1:
        return 0, []
    found: tuple[int, Path] | None = None
    for i in range(len(terms)):
        for j in range(i + 1, len(terms)):
            kept, rest = _merged(terms, i, j, output)
            cost = _cost(terms[i] | terms[j], sizes)
            if found is not None and cost >= found[0]:
                continue
            later, path = _best([*rest, kept], output, sizes)
            if found is None or cost + later < found[0]:
                found = cost + later, [(i, j), *path]
    assert found is not None
    return found


# --- joining --------------------------------------------------------------------------


@eager_jit(static_argnums=(1, 2, 3))
def _einsum(operands: Any, terms: Any, path: Any, options: Any) -> Any:
    precision, preferred = options
    inputs, output = terms
    dtype, weak = common_kind(JOIN, *operands)
    if preferred is not None:
        dtype, weak = dtypes.requested_dtype(preferred, "einsum"), False
    held = [(x, labels) for x, labels in zip(operands, inputs, strict=True)]
    for step in path:
        chosen = [held[i] for i in step]
        held = [item for i, item in enumerate(held) if i not in step]
        needed = set(output).union(*[labels for _, labels in held])
        if len(chosen) == 1:
            ((x, labels),) = chosen
            held.append(_reduced(x, labels, needed, dtype))
        else:
            joined = chosen[0]
            for k, other in enumerate(chosen[1:], start=2):
                later = needed.union(*[labels for _, labels in chosen[k:]])
                last = not held and k == len(chosen)
                wanted = output if last else None
                joined = _join(joined, other, later, wanted, dtype, precision)
            held.append(joined)
    while len(held) > 1:
        first, second, *rest = held
        needed = set(output).union(*[labels for _, labels in rest])
        wanted = None if rest else output
        held = [_join(first, second, needed, wanted, dtype, precision), *rest]
    x, labels = held[0]
    x, labels = _reduced(x, labels, set(output), dtype)
    if labels != output:
        x = lax.transpose(x, [labels.index(label) for label in output])
    return cast_to(x, dtype, weak=weak)


def _reduced(
    x: Any, labels: Labels, needed: set[Any], dtype: Any
) -> tuple[Any, Labels]:
    """Without repeated labels, and without labels that nothing needs."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            x, labels = _diagonal(x, labels, label)
    summed = [i for i, label in enumerate(labels) if label not in needed]
    if summed:
        x = reduce_sum(cast_to(x, dtype), summed, promote_integers=False)
        labels = tuple(label for label in labels if label in needed)
    return x, labels


def _diagonal(x: Any, labels: Labels, label: Any) -> tuple[Any, Labels]:
    """The diagonal of the first two axes of a label, by masking and summing."""
    first = labels.index(label)
    second = labels.index(label, first + 1)
    shape = typeof(x).shape
    if shape[first] == 1 or shape[second] == 1:
        gone = first if shape[first] == 1 else second
        x = lax.squeeze(x, (gone,))
    else:
        gone = first
        index = np.dtype(np.int32)
        mask = lax.eq(
            lax.broadcasted_iota(index, shape, first),
            lax.broadcasted_iota(index, shape, second),
        )
        kept = lax.select(mask, x, lax.full_like(x, 0))
        x = reduce_sum(kept, (gone,), promote_integers=False)
    return x, labels[:gone] + labels[gone + 1 :]


def _join(
    first: Any, second: Any, needed: set[Any], wanted: Labels | None, dtype: Any,
    precision: Any,
) -> tuple[Any, Labels]:  # fmt: skip
    """The product of two operands, summed over what nothing else needs."""
    (x, x_labels), (y, y_labels) = first, second
    x, x_labels = _reduced(x, x_labels, needed | set(y_labels), dtype)
    y, y_labels = _reduced(y, y_labels, needed | set(x_labels), dtype)
    x, x_labels, y, y_labels = _without_ones(x, x_labels, y, y_labels, needed)
    shared = [label for label in x_labels if label in y_labels]
    batch = [label for label in shared if label in needed]
    summed = [label for label in shared if label not in needed]
    x_free = [label for label in x_labels if label not in shared]
    y_free = [label for label in y_labels if label not in shared]
    if wanted is not None and (*batch, *x_free, *y_free) != wanted:
        x, y, x_labels, y_labels = y, x, y_labels, x_labels
        x_free, y_free = y_free, x_free
    contracted = [[labels.index(s) for s in summed] for labels in (x_labels, y_labels)]
    together = [[labels.index(b) for b in batch] for labels in (x_labels, y_labels)]
    out = product(
        x,
        y,
        (contracted[0], contracted[1]),
        (together[0], together[1]),
        precision=precision,
        preferred_element_type=dtype,
    )
    labels = (*batch, *x_free, *y_free)
    if wanted is not None and labels != wanted and set(labels) == set(wanted):
        out = lax.transpose(out, [labels.index(label) for label in wanted])
        labels = wanted
    return out, labels


def _without_ones(
    x: Any, x_labels: Labels, y: Any, y_labels: Labels, needed: set[Any]
) -> tuple[Any, Labels, Any, Labels]:
    """Axes of size 1 that the other operand repeats are dropped."""
    x_shape, y_shape = typeof(x).shape, typeof(y).shape
    x_drop: list[int] = []
    y_drop: list[int] = []
    for i, label in enumerate(x_labels):
        if label in y_labels:
            j = y_labels.index(label)
            if x_shape[i] != y_shape[j]:
                (x_drop if x_shape[i] == 1 else y_drop).append(
                    i if x_shape[i] == 1 else j
                )
    if x_drop:
        x = lax.squeeze(x, x_drop)
        x_labels = tuple(v for i, v in enumerate(x_labels) if i not in x_drop)
    if y_drop:
        y = lax.squeeze(y, y_drop)
        y_labels = tuple(v for i, v in enumerate(y_labels) if i not in y_drop)
    # What one of them then holds alone is summed there if nothing needs it.
    dropped = {*x_labels} ^ {*y_labels}
    if dropped - needed:
        dtype = common_kind(JOIN, x, y)[0]
        x, x_labels = _reduced(x, x_labels, needed | set(y_labels), dtype)
        y, y_labels = _reduced(y, y_labels, needed | set(x_labels), dtype)
    return x, x_labels, y, y_labels
