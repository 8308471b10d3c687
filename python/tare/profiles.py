"""Profiles: the lengths at which a model runs."""

from __future__ import annotations

import operator
from typing import Any, Mapping, NamedTuple, Sequence, Union

from ._native import Handle, ffi, lib, text
from .errors import InputError, TareError, UsageError, check, make

__all__ = ["Range", "Profile", "ProfilesLike"]


class Range(NamedTuple):
    """Range of a symbol: ``min <= opt <= max``."""

    min: int
    opt: int
    max: int


Profile = Mapping[str, Union[int, Sequence[int]]]
"""A profile by symbols: ``{"samples": (1600, 16000, 80000)}``. A single number is all three."""

ProfilesLike = Union[None, str, Profile, Sequence[Union[str, Profile]]]
"""One profile or several, each as a mapping or as text in the syntax of the command."""


def _quoted(name: str) -> str:
    """A name as specifications take it."""
    return "'" + name.replace("'", "''") + "'" if set(name) & set(",=:'# \t") else name


def _range_text(symbol: str, value: Union[int, Sequence[int]]) -> str:
    try:
        numbers = [operator.index(n) for n in (value if isinstance(value, Sequence) else (value,))]
    except TypeError:
        numbers = []
    if len(numbers) not in (1, 3):
        raise UsageError(f"profile: '{symbol}' is {value!r}, expected (min, opt, max) as integers, or "
                         "one integer")
    return _quoted(symbol) + "=" + ":".join(map(str, numbers))


def spec_of(profile: Union[str, Profile]) -> str:
    """A profile in the syntax of the command: "samples=1600:16000:80000"."""
    if isinstance(profile, str):
        return profile
    if not isinstance(profile, Mapping):
        raise UsageError(
            f"profiles: expected {{symbol: (min, opt, max)}} or text, got {type(profile).__name__}")
    return ",".join(_range_text(symbol, value) for symbol, value in profile.items())


def _lengths(ports: Any, n_ports: int) -> set[str]:
    """Symbols of axes that have lengths: not those that are only the first axis, unless it is alone."""
    shapes = [[text(dim.symbol) if dim.symbol != ffi.NULL else "" for dim in port.dims[0:port.rank]]
              for port in ports[0:n_ports]]
    batches = {shape[0] for shape in shapes if len(shape) > 1}
    alone = {shape[0] for shape in shapes if len(shape) == 1}
    return {symbol for shape in shapes for symbol in shape[1:]} | (alone - batches)


class ProfileSet(Handle):
    """A set of profiles for the inputs of a model."""

    _free = "tare_profiles_free"

    def __init__(self, ports: Any, n_ports: int) -> None:
        super().__init__(make(lib.tare_profiles_new, "tare_profiles", ports, n_ports))
        self._ports = (ports, n_ports)
        self._lengths = _lengths(ports, n_ports)
        self.warnings: list[str] = []

    def same(self) -> "ProfileSet":
        """An empty set for the same inputs."""
        return ProfileSet(*self._ports)

    def add(self, profiles: ProfilesLike) -> None:
        """Adds what the caller gave."""
        one = isinstance(profiles, (str, Mapping)) or not hasattr(profiles, "__iter__")
        several: Any = [profiles] if one else profiles
        for profile in several:
            spec = spec_of(profile)
            check(lib.tare_profiles_add, self._handle, spec.encode())
            self._look_for_ranges(spec)

    def _look_for_ranges(self, spec: str) -> None:
        for i, symbol in enumerate(symbols_of(self._handle)):
            given = lib.tare_profiles_gives(self._handle, spec.encode(), i)
            if symbol in self._lengths and not lib.tare_profiles_is_sum(self._handle, i) and not given:
                self.warnings.append(f"profile '{spec}': {symbol} is 1, since it has no range (add "
                                     f"'{symbol}': (MIN, OPT, MAX))")


def symbols_of(profiles: Any) -> list[str]:
    """Names of the symbols of a set."""
    return [text(lib.tare_profiles_symbol(profiles, i))
            for i in range(lib.tare_profiles_n_symbols(profiles))]


def ranges_of(profiles: Any) -> list[dict[str, Range]]:
    """The profiles of a set, as dictionaries."""
    symbols = symbols_of(profiles)

    def one(profile: int) -> dict[str, Range]:
        found = [lib.tare_profiles_range(profiles, profile, i) for i in range(len(symbols))]
        return {symbol: Range(r.min, r.opt, r.max) for symbol, r in zip(symbols, found)}

    return [one(profile) for profile in range(lib.tare_profiles_count(profiles))]


