"""Samples of the primitives that move values and leave them as they are."""

import numpy as np

from tests.samples.declaring import Sample, f32, grid, i32

X = grid(2, 3)
CUBE = grid(2, 3, 4)


def _linear(primitive, call, *operands, case="", others=None):
    positions = tuple(range(len(operands)))
    return Sample(primitive, call, operands, case, positions, others=others)


SAMPLES = (
    _linear("tile", lambda J, x: J.lax.tile(x, (2, 3)), X),
    _linear("split", lambda J, x: J.lax.split(x, (1, 2), axis=1), X),
    _linear("stack", lambda J, x, y: J.lax.stack([x, y], axis=1), X, X[::-1]),
    _linear("unstack", lambda J, x: J.lax.unstack(x, axis=1), X),
    _linear(
        "broadcast_in_dim", lambda J, x: J.lax.broadcast_in_dim(x, (2, 4, 3), (0, 2)), X
    ),
    _linear(
        "broadcast_in_dim",
        lambda J, x: J.lax.broadcast_in_dim(x, (2, 3), (0, 1)),
        grid(2, 1),
        case="stretched",
    ),
    _linear("reshape", lambda J, x: J.lax.reshape(x, (3, 2)), X),
    _linear(
        "reshape", lambda J, x: J.lax.reshape(x, (4, 3, 2)), CUBE, case="three axes"
    ),
    _linear("transpose", lambda J, x: J.lax.transpose(x, (2, 0, 1)), CUBE),
    _linear("squeeze", lambda J, x: J.lax.squeeze(x, (1,)), grid(2, 1, 3)),
    _linear(
        "broadcast_in_dim", lambda J, x: J.lax.expand_dims(x, (1,)), X, case="new axis"
    ),
    _linear("rev", lambda J, x: J.lax.rev(x, (0, 2)), CUBE),
    _linear(
        "concatenate",
        lambda J, x, y: J.lax.concatenate([x, y], 1),
        X,
        grid(2, 2),
    ),
    _linear(
        "pad",
        lambda J, x, v: J.lax.pad(x, v, ((1, 2, 0), (0, 1, 1))),
        X,
        f32(0.5),
        others=(-X, f32(-1.5)),
    ),
    _linear(
        "pad",
        lambda J, x, v: J.lax.pad(x, v, ((-1, 0, 0), (1, -1, 2))),
        X,
        f32(0.5),
        case="negative",
        others=(-X, f32(-1.5)),
    ),
    Sample(
        "pad",
        lambda J, x, v: J.lax.pad(x, v, ((1, 0, 1),)),
        (i32(1, 2, 3), i32(9)),
        "integers",
        others=(i32(4, 5, 6), i32(7)),
    ),
    _linear("slice", lambda J, x: J.lax.slice(x, (0, 1, 0), (2, 3, 4)), CUBE),
    _linear(
        "slice",
        lambda J, x: J.lax.slice(x, (0, 0, 1), (2, 3, 4), (1, 2, 2)),
        CUBE,
        case="with strides",
    ),
    Sample(
        "rev",
        lambda J, x: J.lax.rev(x, (0,)),
        (np.array([True, False, False]),),
        "flags",
    ),
)
