"""Programs about random numbers, run under both libraries by the oracle."""

import copy
import importlib
import pickle
import warnings

import numpy as np


def words(J, keys):
    return J.random.key_data(keys)


def plain(words_):
    import re

    # jax lets NumPy integers through into some params; they mean what ints mean.
    text = re.sub(r"np\.int64\((-?\d+)\)", r"\1", words_)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r"(?<=[\[(]) | (?=[\])])", "", text)


def full_text(J, fun, *args):
    return plain(J.make_jaxpr(fun)(*args).pretty_print(use_color=False))


# --- samplers -------------------------------------------------------------------------


def called(J, name, args, kw):
    return getattr(J.random, name)(J.random.key(7), *args, **kw)


def drawn_as(J, name, dtype):
    return getattr(J.random, name)(J.random.key(7), (3,), dtype)


def drawn_with(J, name, dtype):
    return getattr(J.random, name)(J.random.key(7), dtype=dtype)


def of_impl(J, name, impl, args):
    return getattr(J.random, name)(J.random.key(7, impl=impl), *args)


def text(J, name, args, kw):
    fun = lambda key: getattr(J.random, name)(key, *args, **kw)  # noqa: E731
    return full_text(J, fun, J.random.key(0))


def shaped_by(J, name, shape):
    p = J.numpy.asarray(np.array([0.25, 0.5, 0.75], np.float32))
    return getattr(J.random, name)(J.random.key(7), p, shape)


def wide_parameter(J, name):
    p = J.numpy.asarray(np.array([0.25, 0.5, 0.75], np.float32))
    return getattr(J.random, name)(J.random.key(7), p, dtype="float16")


def slope(J, name, a, args):
    sample = lambda a: getattr(J.random, name)(J.random.key(0), a, *args)  # noqa: E731
    return J.grad(lambda a: J.numpy.asarray(sample(a), "float32"))(a)


def second_slope(J):
    sample = lambda a: J.random.gamma(J.random.key(0), a)  # noqa: E731
    return J.numpy.isfinite(J.jvp(J.grad(sample), (2.0,), (1.0,))[1])


def slope_of_samples(J, a, x, dtype):
    a, x = (J.numpy.asarray(np.array(v, dtype)) for v in (a, x))
    return J.jit(J.lax.random_gamma_grad)(a, x)


def slope_and_its_formula(J):
    a = J.numpy.asarray(np.array([0.5, 2.0, 30.0], np.float32))
    sample = lambda a: J.random.gamma(J.random.key(3), a)  # noqa: E731
    slopes = J.grad(lambda a: sample(a).sum())(a)
    return J.numpy.allclose(slopes, J.lax.random_gamma_grad(a, sample(a)), rtol=1e-5)


def moved_slope(J):
    a, x = (J.numpy.asarray(np.array(v, np.float32)) for v in ([0.5, 3.0], [0.7, 4.0]))
    one = J.numpy.ones(2)
    return J.jvp(J.lax.random_gamma_grad, (a, x), (one, one))


def slope_of_shapes(J):
    return J.lax.random_gamma_grad(J.numpy.ones(2), J.numpy.ones(3))


def slope_of_binomial(J):
    return J.grad(lambda p: J.random.binomial(J.random.key(0), 5.0, p))(0.25)


def inside(J):
    drawn = J.random.truncated_normal(J.random.key(3), -0.5, 0.25, (1000,))
    return drawn, J.numpy.all((drawn > -0.5) & (drawn < 0.25))


def double_sided(J, loc_shape, shape):
    loc = J.numpy.ones(loc_shape)
    return J.random.double_sided_maxwell(J.random.key(0), loc, 1.0, shape)


def bounds(J, shape, bound_shape):
    low = J.numpy.zeros(bound_shape)
    return J.random.uniform(J.random.key(0), shape, minval=low)


def integer_bounds(J, shape, bound_shape):
    low = J.numpy.zeros(bound_shape, "int32")
    return J.random.randint(J.random.key(0), shape, low, 5)


def slopes_of_uniform(J):
    sample = lambda a, b: J.random.uniform(J.random.key(0), (), None, a, b)  # noqa: E731
    return J.grad(sample, (0, 1))(0.5, 2.0), sample(0.0, 1.0)


