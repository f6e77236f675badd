"""Programs over `J` about tracers; the oracle imports this module beside jax."""


def under_jit(J, operation, shape=(), dtype="float32"):
    """What `operation` gives or raises on a traced value of this type."""
    outcome = []

    def fun(x):
        outcome.append(OPERATIONS[operation](J, x))
        return x

    J.jit(fun)(J.numpy.ones(shape, dtype))
    (found,) = outcome
    return found if isinstance(found, bool | int | str | tuple | type(None)) else None


def _numpy():
    import numpy

    return numpy


OPERATIONS = {
    "bool": lambda J, x: bool(x),
    "if": lambda J, x: 1 if x else 0,
    "not": lambda J, x: not x,
    "in list": lambda J, x: x in [0.0],
    "max": lambda J, x: max(x, 0.0),
    "int": lambda J, x: int(x),
    "float": lambda J, x: float(x),
    "complex": lambda J, x: complex(x),
    "index": lambda J, x: __import__("operator").index(x),
    "range": lambda J, x: range(x),
    "list index": lambda J, x: [1, 2][x],
    "hex": lambda J, x: hex(x),
    "oct": lambda J, x: oct(x),
    "math.sin": lambda J, x: __import__("math").sin(x),
    "np.asarray": lambda J, x: _numpy().asarray(x),
    "np.sin": lambda J, x: _numpy().sin(x),
    "np index": lambda J, x: _numpy().ones(3)[x],
    "item": lambda J, x: x.item(),
    "tolist": lambda J, x: x.tolist(),
    "tobytes": lambda J, x: x.tobytes(),
    "dlpack": lambda J, x: x.__dlpack__(),
    "pickle": lambda J, x: __import__("pickle").dumps(x),
    "devices": lambda J, x: x.devices(),
    "committed": lambda J, x: x.committed,
    "addressable_shards": lambda J, x: x.addressable_shards,
    "addressable_data": lambda J, x: x.addressable_data(0),
    "is_fully_addressable": lambda J, x: x.is_fully_addressable,
    "is_deleted": lambda J, x: x.is_deleted(),
    "delete": lambda J, x: x.delete(),
    "unsafe_buffer_pointer": lambda J, x: x.unsafe_buffer_pointer(),
    "traceback": lambda J, x: x.traceback,
    "sharding": lambda J, x: x.sharding,
    "has sharding": lambda J, x: hasattr(x, "sharding"),
    "block_until_ready": lambda J, x: x.block_until_ready(),
    "copy_to_host_async": lambda J, x: x.copy_to_host_async(),
    "unknown": lambda J, x: x.nonesuch,
    "memory_space": lambda J, x: x.memory_space,
    "hash": lambda J, x: hash(x),
    "dict key": lambda J, x: {x: 1},
    "setitem": lambda J, x: x.__setitem__(0, 1),
    "set by index": lambda J, x: exec("x[0] = 1", {"x": x}),
    "mask": lambda J, x: J.numpy.arange(3)[x],
    "zeros": lambda J, x: J.numpy.zeros(x),
    "reshape": lambda J, x: J.numpy.ones(4).reshape(x, 2),
    "arange": lambda J, x: J.numpy.arange(x),
    "axis": lambda J, x: J.numpy.sum(J.numpy.ones((2, 2)), axis=x),
    "slice bound": lambda J, x: J.numpy.arange(3)[:x],
    "len": lambda J, x: len(x),
    "iter": lambda J, x: len(list(x)),
    "format": lambda J, x: f"{x:.2f}",
    "isinstance": lambda J, x: isinstance(x, J.Array),
    "is tracer": lambda J, x: isinstance(x, J.core.Tracer),
    "shape": lambda J, x: x.shape,
    "ndim": lambda J, x: x.ndim,
    "size": lambda J, x: x.size,
    "nbytes": lambda J, x: x.nbytes,
    "dtype": lambda J, x: str(x.dtype),
    "weak": lambda J, x: x.weak_type,
    "repr": lambda J, x: repr(x),
    "copy": lambda J, x: __import__("copy").copy(x) is not None,
    "deepcopy": lambda J, x: __import__("copy").deepcopy(x) is not None,
    "block tree": lambda J, x: J.block_until_ready(x) is not None,
    "nonzero": lambda J, x: J.numpy.nonzero(x),
    "unique": lambda J, x: J.numpy.unique(x),
}


def concrete_under(J, transform, operation):
    """The same operations where values are known, or mapped."""
    f = {
        "positive": lambda x: x if x > 0 else -x,
        "int": lambda x: x * int(x),
        "item": lambda x: x * x.item(),
        "float": lambda x: x * float(x),
        "asarray": lambda x: x * _numpy().asarray(x),
    }[operation]
    if transform == "grad":
        return J.grad(f)(2.0)
    if transform == "vmap":
        return J.vmap(f)(J.numpy.ones(3))
    return J.vmap(lambda x, y: f(y) * x, in_axes=(0, None))(J.numpy.ones(3), 2.0)
