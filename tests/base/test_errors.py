"""Every error class: its builtin base, its fields, its text, and that it pickles."""

import json
import pickle

import pytest

from tests.base import programs

TYPE, VALUE, INDEX = TypeError, ValueError, IndexError

# class -> builtin base, arguments, keyword arguments, words of the text in order
EXAMPLES = {
    "ArgumentTypeError": (TYPE, ("A.", "F.", "D."), {}, ["A.", "F.", "D."]),
    "ArgumentValueError": (VALUE, ("A.", "F.", "D."), {}, ["A.", "F.", "D."]),
    "ArgumentIndexError": (INDEX, ("A.", "F.", "D."), {}, ["A.", "F.", "D."]),
    "ArgumentAttributeError": (AttributeError, ("A.", "F."), {}, ["A.", "F."]),
    "NotSupportedError": (NotImplementedError, ("A.",), {"do": "D."}, ["A.", "D."]),
    "StateError": (RuntimeError, ("A.", "F."), {}, ["A.", "F."]),
    "JAXTypeError": (TYPE, ("words",), {}, ["words", "#jaxtypeerror"]),
    "JAXIndexError": (INDEX, ("words",), {}, ["words", "#jaxindexerror"]),
    "ConcretizationTypeError": (TYPE, ("f32[3]", "Size."), {}, ["Size.", "f32[3]"]),
    "TracerBoolConversionError": (TYPE, ("f32[]",), {}, ["truth", "f32[]", "where"]),
    "TracerIntegerConversionError": (
        TYPE,
        ("i32[]",),
        {},
        ["__index__", "i32[]", "static"],
    ),
    "TracerArrayConversionError": (
        TYPE,
        ("f32[]",),
        {},
        ["__array__", "f32[]", "pure_callback"],
    ),
    "NonConcreteBooleanIndexError": (
        INDEX,
        ("bool[3]",),
        {},
        ["mask", "bool[3]", "where"],
    ),
    "UnexpectedTracerError": (TYPE, ("words",), {}, ["words", "#unexpectedtracer"]),
    "LeakedTracersError": (Exception, ("jit of f", ["a"]), {}, ["jit of f", "1", "a"]),
    "KeyReuseError": (TYPE, ("words",), {}, ["words"]),
    "TracedShapeError": (TYPE, ("(n, 2)", "zeros"), {}, ["zeros", "(n, 2)", "static"]),
    "TracerAttributeError": (
        AttributeError,
        ("sharding", "f32[3]", "Ask typeof."),
        {},
        ["sharding", "f32[3]", "typeof"],
    ),
    "AmbiguousTruthError": (VALUE, ((3,),), {}, ["truth", "(3,)", "any"]),
    "ScalarConversionError": (TYPE, ("float", "f32[3]"), {}, ["float", "f32[3]"]),
    "ImmutableArrayError": (TYPE, ("ArrayImpl",), {}, ["assignment", "Array", ".at"]),
    "UnhashableArrayError": (TYPE, ("ArrayImpl",), {}, ["unhashable", "ArrayImpl"]),
    "DeletedArrayError": (RuntimeError, ("f32[3]",), {}, ["f32[3]", "donated"]),
    "DeviceMismatchError": (VALUE, ("f", ["x on a", "y on b"]), {}, ["f", "x on a"]),
    "IndivisibleError": (
        VALUE,
        ("argument x", "f32[3]", "P('i')", 0, 3, 2),
        {},
        ["P('i')", "argument x", "2", "f32[3]", "3"],
    ),
    "TypePromotionError": (VALUE, (["int4", "int8"],), {}, ["int4 and int8", "astype"]),
    "InvalidDTypeError": (TYPE, ("object", "in zeros"), {}, ["in zeros", "object"]),
    "DTypeNotAcceptedError": (
        TYPE,
        ("sin", "int32", "floating"),
        {},
        ["sin", "floating", "int32"],
    ),
    "DTypeMismatchError": (
        TYPE,
        ("add", ["float32", "int32"]),
        {},
        ["add", "float32 and int32"],
    ),
    "ShapeMismatchError": (TYPE, ("add", [(2,), (3,)]), {}, ["add", "(2,) and (3,)"]),
    "BroadcastError": (VALUE, ([(2,), (3,)],), {}, ["last axis", "(2,) and (3,)"]),
    "RankPromotionError": (
        VALUE,
        ("add", [(2, 3), (3,)]),
        {},
        ["add", "'raise'", "(2, 3) and (3,)"],
    ),
    "AxisOutOfRangeError": (VALUE, (3, 2), {}, ["axis 3", "2", "-2 to 1"]),
    "DuplicateAxisError": (VALUE, ((0, 0),), {}, ["once", "(0, 0)"]),
    "UnboundAxisNameError": (NameError, ("i", ["j"]), {}, ["'i'", "'j'", "vmap"]),
    "X64RequestError": (
        VALUE,
        ("float64", "zeros", "float32"),
        {},
        ["float64", "zeros", "float32", "jax_enable_x64"],
    ),
    "IntegerOverflowError": (
        OverflowError,
        (300, "uint8", "x['a']"),
        {},
        ["x['a']", "uint8", "300"],
    ),
    "NotAnArrayError": (
        TYPE,
        ("str",),
        {"function": "f", "path": "x", "do": "Make it static."},
        ["x", "f", "str", "static"],
    ),
    "NotAnArrayResultError": (
        TYPE,
        ("str",),
        {"function": "f", "path": "['a']", "by": "jit"},
        ["f", "jit", "['a']", "str"],
    ),
    "NotCallableError": (TYPE, ("jit", "3"), {}, ["jit", "3"]),
    "StaticArgumentError": (
        VALUE,
        ("f", "n", "list", "[1]", "unhashable type"),
        {},
        ["n", "f", "[1]", "list", "unhashable type", "tuple"],
    ),
    "TreeMismatchError": (VALUE, ("map", "['a']", "2 and 3"), {}, ["map", "['a']"]),
    "TreeRegistrationError": (VALUE, ("Point", "twice"), {}, ["Point", "twice"]),
    "CustomVJPException": (Exception, ("f",), {}, ["f", "closes over", "argument"]),
    "MissingRuleError": (
        NotImplementedError,
        ("lower", "sin", "tpu"),
        {},
        ["'sin'", "lower", "'tpu'", "define"],
    ),
    "DuplicateRuleError": (VALUE, ("jvp", "sin"), {}, ["'sin'", "jvp"]),
    "PrimitiveOperandError": (TYPE, ("sin", 0, "str"), {}, ["0", "'sin'", "str"]),
    "UnhashableParamError": (TYPE, ("rev", "axes", "[0]"), {}, ["'rev'", "axes=[0]"]),
    "JaxprTypeError": (TYPE, ("words",), {}, ["words"]),
    "InconclusiveDimensionOperation": (Exception, ("words",), {}, ["words"]),
    "StoreException": (Exception, ("words",), {}, ["words"]),
    "ForbiddenTracingError": (RuntimeError, ("f",), {}, ["f", "no_tracing"]),
    "ForbiddenExecutionError": (RuntimeError, ("jit_f",), {}, ["f", "no_execution"]),
    "InvalidFloatError": (FloatingPointError, ("nan", "log"), {}, ["nan", "log"]),
    "CacheVerificationError": (RuntimeError, ("k", b"a", b"bc"), {}, ["k", "1", "2"]),
    "BackendError": (RuntimeError, ("tpu", "No such."), {}, ["'tpu'", "No such."]),
    "JaxAlreadyImportedError": (ImportError, (), {}, ["jax", "two processes"]),
    "JaxlibMissingError": (ImportError, (">=1", "none"), {}, [">=1", "none", "pip"]),
    "JaxlibVersionError": (ImportError, (">=1", "0.5"), {}, [">=1", "0.5", "pip"]),
    "UnknownOptionError": (AttributeError, ("jax_x", "Hint."), {}, ["'jax_x'", "Hint"]),
    "OptionValueError": (VALUE, ("jax_x", 3, "a text"), {}, ["jax_x", "a text", "3"]),
    "OptionFrozenError": (RuntimeError, ("jax_x", 3), {}, ["jax_x", "3", "started"]),
}


