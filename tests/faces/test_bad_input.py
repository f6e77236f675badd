"""Bad input through the public functions: the type, the words, and nothing is lost.

A case calls one function twice: with the bad value, which must raise the type given
here and say all the words in order, and then with a good one, which must work. After
each bad call the process is as before: no trace is current, the collector is on, and a
function that was compiled is not compiled again. Hostile cache directories are in
`tests/runtime/test_cache_files.py`, refused imports in `tests/base/test_gate.py`.
"""

import gc
import re

import numpy as np
import pytest

import minijax as mj
import minijax.numpy as jnp
from minijax import lax, nn, random
from minijax.base import errors
from minijax.core import EVAL, Primitive, current

X, Y, HUGE, TEXT = jnp.arange(3.0), jnp.ones(4), 2**70, "text"
KEY = random.key(0)
HERE = re.escape(__file__)

traced = []


@mj.jit
def warm(x):
    traced.append(x)
    return x * 2


warm(X)


def refuse(call, error, *words):
    """`call` raises `error`, says the words in order, and leaves nothing behind."""
    count = len(traced)
    pattern = "(.|\n)*".join(words)
    with pytest.raises(error, match=pattern or None) as caught:
        call()
    assert current.value is EVAL
    assert gc.isenabled()
    assert warm(X).tolist() == [0, 2, 4]
    assert len(traced) == count
    return caught.value


def ids(cases):
    return [case[0] for case in cases]


def cases(table):
    return pytest.mark.parametrize(
        "call, words", [case[1:] for case in table], ids=ids(table)
    )


# --- What is no array -----------------------------------------------------------------


def identity(d):
    return d


def added(x, y):
    return [x[0] + y[0]]


NO_ARRAYS = [
    ("jit", lambda v: mj.jit(identity)({"a": v}), [r"d\['a'\] of identity at", HERE]),
    ("jit, keyword", lambda v: mj.jit(lambda *, k: k)(k=[1, v]), [r"k\[1\]", "static"]),
    ("grad", lambda v: mj.grad(lambda d: d[0].sum())([v]), [r"d\[0\]", HERE, "str"]),
    ("vjp", lambda v: mj.vjp(lambda x, d: d, 1.0, {"k": v}), [r"d\['k'\]", HERE]),
    ("jvp", lambda v: mj.jvp(lambda x: x, (v,), (X,)), ["x of", HERE, "str"]),
    ("linearize", lambda v: mj.linearize(lambda x: x, v), ["x of", HERE, "str"]),
    ("jacfwd", lambda v: mj.jacfwd(lambda x: x)(v), ["x of", HERE, "str"]),
    ("vmap", lambda v: mj.vmap(identity)({"a": v}), [r"d\['a'\]", "str", "in_axes"]),
    ("checkpoint", lambda v: mj.checkpoint(identity)({"a": v}), [r"d\['a'\]", HERE]),
    ("make_jaxpr", lambda v: mj.make_jaxpr(identity)([v]), [r"d\[0\]", HERE]),
    ("eval_shape", lambda v: mj.eval_shape(identity, [v]), [r"d\[0\]", HERE]),
    ("device_put", lambda v: mj.device_put({"a": v}), [r"x\['a'\]", "device_put"]),
    ("scan, init", lambda v: lax.scan(lambda c, x: (c, x), [v], X), [r"init\[0\]"]),
    ("scan, xs", lambda v: lax.scan(lambda c, x: (c, x), 0, [v]), [r"xs\[0\] of scan"]),
    (
        "cond",
        lambda v: lax.cond(True, identity, identity, [v]),
        [r"operands\[0\]\[0\]"],
    ),
    (
        "while_loop",
        lambda v: lax.while_loop(lambda x: False, identity, v),
        ["init_val"],
    ),
    ("associative_scan", lambda v: lax.associative_scan(added, [v]), [r"elems\[0\]"]),
    ("numpy.sin", lambda v: jnp.sin(v), ["x of sin", "'text' of type str"]),
    ("numpy.sum", lambda v: jnp.sum(v), ["a of sum", "str"]),
    ("numpy.dot", lambda v: jnp.dot(v, X), ["a of dot", "str"]),
    ("numpy.reshape", lambda v: jnp.reshape(v, (3,)), ["reshape", "str"]),
    ("numpy.stack", lambda v: jnp.stack([X, v]), [r"arrays\[1\] of stack", "str"]),
    ("numpy.array", lambda v: jnp.array(v), ["numbers", "str"]),
    ("at.set", lambda v: Y.at[1:].set(v), ["array or a number", "str"]),
    ("lax.add", lambda v: lax.add(X, v), ["Operand 1 of primitive 'add'", "str"]),
    ("lax.add in jit", lambda v: mj.jit(lax.add)(X, v), ["y of add", "str"]),
    ("lax.add in vmap", lambda v: mj.vmap(lambda x: lax.add(x, v))(X), ["1", "'add'"]),
    ("nn.relu", lambda v: nn.relu(v), ["x of relu", "str"]),
    ("nn.softmax", lambda v: nn.softmax(v), ["x of softmax", "str"]),
    ("random.permutation", lambda v: random.permutation(KEY, v), ["str"]),
]
GOOD = {"vmap": X, "lax.add in vmap": 1.0}


