"""Taking trees apart, putting them together, and mapping over them.

The public functions of `minijax.tree`, thin over the C++ registry. They bear the names
they have in `tree_util`; the room's face gives them their short names, which would hide
Python's own `map` and `all` here.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jaxlib._jax import pytree
from jaxlib._jax.pytree import PyTreeDef

from ..base.errors import ArgumentTypeError
from .nodes import nesting_error, registry
from .paths import tree_flatten_with_path
from .prefixes import flatten_up_to

type IsLeaf = Callable[[Any], bool | None] | None


class _Unset:
    """Says that an argument was not given, where None is a value."""

    def __repr__(self) -> str:
        return "<unset>"


_UNSET = _Unset()

_flatten = registry.flatten
_all_leaves = pytree.all_leaves


# --- apart and together ---


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], PyTreeDef]:
    """The leaves of a tree, from left to right, and its structure.

    Dicts are visited in the order of their sorted keys. `is_leaf` is asked about every
    value from the root on, before its type is looked at; where it says True the value
    is a leaf.

    Raises:
        ValueError: the keys of a dict cannot be sorted, or `is_leaf` did not answer
            with a bool (or None, for False).
        RecursionError: the tree contains itself.

    >>> from minijax import tree
    >>> tree.flatten({"b": 1, "a": [2, None]})
    ([2, 1], PyTreeDef({'a': [*, None], 'b': *}))
    """
    try:
        return _flatten(tree, is_leaf)
    except SystemError as error:
        raise nesting_error(error) from error.__cause__


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree, from left to right; see `flatten`.

    >>> from minijax import tree
    >>> tree.leaves({"b": 1, "a": [2, None]})
    [2, 1]
    """
    try:
        return _flatten(tree, is_leaf)[0]
    except SystemError as error:
        raise nesting_error(error) from error.__cause__


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> PyTreeDef:
    """The structure of a tree: all but the leaves; see `flatten`.

    >>> from minijax import tree
    >>> tree.structure({"b": 1, "a": [2, None]})
    PyTreeDef({'a': [*, None], 'b': *})
    """
    try:
        return _flatten(tree, is_leaf)[1]
    except SystemError as error:
        raise nesting_error(error) from error.__cause__


def tree_unflatten(treedef: PyTreeDef, leaves: Iterable[Any]) -> Any:
    """The tree with this structure and these leaves, which may be any objects.

    Raises:
        ValueError: there are too few or too many leaves.

    >>> from minijax import tree
    >>> tree.unflatten(tree.structure({"a": 0, "b": (0,)}), "xy")
    {'a': 'x', 'b': ('y',)}
    """
    return treedef.unflatten(leaves)


def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf = None) -> bool:
    """Whether each element is itself a leaf.

    >>> from minijax import tree_util
    >>> tree_util.all_leaves([1, "a"]), tree_util.all_leaves([1, None])
    (True, False)
    """
    if is_leaf is None:
        return _all_leaves(registry, iterable)
    structures = (tree_structure(x, is_leaf) for x in iterable)
    return all(s.node_data() is None for s in structures)


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """The structure of a tuple, from those of its elements.

    Raises:
        ValueError: a structure comes from another registry.

    >>> from minijax import tree, tree_util
    >>> tree_util.treedef_tuple([tree.structure(0), tree.structure([])])
    PyTreeDef((*, []))
    """
    return pytree.treedef_tuple(registry, list(treedefs))


def treedef_children(treedef: PyTreeDef) -> list[PyTreeDef]:
    """The structures of the children; none for a leaf.

    >>> from minijax import tree, tree_util
    >>> tree_util.treedef_children(tree.structure((0, [])))
    [PyTreeDef(*), PyTreeDef([])]
    """
    return treedef.children()


def treedef_is_leaf(treedef: PyTreeDef) -> bool:
    """Whether nothing is below the root: a leaf, None or an empty container.

    >>> from minijax import tree, tree_util
    >>> tree_util.treedef_is_leaf(tree.structure(())), tree_util.treedef_is_leaf(
    ...     tree.structure([1])
    ... )
    (True, False)
    """
    return treedef.num_nodes == 1


# --- mapping ---


def tree_map(
    f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None
) -> Any:
    """A tree of the results of `f`, called on each leaf from left to right.

    Of further trees, in `rest`, `tree` must be a prefix: `f` gets what stands at the
    place of the leaf, be it a leaf or not.

    Raises:
        TreeMismatchError: `tree` is not a prefix of one in `rest`.

    >>> from minijax import tree
    >>> tree.map(lambda x, y: (x, y), {"a": 1, "b": 2}, {"a": 3, "b": [4]})
    {'a': (1, 3), 'b': (2, [4])}
    """
    leaves, treedef = tree_flatten(tree, is_leaf)
    if not rest:
        return treedef.unflatten([f(x) for x in leaves])
    others = [flatten_up_to("tree_map", treedef, other) for other in rest]
    return treedef.unflatten([f(*xs) for xs in zip(leaves, *others)])


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[..., bool | None] | None = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """As `map`, with `f(path, leaf, *rest_leaves)`.

    Raises:
        TreeMismatchError: `tree` is not a prefix of one in `rest`.

    >>> from minijax import tree
    >>> tree.map_with_path(lambda path, x: tree.keystr(path), {"a": [1, 2]})
    {'a': ["['a'][0]", "['a'][1]"]}
    """
    keyed, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [flatten_up_to("tree_map_with_path", treedef, other) for other in rest]
    return treedef.unflatten([f(*pair, *xs) for pair, *xs in zip(keyed, *others)])


