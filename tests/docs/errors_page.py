"""The page of errors, made from the classes; a stale one fails `test_errors_page.py`.

Error texts link to its sections. The classes are listed by the file they stand in, with
their docstrings and a sample of their text; those with a link are explained, and the
explanations are run like every block of the documentation.

    python -m tests.docs.errors_page > docs/errors.md
"""

import importlib
import textwrap

from tests.base.test_errors import EXAMPLES, error_classes

START = """\
# Errors

This page is made from the classes in `minijax/base/errors`, by
`python -m tests.docs.errors_page`. A text says what was asked, what was found, and what
to do. The facts in it are fields of the error, so that a program can read them. Each
class is a subclass of the builtin one in parentheses: the one that a caller of NumPy or
jax would catch.

```python
import minijax as mj
import minijax.numpy as jnp


def refused(f, *args):
    try:
        f(*args)
    except Exception as error:
        print(type(error).__name__)
```
"""

# The files of the room in the order of the page, and what their errors are about.
FILES = {
    "tracing": "Values known only by their type",
    "programs": "Functions, arguments, rules",
    "arrays": "Arrays: data, places, shapes, dtypes",
    "running": "Importing, options, running, caches",
    "messages": "Cases without a class of their own",
}

EXPLAINED = {
    "JAXTypeError": "The base of the type errors below; catch it to catch them all.",
    "JAXIndexError": "The base of the index errors below.",
    "ConcretizationTypeError": """\
A transformed function runs on stand-ins that have a shape and a dtype and no value.
What needs the value, such as `float(x)` or a length, cannot be answered then. Compute
with array operations, or make the argument static: each of its values gets a program.

```python
refused(mj.jit(lambda n: jnp.arange(n)), 3)
print(mj.jit(jnp.arange, static_argnums=0)(3))
```

```text
ConcretizationTypeError
[0 1 2]
```""",
    "TracerBoolConversionError": """\
`if`, `while`, `and`, `not` and comparisons in a chain choose what Python does next, and
a program is written down once for all values. Write the choice into the program.

```python
refused(mj.jit(lambda x: x if x > 0 else -x), -2.0)
print(mj.jit(lambda x: jnp.where(x > 0, x, -x))(-2.0))
print(mj.jit(lambda x: mj.lax.cond(x > 0, jnp.sqrt, jnp.negative, x))(-2.0))
```

```text
TracerBoolConversionError
2.0
2.0
```""",
    "TracerIntegerConversionError": """\
A Python list is indexed by a number that is known, and `range` counts to one. Make the
list an array, or count with `lax.fori_loop` or `lax.scan`.

```python
table = [1.0, 4.0, 9.0]
refused(mj.jit(lambda i: table[i]), 2)
print(mj.jit(lambda i: jnp.array(table)[i])(2))
```

```text
TracerIntegerConversionError
9.0
```""",
    "TracerArrayConversionError": """\
A function of NumPy needs data. Its namesake in `minijax.numpy` does not; for code that
exists in NumPy alone there is `pure_callback`.

```python
import numpy as np

refused(mj.jit(lambda x: np.sin(x)), 0.0)
print(mj.jit(lambda x: jnp.sin(x))(0.0))
```

```text
TracerArrayConversionError
0.0
```""",
    "NonConcreteBooleanIndexError": """\
The number of true elements decides the shape of `x[mask]`, and a program has one shape
for all values. Keep the shape, or say how many elements there are at most.

```python
x = jnp.array([1.0, -2.0, 3.0])
refused(mj.jit(lambda x: x[x > 0].sum()), x)
print(mj.jit(lambda x: jnp.where(x > 0, x, 0).sum())(x))
print(mj.jit(lambda x: jnp.nonzero(x > 0, size=2)[0])(x))
```

```text
NonConcreteBooleanIndexError
4.0
[0 2]
```""",
    "UnexpectedTracerError": """\
A stand-in was kept, in a list, a global, an attribute of an object, and used after the
function had ended. Return the value in place of keeping it. The text says where it was
made; `minijax.checking_leaks()` finds who keeps it, at the end of the trace.

```python
kept = []
mj.jit(lambda x: kept.append(x) or x)(1.0)
refused(lambda: kept[0] + 1)
```

```text
UnexpectedTracerError
```""",
    "KeyReuseError": """\
One key gives one draw: a second draw from it repeats the first. Split the key, or fold
a number into it, for each draw.""",
}


def builtin_of(cls: type[BaseException]) -> str:
    """The first builtin class among the bases."""
    return next(c.__name__ for c in cls.__mro__ if c.__module__ == "builtins")


def section(name: str, cls: type[BaseException]) -> str:
    """What the page says of one class."""
    lines = [f"### {name}", "", f"({builtin_of(cls)})"]
    doc = " ".join((cls.__doc__ or "").split())
    lines += [*textwrap.wrap(doc, 88, initial_indent=""), ""]
    if name in EXPLAINED:
        return "\n".join([*lines, EXPLAINED[name], ""])
    if name in EXAMPLES:
        _, args, kwargs, _ = EXAMPLES[name]
        sample = str(cls(*args, **kwargs))
        if sample not in ("words", "A.\nF.\nD.", "A.\nF.", "A.\nD."):
            lines += ["```", *sample.splitlines(), "```", ""]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [START]
    for file, title in FILES.items():
        module = importlib.import_module(f"minijax.base.errors.{file}")
        parts.append(f"## {title}\n")
        parts += [
            section(name, cls)
            for name, cls in vars(module).items()
            if error_classes().get(name) is cls and cls.__module__ == module.__name__
        ]
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    print(page(), end="")
