"""Data sets: files that the library reads, and samples of the program."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from ._feed import Feed, Source, source_of
from ._native import Keep, Path, ffi, lib, text
from .errors import UsageError, check
from .model import limits_of
from .streaming import StreamingHandle

__all__ = ["Data", "DataLike"]

DataLike = Any
"""What data can be.

- a :class:`Data`, for its options
- a path or a sequence of paths, which the library reads (``docs/datasets.md``)
- a reader with ``get_next()``, which returns a sample or None, and maybe ``rewind()``
- an iterable of samples: a list, a generator, a ``torch.utils.data.DataLoader``; a function that
  returns one, so that it can be read again
- a data set with ``__len__`` and ``__getitem__``

A sample is a mapping from names of inputs to arrays, a sequence of arrays in the order of the
inputs, or for a model with one input an array. Arrays can be of any package whose arrays become
those of NumPy. They have the rank of the input, or one less: a sample without the batch axis.
"""


def _paths_of(source: Any) -> Optional[list[Path]]:
    """The paths that data consist of; None if it is not paths."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return [os.fsdecode(source)]
    several = isinstance(source, (list, tuple)) and len(source) > 0
    if several and all(isinstance(path, (str, bytes, os.PathLike)) for path in source):
        return [os.fsdecode(path) for path in source]
    return None


def _by_symbol(given: Any) -> Sequence[tuple[Optional[str], Any]]:
    """Lengths by symbol; None: the only length."""
    return list(given.items()) if isinstance(given, Mapping) else [(None, given)]


def _seconds_of(end: str, length: Any) -> Optional[float]:
    """"0.5s" or "20ms" as seconds; None for elements."""
    if not isinstance(length, str):
        return None
    for unit, seconds in (("ms", 1e-3), ("s", 1.0)):
        if length.endswith(unit):
            try:
                return float(length[:-len(unit)]) * seconds
            except ValueError:
                break
    raise UsageError(f"Data: {end}_length is {length!r}, expected elements, or seconds as in '0.5s'")


def _elements_of(end: str, length: Any) -> int:
    try:
        return operator.index(length)
    except TypeError:
        raise UsageError(f"Data: {end}_length is {length!r}, expected elements, or seconds as in "
                         "'0.5s'") from None


