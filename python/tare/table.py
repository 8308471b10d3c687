"""Calibration tables: a threshold for each tensor, and for each profile if they are kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from ._inputs import warn
from ._native import Handle, Keep, Path, ffi, lib, path_bytes, text
from .errors import UsageError, check, make
from .model import Model

__all__ = ["Table", "TableEntry", "TableFormat", "table_formats"]


@dataclass(frozen=True)
class TableEntry:
    """What a table says about a tensor in one column. Numbers that are not known are NaN."""

    name: str
    amax: float
    """Threshold; 0 for a tensor that is always zero."""
    min: float
    max: float
    count: int
    energy_lost: float
    """Share of the sum of squares that clipping removes, 0 to 1."""
    rms: float

    @property
    def scale(self) -> float:
        """Step of symmetric int8: the threshold / 127."""
        return self.amax / 127


@dataclass(frozen=True)
class TableFormat:
    """A format of table files."""

    name: str
    noun: str
    extension: str
    engine: Optional[str]
    """The engine that uses these files; None: tare."""
    per_profile: bool
    """Whether a file contains all columns."""
    needs_model: bool
    options: tuple[str, ...]


def _format(i: int) -> TableFormat:
    f = lib.tare_table_format_at(i)
    return TableFormat(text(f.name), text(f.noun), text(f.extension), text(f.engine) or None,
                       bool(f.per_profile), bool(f.names_layers),
                       tuple(text(f.options[k].name) for k in range(f.n_options)))


def table_formats() -> list[TableFormat]:
    """The formats in which tables are written; each of them can be read."""
    return [_format(i) for i in range(lib.tare_n_table_formats())]


def _format_number(path: Path, name: Optional[str]) -> int:
    if name is None:
        found = int(lib.tare_table_format_of(path_bytes(path)))
        if found < 0:
            endings = ", ".join(f.extension for f in table_formats())
            raise UsageError(f"cannot infer the format from the name '{path}': expected one of "
                             f"{endings}, or a format")
        return found
    names = [f.name for f in table_formats()]
    if name not in names:
        raise UsageError(f"format: unknown '{name}', expected one of {', '.join(names)}")
    return names.index(name)


class Table(Handle):
    """A calibration table."""

    _free = "tare_table_free"

    @classmethod
    def load(cls, path: Path) -> "Table":
        """Reads a table of any format, which is detected from the contents."""
        return cls(make(lib.tare_table_read, "tare_table", path_bytes(path)))

    def save(self, path: Path, format: Optional[str] = None, *, profile: Optional[int] = None,
             model: Union[None, Model, Path] = None,
             options: Optional[Mapping[str, str]] = None) -> None:
        """Writes the table; a warning names what the format cannot store.

        ``format`` is the name of one of :func:`tare.table_formats`, else it follows from the name of
        the file. ``profile`` chooses the column for formats with room for one; ``model`` is needed by
        formats that name layers; ``options`` are those of the format, e.g.
        ``{"trt-version": "10.3.0"}``.
        """
        lost = self._save(path, format, profile=profile, model=model, options=options)
        if lost:
            warn([f"{path}: the format has no place for {' and '.join(lost)} of this table"])

    def _save(self, path: Path, format: Optional[str] = None, *, profile: Optional[int] = None,
              model: Union[None, Model, Path] = None,
              options: Optional[Mapping[str, str]] = None) -> list[str]:
        """Writes the table, and returns what the format cannot store."""
        number = _format_number(path, format)
        chosen = _format(number)
        if profile is None and not chosen.per_profile and self.n_columns > 1:
            raise UsageError(f"{path}: {chosen.noun} holds the thresholds of one profile, but there "
                             f"are {self.n_columns}: choose one with profile=0 to "
                             f"{self.n_columns - 1}")
        keep = Keep()
        c_options = keep.new("tare_table_write_options *")
        c_options.profile = profile or 0
        settings = [{"name": keep.text(name), "value": keep.text(value)}
                    for name, value in (options or {}).items()]
        c_options.settings = keep.array("tare_table_setting[]", settings)
        c_options.n_settings = len(settings)
        if model is not None:
            c_options.model = keep.object(Model.of(model))._handle
        check(lib.tare_table_write, self._handle, number, c_options, path_bytes(path))
        return self._lost(number, c_options)

    def _lost(self, number: int, options: Any) -> list[str]:
        names = ffi.new("const char *[]", ffi.integer_const("TARE_MAX_TABLE_PARTS"))
        return [text(names[i])
                for i in range(lib.tare_table_lost(self._handle, number, options, names))]

    def unify(self, model: Union[Model, Path]) -> int:
        """Gives tensors one threshold where TensorRT uses one scale; returns how many changed.

        Write tables for TensorRT from the result, and build plans from the original.
        """
        out = ffi.new("tare_unified *")
        check(lib.tare_table_unify, self._handle, Model.of(model)._handle, out)
        return int(out.changed)

    @property
    def method(self) -> str:
        """Calibration method; "" if it is not known."""
        return text(lib.tare_table_method(self._handle))

    @property
    def model_hash(self) -> int:
        """Hash of the model; 0 if it is not known."""
        return int(lib.tare_table_model_hash(self._handle))

    @property
    def n_columns(self) -> int:
        """1 for a merged table, else one for each profile."""
        return int(lib.tare_table_n_profiles(self._handle))

    @property
    def profiles(self) -> list[str]:
        """Profiles of the statistics, in the syntax of the command."""
        return [text(lib.tare_table_spec(self._handle, i))
                for i in range(lib.tare_table_n_specs(self._handle))]

    @property
    def warnings(self) -> list[str]:
        """What is wrong or lost."""
        return [text(lib.tare_table_warning(self._handle, i))
                for i in range(lib.tare_table_n_warnings(self._handle))]

    @property
    def layer_precisions(self) -> str:
        """Requests by name for layers that 8 bits cost too much, as :func:`raise_layers` finds them;
        builds follow them where their own say nothing else. May be set; "" for none."""
        return text(lib.tare_table_layer_precisions(self._handle))

    @layer_precisions.setter
    def layer_precisions(self, requests: str) -> None:
        check(lib.tare_table_set_layer_precisions, self._handle, requests.encode())

    def _entry(self, tensor: int, column: int) -> TableEntry:
        e = lib.tare_table_get(self._handle, tensor, column)
        return TableEntry(text(e.tensor), e.amax, e.min, e.max, int(e.count), e.energy_lost, e.rms)

    def entries(self, column: int = 0) -> list[TableEntry]:
        """All tensors in a column, sorted by name."""
        if not 0 <= column < self.n_columns:
            raise IndexError(f"column {column}: the table has 0 to {self.n_columns - 1}")
        return [self._entry(i, column) for i in range(len(self))]

    def entry(self, name: str, column: int = 0) -> TableEntry:
        """What the table says about a tensor."""
        found = int(lib.tare_table_find(self._handle, name.encode()))
        if found < 0:
            raise KeyError(f"no tensor '{name}' in the table")
        if not 0 <= column < self.n_columns:
            raise IndexError(f"column {column}: the table has 0 to {self.n_columns - 1}")
        return self._entry(found, column)

    def __len__(self) -> int:
        return int(lib.tare_table_n_tensors(self._handle))

    def __contains__(self, name: str) -> bool:
        return bool(lib.tare_table_find(self._handle, name.encode()) >= 0)

    def __repr__(self) -> str:
        return f"<tare.Table: {self.method or 'unknown method'}, {len(self)} tensors>"