@pytest.mark.parametrize("name, call, words", NO_ARRAYS, ids=ids(NO_ARRAYS))
def test_what_is_no_array_is_named(name, call, words):
    refuse(lambda: call(TEXT), TypeError, *words)
    call(GOOD.get(name, X))


def test_check_3_a_library_function_is_not_located():
    # Its line would tell the user nothing, and `static_argnums` is not his to set.
    said = str(refuse(lambda: jnp.sin(TEXT), TypeError))
    assert "minijax" not in said
    assert "static" not in said


def test_data_that_numpy_has_and_we_have_not():
    for x in (np.array([object()]), np.array(["a"]), np.array(["2020"], "M8[D]")):
        refuse(lambda x=x: mj.jit(identity)([x]), TypeError, r"d\[0\]", HERE)
        refuse(lambda x=x: jnp.asarray(x), TypeError)
    refuse(lambda: jnp.array([[1, 2], [3]]), ValueError, "rows", "one length")


def test_a_description_can_be_traced_and_not_computed_with():
    struct = mj.ShapeDtypeStruct((3,), jnp.float32)
    f = mj.jit(identity)
    error = refuse(lambda: f(struct), TypeError, "d of identity", "ShapeDtypeStruct")
    assert isinstance(error, errors.NotAnArrayError)
    assert f.eval_shape(struct).shape == (3,)
    assert f(X).tolist() == [0, 1, 2]


def test_a_compiled_program_names_its_arguments():
    compiled = mj.jit(lambda x, d: x + d["a"]).lower(X, {"a": X}).compile()
    refuse(lambda: compiled(X, {"a": TEXT}), TypeError, r"d\['a'\]", "'text'", "str")
    refuse(lambda: compiled(X, {"a": Y}), TypeError, r"d\['a'\]", r"f32\[3\]", "4")
    refuse(lambda: compiled(X), TypeError, "structure")
    assert compiled(X, {"a": X}).tolist() == [0, 2, 4]


RESULTS = [
    ("jit", lambda f: mj.jit(f)(X), [HERE, "jit", r"result\['a'\]\[0\] of type str"]),
    ("grad", lambda f: mj.grad(f)(1.0), [HERE, r"result\['a'\]\[0\] of type str"]),
    ("vmap", lambda f: mj.vmap(f)(X), ["vmap", "str"]),
    ("jvp", lambda f: mj.jvp(f, (X,), (X,)), [HERE, r"result\['a'\]\[0\]"]),
    ("checkpoint", lambda f: mj.checkpoint(f)(X), [HERE, "checkpoint", "str"]),
    ("cond", lambda f: lax.cond(True, f, f, X), [HERE, "cond", r"\['a'\]\[0\]"]),
    (
        "scan",
        lambda f: lax.scan(lambda c, x: (c, f(x)), 0, X),
        ["scan", r"\['a'\]\[0\]"],
    ),
]


@pytest.mark.parametrize("name, call, words", RESULTS, ids=ids(RESULTS))
def test_check_4_a_result_that_is_no_array_is_named(name, call, words):
    refuse(lambda: call(lambda x: {"a": [TEXT]}), TypeError, *words)
    call(jnp.sum)


# --- Static arguments -----------------------------------------------------------------


class Unequal:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise RuntimeError("not comparable")


@pytest.mark.parametrize("n", [[1], {}, np.ones(2), X], ids=lambda n: type(n).__name__)
def test_check_12_unhashable_statics(n):
    for f in (
        mj.jit(lambda x, n: x * 2, static_argnums=1),
        mj.jit(lambda x, n: x * 2, static_argnames="n"),
    ):
        refuse(lambda f=f: f(X, n), ValueError, type(n).__name__, "unhashable")
        assert f(X, 2).tolist() == [0, 2, 4]


