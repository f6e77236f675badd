"""Errors about arrays: their data and places, dtypes, shapes and axes."""

from collections.abc import Sequence
from typing import Any

from .messages import Reported, compose, join_names


class AmbiguousTruthError(Reported, ValueError):
    """The truth of an array that does not hold exactly one element. Field: shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        super().__init__(
            compose(
                "The truth of an array with exactly one element is its element's.",
                f"Found an array of shape {shape}.",
                "Ask for `x.any()`, `x.all()` or `x.size > 0`.",
            )
        )


class ScalarConversionError(Reported, TypeError):
    """A Python number is asked of an array with axes. Fields: function, aval."""

    def __init__(self, function: str, aval: str) -> None:
        self.function, self.aval = function, aval
        super().__init__(
            compose(
                f"`{function}` turns an array without axes into a Python number.",
                f"Found {aval}.",
                "Index it down to one element first, e.g. `x[0]` or `x.reshape(())`.",
            )
        )


class ImmutableArrayError(Reported, TypeError):
    """Somebody assigned to an element of an array. Field: type_name."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        super().__init__(
            compose(
                "Item assignment `x[i] = y` changes an object in place.",
                f"Found {type_name}: arrays never change.",
                "Write `x = x.at[i].set(y)`; there is also `add`, `multiply`, `min`, …",
            )
        )


