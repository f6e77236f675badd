"""Programs with callbacks: run here and with jax, the results compared."""

import contextlib
import importlib
import io

import numpy as np


def _spec(J, *shape, dtype="float32"):
    return J.ShapeDtypeStruct(shape, dtype)


def _io_callback(J):
    return importlib.import_module(f"{J.__name__}.experimental").io_callback


def _lines(J, action):
    """What `action` prints, line by line, and what it returns."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        out = action()
        J.effects_barrier()
    return text.getvalue().splitlines(), out


# --- pure_callback --------------------------------------------------------------------


def pure(J):
    """Trees in and out, keywords, 64-bit results, eager and compiled."""

    def host(d, *, scale):
        return {"y": np.asarray(d["a"], np.float64) * scale, "z": np.asarray(d["b"][0])}

    def f(a, b):
        out = {"y": _spec(J, 3), "z": _spec(J, dtype="int32")}
        return J.pure_callback(host, out, {"a": a, "b": [b]}, scale=2)

    a, b = J.numpy.arange(3.0), J.numpy.int32(5)
    return f(a, b), J.jit(f)(a, b)


def pure_text(J):
    def f(x):
        return J.pure_callback(np.sin, _spec(J, 3), x)

    return J.make_jaxpr(f)(J.numpy.ones(3)).pretty_print(print_effects=True)


METHODS = [
    *("sequential", "sequential_unrolled", "broadcast_all", "expand_dims"),
    "legacy_vectorized",
]


def pure_mapped(J, method):
    """What the function is called with, and the result."""
    shapes = []

    def host(x, y):
        shapes.append((np.shape(x), np.shape(y)))
        return np.asarray(np.asarray(x) + np.asarray(y), np.float32)

    def f(x, y):
        return J.pure_callback(host, _spec(J), x, y, vmap_method=method)

    def mapped(x, y):
        return J.vmap(f, in_axes=(0, None))(x, y)

    out = mapped(J.numpy.arange(3.0), J.numpy.float32(10))
    return out, sorted(shapes)


REFUSED = [
    *("vmap", "unknown method", "jvp", "grad", "wrong shape", "wrong dtype", "count"),
    *("raises", "64 bits", "no array", "vmap of ordered", "jvp of io", "transpose"),
    *("wrong shape compiled", "raises compiled"),
]


def refused(J, case):
    x = J.numpy.ones(3)

    def call(host, **how):
        return lambda x: J.pure_callback(host, _spec(J, 3), x, **how)

    def io(x, **how):
        return _io_callback(J)(lambda x: x, _spec(J), x, **how)

    def short(x):
        return np.ones(2, np.float32)

    def failing(x):
        raise KeyError("own")

    cases = {
        "vmap": lambda: J.vmap(call(np.sin))(J.numpy.ones((2, 3))),
        "unknown method": lambda: call(np.sin, vmap_method="x")(x),
        "jvp": lambda: J.jvp(call(np.sin), (x,), (x,)),
        "grad": lambda: J.grad(lambda x: call(np.sin)(x).sum())(x),
        "transpose": lambda: J.linear_transpose(call(np.sin), x)(x),
        "wrong shape": lambda: J.block_until_ready(call(short)(x)),
        "wrong shape compiled": lambda: J.block_until_ready(J.jit(call(short))(x)),
        "wrong dtype": lambda: J.block_until_ready(
            call(lambda x: np.ones(3, np.int32))(x)
        ),
        "count": lambda: J.block_until_ready(call(lambda x: [1.0, 2.0, 3.0])(x)),
        "raises": lambda: J.block_until_ready(call(failing)(x)),
        "raises compiled": lambda: J.block_until_ready(J.jit(call(failing))(x)),
        "64 bits": lambda: J.pure_callback(np.sin, _spec(J, 3, dtype="float64"), x),
        "no array": lambda: J.pure_callback(np.sin, _spec(J, 3), "text"),
        "vmap of ordered": lambda: J.vmap(lambda x: io(x, ordered=True))(x),
        "jvp of io": lambda: J.jvp(io, (1.0,), (1.0,)),
    }
    return cases[case]()


# --- io_callback ----------------------------------------------------------------------


def io_calls(J, ordered, compiled):
    """Calls in loops and branches, with and without results."""
    callback, seen = _io_callback(J), []

    def note(x):
        seen.append(float(x))
        return np.float32(2 * x)

    def body(carry, x):
        y = callback(note, _spec(J), carry + x, ordered=ordered)
        return y, y

    def f(x):
        last, ys = J.lax.scan(body, 0.0, x)
        return J.lax.cond(
            last > 100,
            lambda y: callback(note, _spec(J), -y, ordered=ordered),
            lambda y: callback(note, _spec(J), y + 0.5, ordered=ordered),
            last,
        ), ys

    out = (J.jit(f) if compiled else f)(J.numpy.arange(3.0))
    J.block_until_ready(out)
    J.effects_barrier()
    return seen, out


def io_mapped(J):
    callback, seen = _io_callback(J), []

    def note(x):
        seen.append(float(x))
        return np.float32(-x)

    out = J.vmap(lambda x: callback(note, _spec(J), x))(J.numpy.arange(3.0))
    J.effects_barrier()
    return seen, out


def io_without_results(J):
    callback, seen = _io_callback(J), []
    out = J.jit(lambda x: callback(lambda x: seen.append(int(x)), None, x))(3)
    J.effects_barrier()
    return seen, out


# --- debug ----------------------------------------------------------------------------


def prints(J):
    """Formats, trees, strings, numpy's print options; eager and compiled."""
    x = J.numpy.arange(3.0) / 7

    def f(x):
        J.debug.print("nothing")
        J.debug.print("{} and {y}", x, y=x[0])
        J.debug.print("{:.3f} {0!r}" if False else "{y:.3f} {z!r}", y=x[1], z=x[2])
        J.debug.print("{d[a]} {s}", d={"a": x[0], "b": [x[1]]}, s="text")
        J.debug.print("{{}}")
        J.debug.print(ordered=True)("late {}", x[0])
        with np.printoptions(precision=2):
            J.debug.print("{}", x)
        return x

    return _lines(J, lambda: f(x)), sorted(_lines(J, lambda: J.jit(f)(x))[0])