def test_check_12_a_traced_static_and_one_that_cannot_be_compared():
    f = mj.jit(lambda x, n: x * 2, static_argnums=1)
    refuse(lambda: mj.jit(lambda t: f(X, t))(1.0), ValueError, "unhashable")
    f(X, Unequal())
    refuse(lambda: f(X, Unequal()), ValueError, "Unequal", "not comparable")
    assert f(X, 2).tolist() == [0, 2, 4]


JIT_OPTIONS = [
    ("position", lambda: mj.jit(identity, static_argnums=3), ValueError, ["3"]),
    ("name", lambda: mj.jit(identity, static_argnames="z"), ValueError, ["'z'", "'d'"]),
    ("type", lambda: mj.jit(identity, static_argnums=0.5), TypeError, ["0.5"]),
    ("no function", lambda: mj.jit(3), TypeError, ["jit", "3", "int"]),
    ("two", lambda: mj.jit(identity, identity), TypeError, ["positional"]),
    ("grad of 3", lambda: mj.grad(3), TypeError, ["function", "3", "int"]),
    ("vmap of 3", lambda: mj.vmap(3), TypeError, ["vmap", "3", "int"]),
    ("scan of 3", lambda: lax.scan(3, 0, X), TypeError, ["scan", "3", "int"]),
]


@pytest.mark.parametrize(
    "call, error, words", [case[1:] for case in JIT_OPTIONS], ids=ids(JIT_OPTIONS)
)
def test_check_2_options_and_functions(call, error, words):
    refuse(call, error, *words)


# --- Axes -----------------------------------------------------------------------------

AXES = {
    **{
        name: getattr(jnp, name)
        for name in ("sum", "mean", "max", "prod", "sort", "cumsum", "flip", "any")
    },
    "nn.softmax": nn.softmax,
    "nn.logsumexp": nn.logsumexp,
    "concatenate": lambda x, axis: jnp.concatenate([x, x], axis),
    "permutation": lambda x, axis: random.permutation(KEY, x, axis),
    "vmap, out": lambda x, axis: mj.vmap(identity, out_axes=axis)(x),
    "lax.sort": lambda x, axis: lax.sort(x, dimension=axis),
}


@pytest.mark.parametrize("call", AXES.values(), ids=AXES)
def test_an_axis_that_is_not_there(call):
    for bad in (7, -8):
        refuse(lambda bad=bad: call(X, axis=bad), ValueError, str(bad), "dimensions")
    call(X, axis=0)
    call(X, axis=-1)


VMAP = [
    ("too few axes", lambda: mj.vmap(identity, in_axes=3)(X), ["d over axis 3", "4"]),
    ("scalar", lambda: mj.vmap(identity)(1.0), ["d over axis 0", "rank 0"]),
    (
        "sizes",
        lambda: mj.vmap(identity)({"a": X, "b": [Y]}),
        [r"d\['a'\]", r"d\['b'\]"],
    ),
    (
        "prefix",
        lambda: mj.vmap(identity, ({"z": 0},))({"a": X}),
        [r"in_axes\[0\]", "z"],
    ),
    ("length", lambda: mj.vmap(identity, (0, 0))(X), ["2 entries for 1"]),
    ("nothing", lambda: mj.vmap(identity, None)(X), ["size of the mapped axis"]),
    ("axis_size", lambda: mj.vmap(identity, axis_size=4)(X), ["4", "3"]),
]


@cases(VMAP)
def test_what_vmap_maps_over(call, words):
    refuse(call, ValueError, *words)
    assert mj.vmap(identity)(X).tolist() == [0, 1, 2]


def test_an_axis_name_that_nobody_bound():
    refuse(lambda: lax.psum(X, "i"), NameError, "'i'", "axis_name")
    assert mj.vmap(lambda x: lax.psum(x, "i"), axis_name="i")(X).tolist() == [3, 3, 3]


# --- Shapes and dtypes ----------------------------------------------------------------

