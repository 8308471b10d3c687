"""What calibration, evaluation and tuning have in common: data, profiles, and how samples fit."""

from __future__ import annotations

import warnings
from typing import Any, Iterable, Mapping, Optional, Sequence

from ._calls import Call
from ._native import Keep, ffi, lib, text
from .data import Data, OpenData
from .errors import TareWarning, UsageError, check
from .profiles import ProfileSet, ProfilesLike, add_profile_of_data, no_range
from .streaming import Streaming, StreamingHandle

FITS = {text(lib.tare_fit_name(fit)): fit for fit in range(lib.TARE_FIT_COUNT)}
OUTSIDES = {"error": lib.TARE_OUTSIDE_ERROR, "nearest": lib.TARE_OUTSIDE_NEAREST,
            "skip": lib.TARE_OUTSIDE_SKIP}


def warn(messages: Iterable[str], stacklevel: int = 3) -> None:
    """Tells the caller of the package."""
    for message in messages:
        warnings.warn(message, TareWarning, stacklevel=stacklevel)


def pick(what: str, name: str, choices: Mapping[str, int]) -> int:
    """The value of a name."""
    if name not in choices:
        raise UsageError(f"{what}: unknown '{name}', expected one of {', '.join(choices)}")
    return choices[name]


class Fit:
    """How samples are brought to a shape that a profile allows."""

    def __init__(self, fit: str, outside: str, pad_values: Optional[Mapping[str, float]],
                 length_inputs: Optional[Sequence[str]], streaming: bool = False) -> None:
        self.fit, self.outside = pick("fit", fit, FITS), pick("outside", outside, OUTSIDES)
        self._pads, self._lengths = pad_values or {}, length_inputs
        self._native = streaming or (fit == "native" and outside != "nearest")

    @property
    def finds_lengths(self) -> bool:
        """Whether the data are searched for inputs that contain lengths."""
        return self._lengths is None and not self._native

    def apply(self, options: Any, ports: Any, n_ports: int, data: Sequence[OpenData],
              keep: Keep) -> None:
        """Sets the options of a call."""
        options.fit, options.outside = self.fit, self.outside
        pads = [{"input": keep.text(name), "value": float(value)}
                for name, value in self._pads.items()]
        options.pad_values, options.n_pad_values = keep.array("tare_pad_value[]", pads), len(pads)
        room = max(n_ports, len(self._lengths or ()), 1)
        found = keep.array("tare_length_input[]", room * [{}])
        count = ffi.new("int *")
        for i, declared in enumerate(self._lengths or ()):
            check(lib.tare_length_input_parse, declared.encode(), ports, n_ports, found + i)
            count[0] = i + 1
        if self.finds_lengths:
            sets = ffi.new("tare_dataset *[]", [one.handle for one in data])
            check(lib.tare_length_inputs_find, sets, len(data), ports, n_ports, found, count)
        options.length_inputs, options.n_length_inputs = found, count[0]


class Inputs:
    """Data and profiles of one call, for the ports of a model or plan."""

    def __init__(self, ports: tuple[Any, int], outputs: tuple[Any, int], call: Call,
                 streaming: Optional[Streaming] = None) -> None:
        self.ports, self.n_ports = ports
        self._call = call
        self.streaming = None if streaming is None else StreamingHandle(streaming, ports, outputs)
        self._empty = [] if self.streaming else self._symbols()
        self._data_ports = self.streaming.ports() if self.streaming else ports
        self.data: list[OpenData] = []
        self._check: Any = None

    def _symbols(self) -> list[str]:
        """Names of lengths. Whether one may be 0 is for the profiles to say."""
        names = {text(self.ports[i].dims[axis].symbol) for i in range(self.n_ports)
                 for axis in range(self.ports[i].rank)}
        return sorted(names - {""})

    @property
    def has_symbols(self) -> bool:
        """Whether lengths change."""
        return any(self.ports[i].dims[axis].symbol != ffi.NULL for i in range(self.n_ports)
                   for axis in range(self.ports[i].rank))

    def open(self, data: Data, *, again: bool) -> OpenData:
        """Opens data. `again`: samples are needed more than once."""
        opened = data.open(*self._data_ports, call=self._call, again=again, empty=self._empty,
                           streaming=self.streaming)
        self.data.append(opened)
        return opened

    def profiles(self, given: ProfilesLike, known: Sequence[str] = (), *, model: Any = None,
                 outside: int = lib.TARE_OUTSIDE_ERROR) -> ProfileSet:
        """The profiles that the caller gave, else those that are known, else one from the data: of
        samples at whose lengths the model (None: it is not known) can run."""
        profiles = ProfileSet(self.ports, self.n_ports)
        if given is not None:
            profiles.add(given)
        elif known:
            profiles.add(list(known))
        elif not self.has_symbols:
            profiles.add("")
        elif self.data and self.streaming is None:
            self._check = add_profile_of_data(profiles, self.data[0].handle, model, outside)
        else:
            raise no_range(profiles)
        warn(profiles.warnings, stacklevel=4)
        return profiles

    def stream(self, options: Any) -> None:
        """Sets the streaming of a call."""
        if self.streaming is not None:
            options.streaming = self.streaming._handle  # pylint: disable=protected-access

    def close(self) -> list[str]:
        """Closes the data, and returns what the caller should know of them."""
        messages: list[str] = []
        for opened in self.data:
            messages += list(opened.warnings())
            opened.close()
        self.data = []
        return messages


def fitted_warnings(counts: Any) -> Iterable[str]:
    """What fitting cut."""
    if counts.cut > 0:
        lost = 100 * counts.lost / counts.elements
        yield (f"{counts.cut} of {counts.samples} samples cut to fit a profile, losing {lost:.1f} % "
               "of their elements")
