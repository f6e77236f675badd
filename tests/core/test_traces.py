"""What Python may do to a tracer, and what becomes of tracers that escape.

Programs over `J`: run here and with jax, outcomes compared (value or exception type).
"""

import threading

import pytest

import minijax as mj
from minijax import core


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

TYPES = [((), "float32"), ((), "int32"), ((1,), "float32"), ((0,), "float32"),
         ((3,), "bool"), ((2, 2), "int32")]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("shape", "dtype"), TYPES)
def test_check_11_each_operation_on_a_traced_value(oracle, operation, shape, dtype):
    oracle.compare(under_jit, operation, shape, dtype)


def test_check_11_integer_and_array_errors_are_no_concretization_errors():
    errors = mj.errors
    assert issubclass(errors.TracerBoolConversionError, errors.ConcretizationTypeError)
    for name in ("TracerIntegerConversionError", "TracerArrayConversionError"):
        assert issubclass(getattr(errors, name), TypeError)
        assert not issubclass(getattr(errors, name), errors.ConcretizationTypeError)
    assert issubclass(errors.NonConcreteBooleanIndexError, IndexError)


@pytest.mark.parametrize("shape", [(1,), (0,), (3,)])
def test_check_12_truth(oracle, shape):
    oracle.compare(under_jit, "bool", shape)


def test_check_13_the_error_names_the_argument():
    def fun(d):
        if d["a"][0] > 0:
            return d["a"][0]
        return d["b"]

    with pytest.raises(mj.errors.TracerBoolConversionError, match=r"d\['a'\]\[0\]"):
        mj.jit(fun)({"a": [1.0, 2.0], "b": 3.0})


def test_check_13_several_arguments_are_listed():
    def fun(x, y, z):
        return 1 if x + y * z > 0 else 0

    with pytest.raises(mj.errors.TracerBoolConversionError, match="x, y, and z"):
        mj.jit(fun)(1.0, 2.0, 3.0)


def test_check_13_a_value_made_of_constants_shows_at_most_five_equations():
    jnp = mj.numpy

    def fun(x):
        total = jnp.sin(0.0)
        for i in range(1, 7):
            total = total + jnp.sin(float(i))
        return x if total > 0 else -x

    with pytest.raises(mj.errors.TracerBoolConversionError) as caught:
        mj.jit(fun)(1.0)
    text = str(caught.value)
    assert text.count("= sin") == 5
    assert "more" in text
    assert "test_traces.py" in text


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


@pytest.mark.parametrize("transform", ["grad", "vmap", "unmapped"])
@pytest.mark.parametrize("operation", ["positive", "int", "item", "float", "asarray"])
def test_check_14_concreteness(oracle, transform, operation):
    if (transform, operation) == ("unmapped", "item"):
        pytest.skip("an unmapped Python float has no item(), here and in jax")
    oracle.compare(concrete_under, transform, operation)


def test_check_15_attributes():
    def fun(x):
        assert not hasattr(x, "sharding")
        assert isinstance(x, mj.Array)
        with pytest.raises(ValueError, match="typeof"):
            _ = x.memory_space
        return x

    mj.jit(fun)(1.0)


def _leak(transform):
    leaked = []

    def fun(x):
        leaked.append(x * 2)
        return x * 3

    transform(fun)(2.0 if transform is not mj.vmap else mj.numpy.ones(3))
    return leaked[0]


@pytest.mark.parametrize("transform", [mj.jit, mj.grad, mj.vmap])
def test_check_16_an_escaped_tracer_is_refused(transform):
    tracer = _leak(transform)
    assert repr(tracer)
    for use in (
        lambda: tracer + 1,
        lambda: mj.numpy.sin(tracer),
        lambda: mj.jit(lambda y: y)(tracer),
        lambda: mj.jit(lambda: tracer)(),
    ):
        with pytest.raises(mj.errors.UnexpectedTracerError):
            use()


def test_check_16_the_error_names_function_and_line():
    tracer = _leak(mj.jit)
    with pytest.raises(mj.errors.UnexpectedTracerError) as caught:
        _ = tracer + 1
    text = str(caught.value)
    assert "fun" in text
    assert "test_traces.py" in text
    assert "checking_leaks" in text
    assert "float32[]" in text


def test_check_17_checking_leaks():
    kept = []

    def leaky(x):
        kept.append(x * 2)
        return x

    with mj.checking_leaks():
        assert mj.jit(lambda x: x + 1)(1.0) == 2.0
        with pytest.raises(Exception, match="kept|list") as caught:
            mj.jit(leaky)(1.0)
    assert "Leaked" in str(caught.value)


def test_check_18_a_thread_sees_concrete_values():
    found = {}

    def fun(x):
        def work():
            found["sum"] = float(mj.numpy.ones(3).sum())
            try:
                _ = x + 1
            except mj.errors.UnexpectedTracerError as error:
                found["error"] = error

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return x

    mj.jit(fun)(1.0)
    assert found["sum"] == 3.0
    assert "error" in found


def test_check_19_an_exception_leaves_nothing_behind():
    calls = []

    @mj.jit
    def fun(x):
        calls.append(x)
        if len(calls) == 1:
            raise RuntimeError("first time")
        return x * 2

    with pytest.raises(RuntimeError, match="first time"):
        fun(1.0)
    assert core.at_top_level()
    assert float(mj.numpy.ones(()) + 1) == 2.0
    assert fun(1.0) == 2.0
    assert len(calls) == 2


def test_check_20_a_string_operand_is_named():
    def fun(x):
        return core.mul_p.bind(x, "text")

    with pytest.raises(TypeError, match=r"(?s)Operand 1 of primitive 'mul'.*str"):
        mj.jit(fun)(1.0)


def test_a_transform_restores_the_trace():
    outer = core.current_trace()
    with core.eval_context() as trace:
        assert trace is core.EVAL
    assert core.current_trace() is outer
