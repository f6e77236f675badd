def pbroadcast_text(J):
    jaxpr = J.make_jaxpr(lambda x: J.lax.pbroadcast(x, "i", 2), axis_env=[("i", 4)])
    return str(jaxpr(1.0))
