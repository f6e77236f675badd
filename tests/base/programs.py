"""Programs about dtypes and options for the oracle, and our side of the comparison.

The room `base` is compared without the floors above it: `ours` is a namespace of its
parts under the names that jax has for them. Programs return JSON.
"""

import itertools
import json
import types
import warnings

import ml_dtypes
import numpy as np

INTS = [f"{u}int{n}" for n in (1, 2, 4, 8, 16, 32, 64) for u in ("", "u")]
SMALL_FLOATS = [
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn"),
    *("float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
    *("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
]
FLOATS = ["bfloat16", "float16", "float32", "float64"]
NAMES = [
    name
    for name in ["bool", *INTS, *SMALL_FLOATS, *FLOATS, "complex64", "complex128"]
    if hasattr(ml_dtypes, name) or hasattr(np, name)
]
WEAK = {"int": 1, "float": 1.0, "complex": 1j}
PYTHON_TYPES = {"int": int, "float": float, "complex": complex}


def ours():
    """Parts of the room under jax's names."""
    from minijax.base import dtypes, flags

    return types.SimpleNamespace(
        dtypes=dtypes,
        config=flags.config,
        numpy=types.SimpleNamespace(promote_types=dtypes.promote_types),
        numpy_dtype_promotion=flags.numpy_dtype_promotion,
    )


def here(program, *args, x64=False):
    """What `program` answers on our side."""
    from minijax.base import flags

    with flags.enable_x64(x64):
        return json.loads(program(ours(), *args))


def there(oracle, program, *args, x64=False):
    """What `program` answers in jax."""
    answer = oracle.run_jax(program, *args, x64=x64)
    assert answer.kind == "python", answer.note
    return json.loads(answer.facts["value"])


def attempt(function, *args):
    """The answer in words, or the builtin errors that were raised."""
    try:
        with warnings.catch_warnings(action="ignore"):
            answer = function(*args)
    except Exception as error:
        known = (TypeError, ValueError, OverflowError, AttributeError, RuntimeError)
        return [kind.__name__ for kind in known if isinstance(error, kind)]
    return str(answer)


def operand(name):
    return WEAK[name] if name in WEAK else np.empty(0, name)


def joined_pairs(J, mode):
    """Each unordered pair of kinds -> "dtype weak", or the error."""
    with J.numpy_dtype_promotion(mode):
        table = {
            f"{a} {b}": attempt(
                lambda x, y: J.dtypes.result_type(x, y, return_weak_type_flag=True),
                operand(a),
                operand(b),
            )
            for a, b in itertools.product([*NAMES, *WEAK], repeat=2)
        }
    return json.dumps(table)


def joined_triples(J, mode, triples):
    with J.numpy_dtype_promotion(mode):
        table = {
            " ".join(triple): attempt(
                lambda *xs: J.dtypes.result_type(*xs, return_weak_type_flag=True),
                *map(operand, triple),
            )
            for triple in triples
        }
    return json.dumps(table)


def promoted_pairs(J, mode):
    with J.numpy_dtype_promotion(mode):
        table = {
            f"{a} {b}": attempt(
                J.numpy.promote_types, PYTHON_TYPES.get(a, a), PYTHON_TYPES.get(b, b)
            )
            for a, b in itertools.product([*NAMES, *PYTHON_TYPES], repeat=2)
        }
    return json.dumps(table)


ABSTRACT = [
    *("generic", "number", "integer", "signedinteger", "unsignedinteger"),
    *("inexact", "floating", "complexfloating", "flexible", "character"),
]


def subdtypes(J):
    """`issubdtype` of every dtype and abstract type below every other."""
    things = {name: name for name in NAMES}
    things |= {f"np.{name}": getattr(np, name) for name in ABSTRACT}
    things |= {f"py.{kind.__name__}": kind for kind in (bool, int, float, complex)}
    things |= {"extended": J.dtypes.extended, "prng_key": J.dtypes.prng_key}
    things |= {"float0": J.dtypes.float0, "np.void": np.void}
    table = {
        f"{a} {b}": attempt(J.dtypes.issubdtype, things[a], things[b])
        for a, b in itertools.product(things, repeat=2)
    }
    return json.dumps(table)


def facts_of_dtypes(J):
    """Canonical form, size in bits, Python type and limits of every dtype."""
    table = {}
    for name in [*NAMES, "foo", "U3", "object", "datetime64[s]", ">f4"]:
        table[name] = [
            attempt(J.dtypes.canonicalize_dtype, name),
            attempt(J.dtypes.itemsize_bits, name),
            attempt(J.dtypes.finfo, name),
            attempt(J.dtypes.iinfo, name),
        ]
    for name in NAMES:
        table[name].append(attempt(J.dtypes.scalar_type_of, name))
    for kind in (bool, int, float, complex, None):
        table[str(kind)] = [attempt(J.dtypes.canonicalize_dtype, kind)]
    return json.dumps(table)


def result_types_of_values(J):
    """Python numbers, NumPy values, scalar types, and what has no dtype."""
    groups = {
        "none": (),
        "int": (1,),
        "bool": (True,),
        "float type": (float,),
        "int type, float16": (int, "float16"),
        "bool type": (bool,),
        "numpy scalar": (np.float64(1), np.int8(2)),
        "numpy int64": (np.int64(2),),
        "numpy type": (np.float32, "int8"),
        "string": ("no such dtype",),
        "object": (object(),),
        "list": ([1, 2],),
        "object dtype": (np.dtype(object),),
        "date": (np.datetime64("2020"),),
        "text dtype": ("U3",),
        "float0": (J.dtypes.float0,),
        "float0 and f32": (J.dtypes.float0, "float32"),
        "huge int": (2**80,),
        "None": (None,),
    }
    table = {
        name: attempt(
            lambda *xs: J.dtypes.result_type(*xs, return_weak_type_flag=True), *group
        )
        for name, group in groups.items()
    }
    return json.dumps(table)


def option_defaults(J):
    return json.dumps(J.config.values)


def option_updates(J):
    """What `update`, `read` and attributes do with good, bad and unknown values."""
    config = J.config
    cases = {
        "unknown": lambda: config.update("jax_nothing", 1),
        "unknown attribute": lambda: config.jax_nothing,
        "assignment": lambda: setattr(config, "jax_enable_x64", True),
        "bad enum": lambda: config.update("jax_numpy_rank_promotion", "sometimes"),
        "bad optional enum": lambda: config.update(
            "jax_default_matmul_precision", "exact"
        ),
        "None for an optional enum": lambda: config.update(
            "jax_default_matmul_precision", None
        ),
        "text for int": lambda: config.update("jax_traceback_in_locations_limit", "3"),
        "float for int": lambda: config.update("jax_traceback_in_locations_limit", 1.5),
        "text for float": lambda: config.update(
            "jax_persistent_cache_min_compile_time_secs", "3"
        ),
        "int for text": lambda: config.update("jax_compilation_cache_dir", 3),
        "read of a flag": lambda: config.read("jax_dump_ir_modes"),
        "read of a state": lambda: config.read("jax_log_compiles"),
        "read of x64": lambda: config.read("jax_enable_x64"),
        "read of unknown": lambda: config.read("jax_nothing"),
        "flag as attribute": lambda: config.jax_dump_ir_to,
        "context without value": J.numpy_dtype_promotion,
        "context with bad value": lambda: J.numpy_dtype_promotion("loose"),
    }
    return json.dumps({name: attempt(case) for name, case in cases.items()})


def trace_context_names(J):
    """Names of the options in the trace context, as C++ knows them."""
    from jaxlib import _jax

    return json.dumps(sorted(map(str, _jax.config.trace_context_names())))
