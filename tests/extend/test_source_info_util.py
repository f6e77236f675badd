import minijax as mj
from minijax.extend import source_info_util as util


def test_check_38_the_scopes_of_an_equation():
    def f(x):
        with util.extend_name_stack("enc"):
            return mj.lax.sin(x)

    (eqn,) = mj.make_jaxpr(f)(1.0).eqns
    info = eqn.source_info
    assert isinstance(info, util.SourceInfo)
    assert str(util.NameStack(info.name_stack)) == "enc"
    assert "test_source_info_util.py" in util.summarize(info)
