"""Plain, picklable records of what a program returned, and how two of them differ.

A record holds everything the compatibility law speaks of (values, dtypes, weak types,
shapes, tree structure, jaxpr text, exception type) and no object of either library, so
it can cross the pipe between the child with jax and us. This file imports neither
library: the namespace `J` that made a value is passed in where it is needed.
"""

import dataclasses
import traceback
from typing import Any

import ml_dtypes  # noqa: F401  makes numpy know bfloat16, float8 and int4 by name
import numpy as np

# The largest relative error between two runs of XLA on one program. Programs that
# reorder sums say so by passing their own.
RTOL = {
    "float64": 1e-12,
    "complex128": 1e-12,
    "float32": 2e-6,
    "complex64": 2e-6,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}


@dataclasses.dataclass
class Record:
    """One node of a result.

    `kind` says what it is; `facts` are compared for equality; `array` is compared to a
    tolerance; `note` (a traceback) is shown and never compared.
    """

    kind: str
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    array: tuple[str, tuple[int, ...], bytes] | None = None
    children: list[tuple[str, "Record"]] = dataclasses.field(default_factory=list)
    note: str = ""


# -- making records --------------------------------------------------------------------


def _packed(x: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    x = np.ascontiguousarray(x)
    return x.dtype.name, x.shape, x.tobytes()


def unpacked(array: tuple[str, tuple[int, ...], bytes]) -> np.ndarray:
    """The numpy array inside a record; f0[*s] comes back as bool[*s]."""
    name, shape, data = array
    dtype = np.dtype(bool) if name.startswith("void") else np.dtype(name)
    return np.frombuffer(data, dtype).reshape(shape)


def _array(J: Any, x: Any) -> Record:
    facts = {
        "dtype": str(x.dtype),
        "shape": tuple(x.shape),
        "weak_type": bool(x.aval.weak_type),
    }
    if isinstance(x.dtype, np.dtype):
        return Record("array", facts, _packed(np.asarray(x)))
    facts["weak_type"] = False  # of a key array nobody can ask it
    return Record("keys", facts, _packed(np.asarray(J.random.key_data(x))))


def _numpy(x: Any) -> Record:
    kind = "numpy array" if isinstance(x, np.ndarray) else "numpy scalar"
    name = "float0" if x.dtype.names == ("float0",) else str(x.dtype)
    name = "float0" if "float0" in name else name
    return Record(kind, {"dtype": name, "shape": x.shape}, _packed(np.asarray(x)))


def _struct(x: Any) -> Record:
    facts = {"dtype": str(x.dtype), "shape": tuple(x.shape)}
    facts["weak_type"] = bool(getattr(x, "weak_type", False))
    return Record("ShapeDtypeStruct", facts)


def _closed_jaxpr(J: Any, x: Any) -> Record:
    consts = [(f".consts[{i}]", record(J, c)) for i, c in enumerate(x.consts)]
    return Record("jaxpr", {"text": str(x)}, None, consts)


def _node(J: Any, x: Any) -> Record | None:
    """A node of a type that the user registered: its children, and its own text."""
    children, treedef = J.tree_util.tree_flatten(x, is_leaf=lambda y: y is not x)
    if len(children) == 1 and children[0] is x:
        return None
    named = [(f"[child {i}]", record(J, c)) for i, c in enumerate(children)]
    return Record("node", {"type": type(x).__name__, "def": str(treedef)}, None, named)


def _container(J: Any, x: Any) -> Record | None:
    if isinstance(x, dict):
        items = [(f"[{k!r}]", record(J, v)) for k, v in x.items()]
    elif isinstance(x, list | tuple):
        names = getattr(x, "_fields", None)
        labels = (
            [f".{n}" for n in names] if names else [f"[{i}]" for i in range(len(x))]
        )
        items = [(label, record(J, v)) for label, v in zip(labels, x)]
    else:
        return None
    return Record("container", {"type": type(x).__name__}, None, items)


def _by_type_name(J: Any, x: Any) -> Record | None:
    name = type(x).__name__
    if name == "ClosedJaxpr":
        return _closed_jaxpr(J, x)
    if name == "Jaxpr":
        return Record("jaxpr", {"text": str(x)})
    if name == "PyTreeDef":
        return Record("treedef", {"text": str(x)})
    if name == "ShapedArray":
        return Record("aval", {"text": str(x), "weak_type": x.weak_type})
    if name == "ShapeDtypeStruct":
        return _struct(x)
    if name.endswith("Tracer"):
        return Record("tracer", {"aval": str(x.aval)})
    return None


def _plain(x: Any) -> Any:
    # A subclass (jax has one of float) would bring its library through the pipe.
    for kind in (bool, int, float, complex, str, bytes):
        if isinstance(x, kind):
            return kind(x)
    return x


def record(J: Any, x: Any) -> Record:
    """The record of any result of a program that ran over the namespace `J`."""
    if isinstance(x, np.ndarray | np.generic):
        return _numpy(x)
    if x is None or isinstance(x, bool | int | float | complex | str | bytes):
        return Record("python", {"type": type(x).__name__, "value": _plain(x)})
    if isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, np.generic)):
        return Record("dtype", {"name": np.dtype(x).name})
    if isinstance(x, BaseException):
        return error_record(J, x)
    found = _container(J, x) or _by_type_name(J, x)
    if found is not None:
        return found
    if isinstance(x, J.Array):
        return _array(J, x)
    return _node(J, x) or Record("object", {"type": type(x).__name__, "repr": repr(x)})


