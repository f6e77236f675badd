import importlib

CASES = ["value", "text", "grad", "jvp", "vmap", "text of grad", "jit", "checkpoint"]
_made = {}


def _marked(J):
    """The primitive, once per library: a name is given once."""
    if J.__name__ not in _made:
        core = importlib.import_module(f"{J.__name__}.extend.core")
        _made[J.__name__] = core.create_call_primitive("marked")
    return _made[J.__name__]


def case(J, name):
    marked_p = _marked(J)
    program = J.make_jaxpr(lambda x, y: (J.numpy.sin(x) * y, y))(1.0, 2.0)

    def f(x, y=2.0):
        out, same = marked_p.bind(x, y, call_jaxpr=program, name="both")
        return out + same

    x = J.numpy.arange(3.0)
    cases = {
        "value": lambda: f(1.0),
        "text": lambda: str(J.make_jaxpr(f)(1.0)),
        "grad": lambda: J.grad(f)(1.0),
        "jvp": lambda: J.jvp(f, (1.0, 2.0), (3.0, 4.0)),
        "vmap": lambda: J.vmap(f)(x).astype("float32"),
        "text of grad": lambda: str(J.make_jaxpr(J.grad(f))(1.0)),
        "jit": lambda: J.jit(f)(1.0),
        "checkpoint": lambda: J.grad(J.checkpoint(f))(1.0),
    }
    return cases[name]()
