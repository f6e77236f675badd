"""`minijax.extend.linear_util` has jax's names; `core` tests what they do."""


def names(J):
    """The public names of the module."""
    import importlib

    module = importlib.import_module(f"{J.__name__}.extend.linear_util")
    return sorted(n for n in dir(module) if not n.startswith("_"))


def wrapped(J):
    """A function with one transformation of each style."""
    import importlib

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


def test_check_50_the_names_are_jaxs(oracle):
    oracle.compare(names)


def test_every_style_as_in_jax(oracle):
    oracle.compare(wrapped)
