import pytest

import minijax as mj


def test_a_ref_of_both_programs_of_a_loop():
    ref = mj.new_ref(mj.numpy.zeros(2))

    def body(k):
        ref[0] += 1.0
        return k + 1

    def run():
        return mj.lax.while_loop(lambda k: ref[0] < 5.0, body, 0)

    assert int(run()) == 5
    ref[0] = 2.0
    assert int(mj.jit(run)()) == 3
    assert ref[...].tolist() == [5.0, 0.0]


def test_several_refs_and_constants_of_a_scan():
    first, second = mj.new_ref(mj.numpy.zeros(2)), mj.new_ref(1.0)
    table = mj.numpy.arange(2.0)

    def body(carry, x):
        first[...] += table * x
        second[...] = second[...] * 2.0
        return carry + first[1] * table, second[...]

    def run(xs):
        return mj.lax.scan(body, table, xs, reverse=True)

    carry, doubled = mj.jit(run)(mj.numpy.ones(3))
    assert carry.tolist() == [0.0, 7.0]
    assert doubled.tolist() == [8.0, 4.0, 2.0]
    assert first[...].tolist() == [0.0, 3.0]


def test_branches_that_touch_different_refs():
    one, other = mj.new_ref(0.0), mj.new_ref(0.0)

    def write(ref):
        def branch():
            ref[...] = ref[...] + 1.0
            return ref[...]

        return branch

    @mj.jit
    def run(flag):
        return mj.lax.cond(flag, write(one), write(other))

    assert [float(run(flag)) for flag in (True, True, False)] == [1.0, 2.0, 1.0]
    assert (float(one[...]), float(other[...])) == (2.0, 1.0)


def test_a_mapped_branch_writes_only_where_it_is_taken():
    refs = mj.new_ref(mj.numpy.zeros(3))

    def one(ref, flag):
        return mj.lax.cond(flag, lambda: ref[...] + 1.0, lambda: ref[...])

    mapped = mj.vmap(one)(refs, mj.numpy.array([True, False, True]))
    assert mapped.tolist() == [1.0, 0.0, 1.0]

    def write(ref, flag):
        def taken():
            ref[...] = 1.0
            return 0

        return mj.lax.cond(flag, taken, lambda: 0)

    flags = mj.numpy.array([True, False, True])
    for fun in (mj.vmap(write), mj.jit(mj.vmap(write))):
        refs[...] = mj.numpy.zeros(3)
        fun(refs, flags)
        assert refs[...].tolist() == [1.0, 0.0, 1.0]


def test_a_mapped_ref_in_loops():
    refs = mj.new_ref(mj.numpy.zeros(3))

    def count(ref, n):
        def step(k):
            ref[...] += 2.0
            return k + 1

        return mj.lax.while_loop(lambda k: k < n, step, 0)

    assert mj.vmap(count)(refs, mj.numpy.arange(3)).tolist() == [0, 1, 2]
    assert refs[...].tolist() == [0.0, 2.0, 4.0]


def test_a_ref_from_outside_beside_one_from_inside():
    outer = mj.new_ref(3.0)

    def f(x):
        inner = mj.new_ref(x)

        def body(carry, _):
            inner[...] = inner[...] * outer[...]
            return carry, None

        mj.lax.scan(body, 0, None, length=2)
        return inner[...]

    assert float(mj.grad(f)(1.0)) == 9.0
    slope = mj.jit(mj.grad(f))
    assert float(slope(1.0)) == 9.0
    outer[...] = 2.0
    assert float(slope(1.0)) == 4.0


def test_refs_are_not_scanned_over():
    ref = mj.new_ref(mj.numpy.zeros(3))
    with pytest.raises((NotImplementedError, TypeError, ValueError)):
        mj.lax.scan(lambda c, r: (c, r[...]), 0.0, ref)
