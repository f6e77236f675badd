"""What a module's equations share: spec/lowering.md §6."""

import pytest

from minijax import lowering
from minijax.lowering.context import ModuleContext
from tests.lowering.toys import f32, make, sin_p


@pytest.fixture
def module():
    with lowering.open_session() as session:
        yield ModuleContext(session, ("cpu",))


def test_symbols_are_unique(module):
    names = [module.new_symbol("f") for _ in range(3)]
    assert names == ["f", "f_0", "f_1"]


def test_a_taken_number_is_passed_over(module):
    names = [module.new_symbol(name) for name in ("f_0", "f", "f", "f_0")]
    assert len(set(names)) == 4


def test_symbols_of_what_is_compiled_tell_nothing():
    with lowering.open_session() as session:
        module = ModuleContext(session, ("cpu",), for_compile=True)
        assert module.function_symbol("telling") == "f"
        assert module.function_symbol("other") == "f_0"


def test_channels_count_from_two(module):
    assert [module.new_channel() for _ in range(2)] == [2, 3]


def test_callbacks_are_numbered(module):
    assert [module.add_host_callback(f) for f in (print, print)] == [0, 1]
    assert module.host_callbacks == [print, print]


def test_rules_are_found_once(module):
    rules = module.rules["cpu",]
    assert rules[sin_p] is rules[sin_p]
    with pytest.raises(NotImplementedError, match="'lonely'"):
        rules[make("lonely")]


def test_traces_are_shared_by_equal_equations(module):
    made = []

    def trace(avals, params):
        made.append((avals, params))
        return len(made)

    def ask(avals, **params):
        return module.traced("owner", trace, avals, params)

    assert ask([f32(2)], a=1, b=2) == ask([f32(2)], b=2, a=1) == 1
    assert ask([f32(3)], a=1, b=2) == 2
    assert ask([f32(2)], a=1, b=3) == 3
    assert [ask([f32(2)], a=[]), ask([f32(2)], a=[])] == [4, 5]  # no key: not shared
