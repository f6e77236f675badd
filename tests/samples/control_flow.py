"""Samples of the primitives that repeat or choose programs."""

from tests.samples.declaring import Sample, f32, flags, grid, i32

X = grid(3)
ROWS = grid(4, 3)


def _count_up(J, n, x):
    def going(state):
        return state[0] < n

    def step(state):
        return state[0] + 1, J.lax.sin(state[1])

    return J.lax.while_loop(going, step, (0, x))[1]


def _scan(reverse=False, with_constant=False):
    def call(J, start, rows, *constant):
        def step(carry, row):
            scale = constant[0] if with_constant else J.lax.full_like(carry, 0.5)
            carry = J.lax.add(J.lax.mul(carry, scale), J.lax.sin(row))
            return carry, J.lax.mul(carry, row)

        return J.lax.scan(step, start, rows, reverse=reverse)

    return call


def _counter(J, start, rows):
    """The carry holds an integer beside the float that a derivative flows through."""

    def step(carry, row):
        n, total = carry
        return (n + 1, J.lax.add(total, J.lax.cos(row))), n

    return J.lax.scan(step, (0, start), rows)


def _cond(J, flag, x, y):
    return J.lax.cond(
        flag,
        lambda x, y: J.lax.mul(x, J.lax.sin(y)),
        lambda x, y: J.lax.sub(y, x),
        x,
        y,
    )


def _switch(J, which, x):
    return J.lax.switch(which, [J.lax.sin, J.lax.exp, J.lax.neg], x)


def _by_platform(J, x):
    return J.lax.platform_dependent(x, cpu=J.lax.sin, default=J.lax.cos)


def _unlike_residuals(J, which, x):
    """Backwards, a branch must give the residuals of the others too: empty ones."""

    def chosen(x):
        total = J.lax.reduce_sum(x, (0,))

        def grown(x):
            return J.lax.mul(x, J.lax.broadcast(J.lax.exp(total), x.shape))

        return J.lax.switch(which, [J.lax.sin, grown], x)

    return J.vjp(chosen, x)[1](x)[0]


def _solve(J, a, b):
    """A diagonal equation, so that the solver is a division."""

    def divided(matvec, b):
        return J.lax.div(b, a)

    return J.lax.custom_linear_solve(
        lambda x: J.lax.mul(a, x), b, divided, symmetric=True
    )


SAMPLES = (
    # The number of steps is data, so there is nothing to transpose: forward only.
    Sample("while", _count_up, (i32(3), X), others=(i32(1), -X)),
    Sample(
        "scan",
        _scan(),
        (X, ROWS),
        differentiable=(0, 1),
        same_text=False,
    ),
    Sample(
        "scan",
        _scan(reverse=True),
        (X, ROWS),
        "reversed",
        differentiable=(0, 1),
        same_text=False,
    ),
    Sample(
        "scan",
        _scan(with_constant=True),
        (X, ROWS, f32(0.5, -0.25, 1.5)),
        "with a constant",
        differentiable=(0, 1, 2),
        same_text=False,
    ),
    Sample(
        "scan",
        _counter,
        (X, ROWS),
        "integers beside floats",
        differentiable=(0, 1),
        same_text=False,
    ),
    Sample(
        "cond",
        _cond,
        (flags(True), X, f32(0.5, 1.5, -0.5)),
        differentiable=(1, 2),
        others=(flags(False), -X, f32(1.0, 2.0, 3.0)),
    ),
    Sample("platform_index", _by_platform, (X,), differentiable=(0,)),
    Sample(
        "empty2",
        _unlike_residuals,
        (i32(1), X),
        others=(i32(0), -X),
        same_text=False,  # which residuals are kept is each library's own affair
    ),
    Sample(
        "cond",
        _switch,
        (i32(1), X),
        "three branches",
        differentiable=(1,),
        others=(i32(2), -X),
    ),
    Sample(
        "custom_linear_solve",
        _solve,
        (f32(2.0, -1.5, 0.5), X),
        differentiable=(0, 1),
        same_text=False,
    ),
)
