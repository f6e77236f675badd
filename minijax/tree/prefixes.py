"""Prefixes: one tree said about another, and what to say where two trees differ.

A prefix has the shape of the upper part of a full tree; each of its leaves stands for
the whole subtree below. It fits if every node of it meets a node of the same type, with
the same metadata and as many children. A leaf fits anything.

Whether it fits is decided without rebuilding a node of a user's type. Only to name the
children of a structure in a report is one rebuilt, from placeholders (`_keys_below`),
and a refusal then costs nothing but the names.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jaxlib._jax.pytree import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    PyTreeDef,
    PyTreeRegistry,
    SequenceKey,
)

from ..base.errors import ArgumentValueError, TreeMismatchError
from .nodes import data_field_names, none_leaf_registry, registry
from .paths import KeyPath, keystr

type IsLeaf = Callable[[Any], bool | None] | None


# --- opening one node ---


class _UnknownLeaf:
    """Stands for the type of a leaf of which only the place is known."""


class _Opened(NamedTuple):
    """A node, or a leaf, for which `keys` and `children` say nothing."""

    kind: type
    is_leaf: bool = False
    metadata: Any = None
    keys: tuple[Any, ...] = ()
    children: tuple[Any, ...] = ()


type _Opener = Callable[[Any], _Opened]


def _values(pytrees: PyTreeRegistry, is_leaf: IsLeaf = None) -> _Opener:
    """How to open trees of values."""

    def open_value(tree: Any) -> _Opened:
        if is_leaf is not None and is_leaf(tree):
            return _Opened(type(tree), is_leaf=True)
        one_level = pytrees.flatten_one_level_with_keys(tree)
        if one_level is None:
            return _Opened(type(tree), is_leaf=True)
        keyed, metadata = tuple(one_level[0]), _comparable(type(tree), one_level[1])
        keys = tuple(key for key, _ in keyed)
        children = tuple(child for _, child in keyed)
        return _Opened(type(tree), metadata=metadata, keys=keys, children=children)

    return open_value


def _open_treedef(treedef: PyTreeDef) -> _Opened:
    """How to open a structure of which the leaves are not at hand."""
    node = treedef.node_data()
    if node is None:
        return _Opened(_UnknownLeaf, is_leaf=True)
    kind, metadata = node
    children = tuple(treedef.children())
    return _Opened(
        kind,
        metadata=_comparable(kind, metadata),
        keys=_keys_below(kind, metadata, len(children)),
        children=children,
    )


def _comparable(kind: type, metadata: Any) -> Any:
    # A dict's keys are a list in a treedef and a tuple otherwise; a namedtuple's
    # metadata are None or its class. The two ways of opening a node must agree.
    if kind is dict:
        return tuple(metadata)
    return None if metadata is kind else metadata


def _keys_below(kind: type, metadata: Any, count: int) -> tuple[Any, ...]:
    if kind is dict:
        return tuple(map(DictKey, metadata))
    if kind is tuple or kind is list:
        return tuple(map(SequenceKey, range(count)))
    if kind in data_field_names:
        return tuple(map(GetAttrKey, data_field_names[kind]))
    return _keys_of_placeholder(kind, metadata, count) or tuple(
        map(FlattenedIndexKey, range(count))
    )


def _keys_of_placeholder(
    kind: type, metadata: Any, count: int
) -> tuple[Any, ...] | None:
    leaf = registry.flatten(0)[1]
    try:
        node = leaf.from_node_data_and_children(
            registry, (kind, metadata), [leaf] * count
        )
        placeholder = node.unflatten([object()] * count)
        keyed, _ = registry.flatten_one_level_with_keys(placeholder)
        return tuple(key for key, _ in keyed)
    except Exception:
        # A type that checks its children refuses placeholders, in whatever way.
        return None


# --- differences ---


class Difference(NamedTuple):
    """A place where two trees differ: what stands there in each, and what differs.

    `left`, `right`: noun phrases, as "a list of length 2", "None", "a pytree leaf".
    `reason`: a clause, such as "their lengths differ".
    """

    path: KeyPath
    left: str
    right: str
    reason: str


def equality_errors(
    tree1: Any, tree2: Any, is_leaf: IsLeaf = None
) -> Iterator[Difference]:
    """All places where the structures of two trees differ, from left to right.

    >>> from minijax import tree
    >>> [d] = tree.equality_errors((1, [2]), (1, [2, 3]))
    >>> tree.keystr(d.path), d.left, d.right, d.reason
    ('[1]', 'a list of length 1', 'a list of length 2', 'their lengths differ')
    """
    open_value = _values(registry, is_leaf)
    return _differences(tree1, tree2, open_value, open_value, prefix=False)


def equality_errors_of_treedefs(
    treedef1: PyTreeDef, treedef2: PyTreeDef
) -> Iterator[Difference]:
    """All places where two structures differ, from left to right.

    Structures that are unequal only in what has no difference to tell (metadata that
    equal each other one by one) give none.

    >>> from minijax import tree
    >>> a, b = tree.structure((1, {"x": 2})), tree.structure((1, 2))
    >>> [d] = tree.equality_errors_of_treedefs(a, b)
    >>> tree.keystr(d.path), d.left, d.right
    ('[1]', "a dict with keys ['x']", 'a pytree leaf')
    """
    return _differences(treedef1, treedef2, _open_treedef, _open_treedef, prefix=False)


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None
) -> Iterator[Difference]:
    """All places where `prefix_tree` does not fit `full_tree`, from left to right.

    `is_leaf` is asked about nodes of the prefix only.

    >>> from minijax import tree
    >>> len(list(tree.prefix_errors([(1,), (2,)], [[1], [2]])))
    2
    """
    return _differences(
        prefix_tree,
        full_tree,
        _values(registry, is_leaf),
        _values(registry),
        prefix=True,
    )


def _differences(
    left: Any,
    right: Any,
    open_left: _Opener,
    open_right: _Opener,
    *,
    prefix: bool,
) -> Iterator[Difference]:
    # A list of what is to be compared, last first: trees may be deeper than the stack.
    todo: list[tuple[KeyPath, Any, Any]] = [((), left, right)]
    while todo:
        path, x, y = todo.pop()
        a, b = open_left(x), open_right(y)
        if a.is_leaf and (prefix or b.is_leaf):
            continue
        if found := _difference(a, b):
            yield Difference(path, *found)
            continue
        below = zip(a.keys, a.children, b.children)
        todo += reversed([((*path, key), x, y) for key, x, y in below])


def _difference(a: _Opened, b: _Opened) -> tuple[str, str, str] | None:
    left, right = _phrase(a), _phrase(b)
    if a.is_leaf or b.is_leaf or a.kind is not b.kind:
        return left, right, "their types differ"
    if a.kind is dict and a.metadata != b.metadata:
        return left, right, _key_difference(a.keys, b.keys)
    if len(a.keys) != len(b.keys):
        if a.kind is list or a.kind is tuple:
            return left, right, "their lengths differ"
        return left, right, _key_difference(a.keys, b.keys)
    if _same(a.kind, a.metadata, b.metadata):
        return None
    left, right = (f"a {_name(a.kind)} with metadata {m.metadata}" for m in (a, b))
    reason = "their metadata differ" + _line_difference(a.metadata, b.metadata)
    return left, right, reason


def _same(kind: type, left: Any, right: Any) -> bool:
    # Identity first, as treedefs compare: metadata need not be equal to themselves.
    if left is right:
        return True
    try:
        return bool(left == right)
    except ValueError as error:
        raise ArgumentValueError(
            "The metadata of nodes are compared with ==, which must be true or false.",
            f"Found a {_name(kind)} where it is neither: {error}",
            "Make arrays children of a node, not metadata.",
        ) from error


_MANY = 8  # children beyond which they are counted, not listed


def _phrase(node: _Opened) -> str:
    if node.kind is _UnknownLeaf:
        return "a pytree leaf"
    if node.is_leaf:
        return f"a leaf of type {_name(node.kind)}"
    if node.kind is type(None):
        return "None"
    if node.kind is list or node.kind is tuple:
        return f"a {_name(node.kind)} of length {len(node.keys)}"
    if len(node.keys) > _MANY:
        return f"a {_name(node.kind)} with {len(node.keys)} children"
    if node.kind is dict:
        return f"a dict with keys {list(node.metadata)}"
    keys = keystr(node.keys, separator=" ") or "none"
    return f"a {_name(node.kind)} with children {keys}"


def _name(kind: type) -> str:
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _key_difference(left: tuple[Any, ...], right: tuple[Any, ...]) -> str:
    only_left = keystr(tuple(k for k in left if k not in right), separator=" ")
    only_right = keystr(tuple(k for k in right if k not in left), separator=" ")
    parts = [
        f"only the first has {only_left}" if only_left else "",
        f"only the second has {only_right}" if only_right else "",
    ]
    return f"their keys differ: {', '.join(filter(None, parts))}"


def _line_difference(left: Any, right: Any) -> str:
    """The lines that differ, for metadata whose texts are long."""
    lines = str(left).splitlines(), str(right).splitlines()
    if max(map(len, lines)) < 2:
        return ""
    only_left = [f"- {line}" for line in lines[0] if line not in lines[1]]
    only_right = [f"+ {line}" for line in lines[1] if line not in lines[0]]
    return ":\n  " + "\n  ".join([*only_left, *only_right])


# --- fitting ---


def flatten_up_to(
    api: str, treedef: PyTreeDef, tree: Any, argument: str = "tree"
) -> list[Any]:
    """The subtrees of `tree` at the leaves of `treedef`.

    Raises:
        TreeMismatchError: `treedef` is not the structure of a prefix of `tree`. `api`
            and `argument` say whose structure it is: the function, and what it got.
    """
    try:
        return treedef.flatten_up_to(tree)
    except ValueError as error:
        differences = _differences(
            treedef, tree, _open_treedef, _values(registry), prefix=True
        )
        first = next(differences, None)
        if first is None:
            raise
        raise _mismatch(api, f"{api} {argument}", [first]) from error


def _mismatch(
    api: str, root: str, differences: list[Difference], do: str = ""
) -> TreeMismatchError:
    first, *others = [(f"{root}{keystr(d.path)}", _sentence(d)) for d in differences]
    more = "".join(f"\nAt {path}: {text}" for path, text in others)
    return TreeMismatchError(api, first[0], first[1] + more, do)


def _sentence(d: Difference) -> str:
    return f"expected {d.left}, found {d.right}; {d.reason}."


def flatten_axes(
    name: str,
    treedef: PyTreeDef,
    axis_tree: Any,
    *,
    kws: bool = False,
    tupled_args: bool = False,
) -> list[Any]:
    """One axis for each leaf of `treedef`, from a prefix in which None is a value.

    `name` is what the user calls the prefix, such as "vmap in_axes". With `kws` both
    trees are pairs for positional and keyword arguments, and paths in errors begin in
    the first. With `tupled_args` the prefix is matched against a tuple of arguments,
    which an error recalls.

    Raises:
        TreeMismatchError: the prefix does not fit; all places are named.

    >>> from minijax import tree
    >>> tree.flatten_axes("in_axes", tree.structure(({"a": 1, "b": 2}, 3)), (None, 0))
    [None, None, 0]
    """
    axes, axes_def = none_leaf_registry.flatten(axis_tree)
    counts = _leaf_counts(axes_def, treedef)
    if counts is not None:
        return [axis for axis, count in zip(axes, counts) for _ in range(count)]
    full = treedef
    if kws:
        full, axis_tree = treedef.children()[0], axis_tree[0]
    raise _axes_mismatch(name, full, axis_tree, tupled_args=tupled_args)


def _leaf_counts(prefix: PyTreeDef, full: PyTreeDef) -> list[int] | None:
    """The number of full leaves below each prefix leaf; None if it does not fit."""
    counts: list[int] = []
    todo = [(prefix, full)]
    while todo:
        upper, whole = todo.pop()
        node, full_node = upper.node_data(), whole.node_data()
        if node is None:
            counts.append(whole.num_leaves)
            continue
        kind, metadata = node
        if full_node is None or kind is not full_node[0]:
            return None
        below, full_below = upper.children(), whole.children()
        if len(below) != len(full_below) or not _same(kind, metadata, full_node[1]):
            return None
        todo += zip(reversed(below), reversed(full_below))
    return counts


def _axes_mismatch(
    name: str, treedef: PyTreeDef, axis_tree: Any, *, tupled_args: bool
) -> TreeMismatchError:
    differences = list(
        _differences(
            axis_tree, treedef, _values(none_leaf_registry), _open_treedef, prefix=True
        )
    )
    do = f"Found {len(differences)} mismatches. " if len(differences) > 1 else ""
    do += f"Make {name} a single value, or a tree prefix of what it describes."
    if tupled_args and not isinstance(axis_tree, tuple):
        do += (
            " It is matched against the tuple of positional arguments: "
            f"for one argument, wrap it as ({name},)."
        )
    return _mismatch(name, name, differences, do)
