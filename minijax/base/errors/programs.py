"""Errors about functions and programs: arguments, results, rules, jaxprs."""

from .messages import Reported, compose


class NotAnArrayError(Reported, TypeError):
    """An argument that is no array. Fields: function, path, type_name, value, do."""

    def __init__(
        self,
        type_name: str,
        *,
        function: str = "",
        path: str = "",
        value: str = "",
        do: str = "",
    ) -> None:
        self.type_name, self.function, self.path = type_name, function, path
        self.value, self.do = value, do
        subject = f"Argument {path}" if path else "An argument"
        if function:
            subject += f" of {function}"
        super().__init__(
            compose(
                f"{subject} must be an array or a number.",
                f"Found {value or 'a value'} of type {type_name}.",
                do,
            )
        )


class NotAnArrayResultError(Reported, TypeError):
    """A function returned what is no array. Fields: function, path, type_name, by."""

    def __init__(
        self, type_name: str, *, function: str, path: str = "", by: str = ""
    ) -> None:
        self.type_name, self.function = type_name, function
        self.path, self.by = path, by
        super().__init__(
            compose(
                f"{function}{', transformed by ' + by + ',' if by else ''} must return "
                "arrays or numbers, or pytrees of them.",
                f"Found {'at result' + path if path else 'a result'} "
                f"of type {type_name}.",
            )
        )


class NotCallableError(Reported, TypeError):
    """A transformation got no function. Fields: transformation, found."""

    def __init__(self, transformation: str, found: str, do: str = "") -> None:
        self.transformation, self.found, self.do = transformation, found, do
        super().__init__(
            compose(f"{transformation} takes a function.", f"Found {found}.", do)
        )


class StaticArgumentError(Reported, ValueError):
    """A static argument that cannot be a key.

    Fields: function, path, type_name, value, why.
    """

    def __init__(
        self, function: str, path: str, type_name: str, value: str, why: str
    ) -> None:
        self.function, self.path, self.type_name = function, path, type_name
        self.value, self.why = value, why
        super().__init__(
            compose(
                f"Static argument {path} of {function} is part of a key: it must be "
                "hashable and comparable.",
                f"Found {value} of type {type_name}: {why}",
                "Use a tuple or a frozen dataclass, or do not make it static.",
            )
        )


class TreeMismatchError(Reported, ValueError):
    """Two pytrees differ in structure. Fields: api, path, difference."""

    def __init__(self, api: str, path: str, difference: str, do: str = "") -> None:
        self.api, self.path, self.difference, self.do = api, path, difference, do
        super().__init__(
            compose(f"The trees of {api} must fit.", f"At {path}: {difference}", do)
        )


class TreeRegistrationError(Reported, ValueError):
    """A type is registered twice, or not as its fields say. Fields: type_name, why."""

    def __init__(self, type_name: str, why: str) -> None:
        self.type_name, self.why = type_name, why
        super().__init__(compose(f"{type_name} is to become a pytree node.", why))


class CustomVJPException(Reported):
    """A custom_vjp function closes over a value that is differentiated. Field: name."""

    def __init__(self, name: str = "the function") -> None:
        self.name = name
        super().__init__(
            compose(
                f"The backward rule of {name} covers its arguments only.",
                "Found a differentiated value that it closes over.",
                "Pass that value as an argument.",
            )
        )


# --- Primitives and programs -------------


class MissingRuleError(Reported, NotImplementedError):
    """A transformation met a primitive without a rule for it.

    Fields: rule, primitive, platform (or empty), why (or empty).
    """

    def __init__(
        self, rule: str, primitive: str, platform: str = "", why: str = ""
    ) -> None:
        self.rule, self.primitive = rule, primitive
        self.platform, self.why = platform, why
        on = f" for platform {platform!r}" if platform else ""
        super().__init__(
            compose(
                f"primitive {primitive!r} has no {rule} rule{on}.",
                why,
                f"To give it one, add `{rule}=` to its `define` call.",
            )
        )


class DuplicateRuleError(Reported, ValueError):
    """A rule is given twice. Fields: rule, primitive."""

    def __init__(self, rule: str, primitive: str) -> None:
        self.rule, self.primitive = rule, primitive
        super().__init__(f"primitive {primitive!r} already has a {rule} rule.")


class PrimitiveOperandError(Reported, TypeError):
    """A primitive got something that is no array. Fields: primitive, position, type."""

    def __init__(self, primitive: str, position: int, type_name: str) -> None:
        self.primitive, self.position, self.type_name = primitive, position, type_name
        super().__init__(
            compose(
                f"Operand {position} of primitive {primitive!r} must be an array or a "
                "number.",
                f"Found a value of type {type_name}.",
            )
        )


class UnhashableParamError(Reported, TypeError):
    """A primitive got an unhashable parameter. Fields: primitive, param, value."""

    def __init__(self, primitive: str, param: str, value: str) -> None:
        self.primitive, self.param, self.value = primitive, param, value
        super().__init__(
            compose(
                f"Parameters of primitive {primitive!r} are part of a key: they must "
                "be hashable.",
                f"Found {param}={value}.",
                "Use a tuple in place of a list or an array.",
            )
        )


class JaxprTypeError(Reported, TypeError):
    """A jaxpr breaks a typing rule. Field: message."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class InconclusiveDimensionOperation(Reported):
    """A symbolic size leaves a comparison open. Field: message."""

    def __init__(self, message: str = "") -> None:
        self.message = message
        super().__init__(message)


class StoreException(Reported):
    """A store of a wrapped function is read empty or written twice. Field: message."""

    def __init__(self, message: str = "") -> None:
        self.message = message
        super().__init__(message)
