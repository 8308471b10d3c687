"""What calibration, evaluation and tuning have in common: data, profiles, and how samples fit."""

from __future__ import annotations

import warnings
from typing import Any, Iterable, Mapping, Optional, Sequence

from ._calls import Call
from ._native import Keep, ffi, lib, text
from .data import Data, OpenData
from .errors import TareWarning, UsageError, check
from .profiles import ProfileSet, ProfilesLike, add_profile_of_data

FITS = {text(lib.tare_fit_name(fit)): fit for fit in range(lib.TARE_FIT_COUNT)}
OUTSIDES = {"error": lib.TARE_OUTSIDE_ERROR, "nearest": lib.TARE_OUTSIDE_NEAREST}


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
                 length_inputs: Optional[Sequence[str]]) -> None:
        self.fit, self.outside = pick("fit", fit, FITS), pick("outside", outside, OUTSIDES)
        self._pads, self._lengths = pad_values or {}, length_inputs
        self._native = fit == "native" and outside == "error"

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


def growing_symbols(ports: Any, n_ports: int, outputs: Any, n_outputs: int) -> list[str]:
    """Symbols of states that grow, as those of caches: data may have them empty."""
    out = ffi.new("tare_streaming **")
    check(lib.tare_streaming_new, ports, n_ports, outputs, n_outputs, out)
    try:
        lib.tare_streaming_find_states(out[0])
        symbols = {text(ports[i].dims[axis].symbol) for i in range(n_ports)
                   for axis in range(ports[i].rank)} - {""}
        return sorted(symbol for symbol in symbols
                      if lib.tare_streaming_growth(out[0], symbol.encode()) >= 0)
    finally:
        lib.tare_streaming_free(out)


class Inputs:
    """Data and profiles of one call, for the ports of a model or plan."""

    def __init__(self, ports: tuple[Any, int], outputs: tuple[Any, int], call: Call,
                 keep: Keep) -> None:
        self.ports, self.n_ports = ports
        self._empty = growing_symbols(*ports, *outputs)
        self._call, self._keep = call, keep
        self.data: list[OpenData] = []

    def open(self, data: Data, *, again: bool) -> OpenData:
        """Opens data."""
        opened = data.open(self.ports, self.n_ports, call=self._call, again=again,
                           empty=self._empty)
        self.data.append(opened)
        return opened

    def profiles(self, given: ProfilesLike, known: Sequence[str] = ()) -> ProfileSet:
        """The profiles that the caller gave, else those that are known, else one from the data."""
        profiles = ProfileSet(self.ports, self.n_ports)
        handle = profiles._handle  # pylint: disable=protected-access
        if given is not None:
            profiles.add(given)
        elif known:
            profiles.add(list(known))
        elif lib.tare_profiles_n_symbols(handle) == 0:
            profiles.add("")
        elif self.data:
            add_profile_of_data(profiles, self.data[0].handle)
        else:
            symbol = text(lib.tare_profiles_symbol(handle, lib.tare_profiles_n_symbols(handle) - 1))
            raise UsageError(f"symbol '{symbol}' needs a range: give the lengths to run at, e.g. "
                             f"profiles={{'{symbol}': (1, 100, 1000)}} (minimum, optimum, maximum)")
        return profiles

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