SHAPES = [
    ("+", lambda: X + Y, TypeError, ["add", r"\(3,\) and \(4,\)"]),
    ("lax.add", lambda: lax.add(X, Y), TypeError, ["add", r"\(3,\) and \(4,\)"]),
    ("where", lambda: jnp.where(X > 0, X, Y), ValueError, [r"\(3,\) and \(4,\)"]),
    ("dot", lambda: jnp.dot(X, Y), TypeError, [r"\(3,\)", r"\(4,\)"]),
    ("einsum", lambda: jnp.einsum("i,i", X, Y), ValueError, ["'i'", "3 and 4"]),
    ("reshape", lambda: X.reshape(2, 2), TypeError, [r"\(3,\)", r"\(2, 2\)"]),
    (
        "broadcast",
        lambda: jnp.broadcast_to(X, (4,)),
        ValueError,
        [r"\(3,\)", r"\(4,\)"],
    ),
    ("stack", lambda: jnp.stack([X, Y]), ValueError, [r"\(3,\)", r"\(4,\)"]),
    ("at.set", lambda: X.at[0].set(Y), ValueError, [r"\(4,\)"]),
    ("slice", lambda: lax.slice(X, (0,), (5,)), TypeError, ["slice", "5", r"\(3,\)"]),
    ("too many", lambda: X[0, 0], IndexError, ["1 axes", "2"]),
    ("mask", lambda: X[jnp.ones(4, bool)], IndexError, [r"\(3,\)", r"\(4,\)"]),
    ("jvp", lambda: mj.jvp(identity, ([X],), ([Y],)), ValueError, [r"d\[0\]", "4"]),
    ("vjp", lambda: mj.vjp(identity, X)[1](Y), ValueError, [HERE, r"\[3\]", r"\[4\]"]),
    (
        "scan, xs",
        lambda: lax.scan(lambda c, x: (c, c), 0, (X, Y)),
        ValueError,
        ["3, 4"],
    ),
    (
        "scan, carry",
        lambda: lax.scan(lambda c, x: (X, x), 0.0, X),
        TypeError,
        [HERE, "c comes in", r"float32\[\]", r"float32\[3\]"],
    ),
    (
        "cond",
        lambda: lax.cond(True, lambda x: x, lambda x: x[0], X),
        TypeError,
        [HERE, r"float32\[3\]", r"float32\[\]", "shapes differ"],
    ),
    (
        "while",
        lambda: lax.while_loop(lambda c: True, lambda c: (c, c), 0),
        TypeError,
        [HERE, "c comes in as a pytree leaf", "tuple"],
    ),
    (
        "nn.one_hot",
        lambda: nn.one_hot(jnp.arange(3), -1),
        TypeError,
        ["negative", "-1"],
    ),
    ("random.normal", lambda: random.normal(KEY, (-1,)), ValueError, ["negative"]),
    ("random, keys", lambda: random.normal(random.split(KEY)), ValueError, ["one key"]),
    (
        "tree.map",
        lambda: mj.tree.map(max, {"a": 1}, {"b": 1}),
        ValueError,
        ["'a'", "'b'"],
    ),
]
DTYPES = [
    ("lax.add", lambda: lax.add(X, jnp.arange(3)), ["float32 and int32", "numpy"]),
    ("lax.sin", lambda: lax.sin(jnp.arange(3)), ["sin", "floating", "int32"]),
    ("&", lambda: X & 1, ["and", "float32"]),
    ("-bool", lambda: -(X > 0), ["neg", "bool"]),
    ("index", lambda: X[X], ["integer or boolean", "float32"]),
    ("list index", lambda: X[[0]], ["list", "array"]),
    ("object", lambda: jnp.zeros(3, object), ["zeros", "object"]),
    ("randint", lambda: random.randint(KEY, (), 0, 3, float), ["randint", "float32"]),
    ("no key", lambda: random.normal(TEXT), ["key", "'text'", r"random\.key\(seed\)"]),
    ("key + 1", lambda: KEY + 1, ["numbers", "key<fry>"]),
    ("switch", lambda: lax.switch(0.5, [identity], X), ["integer scalar", "0.5"]),
    ("predicate", lambda: lax.cond(X > 0, identity, identity, X), [r"\(3,\)", "any"]),
    (
        "jvp",
        lambda: mj.jvp(identity, (X,), (jnp.arange(3),)),
        ["d,", "float32", "int32"],
    ),
]


@pytest.mark.parametrize(
    "call, error, words", [case[1:] for case in SHAPES], ids=ids(SHAPES)
)
def test_shapes_that_do_not_fit(call, error, words):
    refuse(call, error, *words)


