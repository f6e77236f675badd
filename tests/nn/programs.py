"""Programs about functions of neural networks, run under both libraries."""

import warnings

import numpy as np


def called(J, name, args, kw):
    """The function on plain numbers, lists standing for f32 arrays."""
    return getattr(J.nn, name)(*[_array(J, x) for x in args], **kw)


def _array(J, x):
    if isinstance(x, list):
        found = np.array(x)
        return J.numpy.asarray(
            found.astype(np.float32) if found.dtype.kind == "f" else found
        )
    return x


def short(J, name, dtype):
    x = J.numpy.asarray(np.linspace(-4, 4, 9).astype(dtype))
    return getattr(J.nn, name)(x)


def values(J, name):
    """Eagerly, compiled, mapped, on an ordinary range of numbers."""
    fun = getattr(J.nn, name)
    x = np.linspace(-6, 6, 24).astype(np.float32).reshape(4, 6)
    return fun(x), J.jit(fun)(x), J.vmap(fun)(x)


def slopes(J, name, points):
    fun = getattr(J.nn, name)
    return [J.grad(fun)(point) for point in points]


def curvature(J, name):
    fun = getattr(J.nn, name)
    return [J.grad(J.grad(fun))(x) for x in (-1.7, 0.3, 2.2)]


def list_given(J, name):
    return getattr(J.nn, name)([1.0])


def same_objects(J):
    return J.nn.swish is J.nn.silu, J.nn.hard_swish is J.nn.hard_silu


def masked(J, name, values_, mask):
    x, mask = J.numpy.asarray(np.array(values_, np.float32)), np.array(mask)
    return getattr(J.nn, name)(x, where=mask)


def softmax_slope(J):
    return J.grad(lambda t: J.nn.softmax(t)[0])(J.numpy.asarray([1.0, 2.0]))


def softmax_by_rule(J):
    J.config.update("jax_softmax_custom_jvp", True)
    try:
        return J.nn.softmax(J.numpy.asarray([1.0, 2.0])), softmax_slope(J)
    finally:
        J.config.update("jax_softmax_custom_jvp", False)


def one_hot(J, x, count, kw):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = J.nn.one_hot(_array(J, x), count, **kw)
    return out, sorted({c.category.__name__ for c in caught})


def traced_classes(J):
    return J.jit(J.nn.one_hot)(np.array([0]), 3)


def initialized(J, maker, args, shape, kw):
    made = getattr(J.nn.initializers, maker)
    init = made(*args) if args is not None else made
    return init(J.random.key(0), shape, **kw)


def aliases(J):
    make = J.nn.initializers
    return [
        make.xavier_uniform is make.glorot_uniform,
        make.xavier_normal is make.glorot_normal,
        make.kaiming_uniform is make.he_uniform,
        make.kaiming_normal is make.he_normal,
        isinstance(make.zeros, make.Initializer),
    ]


def _operands(dtype):
    draw = np.random.default_rng(0).normal
    shapes = ((2, 5, 4, 8), (2, 3, 2, 8), (2, 3, 2, 8))
    return [draw(size=shape).astype(dtype) for shape in shapes]


_OPTIONS = {
    "plain": {},
    "bias": {"bias": np.linspace(-1, 1, 60, dtype=np.float32).reshape(1, 4, 5, 3)},
    "mask": {"mask": np.arange(30).reshape(2, 1, 5, 3) % 4 > 0},
    "causal": {"is_causal": True},
    "window": {"local_window_size": 1},
    "window before": {"local_window_size": (2, 0)},
    "lengths": {
        "query_seq_lengths": np.array([2, 5], np.int32),
        "key_value_seq_lengths": np.array([3, 1], np.int32),
    },
    "residual": {"scale": 2.0, "is_causal": True, "return_residual": True},
    "nothing": {"mask": np.zeros((1, 1, 5, 3), bool)},
}
OPTIONS = tuple(_OPTIONS)


def attention(J, option, dtype="float32"):
    kw = _OPTIONS[option]
    kw = {
        k: J.numpy.asarray(v) if isinstance(v, np.ndarray) else v for k, v in kw.items()
    }
    operands = [J.numpy.asarray(x).astype(dtype) for x in _operands(np.float32)]
    return J.nn.dot_product_attention(*operands, **kw)


def attention_without_batch(J):
    query, key, value = (J.numpy.asarray(x[0]) for x in _operands(np.float32))
    return J.nn.dot_product_attention(query, key, value, is_causal=True)


def attention_slope(J):
    operands = [J.numpy.asarray(x) for x in _operands(np.float32)]

    def total(*xs):
        return (J.nn.dot_product_attention(*xs, is_causal=True) ** 2).sum()

    return J.grad(total, (0, 1, 2))(*operands)


def bad_attention(J, what):
    query, key, value = (J.numpy.asarray(x) for x in _operands(np.float32))
    kw = {}
    if what == "implementation":
        kw["implementation"] = "x"
    if what == "cudnn":
        kw["implementation"] = "cudnn"
    if what == "mask":
        kw["mask"] = np.ones((1, 1, 5, 3), np.float32)
    if what == "bias shape":
        kw["bias"] = np.ones((3, 5, 3), np.float32)
    if what == "heads":
        query = query[:, :, :3]
    if what == "dtype":
        key = key.astype("bfloat16")
    if what == "rank":
        query = query[0]
    return J.nn.dot_product_attention(query, key, value, **kw)