def broadcast_prefix(
    prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None
) -> list[Any]:
    """The leaves of a prefix, each repeated once for every leaf of its full subtree.

    `is_leaf` is asked about nodes of the prefix only.

    Raises:
        TreeMismatchError: the prefix does not fit.

    >>> from minijax import tree
    >>> tree.broadcast_prefix({"a": 1, "b": 2}, {"a": [0, 0], "b": 0})
    [1, 1, 2]
    """
    leaves, treedef = tree_flatten(prefix_tree, is_leaf)
    subtrees = flatten_up_to("broadcast_prefix", treedef, full_tree, "prefix_tree")
    counts = [len(tree_leaves(subtree)) for subtree in subtrees]
    return [x for x, count in zip(leaves, counts) for _ in range(count)]


def tree_broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """A tree shaped like `full_tree`, with the leaf of the prefix that stands above.

    `is_leaf` is asked about nodes of the prefix only.

    Raises:
        TreeMismatchError: the prefix does not fit.

    >>> from minijax import tree
    >>> tree.broadcast({"a": 1, "b": 2}, {"a": [0, 0], "b": 0})
    {'a': [1, 1], 'b': 2}
    """
    leaves = broadcast_prefix(prefix_tree, full_tree, is_leaf)
    return tree_structure(full_tree).unflatten(leaves)


def tree_transpose(
    outer_treedef: PyTreeDef,
    inner_treedef: PyTreeDef | None,
    pytree_to_transpose: Any,
) -> Any:
    """Turn an outer tree of inner trees into an inner tree of outer trees.

    Only the number of leaves is compared with the two structures. Without an inner
    structure, that of the first inner tree is taken.

    Raises:
        TypeError: the number of leaves is not that of an outer tree of inner trees.
        IndexError: no inner structure is given, and the outer one has no leaves.

    >>> from minijax import tree
    >>> pairs = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    >>> tree.transpose(tree.structure([0, 0]), None, pairs)
    {'a': [1, 3], 'b': [2, 4]}
    """
    leaves, treedef = tree_flatten(pytree_to_transpose)
    if inner_treedef is None:
        inner_trees = outer_treedef.flatten_up_to(pytree_to_transpose)
        inner_treedef = tree_structure(inner_trees[0])
    size = inner_treedef.num_leaves
    if len(leaves) != size * outer_treedef.num_leaves:
        expected = outer_treedef.compose(inner_treedef)
        raise ArgumentTypeError(
            f"To transpose, a tree must be built as {expected}.",
            f"Found {treedef}.",
            "Give the structures of the outer and the inner tree, in this order.",
        )
    rows = [outer_treedef.unflatten(leaves[i::size]) for i in range(size)]
    return inner_treedef.unflatten(rows)


# --- folding ---


def tree_reduce[T](
    function: Callable[[T, Any], T],
    tree: Any,
    initializer: T | _Unset = _UNSET,
    is_leaf: IsLeaf = None,
) -> T:
    """Fold the leaves from left to right: `function(function(a, b), c)`.

    Raises:
        TypeError: there are no leaves and no initializer.

    >>> import operator
    >>> from minijax import tree
    >>> tree.reduce(operator.add, {"a": 1, "b": [2, 3]}, 10)
    16
    """
    leaves = tree_leaves(tree, is_leaf)
    if isinstance(initializer, _Unset):
        return functools.reduce(function, leaves)
    return functools.reduce(function, leaves, initializer)


def tree_reduce_associative[T](
    operation: Callable[[T, T], T],
    tree: Any,
    *,
    identity: T | _Unset = _UNSET,
    is_leaf: IsLeaf = None,
) -> T:
    """Combine the leaves in order, halving the list: the depth is logarithmic.

    `identity` is the answer for a tree without leaves, and is not used otherwise.

    Raises:
        TypeError: there are no leaves and no identity.

    >>> from minijax import tree
    >>> tree.reduce_associative("({}{})".format, list("abc"))
    '(a(bc))'
    """
    leaves = tree_leaves(tree, is_leaf)
    if leaves:
        return _reduce_halves(operation, leaves)
    if isinstance(identity, _Unset):
        raise ArgumentTypeError(
            "reduce_associative needs a leaf, or an identity to answer with.",
            f"Found a tree without leaves: {tree_structure(tree, is_leaf)}.",
            "Pass identity=.",
        )
    return identity


def _reduce_halves[T](operation: Callable[[T, T], T], values: Sequence[T]) -> T:
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return operation(
        _reduce_halves(operation, values[:middle]),
        _reduce_halves(operation, values[middle:]),
    )


def tree_all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Whether all leaves are true; each must have a truth of its own.

    >>> from minijax import tree
    >>> tree.all({"a": True, "b": [1, 0]}), tree.all([None])
    (False, True)
    """
    return all(tree_leaves(tree, is_leaf))