def error_classes():
    from minijax.base import errors

    names = {name: getattr(errors, name) for name in errors.__all__}
    return {
        name: c
        for name, c in names.items()
        if isinstance(c, type) and issubclass(c, Exception)
    }


def test_every_class_has_an_example():
    warned = {name for name, c in error_classes().items() if issubclass(c, Warning)}
    assert set(error_classes()) - warned - {"Reported"} == set(EXAMPLES)
    assert all(issubclass(error_classes()[name], UserWarning) for name in warned)


@pytest.mark.parametrize("name", EXAMPLES)
def test_base_text_and_pickle(name):
    from minijax.base import errors

    builtin, args, kwargs, words = EXAMPLES[name]
    error = getattr(errors, name)(*args, **kwargs)
    assert isinstance(error, builtin) and isinstance(error, errors.Reported)
    text, place = str(error), 0
    for word in words:
        assert word in text[place:], f"{word!r} is not where it should be in:\n{text}"
        place = text.index(word, place)
    assert "\n\n" not in text and text == text.strip()
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == text
    assert vars(again) == vars(error)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_fields_named_in_the_docstring_exist(name):
    from minijax.base import errors

    _, args, kwargs, _ = EXAMPLES[name]
    cls = getattr(errors, name)
    assert cls.__doc__, name
    error = cls(*args, **kwargs)
    # Everything given is kept; texts stay texts.
    given = [*args, *kwargs.values()]
    kept = [str(value) for value in vars(error).values()]
    for value in given:
        wanted = tuple(value) if isinstance(value, list) else value
        assert str(wanted) in kept, f"{name} loses {value!r}"


