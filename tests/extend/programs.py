"""Programs on `extend` for both libraries; the library comes as `J`."""

import importlib


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
