"""Samples of the program, in whatever form it has them, as a feed of the library."""

from __future__ import annotations

import difflib
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from ._calls import Call, Stopped
from ._native import Keep, ffi, lib
from ._tensors import as_array, fill_tensor
from .errors import InputError, TareError, UsageError

Label = Union[None, str, bool]


class Source:
    """Where samples come from: `begin` starts at the first one."""

    def __init__(self, begin: Callable[[], Iterator[Any]], *, again: bool,
                 count: Optional[int] = None) -> None:
        self._begin = begin
        self._kept: Optional[list[Any]] = None
        self._iterator: Optional[Iterator[Any]] = None
        self.again = again
        self.count = count

    def begin(self, keep: bool) -> Iterator[Any]:
        """An iterator over all samples. `keep`: they are needed again."""
        if self.again:
            return self._begin()
        if self._iterator is None:
            self._iterator = self._begin()
            self._kept = [] if keep else None
        elif self._kept is None:
            raise UsageError("the data can be read only once, and were read before: pass a list, or "
                             "a function that returns an iterator")
        return self._kept_and_more(self._iterator)

    def _kept_and_more(self, iterator: Iterator[Any]) -> Iterator[Any]:
        if self._kept is None:
            yield from iterator
            return
        i = 0
        while True:
            if i == len(self._kept):
                try:
                    self._kept.append(next(iterator))
                except StopIteration:
                    return
            yield self._kept[i]
            i += 1


def _rest_of(reader: Any) -> Iterator[Any]:
    """Not iter(get_next, None): arrays compare with None element by element."""
    while (sample := reader.get_next()) is not None:
        yield sample


def _of_reader(reader: Any) -> Source:
    """A reader with get_next(), as ONNX Runtime has it."""
    rewind = getattr(reader, "rewind", None)
    used = False

    def begin() -> Iterator[Any]:
        nonlocal used
        if used and rewind is not None:
            rewind()
        used = True
        return _rest_of(reader)

    return Source(begin, again=rewind is not None)


def source_of(source: Any) -> Source:
    """What the caller gave as data, if it is not paths."""
    if callable(getattr(source, "get_next", None)):
        return _of_reader(source)
    if hasattr(source, "__next__"):
        return Source(lambda: iter(source), again=False)
    if isinstance(source, (list, tuple)):
        paths = sum(isinstance(one, (str, os.PathLike)) for one in source)
        if paths:
            raise UsageError(f"data: {paths} of {len(source)} samples are paths: expected paths alone, "
                             "or samples alone")
        return Source(lambda: iter(source), again=True, count=len(source))
    if isinstance(source, Mapping) or hasattr(source, "dtype"):
        raise UsageError(f"data: got one {type(source).__name__}, expected several samples: pass "
                         "[data] if it is one sample, or list(data) if its first axis counts samples")
    if hasattr(source, "__iter__"):
        return Source(lambda: iter(source), again=True)
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return Source(lambda: (source[i] for i in range(len(source))), again=True,
                      count=len(source))
    if callable(source):
        return Source(lambda: iter(source()), again=True)
    raise UsageError(f"data: cannot read samples from {type(source).__name__}: expected paths, an "
                     "iterable, or an object with get_next()")


def _alike(name: str, other: str) -> bool:
    """Whether one name is the other, misspelt."""
    bare = ["".join(c for c in one.lower() if c.isalnum()) for one in (name, other)]
    digits = ["".join(c for c in one if c.isdigit()) for one in bare]
    return name != other and digits[0] == digits[1] and \
        difflib.SequenceMatcher(None, *bare).ratio() > 0.8


