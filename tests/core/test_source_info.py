import minijax as mj
from minijax.core import source_info
from minijax.core.source_info import NameStack


def test_stacks_print_as_scopes_do():
    stack = NameStack().extend("outer").transform("jvp").extend("inner")
    assert str(stack) == "outer/jvp(inner)"
    assert str(source_info.new_name_stack()) == ""
    assert str(source_info.new_name_stack("a")) == "a"


def test_contexts():
    with source_info.extend_name_stack("a") as stack:
        assert str(stack) == str(source_info.current_name_stack()) == "a"
        with source_info.transform_name_stack("vmap"), mj.named_scope("b"):
            assert str(source_info.current_name_stack()) == "a/vmap(b)"
        with source_info.reset_name_stack():
            assert str(source_info.current_name_stack()) == ""
        with source_info.user_context(None, name_stack=NameStack().extend("c")):
            assert str(source_info.current_name_stack()) == "c"
        assert str(source_info.current_name_stack()) == "a"
    assert source_info.current_name_stack() == NameStack()


def test_lines():
    here = source_info.current()
    assert "test_source_info.py" in source_info.summarize(here)
    assert source_info.summarize(source_info.new_source_info()) == ""
    lines = source_info.summarize(here, num_frames=2).splitlines()
    assert "test_lines" in lines[0] and len(lines) == 2
