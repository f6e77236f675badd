"""The policies of checkpoint, and the names they speak of."""

import numpy as np
import pytest

from tests.oracle import compare

F32 = np.float32


def text(J, f, *args):
    return str(J.make_jaxpr(f)(*args))


def named(J, kind, x):
    name = J.ad_checkpoint.checkpoint_name
    f = {
        "plain": lambda x: name({"a": x, "b": (x, None)}, "n"),
        "jvp": lambda x: J.jvp(lambda x: name(J.lax.sin(x), "n"), (x,), (x,)),
        "vmap": J.vmap(lambda x: name(x, "n")),
        "grad": J.grad(lambda x: name(J.lax.sin(x), "n")),
        "fwd": lambda x: J.ad_checkpoint.checkpoint_name_fwd(x, "n"),
    }[kind]
    return text(J, f, np.ones(2, F32) if kind == "vmap" else x)


def values(J, x):
    name, x = J.ad_checkpoint.checkpoint_name, J.device_put(x)
    return (
        name(x, "n"),
        J.jit(lambda x: name(x, "n"))(x),
        J.grad(lambda x: name(x, "n") * x)(2.0),
    )


def not_bools(J):
    both = J.checkpoint_policies.save_from_both_policies(
        lambda *_, **__: 3, lambda *_, **__: True
    )
    return J.grad(J.checkpoint(J.lax.sin, policy=both))(1.0)


def overlapping(J):
    return J.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["a"],
        names_which_can_be_offloaded=["a", "b"],
        offload_src="device",
        offload_dst="pinned_host",
    )


@pytest.mark.parametrize("kind", ["plain", "jvp", "vmap", "grad", "fwd"])
def test_check_98_a_name_is_an_equation(kind):
    compare(named, kind, F32(2))


def test_check_98_a_named_value_is_the_value():
    compare(values, F32(2))


def test_joint_policies_answer_bools():
    compare(not_bools, raises=True)


def test_a_name_is_saved_or_moved():
    import minijax as mj

    compare(overlapping, raises=True)
    with pytest.raises(ValueError) as caught:
        overlapping(mj)
    assert "['a']" in str(caught.value) and "['a', 'b']" in str(caught.value)


def test_constant_policies_are_recognised():
    import minijax as mj

    policies = mj.checkpoint_policies
    both = policies.save_from_both_policies
    some = policies.dots_saveable
    assert both(some, policies.everything_saveable) is policies.everything_saveable
    assert both(policies.nothing_saveable, some) is some
    assert both(some, policies.nothing_saveable) is some


def test_what_offloading_policies_answer():
    import minijax as mj
    from minijax.ad_checkpoint import Offloadable, Recompute, Saveable, name_p

    policy = mj.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["a"],
        names_which_can_be_offloaded=["b"],
        offload_src="device",
        offload_dst="pinned_host",
    )
    away = Offloadable(src="device", dst="pinned_host")
    assert policy(name_p, name="a") is Saveable
    assert policy(name_p, name="b") == away
    assert policy(name_p, name="c") is Recompute
    assert policy(mj.lax.dot_general_p) is Recompute
    dots = mj.checkpoint_policies.offload_dot_with_no_batch_dims(
        "device", "pinned_host"
    )
    plain = (((1,), (0,)), ((), ()))
    batched = (((2,), (1,)), ((0,), (0,)))
    assert dots(mj.lax.dot_general_p, dimension_numbers=plain) == away
    assert dots(mj.lax.dot_general_p, dimension_numbers=batched) is Recompute
