"""Errors about running: execution, the caches, importing, the options."""

from .messages import Reported, compose


class ForbiddenTracingError(Reported, RuntimeError):
    """`no_tracing` is on and a function must be traced. Field: function."""

    def __init__(self, function: str) -> None:
        self.function = function
        super().__init__(
            compose(
                f"{function} must be traced, and jax_no_tracing forbids it.",
                do="Call it once with such arguments before turning the option on.",
            )
        )


class ForbiddenExecutionError(Reported, RuntimeError):
    """`no_execution` is on and a program would run. Field: program."""

    def __init__(self, program: str) -> None:
        self.program = program
        super().__init__(f"{program} would run, and jax_no_execution forbids it.")


class InvalidFloatError(Reported, FloatingPointError):
    """Found by debug_nans or debug_infs. Fields: kind ('nan', 'inf'), primitive."""

    def __init__(self, kind: str, primitive: str, why: str = "") -> None:
        self.kind, self.primitive, self.why = kind, primitive, why
        super().__init__(
            compose(f"invalid value ({kind}) encountered in {primitive}", why)
        )


class CacheVerificationError(Reported, RuntimeError):
    """A stored executable differs from a fresh one.

    Fields: cache_key, executable_on_disk, executable_new.
    """

    def __init__(
        self, cache_key: str, executable_on_disk: bytes, executable_new: bytes
    ) -> None:
        self.cache_key = cache_key
        self.executable_on_disk = executable_on_disk
        self.executable_new = executable_new
        super().__init__(
            compose(
                f"Cache entry {cache_key} must equal a fresh compilation "
                "(jax_compilation_cache_check_contents).",
                f"Found {len(executable_on_disk)} bytes on disk and "
                f"{len(executable_new)} new bytes, and they differ.",
            )
        )


class CacheFaultWarning(UserWarning):
    """The disk cache could not be read or written; the program is compiled."""


class DonationWarning(UserWarning):
    """Donated buffers that no output could take."""


class BackendError(Reported, RuntimeError):
    """A platform cannot be started. Fields: platform, why."""

    def __init__(self, platform: str, why: str) -> None:
        self.platform, self.why = platform, why
        super().__init__(compose(f"Backend {platform!r} is asked for.", why))


# --- Import and options -------------------


class JaxAlreadyImportedError(Reported, ImportError):
    """The real jax is loaded in this process."""

    def __init__(self) -> None:
        super().__init__(
            compose(
                "minijax is to be imported.",
                "Found `jax` loaded already: both set the process-wide state of jaxlib,"
                " and each would break the other.",
                "Run them in two processes.",
            )
        )


class JaxlibMissingError(Reported, ImportError):
    """jaxlib cannot be imported. Fields: why, needed."""

    def __init__(self, needed: str, why: str) -> None:
        self.needed, self.why = needed, why
        super().__init__(
            compose(
                f"minijax stands on jaxlib {needed}.",
                f"It cannot be imported: {why}",
                f"Install it: pip install 'jaxlib{needed}'",
            )
        )


class JaxlibVersionError(Reported, ImportError):
    """jaxlib is too old or too new. Fields: needed, version."""

    def __init__(self, needed: str, version: str) -> None:
        self.needed, self.version = needed, version
        super().__init__(
            compose(
                f"minijax stands on jaxlib {needed}.",
                f"Found version {version}.",
                f"Install another: pip install 'jaxlib{needed}'",
            )
        )


class UnknownOptionError(Reported, AttributeError):
    """No option has this name, or it is read the wrong way. Fields: option, hint."""

    def __init__(self, option: str, hint: str = "") -> None:
        self.option, self.hint = option, hint
        super().__init__(compose(f"There is no config option {option!r} here.", hint))


class OptionValueError(Reported, ValueError):
    """An option cannot have this value. Fields: option, value, allowed."""

    def __init__(self, option: str, value: object, allowed: str) -> None:
        self.option, self.value, self.allowed = option, value, allowed
        super().__init__(
            compose(f"Option {option} takes {allowed}.", f"Found {value!r}.")
        )


class OptionFrozenError(Reported, RuntimeError):
    """An option is changed after the backends have started. Fields: option, value."""

    def __init__(self, option: str, value: object) -> None:
        self.option, self.value = option, value
        super().__init__(
            compose(
                f"Option {option} is to become {value!r}.",
                "The backends have started and have read it.",
                "Set it before the first array is made.",
            )
        )
