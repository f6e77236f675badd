"""Dtypes: descriptions, names, kinds of values, 64-bit requests, promotion."""

import threading
import timeit
import warnings

import numpy as np
import pytest

from tests.base import programs


@pytest.mark.parametrize("x64", [False, True])
def test_facts_of_every_dtype_are_jaxs(oracle, x64):
    ours = programs.here(programs.facts_of_dtypes, x64=x64)
    theirs = programs.there(oracle, programs.facts_of_dtypes, x64=x64)
    assert ours == theirs


def test_issubdtype_is_jaxs(oracle):
    ours = programs.here(programs.subdtypes)
    theirs = programs.there(oracle, programs.subdtypes)
    assert {k: (v, theirs[k]) for k, v in ours.items() if v != theirs[k]} == {}


@pytest.mark.parametrize("x64", [False, True])
def test_result_types_of_values_are_jaxs(oracle, x64):
    ours = programs.here(programs.result_types_of_values, x64=x64)
    theirs = programs.there(oracle, programs.result_types_of_values, x64=x64)
    assert ours == theirs


@pytest.fixture
def key_dtype():
    from minijax.base import dtypes

    class Key(dtypes.ExtendedDType):
        __slots__ = ()
        type = dtypes.prng_key

    return Key("key<fry>", (2,), np.dtype("uint32"))


SHORT = {
    "float32": "f32",
    "bfloat16": "bf16",
    "float16": "f16",
    "float64": "f64",
    "float8_e4m3fn": "f8_e4m3fn",
    "float4_e2m1fn": "f4_e2m1fn",
    "int4": "i4",
    "uint2": "u2",
    "complex64": "c64",
    "bool": "bool",
    "uint8": "u8",
}


def test_short_names(key_dtype):
    from minijax.base import dtypes

    assert {name: dtypes.short_name(name) for name in SHORT} == SHORT
    for name, short in SHORT.items():
        assert dtypes.short_name(np.dtype(name)) == short
    assert dtypes.short_name(key_dtype) == "key<fry>"
    assert dtypes.short_name(dtypes.float0) == "float0"


def test_issubdtype_of_a_key(key_dtype):
    from minijax.base import dtypes

    assert dtypes.issubdtype(key_dtype, dtypes.prng_key)
    assert dtypes.issubdtype(key_dtype, dtypes.extended)
    assert dtypes.issubdtype(key_dtype, np.generic)
    assert dtypes.issubdtype(key_dtype, key_dtype)
    assert not dtypes.issubdtype(key_dtype, np.number)
    assert not dtypes.issubdtype("float32", dtypes.prng_key)
    assert not dtypes.issubdtype(key_dtype, np.dtype("uint32"))


def test_keys_promote_only_with_themselves(key_dtype):
    from minijax.base import dtypes, errors

    assert dtypes.join_kinds((key_dtype, False), (key_dtype, False)) == (
        key_dtype,
        False,
    )
    with pytest.raises(errors.TypePromotionError, match="key<fry>"):
        dtypes.join_kinds((key_dtype, False), (np.dtype("int32"), True))


def test_physical_form(key_dtype):
    from minijax.base import dtypes

    assert dtypes.physical_shape((3,), key_dtype) == (3, 2)
    assert dtypes.physical_dtype(key_dtype) == "uint32"
    assert dtypes.physical_shape((3,), np.dtype("f4")) == (3,)
    assert dtypes.physical_dtype(np.dtype("f4")) == "float32"
    assert dtypes.to_tangent_dtype(key_dtype) == dtypes.float0
    with pytest.raises(ValueError, match="key<fry>"):
        dtypes.canonicalize_dtype(key_dtype)
    assert dtypes.canonicalize_dtype(key_dtype, True) is key_dtype


class Aval:
    """Something with a dtype and a weak flag, as arrays, tracers and avals have."""

    def __init__(self, dtype, weak_type):
        self.dtype, self.weak_type = np.dtype(dtype), weak_type


def test_check_1_kinds_of_values():
    from minijax.base import dtypes

    f32, i32 = np.dtype("float32"), np.dtype("int32")
    assert dtypes.kind_of(1.0) == (f32, True)
    assert dtypes.kind_of(1) == (i32, True)
    assert dtypes.kind_of(True) == (np.dtype(bool), False)
    assert dtypes.kind_of(np.float64(1)) == (f32, False)
    assert dtypes.kind_of(np.arange(3)) == (i32, False)
    assert dtypes.kind_of(Aval("float32", True)) == (f32, True)
    assert dtypes.kind_of(float) == (f32, True)
    assert dtypes.kind_of("bfloat16") == (dtypes.to_dtype("bfloat16"), False)


def test_a_device_dtype_stays_where_numpy_data_shrink():
    from minijax.base import dtypes

    assert dtypes.dtype_of(Aval("float64", False)) == "float64"
    assert dtypes.result_type(Aval("float64", False), 1.0) == "float64"
    assert dtypes.dtype_of(np.zeros(2)) == "float32"
    # What came of Python numbers has the default width of the moment.
    assert dtypes.lattice_result_type(Aval("float64", True)) == (
        np.dtype("float32"),
        True,
    )


