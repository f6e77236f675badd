"""Pytrees: values made of nodes (containers) and leaves, and functions over them.

The names in `__all__` are the public namespace `minijax.tree`. The rest serves the
other rooms and `minijax.tree_util`: the functions under the names that do not hide
Python's own; registration; the registries, which the C++ call path takes and by whose
names treedefs are pickled; and the comparison of structures, for error messages.
"""

from .nodes import dispatch_registry as dispatch_registry
from .nodes import flatten_one_level as flatten_one_level
from .nodes import flatten_one_level_with_keys as flatten_one_level_with_keys
from .nodes import is_tree_node as is_tree_node
from .nodes import none_leaf_registry as none_leaf_registry
from .nodes import register_dataclass as register_dataclass
from .nodes import register_dispatch_node as register_dispatch_node
from .nodes import register_pytree_node as register_pytree_node
from .nodes import register_pytree_node_class as register_pytree_node_class
from .nodes import register_pytree_with_keys as register_pytree_with_keys
from .nodes import register_pytree_with_keys_class as register_pytree_with_keys_class
from .nodes import register_static as register_static
from .nodes import registry as registry
from .nodes import static
from .paths import DictKey as DictKey
from .paths import FlattenedIndexKey as FlattenedIndexKey
from .paths import GetAttrKey as GetAttrKey
from .paths import KeyEntry as KeyEntry
from .paths import KeyPath as KeyPath
from .paths import PyTreeDef as PyTreeDef
from .paths import SequenceKey as SequenceKey
from .paths import generate_key_paths as generate_key_paths
from .paths import keystr as keystr
from .paths import tree_flatten_with_path as flatten_with_path
from .paths import tree_flatten_with_path as tree_flatten_with_path
from .paths import tree_leaves_with_path as leaves_with_path
from .paths import tree_leaves_with_path as tree_leaves_with_path
from .prefixes import Difference as Difference
from .prefixes import equality_errors as equality_errors
from .prefixes import equality_errors_of_treedefs as equality_errors_of_treedefs
from .prefixes import flatten_axes as flatten_axes
from .prefixes import flatten_up_to as flatten_up_to
from .prefixes import prefix_errors as prefix_errors
from .standard import Partial as Partial
from .structures import all_leaves as all_leaves
from .structures import broadcast_prefix as broadcast_prefix
from .structures import tree_all as all
from .structures import tree_all as tree_all
from .structures import tree_broadcast as broadcast
from .structures import tree_broadcast as tree_broadcast
from .structures import tree_flatten as flatten
from .structures import tree_flatten as tree_flatten
from .structures import tree_leaves as leaves
from .structures import tree_leaves as tree_leaves
from .structures import tree_map as map
from .structures import tree_map as tree_map
from .structures import tree_map_with_path as map_with_path
from .structures import tree_map_with_path as tree_map_with_path
from .structures import tree_reduce as reduce
from .structures import tree_reduce as tree_reduce
from .structures import tree_reduce_associative as reduce_associative
from .structures import tree_reduce_associative as tree_reduce_associative
from .structures import tree_structure as structure
from .structures import tree_structure as tree_structure
from .structures import tree_transpose as transpose
from .structures import tree_transpose as tree_transpose
from .structures import tree_unflatten as tree_unflatten
from .structures import tree_unflatten as unflatten
from .structures import treedef_children as treedef_children
from .structures import treedef_is_leaf as treedef_is_leaf
from .structures import treedef_tuple as treedef_tuple

__all__ = [
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "static",
    "structure",
    "transpose",
    "unflatten",
]