def print_text(J, ordered):
    def f(x):
        J.debug.print("x {} {y} {s}", x, y=x[0], s="s", ordered=ordered)
        return x

    jaxpr = J.make_jaxpr(f)(J.numpy.ones(3))
    return jaxpr.pretty_print(print_effects=True), jaxpr.pretty_print()


TRANSFORMED = [
    "vmap",
    "vmap of jit",
    "unmapped",
    "jvp",
    "grad",
    "cond",
    "while",
    "scan",
]


def print_transformed(J, case):
    x = J.numpy.arange(3.0)

    def f(x):
        J.debug.print("x {}", x, ordered=True)
        return J.numpy.sin(x)

    def chosen(x):
        return J.lax.cond(x > 1, f, lambda x: (J.debug.print("other {}", x), x)[1], x)

    def loop(x):
        return J.lax.while_loop(lambda c: c < 3, lambda c: (f(c), c + 1)[1], x)

    cases = {
        "vmap": lambda: J.vmap(f)(x),
        "vmap of jit": lambda: J.vmap(J.jit(f))(x),
        "unmapped": lambda: J.vmap(lambda x: (J.debug.print("once"), x)[1])(x),
        "jvp": lambda: J.jvp(f, (1.0,), (2.0,)),
        "grad": lambda: J.grad(J.jit(f))(1.0),
        "cond": lambda: [J.jit(chosen)(0.0), J.jit(chosen)(2.0)],
        "while": lambda: loop(0.0),
        "scan": lambda: J.lax.scan(lambda c, x: (f(c), x), 1.0, x),
    }
    return _lines(J, cases[case])


def formats(J, case):
    arguments = {
        "missing": ("{} {}", (1,), {}),
        "missing name": ("{y}", (), {"x": 1}),
        "unused": ("x", (1,), {}),
        "unused name": ("{}", (1,), {"y": 2}),
        "no text": (3, (1,), {}),
    }
    fmt, args, kwargs = arguments[case]
    return J.debug.print(fmt, *args, **kwargs)


FORMATS = ["missing", "missing name", "unused", "unused name", "no text"]


def callbacks(J):
    """Which types the function sees; what it returns is ignored."""
    seen = []

    def look(x, name, *, k):
        seen.append((isinstance(x, J.Array), str(x.dtype), np.shape(x), name, int(k)))
        return "ignored"

    def f(x):
        J.debug.callback(look, x, "name", k=x[0])
        return x

    x = J.numpy.ones(2, "bfloat16")
    f(x)
    J.jit(f)(x)
    J.effects_barrier()
    return seen


def failing_callback(J):
    J.debug.callback(lambda x: 1 / 0, 1.0)