@cases(DTYPES)
def test_dtypes_that_do_not_fit(call, words):
    refuse(call, TypeError, *words)


def test_dtypes_without_a_common_one_are_listed_in_one_order():
    x, y = jnp.ones(2, jnp.float8_e5m2), jnp.ones(2, jnp.float8_e4m3fn)
    for call in (lambda: x + y, lambda: y + x):
        refuse(call, ValueError, "float8_e4m3fn and float8_e5m2", "astype")


# --- Deleted and donated arrays -------------------------------------------------------


def deleted():
    x = X + 0
    x.delete()
    return x


def donated():
    x = X + 0
    mj.jit(lambda x: x + 1, donate_argnums=0)(x)
    return x


USES = {
    "+": lambda x: x + 1,
    "repr": repr,
    "numpy": np.asarray,
    "index": lambda x: x[0],
    "jit": mj.jit(identity),
    "jit, in a tree": lambda x: mj.jit(identity)({"a": x}),
    "constant of jit": lambda x: mj.jit(lambda: x + 1)(),
    "grad": lambda x: mj.grad(jnp.sum)(x),
    "vmap": lambda x: mj.vmap(lambda y: y * 2)(x),
    "scan": lambda x: lax.scan(lambda c, y: (c, y * 2), 0, x),
    "cond": lambda x: lax.cond(True, jnp.sin, jnp.cos, x),
    "lax": lax.sin,
    "at": lambda x: x.at[0].set(1.0),
    "nn": nn.softmax,
    "random": lambda x: random.permutation(KEY, x),
    "device_put": mj.device_put,
    "device_get": mj.device_get,
}


@pytest.mark.parametrize("make", [deleted, donated])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_check_15_arrays_that_are_gone(make, use):
    x = make()
    error = refuse(lambda: use(x), RuntimeError, r"float32\[3\]", "donated")
    assert isinstance(error, errors.DeletedArrayError)
    assert (x.shape, x.dtype, x.is_deleted()) == ((3,), np.float32, True)
    use(X)


def test_check_16_one_buffer_given_away_and_used():
    f = mj.jit(lambda x, y: (x + 1, y + 1), donate_argnums=0)
    x = X + 0
    refuse(lambda: f(x, x), RuntimeError, "donated")
    assert f(X + 0, X)[1].tolist() == [1, 2, 3]


# --- Integers -------------------------------------------------------------------------

INTS = [
    ("jit", lambda n: mj.jit(identity)({"a": [n]}), [r"d\['a'\]\[0\]", "int32"]),
    ("make_jaxpr", lambda n: mj.make_jaxpr(identity)(n), ["d ", "int32"]),
    ("numpy.array", lambda n: jnp.array([1, n]), ["int32"]),
    ("numpy.where", lambda n: jnp.where(X > 0, n, 0), ["x ", "int32"]),
    ("+", lambda n: jnp.arange(3) + n, ["int32"]),
    ("in jit", lambda n: mj.jit(lambda x: x + n)(jnp.arange(3)), ["int32"]),
    ("lax.add", lambda n: lax.add(jnp.arange(3), n), ["operand 1", "'add'", "int32"]),
    ("scan", lambda n: lax.scan(lambda c, x: (c, x), [n], X), [r"init\[0\] of scan"]),
    (
        "cond",
        lambda n: lax.cond(True, identity, identity, n),
        [r"operands\[0\] of cond"],
    ),
    ("while", lambda n: lax.while_loop(lambda c: False, identity, n), ["init_val"]),
    ("fori_loop", lambda n: lax.fori_loop(0, n, lambda i, c: c, 0), ["fori_loop"]),
    ("vmap", lambda n: mj.vmap(jnp.add, (0, None))(X, n), ["int32"]),
    ("random.key", lambda n: random.key(n), [r"random\.key", "int64"]),
    ("fold_in", lambda n: random.fold_in(KEY, n), ["fold_in", "uint32"]),
]


@cases(INTS)
def test_check_3_integers_out_of_range(call, words):
    refuse(lambda: call(HUGE), OverflowError, *words, str(HUGE))
    call(2)


# --- Values that are not known yet ----------------------------------------------------

