"""Programs for the oracle about `device_put`."""


def text(J, x):
    here = J.devices()[0]
    return [
        str(J.make_jaxpr(lambda v: J.device_put([v, v], here))(x)),
        str(J.make_jaxpr(lambda v: J.device_put(v))(x)),
        str(J.make_jaxpr(J.grad(lambda v: J.device_put(v, here)))(x)),
    ]
