import pytest

import minijax as mj
from minijax.transforms.ref_arguments import check_distinct, check_no_ref_results


def function(a, b):
    return a, b


def test_one_ref_by_two_names():
    ref = mj.new_ref(1.0)
    names = lambda: ("a", "b")  # noqa: E731
    check_distinct(function, [ref, mj.new_ref(1.0)], names)
    check_distinct(function, [1.0, 1.0], names)
    with pytest.raises(ValueError, match=r"function at .*\n.*as a and as b"):
        check_distinct(function, [ref, ref], names)
    with pytest.raises(ValueError, match="closes over, and that is passed as b"):
        check_distinct(function, [1.0, ref], names, closed_over=[ref])


def test_results():
    leaves, structure = mj.tree.flatten({"x": 1.0, "y": mj.new_ref(1.0)})
    with pytest.raises(ValueError, match=r"result\['y'\].*closes over"):
        check_no_ref_results(function, "jit", leaves, structure)
    check_no_ref_results(function, "jit", leaves[:1], structure)


def test_check_47_through_other_transformations():
    ref = mj.new_ref(1.0)
    with pytest.raises(TypeError, match="with respect to arrays"):
        mj.value_and_grad(lambda r: r[...])(ref)
    assert float(mj.grad(lambda x, r: x * r[...])(2.0, ref)) == 1.0