def warned(J, name, dtype):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = getattr(J.random, name)(J.random.key(0), (2,), dtype)
    (found,) = caught
    assert issubclass(found.category, UserWarning)
    assert "float64" in str(found.message) and "float32" in str(found.message)
    return out


def flagged(J, flag):
    J.config.update(f"jax_{flag}", True)
    try:
        return J.random.gumbel(J.random.key(0), (9,))
    finally:
        J.config.update(f"jax_{flag}", False)


def categorical(J, logits, kw):
    logits = J.numpy.asarray(np.array(logits))
    return J.random.categorical(J.random.key(0), logits, **kw)


def text_of_categorical(J):
    logits = np.ones((3, 4), np.float32)
    return full_text(J, J.random.categorical, J.random.key(0), logits)


def sorts(J, n):
    jaxpr = J.make_jaxpr(lambda key: J.random.permutation(key, n))(J.random.key(0))
    return str(jaxpr).count(" sort[")


def traced_size(J, name):
    fun = getattr(J.random, name)
    return J.jit(lambda n: fun(J.random.key(0), n))(4)


def permuted(J, shape, axis):
    x = np.arange(np.prod(shape)).reshape(shape)
    return J.random.permutation(J.random.key(0), x, axis)


def permuted_keys(J):
    keys = J.random.split(J.random.key(1), (4, 2))
    return words(J, J.random.permutation(J.random.key(0), keys))


def chosen(J, args):
    *args, p = args if len(args) == 4 else (*args, None)
    p = None if p is None else J.numpy.asarray(np.array(p, np.float32))
    return J.random.choice(J.random.key(0), *args, p=p)


def mapped_gamma(J):
    keys = J.random.split(J.random.key(0), 3)
    a = np.array([0.5, 1.0, 3.0], np.float32)
    sample = lambda k: J.random.gamma(k, a)  # noqa: E731
    each = [sample(k) for k in keys]
    return J.vmap(sample)(keys), J.numpy.stack(each), J.vmap(J.random.gamma)(keys, a)


def text_of_mapped_gamma(J):
    keys = J.random.split(J.random.key(0), 3)
    a = np.array([0.5, 1.0, 3.0], np.float32)
    return full_text(J, J.vmap(lambda k: J.random.gamma(k, a)), keys)


def total_of_dirichlet(J):
    alpha = np.array([[0.5, 1.0, 3.0]], np.float32)
    return J.random.dirichlet(J.random.key(0), alpha, (5,)).sum(-1)


def multinomial(J, shape, dtype):
    p = np.array([0.25, 0.25, 0.5], np.float32)
    counts = J.random.multinomial(J.random.key(0), 9.0, p, shape=shape, dtype=dtype)
    return counts, counts.sum(-1)


def approximate_poisson(J, impl):
    lam = np.array([0.5, 3.0, 6.9, 7.0, 100.0, 1e5], np.float32)
    key = J.random.key(5, impl=impl)
    return J.random.poisson(key, lam, (50, 6), method="approximate")


# --- keys -----------------------------------------------------------------------------


def seeded(J, seed):
    return words(J, J.random.key(seed))


def seeded_by_a_key(J):
    return J.random.key(J.random.key(0))


def seeded_by_a_flag(J):
    return J.random.key(np.bool_(True))


def traced_seed(J):
    make = lambda seed: words(J, J.random.key(seed))  # noqa: E731
    return J.jit(make)(-7), J.vmap(make)(np.arange(-2, 2))


def made_with(J, kw):
    return J.random.key(0, **kw)


def descriptions(J):
    R = J.random
    same = R.key_dtype("rbg") == R.key(0, impl="rbg").dtype
    given = R.key(3, dtype=R.key(0).dtype)
    return R.key_impl(R.key(0)), R.key_impl(R.PRNGKey(0)), same, words(J, given)


def dtype_facts(J):
    dtype = J.random.key(0).dtype
    return dtype.name, str(dtype), repr(dtype), dtype.itemsize, J.random.key(0).shape


