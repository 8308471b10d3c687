"""Errors and warnings.

Every error has the sentence that the library wrote: what is wrong, which value was found, and what
is expected.
"""

from __future__ import annotations

from typing import Any, Type

from ._native import ffi, lib, text

__all__ = [
    "TareError", "CheckError", "UsageError", "InputError", "ShapeError", "ModelError",
    "UnsupportedError", "FileError", "OutOfMemoryError", "LimitError", "TareWarning",
]


class TareError(Exception):
    """What all errors of tare have in common."""

    status: int = 0
    """Status of the library (``tare_status``), e.g. -3."""

    @property
    def status_name(self) -> str:
        """Name of the status, e.g. ``"E_INPUT"``."""
        return text(lib.tare_status_name(self.status))


class CheckError(TareError):
    """A check or comparison failed, or a progress function ended the call."""


class UsageError(TareError, ValueError):
    """An argument is wrong, or does not match others."""


class InputError(TareError, ValueError):
    """A file or sample is missing or malformed."""


class ShapeError(TareError, ValueError):
    """A shape does not match the model or the profiles."""


class ModelError(TareError):
    """The model is malformed."""


class UnsupportedError(TareError):
    """The model needs something unsupported."""


class FileError(TareError, OSError):
    """Reading or writing failed."""


class OutOfMemoryError(TareError, MemoryError):
    """Memory ran out."""


class LimitError(TareError):
    """A size exceeds a limit."""


class TareWarning(UserWarning):
    """Something was skipped, cut, ignored or lost."""


_CLASSES: dict[str, Type[TareError]] = {
    "E_CHECK": CheckError, "E_USAGE": UsageError, "E_INPUT": InputError, "E_SHAPE": ShapeError,
    "E_MODEL": ModelError, "E_UNSUPPORTED": UnsupportedError, "E_IO": FileError,
    "E_MEMORY": OutOfMemoryError, "E_LIMIT": LimitError,
}
for _name, _class in _CLASSES.items():
    _class.status = int(getattr(lib, "TARE_" + _name))


def error_of(status: int, message: str) -> TareError:
    """The exception for a status."""
    error = _CLASSES.get(text(lib.tare_status_name(status)), TareError)(message)
    error.status = status
    return error


def check(function: Any, *arguments: Any) -> None:
    """Calls a function whose last argument is the error, and raises that."""
    err = ffi.new("tare_error *")
    status = function(*arguments, err)
    if status != lib.TARE_OK:
        raise error_of(status, text(err.message))


def make(function: Any, kind: str, *arguments: Any) -> Any:
    """Calls a function that returns an object in its last but one argument."""
    out = ffi.new(kind + " **")
    check(function, *arguments, out)
    return out[0]
