"""Programs on `extend` for both libraries; the library comes as `J`."""

import importlib

import numpy as np


def there(J, module, wanted):
    """Those names that the module has."""
    found = importlib.import_module(f"{J.__name__}.extend.{module}")
    return [name for name in wanted if hasattr(found, name)]


def wrapped(J):
    """A function with one transformation of each style."""
    lu = importlib.import_module(f"{J.__name__}.extend.linear_util")
    info = importlib.import_module(f"{J.__name__}.extend.core").DebugInfo

    @lu.transformation2
    def doubled(f, *args):
        return 2 * f(*args)

    @lu.transformation_with_aux2
    def counted(f, store, *args):
        store.store(len(args))
        return f(*args)

    @lu.transformation
    def shifted(by, *args):
        out = yield tuple(x + by for x in args), {}
        yield out

    @lu.transformation_with_aux
    def described(*args):
        out = yield args, {}
        yield out, f"gave {out}"

    fun = lu.wrap_init(lambda a, b: a - b, debug_info=info("t", "f", None, None))
    fun, count = counted(doubled(shifted(fun, 10)))
    fun, text = described(fun)
    return fun.call_wrapped(7, 2), count(), text(), len(fun.transforms)


def hashed(J, words, counts):
    extension = importlib.import_module(f"{J.__name__}.extend.random")
    return extension.threefry_2x32(words, counts)


def seeded(J):
    extension = importlib.import_module(f"{J.__name__}.extend.random")
    impl = extension.rbg_prng_impl
    one = extension.seed_with_impl(impl, 3)
    many = extension.random_seed(np.arange(3), impl)
    return J.random.key_data(one), J.random.key_data(many), str(one.dtype)


def counting(J):
    """A generator whose key is a number, and whose bits are that number."""
    extension = importlib.import_module(f"{J.__name__}.extend.random")
    impl = extension.define_prng_impl(
        key_shape=(1,),
        seed=lambda seed: J.numpy.reshape(seed, (1,)).astype("uint32"),
        split=lambda key, shape: (
            key + J.numpy.arange(np.prod(shape), dtype="uint32").reshape(*shape, 1)
        ),
        random_bits=lambda key, width, shape: J.numpy.full(
            shape, key[0], f"u{width // 8}"
        ),
        fold_in=lambda key, data: key + data.astype("uint32"),
        name="counting",
        tag="count",
    )
    key = J.random.key(5, impl=impl)
    folded = J.random.key_data(J.random.fold_in(key, 10))
    return folded, J.random.bits(key, (2,)), J.random.key_data(J.random.split(key, 3))
