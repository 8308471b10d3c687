"""The library: where it is, its functions, and its texts."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Iterable, Optional, Union

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
    """TARE_LIBRARY, else the library inside the package, else that of its prefix, else that of the system."""
    chosen = os.environ.get("TARE_LIBRARY")
    if chosen:
        return chosen
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "lib" / SONAME]
    if package.parts[-4:-1] == ("lib", "python3", "dist-packages"):  # cmake --install --component python
        places.append(package.parents[2] / SONAME)
    return next((str(place) for place in places if place.exists()), SONAME)


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


def owned_text(value: Any) -> str:
    """A text that the caller has to free; it is freed."""
    try:
        return text(value)
    finally:
        lib.tare_free(value)


def path_bytes(path: Union[Path, bytes]) -> bytes:
    """A path or another text as the library takes it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"{path!r}: holds a null character, where a text of the library ends")
    return encoded


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
        return self._add(ffi.new("char[]", path_bytes(value)))

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


class Life:
    """Frees an object of the library when nobody uses it any more: what the object needs is freed
    after it, also where both are collected together, in whatever order."""

    def __init__(self, free: Callable[[], None], needs: Optional["Life"]) -> None:
        self._free, self._needs = free, needs
        self._uses = [True]  # list.pop is atomic, and takes the first entry last
        if needs is not None:
            needs.use()

    def use(self) -> None:
        """One user more."""
        self._uses.append(False)

    def drop(self) -> None:
        """One user less."""
        if self._uses.pop():
            self._free()
            if self._needs is not None:
                self._needs.drop()


class Handle:
    """An object of the library that is freed with this one, or behind those that need it."""

    _free: str = ""  # function that frees it

    def __init__(self, pointer: Any, needs: Optional["Handle"] = None) -> None:
        kind, free, new = ffi.getctype(ffi.typeof(pointer), "*"), getattr(lib, self._free), ffi.new
        life = Life(lambda: free(new(kind, pointer)), needs and needs._life)
        self._life = life
        self._handle = ffi.gc(pointer, lambda _: life.drop())

    def __copy__(self) -> "Handle":
        return self  # it is one object of the library

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle tare.{type(self).__name__}: each process makes or loads its own")
