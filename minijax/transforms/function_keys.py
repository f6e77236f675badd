"""What identifies a function in the caches: itself, held weakly.

A bound method is made anew at each access `obj.f`, so it is no key. One `BoundMethod`
per function and instance stands in for it, and lives exactly as long as both.
"""

import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from ..base.errors import ArgumentTypeError
from ..base.util import function_name


class BoundMethod:
    """The method `function` of one instance, both held weakly; called, it is run.

    Raises, when called:
        ReferenceError: the instance is gone.
    """

    def __init__(self, method: types.MethodType) -> None:
        self._method = weakref.WeakMethod(method)
        self.__name__ = function_name(method)
        self.__doc__ = method.__doc__
        self.__module__ = getattr(method, "__module__", "")
        self.__qualname__ = getattr(method, "__qualname__", self.__name__)

    @property
    def __wrapped__(self) -> types.MethodType:
        """The bound method itself. Raises: ReferenceError, if its instance is gone."""
        method = self._method()
        if method is None:
            raise ReferenceError(f"the instance of {self.__qualname__} is gone")
        return method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)


class _Methods:
    """Instance -> its methods, by identity, for as long as the instance lives."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[
            int, tuple[Any, weakref.WeakKeyDictionary[Any, BoundMethod]]
        ] = {}

    def key(self, method: types.MethodType) -> BoundMethod:
        owner, number = method.__self__, id(method.__self__)
        with self._lock:
            entry = self._of.get(number)
            if entry is None:
                # Neither hash nor `==` of the instance is asked: they are the user's.
                gone = weakref.ref(owner, lambda _: self._of.pop(number, None))
                entry = self._of[number] = (gone, weakref.WeakKeyDictionary())
            found = entry[1].get(method.__func__)
            if found is None:
                found = entry[1][method.__func__] = BoundMethod(method)
            return found


_methods = _Methods()


def key_of(fun: Callable[..., Any]) -> Any:
    """What identifies `fun` in caches.

    Raises:
        TypeError: it is unhashable, or cannot be referred to weakly.
    """
    try:
        if type(fun) is types.MethodType:
            return _methods.key(fun)
        hash(fun)
        weakref.ref(fun)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{function_name(fun, type(fun).__name__)} is to be a key of caches: it "
            "must be hashable and weakly referable.",
            f"Found: {error}.",
            "Wrap it in a function or lambda that you keep.",
        ) from error
    return fun