class UnhashableArrayError(Reported, TypeError):
    """An array as dict key, set member or static argument. Field: type_name."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        super().__init__(
            f"unhashable type: {type_name!r}.\n"
            "Use a tuple of numbers, or `id(x)`, as the key."
        )


class DeletedArrayError(Reported, RuntimeError):
    """An array is used after its buffer was given away. Fields: aval, reason."""

    def __init__(self, aval: str, reason: str = "") -> None:
        self.aval, self.reason = aval, reason
        super().__init__(
            compose(
                "The data of an array are needed here.",
                f"Found a deleted array of type {aval}{reason and ': '}{reason}.",
                "It was deleted by `.delete()` or donated to a jitted call; keep a copy"
                " (`jnp.copy`) or do not donate what is used again.",
            )
        )


class DeviceMismatchError(Reported, ValueError):
    """Arrays of one computation live on different devices. Fields: function, placed."""

    def __init__(self, function: str, placed: Sequence[str]) -> None:
        self.function, self.placed = function, tuple(placed)
        super().__init__(
            compose(
                f"All committed arguments of {function} must live on the same devices.",
                "Found " + join_names([*placed]) + ".",
                "Move them with `device_put`.",
            )
        )


class IndivisibleError(Reported, ValueError):
    """An axis cannot be cut evenly. Fields: what, aval, sharding, axis, size, parts."""

    def __init__(
        self, what: str, aval: str, sharding: str, axis: int, size: int, parts: int
    ) -> None:
        self.what, self.aval, self.sharding = what, aval, sharding
        self.axis, self.size, self.parts = axis, size, parts
        super().__init__(
            compose(
                f"{sharding} cuts axis {axis} of {what} into {parts} equal parts.",
                f"Found type {aval}, whose axis {axis} has size {size}.",
                f"Pad the axis to a multiple of {parts}, or shard another axis.",
            )
        )


# --- Types, shapes, axes ------------------


class TypePromotionError(Reported, ValueError):
    """No dtype holds all operands. Fields: dtypes, mode."""

    def __init__(self, dtypes: Sequence[str], mode: str = "standard") -> None:
        self.dtypes, self.mode = tuple(dtypes), mode
        found = "Found no such dtype"
        if mode == "strict":
            found += " that jax_numpy_dtype_promotion='strict' permits"
        super().__init__(
            compose(
                f"A common dtype is needed for {join_names([*dtypes])}.",
                found + ": the result would depend on a choice that is yours to make.",
                "Convert the operands with `.astype` to the dtype you want.",
            )
        )


class InvalidDTypeError(Reported, TypeError):
    """A dtype no array can have. Fields: dtype, context."""

    def __init__(self, dtype: str, context: str = "") -> None:
        self.dtype, self.context = dtype, context
        super().__init__(
            compose(
                f"A numeric or boolean dtype is needed{context and ' '}{context}.",
                f"Found {dtype}.",
                "Strings, objects and dates stay in NumPy; structures become pytrees.",
            )
        )


class DTypeNotAcceptedError(Reported, TypeError):
    """A function does not take this dtype. Fields: function, dtype, accepted."""

    def __init__(self, function: str, dtype: str, accepted: str, do: str = "") -> None:
        self.function, self.dtype, self.accepted, self.do = (
            function,
            dtype,
            accepted,
            do,
        )
        super().__init__(
            compose(f"{function} takes {accepted} operands.", f"Found {dtype}.", do)
        )


class DTypeMismatchError(Reported, TypeError):
    """Operands must have one dtype and do not. Fields: function, dtypes."""

    def __init__(self, function: str, dtypes: Sequence[str]) -> None:
        self.function, self.dtypes = function, tuple(dtypes)
        super().__init__(
            compose(
                f"lax.{function} needs operands of one dtype; it never promotes.",
                f"Found {join_names([*dtypes])}.",
                "Convert one of them, or use `minijax.numpy`, which promotes.",
            )
        )


class ShapeMismatchError(Reported, TypeError):
    """Operands must have fitting shapes and do not. Fields: function, shapes, rule."""

    def __init__(
        self, function: str, shapes: Sequence[Any], rule: str = "equal shapes"
    ) -> None:
        self.function, self.rule = function, rule
        self.shapes = tuple(tuple(shape) for shape in shapes)
        super().__init__(
            compose(
                f"{function} needs operands of {rule}.",
                f"Found shapes {join_names([str(shape) for shape in self.shapes])}.",
            )
        )


class BroadcastError(Reported, ValueError):
    """Shapes that do not broadcast together. Fields: function, shapes."""

    def __init__(self, shapes: Sequence[Any], function: str = "broadcasting") -> None:
        self.function = function
        self.shapes = tuple(tuple(shape) for shape in shapes)
        super().__init__(
            compose(
                f"{function} lines shapes up from the last axis; sizes must be equal "
                "or 1.",
                f"Found shapes {join_names([str(shape) for shape in self.shapes])}.",
            )
        )


class RankPromotionError(Reported, ValueError):
    """Under jax_numpy_rank_promotion='raise'. Fields: function, shapes."""

    def __init__(self, function: str, shapes: Sequence[Any]) -> None:
        self.function = function
        self.shapes = tuple(tuple(shape) for shape in shapes)
        super().__init__(
            compose(
                f"{function} would add axes to an operand, and "
                "jax_numpy_rank_promotion is 'raise'.",
                f"Found shapes {join_names([str(shape) for shape in self.shapes])}.",
                "Add the axes yourself, e.g. `x[None, :]`.",
            )
        )


class RankPromotionWarning(UserWarning):
    """Under jax_numpy_rank_promotion='warn': axes were added to an operand."""


class AxisOutOfRangeError(Reported, ValueError):
    """An axis number does not fit the rank. Fields: axis, ndim, name."""

    def __init__(self, axis: int, ndim: int, name: str = "axis") -> None:
        self.axis, self.ndim, self.name = axis, ndim, name
        allowed = f"from {-ndim} to {ndim - 1}" if ndim else "none: it has no axes"
        super().__init__(
            compose(
                f"{name} {axis} is asked of an array of {ndim} dimensions.",
                f"Allowed are {allowed}.",
            )
        )


class DuplicateAxisError(Reported, ValueError):
    """An axis is listed twice. Fields: axes, name."""

    def __init__(self, axes: Sequence[int], name: str = "axis") -> None:
        self.axes, self.name = tuple(axes), name
        super().__init__(
            compose(f"Each axis may be listed once in `{name}`.", f"Found {self.axes}.")
        )


class UnboundAxisNameError(Reported, NameError):
    """A collective names an axis nobody bound. Fields: axis_name, bound."""

    def __init__(self, axis_name: Any, bound: Sequence[Any] = ()) -> None:
        self.axis_name, self.bound = axis_name, tuple(bound)
        known = join_names([repr(name) for name in bound]) if bound else "none"
        super().__init__(
            compose(
                f"unbound axis name: {axis_name!r}.",
                f"Bound here: {known}.",
                "Give it with `vmap(…, axis_name=…)` or `shard_map` over a mesh.",
            )
        )


class X64RequestError(Reported, ValueError):
    """A 64-bit dtype while 64-bit types are off. Fields: requested, function."""

    def __init__(self, requested: str, function: str, given: str) -> None:
        self.requested, self.function, self.given = requested, function, given
        super().__init__(x64_text(requested, function, given))


class X64TruncationWarning(UserWarning):
    """A 64-bit dtype was asked for, its 32-bit sibling is given."""


def x64_text(requested: str, function: str, given: str) -> str:
    """The message of the 64-bit warning and error."""
    return compose(
        f"dtype {requested} is asked for in {function}.",
        f"64-bit types are off; available is {given}.",
        "Turn them on with `minijax.config.update('jax_enable_x64', True)` or "
        "JAX_ENABLE_X64=1, or ask for the smaller dtype.",
    )


class IntegerOverflowError(Reported, OverflowError):
    """A Python integer does not fit its dtype. Fields: value, dtype, path."""

    def __init__(self, value: int, dtype: str, path: str = "") -> None:
        self.value, self.dtype, self.path = value, dtype, path
        where = f" {path}" if path else ""
        super().__init__(
            compose(
                f"Python int{where} is to become {dtype}.",
                f"Found {value}, which is out of its range.",
                "Give a wider dtype (64-bit ones need jax_enable_x64), or a float.",
            )
        )
