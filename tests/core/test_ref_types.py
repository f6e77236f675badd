import copy
import pickle

import pytest

import minijax as mj
from minijax.core import AbstractRef, ReadEffect, Ref, ShapedArray, Slice, WriteEffect
from minijax.core.ref_types import INTERNAL, Indexer, is_staged


def test_types_are_interned():
    aval = AbstractRef(ShapedArray((3,), "float32", weak_type=True))
    assert aval is AbstractRef(ShapedArray((3,), "float32"))
    assert (str(aval), aval.str_short(short_dtypes=True)) == (
        "Ref{float32[3]}",
        "Ref{f32[3]}",
    )
    assert (aval.shape, aval.ndim, aval.size, aval.weak_type) == ((3,), 1, 3, False)
    assert aval.update(shape=(2, 3)).shape == (2, 3)
    assert pickle.loads(pickle.dumps(aval)) is aval
    with pytest.raises(AttributeError, match="immutable"):
        aval.kind = "other"


def test_a_ref_is_no_array_and_no_number():
    ref = mj.new_ref(mj.numpy.zeros(2))
    assert isinstance(ref, Ref) and not isinstance(ref, mj.Array)
    assert copy.copy({ref: 1}) == {ref: 1}
    for wrong in (bool, list, float):
        with pytest.raises(TypeError):
            wrong(ref)
    with pytest.raises(TypeError, match="read its value"):
        ref.__array__()
    with pytest.raises(TypeError, match="without axes"):
        len(mj.new_ref(1.0))
    assert mj.block_until_ready(ref) is ref
    assert ref.unsafe_buffer_pointer() == ref.value.unsafe_buffer_pointer()


def test_indexers():
    assert Indexer((Slice(0, 3), None)).points == (1,)
    assert Slice(0, 4).text(4) == ":"
    assert Slice(1, 2).text(4) == "1:3"
    assert Slice(0, 2, 2).text(5) == ":3:2"
    assert Slice(2, 2).text(4) == "2:"


def test_effects():
    assert ReadEffect(0) == ReadEffect(0) != WriteEffect(0)
    assert hash(ReadEffect(1)) == hash(ReadEffect(1))
    assert ReadEffect(0).on("a") == ReadEffect("a")
    assert [str(e) for e in (ReadEffect(0), INTERNAL)] == ["Read<0>", "Internal"]
    assert ReadEffect(0).removable and not WriteEffect(0).removable
    assert not INTERNAL.lowerable


def test_who_stages_what():
    class Trace:
        def __init__(self, parent, stages_refs):
            self.parent, self.stages_refs = parent, stages_refs

    ground = Trace(None, stages_refs=False)
    staging = Trace(ground, stages_refs=True)
    inner = Trace(staging, stages_refs=False)
    aval = AbstractRef(ShapedArray((), "float32"))
    assert is_staged(Ref(aval, None, ground), inner)
    assert not is_staged(Ref(aval, None, inner), inner)
    assert not is_staged(Ref(aval, None, ground), ground)
