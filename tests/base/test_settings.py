"""States, flags and the config object."""

import importlib
import os
import subprocess
import sys
import threading
import types

import pytest

from tests.base import programs


@pytest.fixture
def state():
    from minijax.base import settings

    return settings.State("test_state", settings.INT, 1)


def test_check_54_a_context_is_local_to_its_thread_and_nests(state):
    seen = []
    with state(2):
        with state(3):
            assert state.value == 3
            thread = threading.Thread(target=lambda: seen.append(state.value))
            thread.start()
            thread.join()
        assert state.value == 2
    assert seen == [1]
    assert state.value == 1


def test_check_54_a_context_ends_after_an_exception(state):
    with pytest.raises(KeyError), state(2):
        raise KeyError
    assert state.value == 1


def test_check_54_an_override_wins_over_an_update(state):
    with state(2):
        state.update(5)
        assert state.value == 2
    assert state.value == 5


def test_check_54_one_context_may_be_entered_twice_and_by_several_threads(state):
    two = state(2)
    seen = []

    def enter():
        with two:
            seen.append(state.value)
        seen.append(state.value)

    with two, two:
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        assert state.value == 2
    assert seen == [2, 1]
    assert state.value == 1


def test_check_54_a_context_decorates(state):
    @state(7)
    def recursive(n):
        """Doc."""
        return [state.value, *(recursive(n - 1) if n else [])]

    assert recursive(2) == [7, 7, 7]
    assert state.value == 1
    assert (recursive.__name__, recursive.__doc__) == ("recursive", "Doc.")


def test_a_bool_context_is_true_by_default_and_others_need_a_value(state):
    from minijax.base import flags

    with flags.log_compiles():
        assert flags.log_compiles.value is True
    with pytest.raises(TypeError, match="test_state"):
        state()


def test_a_state_has_no_truth(state):
    with pytest.raises(TypeError, match=r"\.value"):
        bool(state)
    assert repr(state) == "<option test_state = 1>"


def test_changes_are_carried_on():
    from minijax.base import settings

    changes = []
    state = settings.State(
        "test_carried",
        settings.ANY,
        0,
        on_global=lambda value: changes.append(("global", value)),
        on_local=lambda value: changes.append(("local", value)),
    )
    state.update(1)
    with state(2), state(3):
        pass
    seen = [("global", 1), ("local", 2), ("local", 3), ("local", 2), ("local", None)]
    assert changes == seen


def test_states_set_together_are_restored_apart():
    from minijax.base import settings

    part = settings.State("test_part", settings.ANY, 0)
    whole = settings.State("test_whole", settings.ANY, 0, together=(part,))
    with part(1):
        with whole(2):
            assert (whole.value, part.value) == (2, 2)
        assert (whole.value, part.value) == (0, 1)
    whole.update(3)
    assert (whole.value, part.value) == (3, 3)


def test_check_55_frozen_states_refuse_changes_after_the_backends_started():
    from minijax.base import errors, settings

    state = settings.State("test_frozen", settings.INT, 1, frozen_by_backends=True)
    started = settings._backends.started
    try:
        settings.note_backends_started(started=False)
        state.update(2)
        settings.note_backends_started(started=True)
        state.update(2)
        with pytest.raises(RuntimeError, match="test_frozen") as caught:
            state.update(3)
        assert isinstance(caught.value, errors.OptionFrozenError)
    finally:
        settings.note_backends_started(started=started)
    assert state.value == 2


TRUE = ["y", "yes", "t", "true", "on", "1", "True", "YES"]
FALSE = ["n", "no", "f", "false", "off", "0", "False", "OFF"]


@pytest.mark.parametrize("text", TRUE + FALSE)
def test_check_55_words_of_a_bool_in_the_environment(monkeypatch, text):
    from minijax.base import settings

    monkeypatch.setenv("TEST_FROM_ENV", text)
    state = settings.State("test_from_env", settings.BOOL, None)
    assert state.value is (text in TRUE)


@pytest.mark.parametrize(
    ("kind", "text"), [("BOOL", "maybe"), ("INT", "1.5"), ("FLOAT", "x")]
)
def test_bad_words_in_the_environment(monkeypatch, kind, text):
    from minijax.base import settings

    monkeypatch.setenv("TEST_BAD_ENV", text)
    with pytest.raises(ValueError, match="test_bad_env"):
        settings.State("test_bad_env", getattr(settings, kind), None)


def run(code, **env):
    """Runs code in a fresh process; its output, or the last line of its traceback."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout.split() if done.returncode == 0 else done.stderr


def test_check_55_the_environment_is_read_at_import_only():
    code = (
        "import os; from minijax.base import config;"
        "os.environ['JAX_ENABLE_X64'] = '0';"
        "print(config.jax_enable_x64, config.jax_compilation_cache_max_size,"
        "config.minijax_strict_index, config.read('jax_dump_ir_to'),"
        "config.read('jax_mock_gpu_topology') == '')"
    )
    answer = run(
        code,
        JAX_ENABLE_X64="true",
        JAX_COMPILATION_CACHE_MAX_SIZE="77",
        MINIJAX_STRICT_INDEX="on",
        JAX_DUMP_IR_TO="somewhere",
        JAX_MOCK_GPU_TOPOLOGY="not read: this flag has no variable",
    )
    assert answer == ["True", "77", "True", "somewhere", "True"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("JAX_ENABLE_X64", "perhaps"),
        ("JAX_NUMPY_RANK_PROMOTION", "never"),
        ("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "many"),
    ],
)
def test_check_55_a_bad_variable_fails_at_import(name, text):
    message = run("import minijax.base", **{name: text})
    assert "OptionValueError" in message
    assert name.lower() in message and text in message


def test_updates_reads_and_contexts_answer_as_in_jax(oracle):
    ours = programs.here(programs.option_updates)
    assert ours == programs.there(oracle, programs.option_updates)


def test_config_lists_its_states():
    from minijax.base import config

    assert "jax_enable_x64" in dir(config)
    assert "jax_dump_ir_to" not in dir(config)
    assert config.x64_enabled is False
    assert config.values["jax_dump_ir_modes"] == "stablehlo"


class AbslFlags(types.ModuleType):
    """As much of `absl.flags` as is used: a table of declared flags, and a parser."""

    class Table(dict):
        def is_parsed(self):
            return False

        def __call__(self, argv, known_only):
            assert known_only
            for word in argv[1:]:
                name, _, text = word.removeprefix("--").partition("=")
                if name in self:
                    self[name].present, self[name].value = 1, int(text)

    def __init__(self):
        super().__init__("absl.flags")
        self.FLAGS = self.Table()
        for kind in ("bool", "integer", "float", "string"):
            setattr(self, f"DEFINE_{kind}", self.define)

    def define(self, name, default, text):
        assert name in text
        self.FLAGS[name] = types.SimpleNamespace(present=0, value=default)


def test_absl_flags_set_options(monkeypatch):
    from minijax.base import config, flags

    absl = AbslFlags()
    monkeypatch.setitem(sys.modules, "absl", types.ModuleType("absl"))
    monkeypatch.setitem(sys.modules, "absl.flags", absl)
    argv = ["prog", "--jax_traceback_in_locations_limit=7", "--unknown=1"]
    monkeypatch.setattr(sys, "argv", argv)
    assert importlib.import_module("absl.flags") is absl
    try:
        config.parse_flags_with_absl()
        assert set(absl.FLAGS) == set(config.values)
        assert flags.traceback_in_locations_limit.value == 7
    finally:
        config.update("jax_traceback_in_locations_limit", 100)