def test_subclasses_of_python_numbers_are_weak():
    from minijax.base import dtypes

    class Angle(float):
        pass

    assert dtypes.kind_of(Angle(1)) == (np.dtype("float32"), True)


def test_a_type_may_be_declared_strong():
    from minijax.base import dtypes

    @dtypes.read_as_strong
    class Struct(Aval):
        pass

    assert dtypes.kind_of(Struct("bfloat16", True))[1] is False


def test_booleans_are_never_weak():
    from minijax.base import dtypes

    for operands in [(True,), (True, np.bool_(1)), (Aval(bool, False), False)]:
        assert dtypes.lattice_result_type(*operands) == (np.dtype(bool), False)


def test_no_operand_is_an_error():
    from minijax.base import dtypes

    with pytest.raises(ValueError, match="at least one"):
        dtypes.result_type()


@pytest.mark.parametrize("dtype", ["float64", np.int64, "uint64", np.complex128])
def test_check_5_requests_of_64_bits(dtype):
    from minijax.base import dtypes, errors, flags

    with pytest.warns(UserWarning, match="in zeros") as seen:
        assert dtypes.requested_dtype(dtype, "zeros").itemsize in (4, 8)
    assert seen[0].filename == __file__
    assert "jax_enable_x64" in str(seen[0].message)
    with flags.explicit_x64_dtypes("error"), pytest.raises(ValueError) as caught:
        dtypes.requested_dtype(dtype, "zeros")
    assert isinstance(caught.value, errors.X64RequestError)
    assert caught.value.function == "zeros"
    with flags.explicit_x64_dtypes("allow"):
        assert dtypes.requested_dtype(dtype, "zeros") == np.dtype(dtype)
    with flags.enable_x64(True):
        assert dtypes.requested_dtype(dtype, "zeros") == np.dtype(dtype)


@pytest.mark.parametrize("kind", [float, int, complex, bool])
def test_check_5_python_types_never_warn(kind):
    from minijax.base import dtypes

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dtypes.requested_dtype(kind, "zeros").itemsize <= 8


@pytest.mark.parametrize("dtype", [object, "U3", "datetime64[s]", np.longdouble])
def test_requests_of_what_no_array_has(dtype):
    from minijax.base import dtypes, errors

    with pytest.raises(TypeError) as caught:
        dtypes.requested_dtype(dtype, "zeros")
    assert isinstance(caught.value, errors.InvalidDTypeError)
    assert "in zeros" in str(caught.value)


def test_check_6_integers_must_fit():
    from minijax.base import dtypes, errors

    dtypes.check_int_fits(-(2**31), np.dtype("int32"))
    dtypes.check_int_fits(2**80, np.dtype("float32"))
    cases = [(2**31, "int32"), (300, "uint8"), (-1, "uint8"), (8, "int4")]
    for value, dtype in cases:
        with pytest.raises(OverflowError) as caught:
            dtypes.check_int_fits(value, np.dtype(dtype), "x['a']")
        assert isinstance(caught.value, errors.IntegerOverflowError)
        assert str(value) in str(caught.value) and "x['a']" in str(caught.value)


def test_check_7_x64_changes_defaults_only_inside_and_only_in_its_thread():
    from minijax.base import dtypes, flags

    seen = []
    with flags.enable_x64(True):
        assert dtypes.default_int() == "int64"
        assert dtypes.canonicalize_dtype("float64") == "float64"
        thread = threading.Thread(target=lambda: seen.append(dtypes.default_int()))
        thread.start()
        thread.join()
    assert seen == [np.dtype("int32")]
    assert dtypes.default_int() == "int32"
    assert dtypes.default_float() == "float32"
    assert dtypes.default_complex() == "complex64"
    assert dtypes.canonicalize_dtype("float64") == "float32"


@pytest.mark.parametrize(
    ("dtype", "inexact", "real", "complex_"),
    [
        ("int8", "float32", "int8", "complex64"),
        ("int64", "float64", "int64", "complex128"),
        ("bool", "float32", "bool", "complex64"),
        ("bfloat16", "bfloat16", "bfloat16", "complex64"),
        ("complex128", "complex128", "float64", "complex128"),
        ("float64", "float64", "float64", "complex128"),
    ],
)
def test_sibling_dtypes(dtype, inexact, real, complex_):
    from minijax.base import dtypes

    assert dtypes.to_inexact_dtype(dtype) == dtypes.to_dtype(inexact)
    assert dtypes.to_real_dtype(dtype) == dtypes.to_dtype(real)
    assert dtypes.to_complex_dtype(dtype) == dtypes.to_dtype(complex_)


def test_promotion_of_known_kinds_is_a_look_up():
    from minijax.base import dtypes

    pair = (np.dtype("float32"), False), (np.dtype("float32"), True)
    dtypes.join_kinds(*pair)
    seconds = min(
        timeit.repeat(lambda: dtypes.join_kinds(*pair), number=2000, repeat=20)
    )
    assert seconds / 2000 < 1e-6  # 0.2 µs measured; a recomputation takes 10