def error_record(J: Any, error: BaseException) -> Record:
    """The record of an exception: its public name, its builtin bases, its text as note.

    The name is compared only if it is public: a builtin, or a member of `J.errors`. A
    bare AssertionError of jax says nothing, so any exception of ours will do there.
    """
    names = [c.__name__ for c in type(error).__mro__]
    builtin = [c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"]
    public = [n for n in names if n in builtin or hasattr(J.errors, n)]
    text = "".join(traceback.format_exception(error))
    return Record("error", {"public": public, "builtin": builtin}, None, [], text)


# -- comparing -------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far two values may lie apart; None means the default of the dtype."""

    rtol: float | None = None
    atol: float | None = None
    exact: bool = False

    def of(self, dtype: str) -> tuple[float, float]:
        rtol = RTOL.get(dtype, 0.0) if self.rtol is None else self.rtol
        return rtol, 0.0 if self.atol is None else self.atol


def _parts(x: np.ndarray) -> list[np.ndarray]:
    """Real arrays of a type that numpy computes with: f64, integers as they are."""
    if x.dtype.kind == "c":
        return [x.real.astype(np.float64), x.imag.astype(np.float64)]
    if x.dtype.kind in "biu":
        return [x]
    if x.dtype.name in ("int2", "int4", "uint2", "uint4"):
        return [x.astype(np.int8)]
    return [x.astype(np.float64)]


def _close(ours: np.ndarray, theirs: np.ndarray, rtol: float, atol: float) -> Any:
    """Where two arrays of one dtype agree. NaN is NaN, a complex goes by modulus."""
    scale = np.max([np.abs(np.nan_to_num(p)) for p in _parts(theirs)], axis=0)
    agree = np.ones(theirs.shape, bool)
    for a, b in zip(_parts(ours), _parts(theirs)):
        if a.dtype.kind != "f":
            agree &= a == b
            continue
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= atol + rtol * scale
        same = (a == b) & (np.signbit(a) == np.signbit(b)) if rtol == 0 else a == b
        agree &= (
            same | near & (rtol > 0) | near & (atol > 0) | np.isnan(a) & np.isnan(b)
        )
    return agree


def _array_difference(ours: Record, theirs: Record, tolerance: Tolerance) -> str | None:
    name, shape, data = theirs.array
    if ours.array[:2] != (name, shape):
        return f"{ours.array[:2]} here, {(name, shape)} in jax"
    if ours.array[2] == data:
        return None
    rtol, atol = (0.0, 0.0) if tolerance.exact else tolerance.of(name)
    a, b = unpacked(ours.array), unpacked(theirs.array)
    bad = ~_close(a, b, rtol, atol)
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    return (
        f"{int(bad.sum())} of {b.size} values differ (rtol {rtol}, atol {atol}), "
        f"first at {where}: {a[where]!r} here, {b[where]!r} in jax"
    )


def _error_difference(ours: Record, theirs: Record) -> str | None:
    wanted = theirs.facts["public"][0]
    if wanted == "AssertionError":
        return None
    bases = set(theirs.facts["builtin"]) - {"object", "BaseException"}
    if wanted in ours.facts["public"] and bases <= set(ours.facts["builtin"]):
        return None
    return (
        f"{ours.facts['public']} here, {theirs.facts['public']} in jax"
        f"\n--- here:\n{ours.note}\n--- jax:\n{theirs.note[-1500:]}"
    )


def _kind_difference(ours: Record, theirs: Record) -> str | None:
    if ours.kind == theirs.kind:
        return None
    notes = "".join(f"\n--- {r.note[-3000:]}" for r in (ours, theirs) if r.note)
    return f"{ours.kind} {ours.facts} here, {theirs.kind} {theirs.facts} in jax{notes}"


def _text_difference(ours: str, theirs: str) -> str:
    return f"\n--- here:\n{ours}\n--- jax:\n{theirs}"


def differences(
    ours: Record, theirs: Record, tolerance: Tolerance, path: str = "result"
) -> list[str]:
    """Every difference between two records, each with the path where it stands."""
    kind = _kind_difference(ours, theirs)
    if kind is not None:
        return [f"{path}: {kind}"]
    if ours.kind == "error":
        found = _error_difference(ours, theirs)
        return [f"{path}: {found}"] if found else []
    out = []
    for name, wanted in theirs.facts.items():
        got = ours.facts.get(name)
        if got == wanted or (got != got and wanted != wanted):
            continue
        both = isinstance(got, str) and isinstance(wanted, str) and "\n" in got + wanted
        text = (
            _text_difference(got, wanted)
            if both
            else f"{got!r} here, {wanted!r} in jax"
        )
        out.append(f"{path}: {name}: {text}")
    if theirs.array is not None and not out:
        found = _array_difference(ours, theirs, tolerance)
        out += [f"{path}: {found}"] if found else []
    labels = [label for label, _ in theirs.children]
    if [label for label, _ in ours.children] != labels:
        mine = [label for label, _ in ours.children]
        return [*out, f"{path}: children {mine} here, {labels} in jax"]
    for (label, mine), (_, wanted) in zip(ours.children, theirs.children):
        out += differences(mine, wanted, tolerance, path + label)
    return out