def rewrapped(J):
    keys = J.random.split(J.random.key(0), 3)
    return J.random.wrap_key_data(words(J, keys)) == keys


def wrapped(J, name):
    given = {
        "three": np.zeros(3, np.uint32),
        "signed": np.zeros(2, np.int32),
        "list": [0, 0],
        "scalar": np.uint32(0),
    }[name]
    return J.random.wrap_key_data(given)


def split_is_fold_in(J):
    key = J.random.key(5)
    return [J.random.split(key, 4)[i] == J.random.fold_in(key, i) for i in range(4)]


def words_of_split(J, num):
    return words(J, J.random.split(J.random.key(0), num))


def folded(J, data):
    return words(J, J.random.fold_in(J.random.key(0), data))


def folded_typed(J, data, dtype):
    data = J.numpy.asarray(np.array(data, dtype))
    return words(J, J.random.fold_in(J.random.key(0), data))


def of_several_keys(J, name):
    return getattr(J.random, name)(J.random.split(J.random.key(0)))


def narrow_bits(J):
    key = J.random.key(0)
    wide = J.random.bits(key, (10,), "uint32")
    narrow = J.random.bits(key, (10,), "uint8")
    return narrow == wide % 256, J.random.bits(key, (4,)) == J.random.bits(key, (10,))[
        :4
    ]


def same_bits(J):
    key = J.random.wrap_key_data(np.array([3, 4], np.uint32))
    off = [J.random.bits(key, (5,), d) for d in ("uint8", "uint16", "uint32")]
    with J.enable_x64(True):
        on = [J.random.bits(key, (5,), d) for d in ("uint8", "uint16", "uint32")]
    return [np.array_equal(x, y) for x, y in zip(off, on)]


def raw_keys(J):
    raw = J.random.PRNGKey(0)
    return J.random.uniform(raw), J.random.split(raw), J.random.fold_in(raw, 3)


def bad_key(J, name):
    given = {
        "three": np.zeros(3, np.uint32),
        "number": 0,
        "text": "a",
        "none": None,
        "list": [0, 0],
        "matrix": np.zeros((3, 2), np.uint32),
    }[name]
    return J.random.uniform(given)


def under_flag(J, flag, value):
    before = getattr(J.config, flag)
    J.config.update(flag, value)
    try:
        return _observed(J)
    finally:
        J.config.update(flag, before)