def no_range(profiles: ProfileSet) -> UsageError:
    """Symbols have no range."""
    symbol = symbols_of(profiles._handle)[-1]
    return UsageError(f"symbol '{symbol}' needs a range: give the lengths to run at, e.g. "
                      f"profiles={{'{symbol}': (1, 100, 1000)}} (minimum, optimum, maximum)")


def _lengths_of(profiles: Any, dataset: Any) -> list[list[int]]:
    """One list of values for each sample whose dims do not contradict each other."""
    n = lib.tare_profiles_n_symbols(profiles)
    values = ffi.new("int64_t[]", max(n, 1))
    sample = ffi.new("tare_sample **")
    rows = []
    check(lib.tare_dataset_rewind_for_dims, dataset)
    while True:
        check(lib.tare_dataset_next, dataset, sample)
        if sample[0] == ffi.NULL:
            break
        err = ffi.new("tare_error *")
        if lib.tare_profiles_bind(profiles, sample[0].tensors, values, err) == lib.TARE_OK:
            rows.append([values[i] for i in range(n)])
        else:
            check(lib.tare_dataset_refuse, dataset, sample[0].index, err)
    check(lib.tare_dataset_rewind, dataset)
    return rows


def _spec_of_rows(profiles: Any, rows: Sequence[Sequence[int]]) -> dict[str, Sequence[int]]:
    """Minimum, median and maximum of each symbol."""
    spec: dict[str, Sequence[int]] = {}
    for i, symbol in enumerate(symbols_of(profiles)):
        column = sorted(row[i] for row in rows)
        if not lib.tare_profiles_is_sum(profiles, i):
            spec[symbol] = (column[0], column[len(column) // 2], column[-1])
    return spec


class _Check(Handle):
    """Whether a model can run at lengths."""

    _free = "tare_length_check_free"

    def __init__(self, model: Any, profiles: "ProfileSet") -> None:
        super().__init__(make(lib.tare_length_check_new, "tare_length_check", model,
                              profiles._handle))

    def works(self, values: Sequence[int]) -> bool:
        """Whether it can at these."""
        return bool(lib.tare_length_check_at(self._handle, ffi.new("int64_t[]", list(values)),
                                             ffi.NULL) == lib.TARE_OK)


def _check_of(model: Any, profiles: "ProfileSet", spec: Mapping[str, Sequence[int]]) -> Any:
    """A check for these lengths; None where the model as a whole is refused, which who builds a plan
    says."""
    ranges = profiles.same()
    # A symbol with a single value is a constant of plans: others show whether it is too short.
    ranges.add({symbol: (low, opt, high * 2 if low == high > 1 else high)
                for symbol, (low, opt, high) in spec.items()})
    try:
        return _Check(model, ranges)
    except TareError:
        return None


def _ends_work(check: _Check, profiles: "ProfileSet", spec: Mapping[str, Sequence[int]]) -> bool:
    """Whether the model can run at the ends of a profile."""
    ranges = profiles.same()
    ranges.add(spec)
    ends = zip(*ranges_of(ranges._handle)[0].values())
    return all(check.works(values) for values in ends)


def add_profile_of_data(profiles: ProfileSet, dataset: Any, model: Any = None,
                        outside: int = lib.TARE_OUTSIDE_ERROR) -> Any:
    """Adds the profile from the shortest to the longest sample, with the median as opt. Samples at
    whose lengths the model cannot run are bad, unless `outside` says that they are brought to the
    profile of the others or left out. Returns what must live as long as the data set."""
    handle = profiles._handle  # pylint: disable=protected-access
    rows = _lengths_of(handle, dataset)
    if not rows:
        raise InputError("no usable sample to derive a profile from")
    spec = _spec_of_rows(handle, rows)
    check = None if model is None else _check_of(model, profiles, spec)
    if check is not None and not _ends_work(check, profiles, spec):
        usable = [row for row in rows if check.works(row)]
        if not usable or (len(usable) < len(rows) and outside == lib.TARE_OUTSIDE_ERROR):
            lib.tare_dataset_check_lengths(dataset, check._handle)
            usable = _lengths_of(handle, dataset)
        if not usable:
            raise InputError("no usable sample to derive a profile from: "
                             + text(lib.tare_dataset_bad(dataset, 0)))
        spec = _spec_of_rows(handle, usable)
    profiles.add({symbol: r for symbol, r in spec.items() if tuple(r) != (1, 1, 1)} or
                 dict(list(spec.items())[:1]))
    return check
