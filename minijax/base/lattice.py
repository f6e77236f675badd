"""The order of types: what two types are promoted to.

A directed graph: the join of some types is the least type reachable from all of them.
Nodes are dtypes, and the Python types int, float, complex for weak values. Bool is
strong and lowest. Source: spec/tracing.md §2.3.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import TypePromotionError
from .families import (
    ARRAY_DTYPES,
    BOOL,
    BY_NAME,
    COMPLEXES,
    FLOATS,
    INTEGERS,
    ONE_BIT_NAMES,
    SMALL_FLOAT_NAMES,
    name_of,
)

type Node = Any  # np.dtype, or one of the types int, float, complex
type _Graph = dict[Node, tuple[Node, ...]]


def _dtypes(*names: str) -> tuple[np.dtype, ...]:
    return tuple(BY_NAME[name] for name in names)


def _standard_edges(*, x64: bool) -> _Graph:
    d = BY_NAME
    # Without int64, the integers that hold uint32 and int32 end at int32.
    above_u32 = ("int64", "uint64") if x64 else ("int32", "uint64")
    narrow = (*ONE_BIT_NAMES, "int2", "uint2", "int4", "uint4")
    return {
        BOOL: (int,),
        int: _dtypes("uint8", "int8", *narrow),
        d["uint8"]: _dtypes("int16", "uint16"),
        d["uint16"]: _dtypes("int32", "uint32"),
        d["uint32"]: _dtypes(*above_u32),
        d["uint64"]: (float,),
        d["int8"]: _dtypes("int16"),
        d["int16"]: _dtypes("int32"),
        d["int32"]: _dtypes("int64"),
        d["int64"]: (float,),
        float: (*_dtypes("bfloat16", "float16", *SMALL_FLOAT_NAMES), complex),
        d["bfloat16"]: _dtypes("float32"),
        d["float16"]: _dtypes("float32"),
        d["float32"]: _dtypes("float64", "complex64"),
        d["float64"]: _dtypes("complex128"),
        complex: _dtypes("complex64"),
        d["complex64"]: _dtypes("complex128"),
    }


def _strict_edges() -> _Graph:
    # Only a weak value moves, and only to a dtype of its own kind or a higher one.
    return {
        int: (float, *INTEGERS),
        float: (complex, *FLOATS),
        complex: tuple(COMPLEXES),
    }


def _reachable(edges: _Graph) -> dict[Node, frozenset[Node]]:
    above: dict[Node, frozenset[Node]] = {}

    def visit(node: Node) -> frozenset[Node]:
        if node not in above:
            above[node] = frozenset([node]).union(*map(visit, edges.get(node, ())))
        return above[node]

    for node in (*ARRAY_DTYPES, int, float, complex):
        visit(node)
    return above


# By (strict, x64).
_ABOVE: Mapping[tuple[bool, bool], dict[Node, frozenset[Node]]] = {
    (False, False): _reachable(_standard_edges(x64=False)),
    (False, True): _reachable(_standard_edges(x64=True)),
    (True, False): _reachable(_strict_edges()),
    (True, True): _reachable(_strict_edges()),
}


def join(nodes: Iterable[Node], *, strict: bool, x64: bool) -> Node:
    """The least node above all.

    Raises:
      TypePromotionError: there is none, or more than one.
    """
    above, nodes = _ABOVE[strict, x64], list(nodes)
    for node in nodes:
        if node not in above:
            raise TypePromotionError(sorted(map(describe, nodes)))
    common = frozenset.intersection(*(above[node] for node in nodes))
    for node in common:
        if above[node] == common:
            return node
    mode = "strict" if strict else "standard"
    raise TypePromotionError(sorted(map(describe, nodes)), mode)


def describe(node: Node) -> str:
    """The node as a message names it."""
    return f"a Python {node.__name__}" if isinstance(node, type) else name_of(node)


def weak_node(dtype: Any) -> Node:
    """The node of a weak value of this dtype: the Python type of its kind."""
    if dtype in INTEGERS:
        return int
    if dtype in FLOATS:
        return float
    return complex if dtype in COMPLEXES else dtype