TRACED = [
    ("if", lambda x: 1 if x[0] > 0 else 0, errors.TracerBoolConversionError, ["where"]),
    ("float", lambda x: float(x[0]), errors.ConcretizationTypeError, ["float"]),
    ("item", lambda x: x[0].item(), errors.ConcretizationTypeError, ["item"]),
    ("list", lambda x: [1, 2][x[0].astype(int)], TypeError, ["__index__"]),
    ("numpy", np.sin, errors.TracerArrayConversionError, ["minijax.numpy"]),
    ("mask", lambda x: x[x > 0], errors.NonConcreteBooleanIndexError, ["where"]),
    ("nonzero", jnp.nonzero, errors.ConcretizationTypeError, ["size"]),
    (
        "shape",
        lambda x: jnp.zeros(x[0].astype(int)),
        errors.TracedShapeError,
        ["zeros"],
    ),
    ("reshape", lambda x: x.reshape(x[0].astype(int)), TypeError, ["reshape"]),
    ("split", lambda x: random.split(KEY, x[0].astype(int)), TypeError, ["shape"]),
    ("slice", lambda x: x[: x[0].astype(int)], IndexError, ["dynamic_slice"]),
    ("axis", lambda x: jnp.sum(x, axis=x[0].astype(int)), TypeError, ["axis"]),
    ("format", lambda x: f"{x[0]:.2f}", TypeError, ["format"]),
    ("assign", lambda x: x.__setitem__(0, 1), TypeError, [r"x\.at\[i\]\.set"]),
]


@pytest.mark.parametrize("name, f, error, words", TRACED, ids=ids(TRACED))
def test_a_value_that_is_not_known_yet(name, f, error, words):
    def user(x):
        f(x)
        return x

    # Where it came from: the function and its line, and the argument.
    origin = [] if name == "assign" else [f"user at {HERE}", "argument x"]
    for transformed in (mj.jit(user), mj.make_jaxpr(user)):
        error_raised = refuse(lambda t=transformed: t(X), error)
        for word in (*words, *origin):
            assert re.search(word, str(error_raised)), (word, str(error_raised))
    refuse(lambda: lax.scan(lambda c, x: (c, user(x)), 0, X[None]), error)
    refuse(lambda: lax.cond(True, user, user, X), error)
    refuse(lambda: mj.vmap(user)(X[None]), error)
    assert mj.jit(lambda x: user(x) if len(x) < 3 else x)(X).tolist() == [0, 1, 2]


# --- Values that outlive their trace --------------------------------------------------


def leak(transform, *args):
    kept = []

    def keeper(x):
        kept.append(x * 2)
        return x * 2

    transform(keeper)(*args)
    return kept[0]


LEAKS = {
    "jit": lambda: leak(mj.jit, X),
    "make_jaxpr": lambda: leak(mj.make_jaxpr, X),
    "grad": lambda: leak(mj.grad, 1.0),
    "vmap": lambda: leak(mj.vmap, X),
    "jvp": lambda: leak(lambda f: lambda x: mj.jvp(f, (x,), (x,)), X),
    "linearize": lambda: leak(lambda f: lambda x: mj.linearize(f, x), X),
    "scan": lambda: leak(lambda f: lambda x: lax.scan(lambda c, y: (c, f(y)), 0, x), X),
    "cond": lambda: leak(lambda f: lambda x: lax.cond(True, f, f, x), X),
    "while": lambda: leak(
        lambda f: lambda x: lax.while_loop(lambda y: y < 3, f, x), 1.0
    ),
    "checkpoint": lambda: leak(mj.checkpoint, X),
}
LEAK_USES = {
    "operator": lambda x: x + 1,
    "numpy": jnp.sin,
    "lax": lax.sin,
    "nn": nn.relu,
    "jit": lambda x: mj.jit(identity)(x),
    "constant of jit": lambda x: mj.jit(lambda: x + 1)(),
    "constant of grad": lambda x: mj.grad(lambda y: jnp.sum(x * y))(2.0),
    "constant of scan": lambda x: lax.scan(lambda c, y: (c, x * y), 0, X),
    "stack": lambda x: jnp.stack([x, x]),
}


@pytest.mark.parametrize("make", LEAKS.values(), ids=LEAKS)
def test_check_16_a_value_that_escaped(make):
    x = make()
    repr(x)
    for use in LEAK_USES.values():
        error = refuse(lambda use=use: use(x), errors.UnexpectedTracerError)
        assert re.search(r"of type ~?float32(.|\n)*leaked out", str(error))