class Data:
    """Data with options.

    Options of all data:

    - ``labels``: of files, the name of what has the labels. Of samples of the program, the key of a
      mapping; True if the last element of each sequence is the label
    - ``min_length``, ``max_length``: leave out samples that are shorter or longer, with a warning of
      how many: elements of the only length, ``{"frames": 400}`` by symbol, or ``"0.5s"`` of audio
    - ``limit``: at most so many samples, with those that are left out; ``shard=(0, 8)``: only those of the first of 8 shards
    - ``skip_bad``: skip bad samples, with a warning, instead of failing
    - ``seed``: of the numbers that nodes of a model draw for the samples (RandomNormal, ...); 0 by default
    - ``gain_range``: levels at which each sample is given, ``"-20:+20dB"``, which apply to the inputs
      ``waveforms``, or to audio
    - ``name``: of the data in messages; ``limits`` as of :class:`tare.Model`

    Options of files, as of the command: ``rate``, ``channel``, ``features``, ``rows``, ``threads``;
    ``maps={"ids": "/tokens/values"}``, or with a dictionary of ``path``, ``offsets`` and ``lengths``
    for an input; of texts ``tokenizer``, ``text``, ``text_pair``, ``text_files``, ``max_tokens`` and
    ``special_tokens``.
    """

    _TEXTS = ("features", "gain_range", "tokenizer", "text", "text_pair", "special_tokens")
    _NUMBERS = ("rate", "channel", "threads", "max_tokens", "limit", "seed")
    _FLAGS = ("rows", "skip_bad", "text_files")
    _FILES_ONLY = ("rate", "channel", "features", "rows", "threads", "maps", "tokenizer", "text",
                   "text_pair", "text_files", "max_tokens", "special_tokens")
    _OTHERS = ("labels", "waveforms", "maps", "shard", "limits", "name", "min_length", "max_length")

    def __init__(self, source: DataLike, **options: Any) -> None:
        known = self._TEXTS + self._NUMBERS + self._FLAGS + self._OTHERS
        for name in options:
            if name not in known:
                raise UsageError(f"Data: unknown option '{name}', expected one of "
                                 f"{', '.join(sorted(known))}")
        self._options = {name: value for name, value in options.items() if value is not None}
        self._paths = _paths_of(source)
        self._source: Optional[Source] = None
        if self._paths is None:
            given = [name for name in self._FILES_ONLY if name in self._options]
            if given:
                raise UsageError(f"Data: {', '.join(given)}: only for files, but the data are "
                                 f"samples of the program ({type(source).__name__})")
            self._source = source_of(source)

    @classmethod
    def of(cls, data: DataLike) -> "Data":
        """The data themselves, or with the default options."""
        return data if isinstance(data, Data) else cls(data)

    @property
    def shard(self) -> Optional[tuple[int, int]]:
        """Number of the shard and of all shards."""
        shard = self._options.get("shard")
        if shard is None:
            return None
        if not isinstance(shard, (list, tuple)) or len(shard) != 2:
            raise UsageError(f"Data: shard is {shard!r}, expected (number, of how many)")
        return int(shard[0]), int(shard[1])

    @property
    def skips_bad(self) -> bool:
        """Whether bad samples are skipped."""
        return bool(self._options.get("skip_bad"))

    def _maps(self, keep: Keep) -> Any:
        given: Mapping[str, Union[str, Mapping[str, str]]] = self._options.get("maps", {})
        maps = []
        for name, place in given.items():
            parts = {"path": place} if isinstance(place, str) else dict(place)
            maps.append({"input": keep.text(name),
                         **{part: keep.text(value) for part, value in parts.items()}})
        return keep.array("tare_mapping[]", maps)

    def _lengths(self, keep: Keep) -> list[dict[str, Any]]:
        """The bounds of lengths, one for each that is given."""
        bounds: list[dict[str, Any]] = []
        for end in ("min", "max"):
            given = self._options.get(f"{end}_length", {})
            for symbol, length in _by_symbol(given):
                seconds = _seconds_of(end, length)
                one: dict[str, Any] = {"symbol": keep.text(symbol)}
                one[end if seconds is None else f"{end}_seconds"] = (
                    _elements_of(end, length) if seconds is None else seconds)
                bounds.append(one)
        return bounds

    def _c_options(self, ports: Any, n_ports: int, empty: Sequence[str], keep: Keep) -> Any:
        out = keep.new("tare_dataset_options *")
        lib.tare_dataset_options_init(out)
        out.inputs, out.n_inputs = ports, n_ports
        for name in self._TEXTS:
            setattr(out, name, keep.text(self._options.get(name)))
        for name in self._NUMBERS:
            setattr(out, name, int(self._options.get(name, 0)))
        for name in self._FLAGS:
            setattr(out, name, bool(self._options.get(name, False)))
        if self._paths is not None:
            out.labels = keep.text(self._options.get("labels"))
        out.mappings, out.n_mappings = self._maps(keep), len(self._options.get("maps", {}))
        waveforms = self._options.get("waveforms", ())
        out.waveforms, out.n_waveforms = keep.texts(waveforms), len(waveforms)
        lengths = self._lengths(keep)
        out.lengths, out.n_lengths = keep.array("tare_length_bounds[]", lengths), len(lengths)
        out.empty_symbols, out.n_empty_symbols = keep.texts(empty), len(empty)
        out.shard, out.n_shards = self.shard or (0, 0)
        out.limits = limits_of(self._options.get("limits"), keep)
        return out

    def open(self, ports: Any, n_ports: int, *, call: Any, again: bool = False,
             empty: Sequence[str] = (), streaming: Optional[StreamingHandle] = None) -> "OpenData":
        """Opens it for the inputs of a model. `again`: samples are needed more than once.
        `streaming`: of the model, if the ports are its own."""
        keep = Keep()
        options = self._c_options(ports, n_ports, empty, keep)
        states: Sequence[str] = ()
        if streaming is not None:
            options.streaming = streaming._handle  # pylint: disable=protected-access
            states = streaming.recognized
        out = ffi.new("tare_dataset **")
        feed = None
        if self._source is None:
            paths = self._paths or []
            check(lib.tare_dataset_open, keep.texts(paths), len(paths), options, out)
        else:
            names = [text(ports[i].name) for i in range(n_ports)]
            dtypes = [int(ports[i].dtype) for i in range(n_ports)]
            feed = Feed(self._source, names, dtypes, labels=self._options.get("labels"),
                        call=call, again=again or self.skips_bad, states=states)
            described = feed.describe(str(self._options.get("name", "data")), keep)
            check(lib.tare_dataset_open_feed, described, options, out)
        return OpenData(out, feed)


class OpenData:
    """An open data set of the library; for one call."""

    def __init__(self, handle: Any, feed: Optional[Feed]) -> None:
        self._handle_out = handle
        self._feed = feed

    @property
    def handle(self) -> Any:
        """The tare_dataset."""
        return self._handle_out[0]

    def close(self) -> None:
        """Frees it, which waits for the reading threads."""
        lib.tare_dataset_close(self._handle_out)

    def _left_out(self) -> Iterator[str]:
        """How many samples were left out, and why."""
        left, total = lib.tare_dataset_left_out(self.handle), lib.tare_dataset_count(self.handle)
        of = f" of {total}" if total >= 0 else ""
        bounds = [text(lib.tare_dataset_length_bounds(self.handle, maxima)) for maxima in (False, True)]
        for n, why in ((left.shorter, f"shorter than {bounds[0]}"),
                       (left.longer, f"longer than {bounds[1]}"),
                       (left.outside, "outside all profiles")):
            if n > 0:
                yield f"left out: {n}{of} samples {why}"

    def warnings(self) -> Iterator[str]:
        """What the caller should know after a pass."""
        bad, i = int(lib.tare_dataset_n_bad(self.handle)), 0
        while (message := lib.tare_dataset_bad(self.handle, i)) != ffi.NULL:
            yield f"skipped: {text(message)}"
            i += 1
        if i < bad:
            yield f"skipped: {bad - i} more samples, whose messages are not kept"
        yield from self._left_out()
        least, most = ffi.new("int *"), ffi.new("int *")
        lib.tare_dataset_rates(self.handle, least, most)
        if least[0] < most[0]:
            yield (f"the audio has sample rates from {least[0]} to {most[0]} Hz: resample it with "
                   "rate=HZ")
        if self._feed is not None:
            yield from self._feed.warnings()
