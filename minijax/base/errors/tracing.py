"""Errors about tracers: values of which only the type is known, or that leaked.

They hold texts, never tracers: an error may outlive a trace.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from .messages import Reported, compose, link_of


class TracerLike(Protocol):
    """What an error reads off a tracer: its type, and where it came from."""

    @property
    def aval(self) -> Any: ...

    def origin_text(self) -> str: ...


def _type_and_origin(tracer: TracerLike | str) -> tuple[str, str]:
    if isinstance(tracer, str):
        return tracer, ""
    return str(tracer.aval), tracer.origin_text()


class JAXTypeError(Reported, TypeError):
    """Base of the type errors that tracers raise; ends with a link. Field: message."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(compose(message, link=link_of(self)))


class JAXIndexError(Reported, IndexError):
    """Base of the index errors that tracers raise; ends with a link. Field: message."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(compose(message, link=link_of(self)))


class ConcretizationTypeError(JAXTypeError):
    """A value is needed while only its type is known. Fields: aval, context, origin."""

    def __init__(self, tracer: TracerLike | str, context: str = "") -> None:
        self.context = context
        self.aval, self.origin = _type_and_origin(tracer)
        found = f"Found a traced value of type {self.aval}, known only by its type."
        super().__init__(compose(context or self._asked, found, self.origin) + self._do)

    _asked = "A concrete value is needed here."
    _do = (
        "\nEither compute with array operations only, or make the argument it comes "
        "from static (`static_argnums`, `static_argnames`)."
    )


class TracerBoolConversionError(ConcretizationTypeError):
    """Python asked a traced value for its truth. Fields: aval, context, origin."""

    _asked = "Python asks for the truth of an array (`if`, `while`, `and`, `not`, …)."
    _do = (
        "\nUse `jnp.where`, `lax.cond` or `lax.while_loop`, or make the argument it "
        "comes from static (`static_argnums`, `static_argnames`)."
    )


class TracerIntegerConversionError(JAXTypeError):
    """A traced value was used as a Python index or count. Fields: aval, origin."""

    def __init__(self, tracer: TracerLike | str) -> None:
        self.aval, self.origin = _type_and_origin(tracer)
        super().__init__(
            compose(
                "Python asks an array for an integer through `__index__`.",
                f"Found a traced value of type {self.aval}, known only by its type.\n"
                f"{self.origin}".rstrip(),
                "To index a Python list, make it an array first (`jnp.array(list)[i]`);"
                " for a size or a count, make the argument static.",
            )
        )


class TracerArrayConversionError(JAXTypeError):
    """NumPy asked a traced value for its data. Fields: aval, origin."""

    def __init__(self, tracer: TracerLike | str) -> None:
        self.aval, self.origin = _type_and_origin(tracer)
        super().__init__(
            compose(
                "NumPy asks an array for its data through `__array__`.",
                f"Found a traced value of type {self.aval}, known only by its type.\n"
                f"{self.origin}".rstrip(),
                "Use `minijax.numpy` in place of `numpy` here, or "
                "`minijax.pure_callback` to run NumPy code on the values.",
            )
        )


class NonConcreteBooleanIndexError(JAXIndexError):
    """A traced mask selects an unknown number of elements. Fields: aval, origin."""

    def __init__(self, tracer: TracerLike | str) -> None:
        self.aval, self.origin = _type_and_origin(tracer)
        super().__init__(
            compose(
                "A boolean mask indexes an array; the size of the result is the "
                "number of true elements.",
                f"Found a traced mask of type {self.aval}, known only by its type.\n"
                f"{self.origin}".rstrip(),
                "Use `jnp.where(mask, x, other)`, or `jnp.nonzero(mask, size=…)`; "
                "`x.at[mask].set(scalar)` is fine.",
            )
        )


class UnexpectedTracerError(JAXTypeError):
    """A tracer is used after its trace has ended, or in another one.

    Fields: message; aval, tracer_class, created (the user's line), origin, frames where
    known (see `escaped`), else empty.
    """

    def __init__(self, message: str) -> None:
        self.aval = self.tracer_class = self.created = self.origin = ""
        self.frames: tuple[str, ...] = ()
        super().__init__(message)

    @classmethod
    def escaped(
        cls,
        *,
        aval: str,
        tracer_class: str,
        created: str = "",
        origin: str = "",
        frames: Sequence[str] = (),
    ) -> "UnexpectedTracerError":
        """The error for one escaped tracer, from the facts about it."""
        trail = [f"  {frame}" for frame in frames]
        error = cls(
            compose(
                "A value that belongs to another trace is used here.",
                "\n".join(
                    [
                        f"Found a {tracer_class} of type {aval}: it leaked out of the "
                        "transformed function that made it.",
                        *([origin] if origin else []),
                        *([f"It was created at {created}."] if created else []),
                        *(["Its creation, innermost frame last:"] if trail else []),
                        *trail,
                    ]
                ),
                "Return the value from the function instead of storing it elsewhere. "
                "To find where it is kept, run under `minijax.checking_leaks()`.",
            )
        )
        error.aval, error.tracer_class, error.created = aval, tracer_class, created
        error.origin, error.frames = origin, tuple(frames)
        return error


class LeakedTracersError(Reported):
    """Under `checking_leaks`, a trace ended and something still holds its tracers.

    Fields: trace; leaks, one text per tracer with its origin and who holds it.
    """

    def __init__(self, trace: str, leaks: Sequence[str]) -> None:
        self.trace, self.leaks = trace, tuple(leaks)
        super().__init__(
            compose(
                f"The {trace} ended while its values are still referred to.",
                f"Leaked: {len(leaks)}.\n" + "\n".join(leaks),
                "Let the function return these values and keep no other reference.",
            )
        )


class KeyReuseError(JAXTypeError):
    """A random key was consumed twice. Field: message."""


class TracedShapeError(Reported, TypeError):
    """A size is a traced value. Fields: shape (text), context, origin."""

    def __init__(self, shape: str, context: str = "", origin: str = "") -> None:
        self.shape, self.context, self.origin = shape, context, origin
        super().__init__(
            compose(
                f"A shape is a sequence of integers known before the program runs"
                f"{': ' + context if context else ''}.",
                f"Found {shape}.\n{origin}".rstrip(),
                "Under `jit`, make the argument the size comes from static "
                "(`static_argnums`, `static_argnames`).",
            )
        )


class TracerAttributeError(Reported, AttributeError):
    """A traced value lacks an attribute. Fields: attribute, aval, do, origin."""

    def __init__(
        self, attribute: str, tracer: TracerLike | str, do: str = "", origin: str = ""
    ) -> None:
        self.attribute, self.do = attribute, do
        self.aval, found_origin = _type_and_origin(tracer)
        self.origin = origin or found_origin
        found = f"Found a traced value of type {self.aval}, which has none."
        asked = f"The attribute {attribute!r} is asked of an array."
        super().__init__(compose(asked, found, do))