@pytest.mark.parametrize("name", ["jit", "make_jaxpr", "vmap", "scan", "cond", "while"])
def test_check_16_an_escaped_value_says_where_it_was_made(name):
    error = refuse(lambda: LEAKS[name]() + 1, errors.UnexpectedTracerError)
    assert re.search(f"created at {HERE}:[0-9]+.*keeper", str(error))


# --- Derivatives that are not there ---------------------------------------------------

NO_GRADIENT = [
    ("no scalar", lambda: mj.grad(identity)(X), [HERE, r"\(3,\)", "Sum"]),
    ("a pair", lambda: mj.grad(lambda x: (x, x))(1.0), [HERE, "has_aux"]),
    ("nothing", lambda: mj.grad(lambda x: None)(1.0), [HERE, "None"]),
    ("integer", lambda: mj.grad(lambda d: d["a"] * 1.0)({"a": 1}), [r"d\['a'\]", HERE]),
    ("second", lambda: mj.grad(lambda x, n: x * n, (0, 1))(1.0, 2), ["n of", "int32"]),
    ("bool", lambda: mj.grad(lambda x: x * 1.0)(True), ["x of", "bool", "allow_int"]),
    ("integer out", lambda: mj.grad(lambda x: x.astype(int))(1.0), [HERE, "int32"]),
    ("complex out", lambda: mj.grad(lambda x: x * 1j)(1.0), ["complex", "holomorphic"]),
    ("jacfwd", lambda: mj.jacfwd(identity)([1]), [r"d\[0\]", "int32"]),
    ("jacrev", lambda: mj.jacrev(identity)([1]), [r"d\[0\]", "int32"]),
    ("argnums", lambda: mj.grad(identity, 3)(1.0), [HERE, "4", "Found 1"]),
]


@cases(NO_GRADIENT)
def test_derivatives_that_are_not_there(call, words):
    refuse(call, TypeError, *words)
    assert mj.grad(identity)(1.0) == 1.0


def test_a_loop_that_cannot_be_run_backwards():
    def f(x):
        return lax.while_loop(lambda y: y < 3, lambda y: y * 2, x)

    refuse(lambda: mj.grad(f)(1.0), ValueError, "backwards", "scan")
    assert mj.jvp(f, (1.0,), (1.0,))[1] == 4.0


# --- A primitive that says nothing ----------------------------------------------------


def test_missing_rules_are_named():
    mute_p = Primitive("mute")
    refuse(lambda: mute_p.bind(X), NotImplementedError, "'mute'", "abstract_eval")
    mute_p.def_abstract_eval(lambda x: x)
    bind = mute_p.bind
    for call, rule in (
        (lambda: bind(X), "lower"),
        (lambda: mj.jit(bind)(X), "lower"),
        (lambda: mj.jvp(bind, (X,), (X,)), "jvp"),
        (lambda: mj.grad(lambda x: bind(x).sum())(X), "jvp"),
        (lambda: mj.vmap(bind)(X), "batch"),
        (lambda: mj.linear_transpose(bind, X)(X), "transpose"),
        (lambda: mj.jit(mj.vmap(bind))(X), "batch"),
        (lambda: lax.scan(lambda c, x: (c, bind(x)), 0, X), "lower"),
    ):
        error = refuse(call, errors.MissingRuleError, "'mute'", f"{rule}")
        assert (error.primitive, error.rule) == ("mute", rule)
    assert "mute" in str(mj.make_jaxpr(bind)(X))


# --- Functions that fail themselves ---------------------------------------------------

FAILING = {
    "jit": lambda f: mj.jit(f)(X),
    "grad": lambda f: mj.grad(f)(1.0),
    "vmap": lambda f: mj.vmap(f)(X),
    "scan": lambda f: lax.scan(lambda c, x: (c, f(x)), 0, X),
    "cond": lambda f: lax.cond(True, f, f, X),
    "checkpoint": lambda f: mj.checkpoint(f)(X),
    "jit of grad of vmap": lambda f: mj.jit(mj.grad(lambda x: mj.vmap(f)(x).sum()))(X),
}


@pytest.mark.parametrize("call", FAILING.values(), ids=FAILING)
def test_check_25_an_exception_of_the_function_passes_and_is_not_remembered(call):
    broken = True

    def f(x):
        if broken:
            raise failure
        return jnp.sum(x)

    # An interrupt is no Exception: what is set back must be set back for it too.
    for failure in (KeyError("mine"), KeyboardInterrupt("mine")):
        refuse(lambda: call(f), type(failure), "mine")
    broken = False
    call(f)
