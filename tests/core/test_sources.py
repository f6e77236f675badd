"""Scopes as text, the user's frames, and the thread they belong to."""

import threading

import pytest

from minijax.core import sources


def _text() -> str:
    return sources.scope_text(sources.current_scope())


def test_scopes_nest_and_are_restored_after_an_error():
    with pytest.raises(KeyError), sources.named_scope("outer"):
        with sources.named_scope("inner"):
            assert _text() == "outer/inner"
        assert _text() == "outer"
        raise KeyError
    assert sources.current_scope() == ()


@pytest.mark.parametrize(
    "entries, text",
    [
        ("", ""),
        ("jvp", "jvp()"),
        ("jvp enc.", "jvp(enc)"),
        ("transpose jvp enc. inner.", "transpose(jvp(enc))/inner"),
        ("vmap outer.", "vmap(outer)"),
        ("o. vmap vmap transpose jvp", "o/vmap(vmap(transpose(jvp())))"),
        ("o. vmap a. b.", "o/vmap(a)/b"),
        ("a. vmap b. jvp c.", "a/vmap(b)/jvp(c)"),
    ],
)
def test_check_38_scope_text(entries: str, text: str):
    scope = tuple(
        sources.Scope(entry[:-1]) if entry.endswith(".") else sources.Transform(entry)
        for entry in entries.split()
    )
    assert sources.scope_text(scope) == text


@pytest.mark.parametrize("name", [3, None, b"x"])
def test_check_38_named_scope_of_no_string(name: object):
    with pytest.raises(TypeError, match="string"):
        sources.named_scope(name)


def test_named_scope_decorates():
    @sources.named_scope("deco")
    def function(depth: int) -> str:
        """Its docstring."""
        return function(depth - 1) if depth else _text()

    assert function(0) == "deco"
    assert function(2) == "deco/deco/deco"
    assert function.__doc__ == "Its docstring."
    assert _text() == ""


def test_one_scope_object_may_be_entered_inside_itself():
    scope = sources.named_scope("a")
    with scope, scope:
        assert _text() == "a/a"
    assert _text() == ""


def test_set_scope_returns_the_former():
    with sources.push_transform("vmap"):
        former = sources.set_scope((sources.Scope("x"),))
        assert former == (sources.Transform("vmap"),)
        assert _text() == "x"
    assert _text() == ""


def test_scopes_belong_to_a_thread():
    seen: list[str] = []
    with sources.named_scope("main"):
        worker = threading.Thread(target=lambda: seen.append(_text()))
        worker.start()
        worker.join()
    assert seen == [""]


def test_a_scope_and_a_transformation_of_one_name_differ():
    assert sources.Scope("vmap") != sources.Transform("vmap")


class _Maker:
    def method(self):
        def inner():
            return sources.get_traceback()

        return inner()


def test_summarize_names_file_line_column_and_qualified_function():
    traceback = _Maker().method()
    line = _Maker.method.__code__.co_firstlineno + 2
    assert sources.summarize(traceback) == (
        f"{__file__}:{line}:19 (_Maker.method.<locals>.inner)"
    )
    functions = [frame.function for frame in sources.user_frames(traceback)]
    assert functions[:2] == ["_Maker.method.<locals>.inner", "_Maker.method"]


def test_frames_of_the_package_are_not_the_users():
    assert not sources.is_user_file(sources.__file__)
    assert sources.is_user_file(__file__)
    assert sources.summarize(None) == ""


def test_hidden_files_are_not_the_users():
    assert sources.is_user_file("/lib/tool/module.py")
    sources.hide_frames_of("/lib/tool/")
    try:
        assert not sources.is_user_file("/lib/tool/module.py")
    finally:
        sources._not_the_users.remove("/lib/tool/")
        sources.is_user_file.cache_clear()