def bases(J):
    """The public classes of jax.errors with the builtin errors they are."""
    builtin = (TypeError, IndexError, ValueError, RuntimeError, Exception)
    public = [name for name in dir(J.errors) if name[0].isupper()]
    table = {
        name: [kind.__name__ for kind in builtin if issubclass(c, kind)]
        + sorted(p for p in public if issubclass(c, getattr(J.errors, p)))
        for name in public
        for c in [getattr(J.errors, name)]
    }
    return json.dumps(table)


def test_check_11_public_classes_have_jaxs_bases(oracle):
    import types

    import minijax.errors

    ours = json.loads(bases(types.SimpleNamespace(errors=minijax.errors)))
    assert ours == programs.there(oracle, bases)
    assert set(minijax.errors.__all__) == set(ours)


def test_check_11_conversion_errors_are_no_concretization_errors():
    from minijax.base import errors

    for name in ("TracerIntegerConversionError", "TracerArrayConversionError"):
        cls = getattr(errors, name)
        assert not issubclass(cls, errors.ConcretizationTypeError)
    assert issubclass(errors.TracerBoolConversionError, errors.ConcretizationTypeError)


class Tracer:
    aval = "float32[3]"

    def origin_text(self):
        return "It depends on argument d['a'][0] of f, traced for jit at a.py:3."


@pytest.mark.parametrize(
    "name",
    [
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "NonConcreteBooleanIndexError",
    ],
)
def test_check_13_a_tracer_gives_its_type_and_origin(name):
    from minijax.base import errors

    error = getattr(errors, name)(Tracer())
    assert (error.aval, error.origin) == (Tracer.aval, Tracer().origin_text())
    lines = str(error).splitlines()
    assert Tracer.aval in lines[1]
    assert lines[2] == Tracer().origin_text()
    assert lines[-1] == f"Explained in docs/errors.md#{name.lower()}"
    assert all(not isinstance(value, Tracer) for value in vars(error).values())


def test_check_16_an_escaped_tracer_is_described_with_all_facts():
    from minijax.base import errors

    facts = {
        "aval": "f32[3]",
        "tracer_class": "JitTracer",
        "created": "a.py:4 (f)",
        "origin": "The function f at a.py:3 was traced for jit.",
        "frames": ("a.py:9 (main)", "a.py:4 (f)"),
    }
    error = errors.UnexpectedTracerError.escaped(**facts)
    assert {name: getattr(error, name) for name in facts} == facts
    frames = facts.pop("frames")
    words = [*facts.values(), *frames, "checking_leaks"]
    assert all(word in str(error) for word in words)


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b, and c")],
)
def test_names_in_a_sentence(names, text):
    from minijax.base import errors

    assert errors.join_names(names) == text
