"""Samples of special functions, and of the helpers that derivatives of others bind."""

from tests.samples.declaring import Sample, c64, f32, grid

ANY = grid(2, 3)
INSIDE = grid(2, 3, low=-0.9, high=0.9)
POSITIVE = grid(2, 3, low=0.3, high=3.0)
X, Y = grid(3), f32(0.5, -1.5, 0.75)


def _function(name):
    return lambda J, x: getattr(J.lax, name)(x)


def _smooth(name, x, case="", **options):
    return Sample(name, _function(name), (x,), case, (0,), **options)


def _slope_of_erf(J, x):
    return J.vjp(J.lax.erf, x)[1](x)[0]


def _slope_of_cumlogsumexp(J, x):
    return J.jvp(J.lax.cumlogsumexp, (x,), (x,))[1]


def _two_uses(J, x):
    """Where a value is used twice, its cotangents are added."""
    return J.vjp(lambda x: J.lax.mul(J.lax.sin(x), x), x)[1](x)[0]


SAMPLES = (
    _smooth("erf", ANY),
    _smooth("erfc", ANY),
    _smooth("erf_inv", INSIDE),
    _smooth("lgamma", POSITIVE),
    _smooth("digamma", POSITIVE),
    _smooth("bessel_i0e", ANY),
    _smooth("bessel_i1e", ANY),
    Sample(
        "polygamma",
        lambda J, m, x: J.lax.polygamma(m, x),
        (f32(1.0, 2.0, 3.0), POSITIVE[1]),
        differentiable=(1,),
    ),
    Sample("zeta", lambda J, s, a: J.lax.zeta(s, a), (f32(2.5, 3.0), f32(1.5, 2.0))),
    Sample(
        "igamma",
        lambda J, a, x: J.lax.igamma(a, x),
        (f32(0.5, 1.5, 2.5), POSITIVE[0]),
        differentiable=(1,),
    ),
    Sample(
        "igammac",
        lambda J, a, x: J.lax.igammac(a, x),
        (f32(0.5, 1.5, 2.5), POSITIVE[0]),
        differentiable=(1,),
    ),
    Sample(
        "igamma_grad_a",
        lambda J, a, x: J.lax.igamma_grad_a(a, x),
        (f32(0.5, 1.5, 2.5), POSITIVE[0]),
    ),
    Sample(
        "regularized_incomplete_beta",
        lambda J, a, b, x: J.lax.betainc(a, b, x),
        (f32(0.5, 1.5, 2.5), f32(2.0, 1.0, 0.5), f32(0.2, 0.5, 0.8)),
        differentiable=(2,),
    ),
    Sample(
        "polynomial",
        lambda J, x, a, b, c: J.lax.polynomial(x, (a, b, c)),
        (X, Y, Y + f32(1), X - f32(2)),
        differentiable=(0, 1, 2, 3),
    ),
    _smooth("one_minus_square", ANY),
    _smooth("one_minus_square", c64(0.5 + 1j, -1.25), case="complex"),
    Sample("exp_neg_square", _slope_of_erf, (X,), same_text=False),
    Sample("logaddexp", _slope_of_cumlogsumexp, (X,), same_text=False),
    Sample("add_any", _two_uses, (X,)),
)
