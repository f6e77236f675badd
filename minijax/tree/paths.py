"""Key paths: where in a tree a leaf is, and how that is written.

A path is a tuple of keys from the root down; the root's own path is `()`. A key is one
of the four key types, or any object that a registration names a child with.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from jaxlib._jax.pytree import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    PyTreeDef,
    SequenceKey,
)

from .nodes import nesting_error, registry

KeyEntry = TypeVar("KeyEntry", bound=Any)
KeyPath = tuple[KeyEntry, ...]

_flatten_with_path = registry.flatten_with_path


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """The text of a path: as one would write it, or `simple`: names and indices only.

    >>> from minijax import tree
    >>> [(path, _)] = tree.leaves_with_path({"a": [0]})
    >>> tree.keystr(path), tree.keystr(path, simple=True, separator="/")
    ("['a'][0]", 'a/0')
    """
    return separator.join(map(_simple if simple else str, keys))


# What a key of each type carries.
_PAYLOADS = {
    SequenceKey: "idx",
    DictKey: "key",
    GetAttrKey: "name",
    FlattenedIndexKey: "key",
}


def _simple(key: Any) -> str:
    payload = _PAYLOADS.get(type(key))
    return str(key) if payload is None else str(getattr(key, payload))


def tree_flatten_with_path(
    tree: Any,
    is_leaf: Callable[..., bool | None] | None = None,
    is_leaf_takes_path: bool = False,
) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """The leaves, each with its path, and the structure of a tree.

    `is_leaf` as for `flatten`; with `is_leaf_takes_path` it is called with the path and
    the value.

    Raises:
        ValueError: `is_leaf` did not answer with a bool, or the keys of a dict cannot
            be sorted.
        RecursionError: the tree contains itself.

    >>> from minijax import tree
    >>> tree.flatten_with_path([5])
    ([((SequenceKey(idx=0),), 5)], PyTreeDef([*]))
    """
    asked = is_leaf
    if is_leaf is not None and not is_leaf_takes_path:
        asked = lambda _, x: is_leaf(x)  # noqa: E731
    try:
        return _flatten_with_path(tree, asked)
    except SystemError as error:
        raise nesting_error(error) from error.__cause__


def tree_leaves_with_path(
    tree: Any,
    is_leaf: Callable[..., bool | None] | None = None,
    is_leaf_takes_path: bool = False,
) -> list[tuple[KeyPath, Any]]:
    """The leaves of a tree, each with its path; see `flatten_with_path`.

    >>> from minijax import tree
    >>> tree.leaves_with_path([5])
    [((SequenceKey(idx=0),), 5)]
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


# The name under which other rooms ask for the paths of arguments.
generate_key_paths = tree_leaves_with_path
