"""Node types: which Python types hold children, and how a new type becomes one.

A file of its own because it owns the registries, the one piece of state of this room;
everything else in the room asks them a question. The registries are jaxlib's (C++), but
private: the process-wide default belongs to whoever registers in it first.

Rules:
1. A type is matched exactly (`type(x)`), except that any tuple subclass whose instances
   have `_fields` counts as a namedtuple. All other types are leaves.
2. Every public registration enters all registries, so a user's type is a node wherever
   trees are flattened. They differ in two things only:
   - `registry`: None is a node without children. The public meaning of "tree".
   - `none_leaf_registry`: None is a leaf. For specifications in which None is a value
     (`in_axes`, shardings).
   - `dispatch_registry`: `registry`, and types that only the C++ call path may take
     apart (`register_dispatch_node`), such as typed random keys.
3. A function that rebuilds a node must accept any objects as children: tracers,
   placeholders, other trees.
"""

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from jaxlib._jax.pytree import PyTreeRegistry

from ..base.errors import ArgumentTypeError, ArgumentValueError, TreeRegistrationError

type Children = Iterable[Any]
type KeyedChildren = Iterable[tuple[Any, Any]]
type Metadata = Hashable


def _named(name: str, *, enable_none: bool = True) -> PyTreeRegistry:
    # A treedef pickles its registry by reference: by the name it is exported under.
    made = PyTreeRegistry(enable_none=enable_none)
    made.__module__, made.__name__ = "minijax.tree", name
    return made


registry = _named("registry")
none_leaf_registry = _named("none_leaf_registry", enable_none=False)
dispatch_registry = _named("dispatch_registry")

_registries = (registry, none_leaf_registry, dispatch_registry)

# The names of a registered dataclass's children, which a treedef does not tell.
data_field_names: dict[type, tuple[str, ...]] = {}


def nesting_error(error: SystemError) -> Exception:
    """What to raise for an error of the binding: it reports its own recursion so."""
    if not isinstance(error.__cause__, RecursionError):
        return error
    return RecursionError("the tree is nested too deeply, or contains itself")


# --- any type ---


def register_pytree_node[T](
    nodetype: type[T],
    flatten_func: Callable[[T], tuple[Children, Metadata]],
    unflatten_func: Callable[[Any, tuple[Any, ...]], T],
    flatten_with_keys_func: Callable[[T], tuple[KeyedChildren, Metadata]] | None = None,
) -> None:
    """Make `nodetype` a node: say how it comes apart and how it is put together.

    `flatten_func(x)` gives `(children, metadata)`; the metadata are structure: compared
    with `==` and hashed. `unflatten_func(metadata, children)` gets a tuple of children.
    `flatten_with_keys_func(x)` gives `((key, child), ...), metadata`; without it the
    children are named by position.

    Raises:
        ValueError: the type is a node already.

    >>> from minijax import tree
    >>> class Box:
    ...     def __init__(self, inside):
    ...         self.inside = inside
    >>> tree.register_pytree_node(
    ...     Box, lambda b: ((b.inside,), None), lambda _, children: Box(*children)
    ... )
    >>> tree.leaves(Box([1, 2]))
    [1, 2]
    """
    with _naming(nodetype):
        for each in _registries:
            each.register_node(
                nodetype, flatten_func, unflatten_func, flatten_with_keys_func
            )


@contextlib.contextmanager
def _naming(nodetype: type) -> Iterator[None]:
    # The only ValueError of a registration is that for a second one.
    try:
        yield
    except ValueError as error:
        raise TreeRegistrationError(
            repr(nodetype),
            "Found it registered already, or built in.\n"
            "Register a type once, where it is defined.",
        ) from error


def register_pytree_with_keys[T](
    nodetype: type[T],
    flatten_with_keys: Callable[[T], tuple[KeyedChildren, Metadata]],
    unflatten_func: Callable[[Any, tuple[Any, ...]], T],
    flatten_func: Callable[[T], tuple[Children, Metadata]] | None = None,
) -> None:
    """Make `nodetype` a node whose children have names.

    As `register_pytree_node`, from `flatten_with_keys(x)`, which gives
    `((key, child), ...), metadata`. `flatten_func` is a faster way to the same children
    and metadata; the two are used independently and must agree.

    Raises:
        ValueError: the type is a node already.

    >>> from minijax import tree
    >>> class Named:
    ...     def __init__(self, inside):
    ...         self.inside = inside
    >>> tree.register_pytree_with_keys(
    ...     Named,
    ...     lambda n: (((tree.GetAttrKey("inside"), n.inside),), None),
    ...     lambda _, children: Named(*children),
    ... )
    >>> tree.leaves_with_path(Named(5))
    [((GetAttrKey(name='inside'),), 5)]
    """
    if flatten_func is None:

        def flatten_func(x: T) -> tuple[Children, Metadata]:
            keyed, metadata = flatten_with_keys(x)
            return [child for _, child in keyed], metadata

    register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys)


