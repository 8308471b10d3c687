"""Statistics of a calibration, from which the table of every method is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Union

from ._native import Handle, Path, ffi, lib, path_bytes, text
from ._inputs import warn
from .errors import check, make
from .model import Model
from .table import Table

__all__ = ["Statistics", "TensorStatistics", "StatisticsWarning", "methods"]


def methods() -> dict[str, str]:
    """Names of the calibration methods, and what they do."""
    return {text(lib.tare_method_name(i)): text(lib.tare_method_summary(i))
            for i in range(lib.tare_n_methods())}


@dataclass(frozen=True)
class TensorStatistics:
    """Statistics of a tensor in one profile."""

    name: str
    samples: int
    count: int
    """Number of elements."""
    nan: int
    inf: int
    min: float
    """Of the finite values; NaN if there are none."""
    max: float


@dataclass(frozen=True)
class StatisticsWarning:
    """Something suspicious."""

    kind: str
    text: str
    usual: bool
    """Found in sound models too."""
    names: tuple[str, ...]
    """Tensors or profiles that it is about."""


class Statistics(Handle):
    """Statistics of each tensor and profile. Made by :func:`tare.calibrate`."""

    _free = "tare_stats_free"

    @classmethod
    def load(cls, path: Path) -> "Statistics":
        """Reads a statistics file."""
        return cls(make(lib.tare_stats_load, "tare_stats", path_bytes(path)))

    def save(self, path: Path) -> None:
        """Writes a statistics file. Equal statistics give equal bytes."""
        check(lib.tare_stats_save, self._handle, path_bytes(path))

    def merge(self, *others: Union["Statistics", Path], count_equal: bool = False) -> "Statistics":
        """Adds statistics of other parts of the data, and returns itself.

        Samples count once: those that are counted already are not added. ``count_equal``: samples
        with equal contents count each time.
        """
        for other in others:
            more = other if isinstance(other, Statistics) else Statistics.load(other)
            check(lib.tare_stats_merge, self._handle, more._handle, count_equal, ffi.NULL)
        return self

    def decide(self, model: Union[Model, Path], *, threads: int = 0,
               isa: Optional[str] = None) -> "Statistics":
        """Decides about weights and channels, once all parts are merged."""
        options = ffi.new("tare_calibrate_options *")
        lib.tare_calibrate_options_init(options)
        name = ffi.new("char[]", isa.encode()) if isa else ffi.NULL
        options.threads, options.isa = threads, name
        return Statistics(make(lib.tare_stats_decide, "tare_stats", Model.of(model)._handle,
                               self._handle, options))

    @property
    def is_undecided(self) -> bool:
        """Whether weights and channels are still to be decided (:meth:`decide`)."""
        return bool(lib.tare_stats_is_undecided(self._handle))

    @property
    def is_partial(self) -> bool:
        """Whether the pass over the data did not end."""
        return bool(lib.tare_stats_is_partial(self._handle))

    @property
    def model_hash(self) -> int:
        """Hash of the model."""
        return int(lib.tare_stats_model_hash(self._handle))

    @property
    def fit(self) -> str:
        """How samples were fitted."""
        return text(lib.tare_stats_fit(self._handle))

    @property
    def profiles(self) -> list[str]:
        """Profiles, in the syntax of the command."""
        return [text(lib.tare_stats_profile(self._handle, i))
                for i in range(lib.tare_stats_n_profiles(self._handle))]

    @property
    def samples(self) -> list[int]:
        """Number of samples in each profile."""
        return [int(lib.tare_stats_profile_samples(self._handle, i))
                for i in range(lib.tare_stats_n_profiles(self._handle))]

    @property
    def tensors(self) -> list[str]:
        """Names of the tensors, sorted."""
        return [text(lib.tare_stats_get(self._handle, i, 0).tensor)
                for i in range(lib.tare_stats_n_tensors(self._handle))]

    def tensor(self, name: str, profile: int = 0) -> TensorStatistics:
        """Statistics of a tensor in a profile."""
        tensors = self.tensors
        if name not in tensors:
            raise KeyError(f"no tensor '{name}' in the statistics")
        if not 0 <= profile < len(self.profiles):
            raise IndexError(f"profile {profile}: the statistics have 0 to {len(self.profiles) - 1}")
        e = lib.tare_stats_get(self._handle, tensors.index(name), profile)
        return TensorStatistics(name, int(e.n_samples), int(e.count), int(e.n_nan), int(e.n_inf),
                                e.min, e.max)

    @property
    def warnings(self) -> list[StatisticsWarning]:
        """What is suspicious about tensors and profiles."""
        out = ffi.new("tare_warnings **")
        check(lib.tare_stats_warnings, self._handle, out)
        try:
            found = [lib.tare_warnings_get(out[0], i)
                     for i in range(lib.tare_warnings_count(out[0]))]
            return [StatisticsWarning(text(w.kind), text(w.text), bool(w.usual),
                                      tuple(text(w.names[n]) for n in range(w.n_names)))
                    for w in found]
        finally:
            lib.tare_warnings_free(out)

    def table(self, method: str = "minmax", *, percentile: Optional[float] = None,
              per_profile: bool = False) -> Table:
        """Computes a calibration table; its warnings are given as Python warnings too.

        ``method`` is one of :func:`tare.methods`; ``percentile`` is for the method of that name.
        ``per_profile`` gives one column of thresholds for each profile.
        """
        options = ffi.new("tare_table_options *")
        lib.tare_table_options_init(options)
        name = ffi.new("char[]", method.encode())
        options.method, options.per_profile = name, per_profile
        options.percentile = 0 if percentile is None else percentile
        table = Table(make(lib.tare_table_from_stats, "tare_table", self._handle, options))
        warn(table.warnings)
        return table

    def histogram(self, name: str) -> tuple[Sequence[int], float, float]:
        """Counts, lower end and width of at most 128 bins of a tensor, over all profiles."""
        out = ffi.new("tare_histogram *")
        check(lib.tare_stats_histogram, self._handle, self.tensors.index(name), out)
        return [int(out.counts[i]) for i in range(out.n_bins)], out.low, out.width

    def __repr__(self) -> str:
        parts = ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in
                          ((sum(self.samples), "sample"), (len(self.tensors), "tensor"),
                           (len(self.profiles), "profile")))
        return f"<tare.Statistics of {text(lib.tare_stats_model_name(self._handle))}: {parts}>"
