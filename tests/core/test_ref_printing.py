import minijax as mj


def _lines(fun, *args, **options):
    text = mj.make_jaxpr(fun)(*args).pretty_print(**options)
    return [line.strip() for line in text.splitlines()[2:-1]]


def _program(x, i):
    ref = mj.new_ref(x)
    ref[0, 1:] = ref[i, :2]
    ref.addupdate(x, ...)
    return mj.ref.swap(ref, (slice(0, 4, 2), -1), x[:2, 0])


def test_check_48_arrows():
    x = mj.numpy.zeros((4, 3))
    lines = _lines(_program, x, 1)
    assert "d:f32[2] <- c[b,:2]" in lines
    assert "c[0,1:] <- d" in lines
    assert "c[...] += a" in lines
    assert lines[-1].endswith(":f32[2], c[:3:2,-1] <- c[:3:2,-1], f")


def test_notes_end_the_line():
    lines = _lines(_program, mj.numpy.zeros((4, 3)), 1, source_info=True)
    assert all("test_ref_printing.py" in line for line in lines)


def test_without_rules_all_params_are_shown():
    lines = _lines(_program, mj.numpy.zeros((4, 3)), 1, custom_pp_eqn_rules=False)
    assert any(line.startswith("d:f32[2] = get[") for line in lines)