def register_dispatch_node[T](
    nodetype: type[T],
    flatten_func: Callable[[T], tuple[Children, Metadata]],
    unflatten_func: Callable[[Any, tuple[Any, ...]], T],
) -> None:
    """Make `nodetype` a node for the C++ call path only; it stays a leaf elsewhere.

    Raises:
        ValueError: the type is a node there already.
    """
    with _naming(nodetype):
        dispatch_registry.register_node(nodetype, flatten_func, unflatten_func)


# --- classes that describe themselves ---


def register_pytree_node_class[C: type](cls: C) -> C:
    """Make a node of a class with `tree_flatten` and a classmethod `tree_unflatten`.

    Returns the class, so it serves as a decorator. Subclasses register themselves.

    Raises:
        AttributeError: there is no `tree_unflatten`.
        ValueError: the class is a node already.

    >>> from minijax import tree
    >>> @tree.register_pytree_node_class
    ... class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    ...     def tree_flatten(self):
    ...         return (self.a, self.b), None
    ...     @classmethod
    ...     def tree_unflatten(cls, metadata, children):
    ...         return cls(*children)
    >>> tree.leaves(Pair(1, 2))
    [1, 2]
    """
    flatten = operator.methodcaller("tree_flatten")
    register_pytree_node(cls, flatten, _class_method(cls, "tree_unflatten"))
    return cls


def register_pytree_with_keys_class[C: type](cls: C) -> C:
    """Make a node of a class with `tree_flatten_with_keys` and `tree_unflatten`.

    A method `tree_flatten`, if there is one, is used where keys are not asked for.
    Returns the class, so it serves as a decorator.

    Raises:
        AttributeError: there is no `tree_unflatten`.
        ValueError: the class is a node already.
    """
    plain = getattr(cls, "tree_flatten", None)
    register_pytree_with_keys(
        cls,
        operator.methodcaller("tree_flatten_with_keys"),
        _class_method(cls, "tree_unflatten"),
        None if plain is None else operator.methodcaller("tree_flatten"),
    )
    return cls


def _class_method(cls: type, name: str) -> Callable[..., Any]:
    # Alone among the methods it is looked up at once: there is no instance to ask yet.
    return getattr(cls, name)


def register_static[C: type](cls: C) -> C:
    """Make a node of `cls` that has no children: the object itself is structure.

    Instances must be hashable and comparable; under `jit` they are constants. Returns
    the class, so it serves as a decorator.

    Raises:
        ValueError: the class is a node already.

    >>> from minijax import tree
    >>> @tree.register_static
    ... class Mode(str): ...
    >>> tree.leaves([Mode("train"), 1])
    [1]
    """
    register_pytree_node(cls, lambda x: ((), x), lambda x, _: x, lambda x: ((), x))
    return cls


# --- dataclasses ---


def static(**kwargs: Any) -> Any:
    """A dataclass field that is structure, not data: `dataclasses.field`, marked.

    >>> import dataclasses
    >>> from minijax import tree
    >>> @tree.register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: float
    ...     name: str = tree.static(default="layer")
    >>> tree.structure(Layer(1.0))
    PyTreeDef(CustomNode(Layer[('layer',)], [*]))
    """
    marked = {"static": True, **(kwargs.pop("metadata", None) or {})}
    return dataclasses.field(metadata=marked, **kwargs)


