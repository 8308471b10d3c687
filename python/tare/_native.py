"""The library: where it is, its functions, and its texts."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Iterable, Optional, Union

Path = Union[str, "os.PathLike[str]"]

try:
    from . import _api
except ImportError as error:
    raise ImportError(
        f"tare needs cffi 1.15 or newer: install the Debian package python3-cffi-backend ({error})"
    ) from error

ffi: Any = _api.ffi

SONAME = "libtare.so.0"


def _library() -> str:
    """TARE_LIBRARY, else the library inside the package, else that of the system."""
    chosen = os.environ.get("TARE_LIBRARY")
    if chosen:
        return chosen
    own = pathlib.Path(__file__).parent / "lib" / SONAME
    return str(own) if own.exists() else SONAME


def _remedy(message: str) -> str:
    """Which package has the library that the loader misses; wheels list those they need."""
    missing, _, reason = message.partition(": ")
    if not reason.startswith("cannot open"):
        return ""
    if pathlib.Path(missing).name == SONAME:
        return " (install the Debian package libtare0, or set TARE_LIBRARY to the library)"
    try:
        from ._needed import PACKAGES  # type: ignore
    except ImportError:
        return f" (install the package that has {missing})"
    names = [PACKAGES[missing]] if missing in PACKAGES else sorted(set(PACKAGES.values()))
    return f" (install it with: apt-get install {' '.join(names)})"


def _load() -> Any:
    path = _library()
    try:
        return ffi.dlopen(path)
    except OSError as error:
        # cffi says "cannot load library 'PATH': MISSING: cannot open shared object file ...".
        message = str(error).split("'", 2)[-1].lstrip(": ").split(".  Additionally", 1)[0]
        raise ImportError(f"cannot load {path}: {message}{_remedy(message)}") from error


lib = _load()


def text(value: Any) -> str:
    """A text of the library; "" for NULL."""
    if value == ffi.NULL:
        return ""
    return str(ffi.string(value).decode("utf-8", "surrogateescape"))


def optional_text(value: Any) -> Optional[str]:
    """A text of the library; None for NULL."""
    return None if value == ffi.NULL else text(value)


def owned_text(value: Any) -> str:
    """A text that the caller has to free; it is freed."""
    try:
        return text(value)
    finally:
        lib.tare_free(value)


def path_bytes(path: Path) -> bytes:
    """A path as the library takes it."""
    return os.fsencode(path)


class Keep:
    """Memory that structures point to, as long as this object lives."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def _add(self, cdata: Any) -> Any:
        self._kept.append(cdata)
        return cdata

    def text(self, value: Union[None, Path, bytes]) -> Any:
        """A char pointer; NULL for None."""
        if value is None:
            return ffi.NULL
        return self._add(ffi.new("char[]", os.fsencode(value)))

    def texts(self, values: Iterable[Path]) -> Any:
        """An array of char pointers."""
        return self.array("const char *[]", [self.text(value) for value in values])

    def array(self, kind: str, values: Any) -> Any:
        """An array of that kind; NULL if it is empty."""
        return self._add(ffi.new(kind, values)) if len(values) else ffi.NULL

    def new(self, kind: str) -> Any:
        """A zeroed object."""
        return self._add(ffi.new(kind))

    def object(self, value: Any) -> Any:
        """Keeps another object alive."""
        return self._add(value)


class Handle:
    """An object of the library that is freed with this one."""

    _free: str = ""  # function that frees it

    def __init__(self, pointer: Any) -> None:
        kind = ffi.typeof(pointer)
        free = getattr(lib, self._free)

        def drop(raw: Any) -> None:
            free(ffi.new(ffi.getctype(kind, "*"), raw))

        self._handle = ffi.gc(pointer, drop)