class Feed:
    """A feed of the library over a source. Its samples are made by the thread of the caller."""

    def __init__(self, source: Source, names: Sequence[str], dtypes: Sequence[int], *,
                 labels: Label, call: Call, again: bool, states: Sequence[str] = ()) -> None:
        self._states = states
        self._source, self._call, self._again = source, call, again
        self._names, self._dtypes, self._label = list(names), list(dtypes), labels
        self._iterator: Optional[Iterator[Any]] = None
        self._tensors = ffi.new("tare_tensor[]", max(len(names), 1))
        self._label_tensor = ffi.new("tare_tensor *")
        self._current: Any = None
        self._extra: set[str] = set()
        self._handle = ffi.new_handle(self)

    def describe(self, name: str, keep: Keep) -> Any:
        """The tare_feed."""
        out = keep.new("tare_feed *")
        out.name = keep.text(name)
        out.count = -1 if self._source.count is None else self._source.count
        out.next = _next
        out.rewind = _rewind if self._source.again or self._again else ffi.NULL
        out.user = self._handle
        return out

    def warnings(self) -> Iterable[str]:
        """What was ignored."""
        if self._extra:
            names = ", ".join(f"'{name}'" for name in sorted(self._extra))
            yield f"samples have {names}, which the model does not take: ignored"

    def rewind(self) -> None:
        """Begins again before the next sample."""
        self._iterator = None

    # --- in the thread of the caller ------------------------------------------------------------

    def _take(self) -> Any:
        """The next sample as arrays and a label; None at the end, or the error of a bad sample."""
        if self._iterator is None:
            self._iterator = self._source.begin(self._again)
        for item in self._iterator:
            try:
                values, label = self._split(item)
                return [self._array(name, value) for name, value in zip(self._names, values)], label
            except InputError as error:
                return error
        return None

    def _array(self, name: str, value: Any) -> Any:
        try:
            return as_array(value)
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"input '{name}': {type(value).__name__} is not an array: {error}"
                             ) from None

    def _split(self, item: Any) -> tuple[Sequence[Any], Any]:
        if isinstance(item, Mapping) or callable(getattr(item, "keys", None)):
            return self._split_mapping(item)
        several = isinstance(item, (list, tuple)) and all(hasattr(part, "shape") or
                                                          hasattr(part, "__array__")
                                                          for part in item)
        if isinstance(item, (list, tuple)) and (several or self._label or len(self._names) > 1):
            return self._split_sequence(item)
        if len(self._names) > 1:
            raise InputError(f"is one {type(item).__name__}, but the model has {len(self._names)} "
                             f"inputs: expected a mapping with {self._listed(self._names)}")
        return [item], None

    def _split_sequence(self, item: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        values, label = (item[:-1], item[-1]) if self._label else (item, None)
        if len(values) != len(self._names):
            hint = "" if self._label or len(values) != len(self._names) + 1 else \
                " (labels=True if the last one is the label)"
            raise InputError(f"has {len(values)} arrays, expected {len(self._names)}: "
                             f"{self._listed(self._names)}{hint}")
        return values, label

    def _split_mapping(self, item: Any) -> tuple[Sequence[Any], Any]:
        keys = list(item.keys())
        for name in self._names:
            if name not in keys:
                near = difflib.get_close_matches(name, [str(key) for key in keys], 1)
                meant = f" (did '{near[0]}' mean it?)" if near else ""
                raise InputError(f"no input '{name}': the sample has {self._listed(keys)}{meant}")
        label = None
        if isinstance(self._label, str):
            if self._label not in keys:
                raise InputError(f"no label '{self._label}': the sample has {self._listed(keys)}")
            label = item[self._label]
        extra = [str(key) for key in keys if key not in self._names and key != self._label]
        self._check_states(extra)
        self._extra.update(extra)
        return [item[name] for name in self._names], label

    def _check_states(self, extra: Sequence[str]) -> None:
        """What no input takes may be meant for one that was taken for a state."""
        for name in extra:
            for state in self._states:
                if _alike(name, state):
                    raise InputError(f"no input '{state}', and '{name}', which no input takes, is near "
                                     f"'{state}' (Streaming(states=...) says which inputs are states)")

    @staticmethod
    def _listed(names: Iterable[Any]) -> str:
        return ", ".join(f"'{name}'" for name in names) or "nothing"

    # --- in a thread of the library -------------------------------------------------------------

    def next(self, out: Any) -> None:
        """Fills a sample; leaves it alone at the end."""
        taken = self._call.ask(self._take)
        if taken is None:
            return
        if isinstance(taken, InputError):
            raise taken
        arrays, label = taken
        keep = Keep()
        self._current = arrays, label, keep
        for i, array in enumerate(arrays):
            try:
                fill_tensor(array, self._dtypes[i], self._tensors[i])
            except InputError as error:
                raise InputError(f"input '{self._names[i]}': {error}") from None
        if isinstance(label, (str, bytes)):
            out.label_text = keep.text(label)
        elif label is not None:
            array = keep.object(as_array(label))
            fill_tensor(array, lib.TARE_DTYPE_NONE, self._label_tensor)
            out.label = self._label_tensor
        out.tensors = self._tensors


def write_error(error: BaseException, err: Any) -> int:
    """Hands an exception on to the library, and returns its status."""
    stopped = isinstance(error, Stopped)
    status = error.status if isinstance(error, TareError) else lib.TARE_E_CHECK
    message = "stopped" if stopped else str(error)
    if err != ffi.NULL:
        raw = message.encode("utf-8", "surrogateescape")[:ffi.integer_const("TARE_ERROR_CAPACITY") - 1]
        ffi.buffer(err.message)[0:len(raw) + 1] = raw + b"\0"
    return int(status)


@ffi.callback("tare_status(void *, tare_fed_sample *, tare_error *)")
def _next(user: Any, out: Any, err: Any) -> int:
    try:
        ffi.from_handle(user).next(out)
        return 0
    except BaseException as error:  # pylint: disable=broad-except
        return write_error(error, err)


@ffi.callback("tare_status(void *, tare_error *)")
def _rewind(user: Any, err: Any) -> int:
    try:
        ffi.from_handle(user).rewind()
        return 0
    except BaseException as error:  # pylint: disable=broad-except
        return write_error(error, err)