def register_dataclass[C: type](
    nodetype: C,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> C:
    """Make a node of a dataclass: `data_fields` are children, `meta_fields` structure.

    Without the two lists, fields made by `static()` are structure, the rest children.
    `drop_fields` are neither: they take their default when a node is rebuilt, which
    calls `nodetype(**fields)` with whatever the leaves then are. A class that is not a
    dataclass may be registered with explicit lists. Returns the class.

    Raises:
        TypeError: only one list is given, or none for a class that is no dataclass.
        ValueError: the lists overlap or are not the fields that `__init__` takes; or
            the class is a node already.

    >>> import dataclasses
    >>> from minijax import tree
    >>> @tree.register_dataclass
    ... @dataclasses.dataclass
    ... class Point:
    ...     x: float
    ...     y: float
    >>> tree.map(lambda v: 2 * v, Point(1.0, 2.0))
    Point(x=2.0, y=4.0)
    """
    if data_fields is None and meta_fields is None:
        data, meta = _inferred_fields(nodetype, drop_fields)
    elif data_fields is None or meta_fields is None:
        raise ArgumentTypeError(
            "register_dataclass takes both data_fields and meta_fields, or neither.",
            f"Found {data_fields=} and {meta_fields=}.",
            "Pass an empty list for the kind that has no fields.",
        )
    else:
        data, meta = tuple(data_fields), tuple(meta_fields)
    _check_fields(nodetype, data, meta, drop_fields)
    with _naming(nodetype):
        for each in _registries:
            each.register_dataclass_node(nodetype, data, meta)
    data_field_names[nodetype] = data
    return nodetype


def _inferred_fields(
    nodetype: type, drop_fields: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not dataclasses.is_dataclass(nodetype):
        raise ArgumentTypeError(
            "register_dataclass reads the fields of a dataclass.",
            f"Found {nodetype!r}, which is not one.",
            "Pass data_fields and meta_fields for other classes.",
        )
    fields = [f for f in dataclasses.fields(nodetype) if f.name not in drop_fields]
    data = tuple(f.name for f in fields if not f.metadata.get("static"))
    meta = tuple(f.name for f in fields if f.metadata.get("static"))
    return data, meta


def _check_fields(
    nodetype: type,
    data: tuple[str, ...],
    meta: tuple[str, ...],
    drop_fields: Sequence[str],
) -> None:
    if both := set(data) & set(meta):
        raise TreeRegistrationError(
            repr(nodetype),
            f"Found the fields {sorted(both)} in both data_fields and meta_fields.\n"
            "A field is data or structure: keep each in one list.",
        )
    if not dataclasses.is_dataclass(nodetype):
        return
    given = {*data, *meta}
    taken = {f.name for f in dataclasses.fields(nodetype) if f.init} - {*drop_fields}
    if missing := taken - given:
        raise TreeRegistrationError(
            repr(nodetype),
            f"Found the fields {sorted(missing)} neither in data_fields nor in "
            "meta_fields, so a rebuilt node would lack them.\n"
            "Add them to one of the lists, or to drop_fields if they have defaults.",
        )
    if unexpected := given - taken:
        raise TreeRegistrationError(
            repr(nodetype),
            f"Found {sorted(unexpected)} in data_fields or meta_fields, which its "
            "__init__ does not take, or which are in drop_fields.\n"
            "Leave them out; drop_fields hides a field where the lists are inferred.",
        )


# --- questions ---


def is_tree_node(typ: type) -> bool:
    """Whether values of this type are nodes: built in, registered, or namedtuples.

    >>> from minijax import tree
    >>> tree.is_tree_node(list), tree.is_tree_node(int)
    (True, False)
    """
    return registry.is_node(typ)


def flatten_one_level(tree: Any) -> tuple[Children, Any]:
    """The children and the metadata of a node, without looking further down.

    Raises:
        ValueError: `tree` is a leaf.

    >>> from minijax import tree
    >>> tree.flatten_one_level({"b": [1], "a": 2})
    ((2, [1]), ('a', 'b'))
    """
    return registry.flatten_one_level(tree) or _refuse_leaf(tree)


def flatten_one_level_with_keys(tree: Any) -> tuple[KeyedChildren, Any]:
    """As `flatten_one_level`, with `(key, child)` for each child.

    Raises:
        ValueError: `tree` is a leaf.

    >>> from minijax import tree
    >>> tree.flatten_one_level_with_keys([7])
    (((SequenceKey(idx=0), 7),), None)
    """
    return registry.flatten_one_level_with_keys(tree) or _refuse_leaf(tree)


def _refuse_leaf(tree: Any) -> tuple[Any, Any]:
    raise ArgumentValueError(
        "Only a node has children.",
        f"Found a value of type {type(tree)!r}, which is a leaf.",
        "Register the type to make it a node (register_pytree_node).",
    )