def _observed(J):
    key = J.random.key(5)
    out = [str(key.dtype), words(J, key), J.random.PRNGKey(1).shape]
    raw = np.zeros(2 if "fry" in str(key.dtype) else 4, np.uint32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out.append(str(J.random.split(raw).dtype))
        except ValueError:
            out.append("refused")
    kinds = {c.category.__name__ for c in caught}
    return out, sorted(kinds)


def text_of_keys(J, name):
    R, key, raw = J.random, J.random.key(0), J.random.PRNGKey(0)
    programs = {
        "key": (R.key, 3),
        "split": (lambda k: R.split(k, (3, 4)), key),
        "raw split": (R.split, raw),
        "fold in": (lambda k: R.fold_in(k, np.int32(3)), key),
        "fold in 7": (lambda k: R.fold_in(k, 7), key),
        "raw bits": (lambda k: R.bits(k, (3,), "uint8"), raw),
        "iterated": (lambda k: list(R.split(k)), key),
    }
    fun, arg = programs[name]
    return full_text(J, fun, arg)


def text_of_mapped(J, name):
    R = J.random
    keys = R.split(R.key(0), 3)
    fun, args = {
        "split": (R.split, (keys,)),
        "bits": (lambda k: R.bits(k, (2,)), (keys,)),
        "fold_in": (R.fold_in, (keys, np.arange(3, dtype=np.uint32))),
        "key": (R.key, (np.arange(3),)),
    }[name]
    return full_text(J, J.vmap(fun), *args)


def nested_maps(J):
    keys = J.random.split(J.random.key(0), (2, 3))
    draw = lambda k: J.random.bits(k, (2,))  # noqa: E731
    inner = J.vmap(J.vmap(draw))(keys)
    across = J.vmap(J.vmap(draw), in_axes=1)(keys)
    each = [[draw(keys[i, j]) for j in range(3)] for i in range(2)]
    return inner, across, J.numpy.array(each)


def mapped_bits(J, impl):
    keys = J.random.split(J.random.key(0, impl=impl), 3)
    return J.vmap(lambda k: J.random.bits(k, (2,)))(keys)


def lowered_view(J, name):
    key = J.random.key(0)
    given = words(J, key) if name == "wrap_key_data" else key
    return J.jit(getattr(J.random, name)).lower(given).as_text()


def lowered_bits(J):
    return J.jit(lambda k: J.random.bits(k, (3, 4))).lower(J.random.key(0)).as_text()


def lowered_for_tpu():
    import minijax as J
    from minijax.lowering import lower_jaxpr_to_module

    jaxpr = J.make_jaxpr(lambda k: J.random.bits(k, (3,)))(J.random.key(0))
    return lower_jaxpr_to_module(jaxpr, name="bits", platform="tpu").as_text()


def unrolled_and_looped_agree():
    import minijax as J
    from minijax.core import Primitive
    from minijax.lowering import register_lowering
    from minijax.random import threefry

    straight = Primitive("straight_threefry", multiple_results=True)
    straight.def_abstract_eval(threefry.threefry2x32_p.abstract_eval)
    register_lowering(straight, threefry._lower_unrolled)
    x = [np.arange(6, dtype=np.uint32) * n for n in (1, 77, 999, 12345)]
    pairs = zip(straight.bind(*x), threefry.threefry2x32_p.bind(*x))
    return all(J.numpy.array_equal(a, b) for a, b in pairs)


# --- generators -----------------------------------------------------------------------


def toy_seed(seed):
    return seed.astype("uint32").reshape(1)


def toy_split(key, shape):
    import minijax as J

    return J.numpy.broadcast_to(key, (*shape, 1))


def toy_bits(key, bit_width, shape):
    import minijax as J

    counts = J.numpy.arange(int(np.prod(shape)), dtype=f"uint{bit_width}")
    return counts.reshape(shape) + key.astype(f"uint{bit_width}")


def toy_fold_in(key, data):
    return key + data


def _extension(J):
    return importlib.import_module(f"{J.__name__}.extend.random")


def block(J, key, counter):
    key, counter = (np.array(x, np.uint32) for x in (key, counter))
    return _extension(J).threefry_2x32(key, counter)


def block_of(J, dtype, size):
    key = np.array([1, 2], dtype)
    return _extension(J).threefry_2x32(key, np.arange(size).astype(dtype))


def text_of_block(J):
    key, counts = np.array([1, 2], np.uint32), np.arange(4, dtype=np.uint32)
    return full_text(J, lambda k, c: _extension(J).threefry_2x32(k, c), key, counts)


def in_halves(J, name, args):
    J.config.update("jax_threefry_partitionable", False)
    try:
        out = getattr(J.random, name)(J.random.key(0), *args)
        return words(J, out) if name == "split" else out
    finally:
        J.config.update("jax_threefry_partitionable", True)


def under_strict_options(J):
    key = J.random.key(0)
    p, a = np.array([0.25, 0.5], np.float32), np.array([2.0, 30.0], np.float32)
    with J.numpy_dtype_promotion("strict"), J.numpy_rank_promotion("raise"):
        drawn = [
            J.random.uniform(key, (2, 2)),
            J.random.normal(key, (2,)),
            J.random.randint(key, (2,), 0, 9),
            J.random.bernoulli(key, p),
            J.random.categorical(key, p),
            J.random.permutation(key, 5),
            J.random.choice(key, 5, (2,), p=np.ones(5, np.float32)),
            J.random.gamma(key, a),
            J.random.beta(key, a, a),
            J.random.poisson(key, a),
            J.random.binomial(key, a, p),
            J.random.truncated_normal(key, -1.0, 1.0, (2,)),
            J.random.maxwell(key, (2,)),
            J.random.wald(key, a),
            J.random.t(key, a),
        ]
    return [x.shape for x in drawn]


# --- arrays of keys -------------------------------------------------------------------


def texts(J):
    keys = J.random.split(J.random.key(0), 2)
    key = keys[0]
    return repr(J.random.key(0)), str(key), f"{key}", repr(keys), str(keys.aval)


def facts(J):
    keys = J.random.split(J.random.key(0), (2, 3))
    return [
        *(keys.shape, keys.ndim, keys.size, keys.itemsize, keys.nbytes, len(keys)),
        *(str(keys.dtype), keys.committed, keys.is_fully_addressable),
    ]


def equalities(J):
    key = J.random.key(0)
    keys = J.random.split(key)
    return key == J.random.key(0), keys == key, keys != keys[0], key == keys


def compared_with(J, other):
    key = J.random.key(0)
    return key == {"number": 0, "rbg": J.random.key(0, impl="rbg")}[other]


_REFUSED = {
    "k + k": lambda J, k: k + k,
    "k + 1": lambda J, k: k + 1,
    "1 + k": lambda J, k: 1 + k,
    "-k": lambda J, k: -k,
    "k < k": lambda J, k: k < k,
    "abs": lambda J, k: abs(k),
    "~k": lambda J, k: ~k,
    "bool": lambda J, k: bool(k),
    "int": lambda J, k: int(k),
    "float": lambda J, k: float(k),
    "hash": lambda J, k: hash(k),
    "len": lambda J, k: len(k),
    "iter": lambda J, k: iter(k),
    "asarray": lambda J, k: np.asarray(k),
    "sum": lambda J, k: J.numpy.sum(J.random.split(k)),
    "cumsum": lambda J, k: J.numpy.cumsum(J.random.split(k)),
    "set": lambda J, k: J.random.split(k).at[0].set(1),
    "add": lambda J, k: J.random.split(k).at[0].add(k),
    "item": lambda J, k: k.item(),
}
REFUSED = tuple(_REFUSED)


def refused(J, operation):
    return _REFUSED[operation](J, J.random.key(0))


_ARRANGED = {
    "[0]": lambda J, ks: ks[0],
    "[-1]": lambda J, ks: ks[-1],
    "[1:3]": lambda J, ks: ks[1:3],
    "[::-2]": lambda J, ks: ks[::-2],
    "[None]": lambda J, ks: ks[None],
    "[...]": lambda J, ks: ks[...],
    "[array]": lambda J, ks: ks[np.array([0, 2])],
    "[mask]": lambda J, ks: ks[np.array([True, False, True, False, False, True])],
    "reshape": lambda J, ks: ks.reshape(2, 3).T,
    "transpose": lambda J, ks: ks.reshape(1, 2, 3).transpose(2, 0, 1),
    "ravel": lambda J, ks: ks.reshape(2, 3).ravel(),
    "flatten": lambda J, ks: ks.reshape(2, 3).flatten(),
    "swapaxes": lambda J, ks: ks.reshape(2, 3).swapaxes(0, 1),
    "squeeze": lambda J, ks: ks[None].squeeze(0),
    "take": lambda J, ks: ks.take(np.array([3, 1])),
    "repeat": lambda J, ks: J.numpy.repeat(ks, 2),
    "concatenate": lambda J, ks: J.numpy.concatenate([ks, ks[:2]]),
    "stack": lambda J, ks: J.numpy.stack([ks, ks], 1),
    "tile": lambda J, ks: J.numpy.tile(ks[:2], 2),
    "flip": lambda J, ks: J.numpy.flip(ks),
    "roll": lambda J, ks: J.numpy.roll(ks, 2),
    "where": lambda J, ks: J.numpy.where(np.arange(6) < 3, ks, ks[::-1]),
    "broadcast_to": lambda J, ks: J.numpy.broadcast_to(ks[0], (2, 3)),
    "expand_dims": lambda J, ks: J.numpy.expand_dims(ks, 1),
    "at set": lambda J, ks: ks.at[2].set(ks[0]),
    "at get": lambda J, ks: ks.at[np.array([5, 1])].get(),
    "array": lambda J, ks: J.numpy.array([ks[0], ks[1]]),
    "asarray": lambda J, ks: J.numpy.asarray(ks),
    "iterated": lambda J, ks: J.numpy.stack(list(ks)[::-1]),
    "rev": lambda J, ks: J.lax.rev(ks, (0,)),
    "dynamic_slice": lambda J, ks: J.lax.dynamic_slice(ks, (2,), (3,)),
    "dynamic_update_slice": lambda J, ks: J.lax.dynamic_update_slice(ks, ks[:2], (3,)),
    "select": lambda J, ks: J.lax.select(np.arange(6) < 3, ks, ks[::-1]),
    "barrier": lambda J, ks: J.lax.optimization_barrier(ks),
    "stop_gradient": lambda J, ks: J.lax.stop_gradient(ks),
}
ARRANGED = tuple(_ARRANGED)


def arranged(J, operation):
    """Eagerly, compiled, and mapped over two arrays of keys."""
    fun = lambda ks: words(J, _ARRANGED[operation](J, ks))  # noqa: E731
    keys = J.random.split(J.random.key(0), 6)
    if operation in ("[mask]", "iterated"):
        return fun(keys)
    both = J.random.split(J.random.key(1), (2, 6))
    return fun(keys), J.jit(fun)(keys), J.vmap(fun)(both)


def fills(J):
    key = J.random.key(3)
    made = [
        J.numpy.zeros((2,), key.dtype),
        J.numpy.ones((2,), key.dtype),
        J.numpy.full((2,), 7, key.dtype),
        J.numpy.full((2,), key),
        J.numpy.empty_like(J.random.split(key)),
    ]
    return [words(J, keys) for keys in made]


def mixed(J):
    keys = [J.random.split(J.random.key(0, impl=impl)) for impl in (None, "rbg")]
    return J.numpy.concatenate(keys)


def _while(J, k):
    step = lambda c: (c[0] + 1, J.random.split(c[1])[0])  # noqa: E731
    return J.lax.while_loop(lambda c: c[0] < 2, step, (0, k))[1]


def _scan(J, k):
    def step(key, x):
        key, now = J.random.split(key)
        return key, J.random.uniform(now) + J.random.uniform(x)

    return J.lax.scan(step, k, J.random.split(k, 3))


_CONSTRUCTS = {
    "jit": lambda J, k: J.jit(lambda k: J.random.split(k))(k),
    "constant": lambda J, k: J.jit(lambda: k)(),
    "vmap": lambda J, k: J.vmap(J.random.uniform)(J.random.split(k, 3)),
    "scan": _scan,
    "while": _while,
    "fori": lambda J, k: J.lax.fori_loop(0, 3, lambda i, k: J.random.fold_in(k, i), k),
    "cond": lambda J, k: J.lax.cond(
        True, lambda k: J.random.split(k)[0], lambda k: k, k
    ),
    "map": lambda J, k: J.lax.map(J.random.uniform, J.random.split(k, 3)),
    "eval_shape": lambda J, k: str(J.eval_shape(J.random.split, k)),
    "struct": lambda J, k: str(
        J.eval_shape(J.random.uniform, J.ShapeDtypeStruct((), k.dtype))
    ),
}
CONSTRUCTS = tuple(_CONSTRUCTS)


def constructed(J, construct):
    out = _CONSTRUCTS[construct](J, J.random.key(0))

    def shown(x):
        is_key = hasattr(x, "dtype") and "key" in str(x.dtype)
        return words(J, x) if is_key else x

    return J.tree.map(shown, out)


def static_key(J):
    return J.jit(lambda k: 1, static_argnums=0)(J.random.key(0))


def copied(J):
    keys = J.random.split(J.random.key(0), 3)
    copies = [
        pickle.loads(pickle.dumps(keys)),
        copy.copy(keys),
        copy.deepcopy(keys),
        J.device_get(keys),
        J.device_put(keys),
        keys.copy(),
    ]
    return [(str(c.dtype), words(J, c)) for c in copies]


def slope_by_key(J):
    return J.grad(J.random.uniform)(J.random.key(0))


def tangent_of_split(J):
    zero = np.zeros((), J.dtypes.float0)
    out, out_dot = J.jvp(J.random.split, (J.random.key(0),), (zero,))
    return words(J, out), out_dot.shape, str(out_dot.dtype)
