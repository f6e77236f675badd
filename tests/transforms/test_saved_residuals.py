"""print_saved_residuals: what reverse mode keeps."""

import contextlib
import io

import numpy as np
import pytest

from tests.oracle import compare
from tests.transforms.test_rematerialization import POLICIES, W, X, layers

F32 = np.float32


def lines(J, f, *args, **kwargs):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        J.ad_checkpoint.print_saved_residuals(f, *args, **kwargs)
    # The place in the file is not the same in both libraries' words.
    return [
        line.split(" from ")[0] if " from /" in line else line
        for line in out.getvalue().splitlines()
    ]


def of_layers(J, policy):
    return lines(J, layers(J, policy), W, W, X)


def of_arguments(J):
    constant = np.ones(3, F32)
    f = lambda x, *rest, **named: x * rest[0] * named["z"]["k"] * constant  # noqa: E731
    return [
        lines(J, lambda x, y: J.lax.sin(x) * y, F32(1), F32(2)),
        lines(J, f, np.ones(3, F32), np.ones(3, F32), z={"k": np.ones(3, F32)}),
        lines(J, lambda x: x * 2.0, 1.0),
    ]


@pytest.mark.parametrize("policy", POLICIES)
def test_check_90_residuals_by_policy(policy):
    compare(of_layers, policy)


def test_arguments_and_constants_are_named():
    compare(of_arguments)


def test_it_takes_a_function():
    import minijax as mj

    with pytest.raises(TypeError):
        mj.ad_checkpoint.print_saved_residuals(3, 1.0)
