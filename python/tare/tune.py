"""Tuning: searches a precision for each layer, within a bound on the accuracy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Union

from ._calls import Call, Stopped
from ._inputs import Inputs, warn
from ._native import Handle, Keep, Path, ffi, lib, path_bytes, text
from .data import Data, DataLike
from .errors import UsageError, check, make
from .evaluate import Difference, EvalOptions, _difference, _kind
from .export import ExportOptions
from .model import Model
from .plan import BuildOptions, Plan
from .profiles import ProfilesLike
from .table import Table

__all__ = ["Raised", "raise_layers", "Tuned", "TunedLayer", "TuneScore", "TuneState", "tune"]

_PHASES = {lib.TARE_TUNE_FORMS: "forms", lib.TARE_TUNE_LAYERS: "layers",
           lib.TARE_TUNE_MIXES: "mixes"}
_PRECISIONS = [text(lib.tare_precision_name(i)) for i in range(lib.TARE_PRECISION_COUNT)]


@dataclass(frozen=True)
class TuneScore:
    """How good and how fast a plan is."""

    sqnr_db: float
    drop: Optional[Difference]
    """How much worse the metric is than that of the float plan; None without a metric."""
    seconds: float
    float_seconds: float
    samples: int
    integer_share: float
    holds: bool
    """The bounds."""
    sqnr_interval: tuple[float, float]
    """95 % interval of ``sqnr_db``, whose lower end a bound applies to."""
    other_shapes: int
    """Samples in which an output has another length than in float."""
    agreement: float = math.nan
    """With float, as of :class:`tare.Score`."""
    agreement_kind: str = "none"
    agreement_is_low: bool = False
    """Of one of the outputs, whatever the SQNR is."""


@dataclass(frozen=True)
class TuneState:
    """How far the search is."""

    phase: str
    """``forms``, ``layers`` or ``mixes``."""
    done: int
    total: int
    best: TuneScore
    tried: Optional[TuneScore]


@dataclass(frozen=True)
class TunedLayer:
    """A layer that has a choice."""

    name: str
    request: str
    standard: str
    chosen: str
    sqnr_db: Mapping[str, float]
    """By precision: of the outputs with this layer alone quantized."""
    seconds: Mapping[str, float]


TuneProgress = Callable[[TuneState], Optional[bool]]


def _score(s: Any) -> TuneScore:
    return TuneScore(s.sqnr_db, _difference(s.drop) if s.has_metric else None, s.seconds,
                     s.float_seconds, int(s.samples), s.integer_share, bool(s.holds),
                     (s.sqnr.low, s.sqnr.high), int(s.other_shapes), s.agreement, _kind(s),
                     bool(s.agreement_is_low))


def _state(s: Any) -> TuneState:
    return TuneState(_PHASES.get(s.phase, "?"), s.done, s.total, _score(s.best),
                     _score(s.tried) if s.tried.samples else None)


def _layer(e: Any) -> TunedLayer:
    def known(values: Any) -> dict[str, float]:
        return {name: values[i] for i, name in enumerate(_PRECISIONS) if not math.isnan(values[i])}

    return TunedLayer(text(e.name), text(e.request), _PRECISIONS[e.standard],
                      _PRECISIONS[e.chosen], known(e.sqnr_db), known(e.seconds))


class _Ticks:
    """The progress function of a search."""

    def __init__(self, call: Call, function: Optional[TuneProgress]) -> None:
        self._call, self._function = call, function
        self.user = ffi.new_handle(self)

    def report(self, state: Any) -> bool:
        """Whether the search goes on."""
        function = self._function
        if self._call.stopped or function is None:
            return not self._call.stopped
        known: TuneProgress = function
        seen = _state(state)
        try:
            return self._call.ask(lambda: known(seen)) is not False
        except Stopped:
            return False


@ffi.callback("bool(void *, const tare_tune_state *)", error=False)
def _tick(user: Any, state: Any) -> bool:
    ticks: _Ticks = ffi.from_handle(user)
    return ticks.report(state)


class _TunedPlan(Plan):
    """The plan of a search, which belongs to its result."""

    def __init__(self, tuned: Handle) -> None:
        self._tuned, self._life = tuned, tuned._life
        self._handle = lib.tare_tuned_plan(tuned._handle)
        self._idle = []


class Tuned(Handle):
    """Result of a search."""

    _free = "tare_tuned_free"

    @property
    def plan(self) -> Plan:
        """The plan that was chosen."""
        return _TunedPlan(self)

    @property
    def requests(self) -> str:
        """Requests by name that give this plan again, for ``layer_precisions`` of :func:`build`."""
        return text(lib.tare_tuned_requests(self._handle))

    @property
    def score(self) -> TuneScore:
        """Score of the plan."""
        return _score(lib.tare_tuned_score(self._handle))

    @property
    def standard(self) -> TuneScore:
        """Score of the plan that is built without these requests."""
        return _score(lib.tare_tuned_standard(self._handle))

    @property
    def is_complete(self) -> bool:
        """Whether the search came to its end."""
        return bool(lib.tare_tuned_is_complete(self._handle))

    @property
    def layers(self) -> list[TunedLayer]:
        """Layers that have a choice, most sensitive first."""
        return [_layer(lib.tare_tuned_get_layer(self._handle, i))
                for i in range(lib.tare_tuned_n_layers(self._handle))]


@dataclass(frozen=True)
class Raised:
    """What :func:`raise_layers` found."""

    requests: str
    """By name; "" for none."""
    n_layers: int
    share: float
    """Of the multiply-adds in these layers, 0 to 1."""
    standard_sqnr_db: float
    """Of the worst output without them."""
    sqnr_db: float
    is_complete: bool
    """False: the time was over before the search was; the requests are the best that it had judged."""


class _Timings:
    """A timing cache in a file, read before and written after a search."""

    def __init__(self, path: Optional[Path]) -> None:
        self._path = path
        self.out = ffi.new("tare_timings **")
        if path is not None:
            check(lib.tare_timings_new, self.out)

    def read(self) -> None:
        """Adds the times of the file, if there is one."""
        import os  # pylint: disable=import-outside-toplevel
        if self._path is not None and os.path.exists(self._path):
            check(lib.tare_timings_read, self.out[0], path_bytes(self._path))

    def save(self) -> None:
        """Writes the times."""
        if self._path is not None:
            check(lib.tare_timings_save, self.out[0], path_bytes(self._path))

    def close(self) -> None:
        """Frees the cache."""
        lib.tare_timings_free(self.out)


def tune(model: Union[Model, Path], data: DataLike, table: Union[None, Table, Path] = None,
         profiles: ProfilesLike = None, *, min_sqnr_db: Optional[float] = None,
         max_drop: Optional[float] = None, min_integer_share: float = 0,
         all_precisions: bool = False, seconds: float = 0, check_data: Optional[DataLike] = None,
         timings: Optional[Path] = None, build: Optional[Mapping[str, Any]] = None,
         progress: Optional[TuneProgress] = None, **options: Any) -> Tuned:
    """Searches the fastest mix of precisions that keeps the bounds.

    - ``min_sqnr_db``: lowest SQNR of the outputs compared with float, of its 95 % interval the lower
      end; ``max_drop``: how much worse
      the metric may be, in its unit; one of them is needed
    - ``min_integer_share``: of the multiply-adds, 0 to 1; ``all_precisions``: bf16 too;
      ``seconds``: after this time what has been measured
      decides, and two plans at most are judged
    - ``data`` measure single layers, and are read many times; ``check_data``, by default the same,
      decide about plans
    - ``timings``: file of a timing cache; ``build``: options of :func:`tare.build`; ``options``:
      metric, fit and threads as of :func:`tare.evaluate`

    Ctrl-C ends the search.
    """
    if min_sqnr_db is None and max_drop is None:
        raise UsageError("tune: expected min_sqnr_db or max_drop")
    keep, call, loaded = Keep(), Call(), Model.of(model)
    c = keep.new("tare_tune_options *")
    lib.tare_tune_options_init(c)
    built = BuildOptions(keep, table, **dict(build or {}))
    evaluated = EvalOptions(keep, **options)
    c.build, c.eval = built.c[0], evaluated.c[0]
    c.sqnr_db = -math.inf if min_sqnr_db is None else min_sqnr_db
    c.max_drop = math.inf if max_drop is None else max_drop
    c.min_integer_share, c.all_precisions, c.seconds = min_integer_share, all_precisions, seconds
    ticks = keep.object(_Ticks(call, progress))
    c.progress, c.progress_user = _tick, ticks.user
    ports, n_ports = loaded._ports()
    outputs = ffi.new("const tare_port **")
    n_outputs = lib.tare_model_outputs(loaded._handle, outputs)
    known = built.table.profiles if built.table is not None else []
    cache = _Timings(timings)

    def work() -> tuple[Any, list[str]]:
        inputs = Inputs((ports, n_ports), (outputs[0], n_outputs), call, evaluated.streaming)
        inputs.stream(c.eval)
        try:
            search = inputs.open(Data.of(data), again=True)
            other = search if check_data is None else inputs.open(Data.of(check_data), again=True)
            ranges = keep.object(inputs.profiles(profiles, known, model=loaded._handle,
                                                 outside=evaluated.fit.outside))._handle
            evaluated.fit.apply(c.eval, ports, n_ports, inputs.data, keep)
            cache.read()
            c.timings = cache.out[0]
            tuned = make(lib.tare_tune, "tare_tuned", loaded._handle, ranges, search.handle,
                         other.handle, c)
            cache.save()
        finally:
            messages = inputs.close()
            cache.close()
        return tuned, messages

    tuned, messages = call.run(work)
    warn(messages)
    return Tuned(tuned)


class _Written:
    """Writes quantized models with requests, and builds plans of them."""

    def __init__(self, options: ExportOptions, profiles: Any, keep: Keep) -> None:
        self._options, self._profiles = options, profiles
        build = BuildOptions(keep, layer_output_types="*:fp32", tensor_scales=True)
        self._build = build.c
        self.user = ffi.new_handle(self)

    def make(self, requests: str, out: Any, plan: Any, err: Any) -> int:
        """The requests of the user stand behind, and win."""
        keep, made = Keep(), ffi.new("tare_export **")
        c = keep.new("tare_export_options *")
        c[0] = self._options.c[0]
        c.layer_precisions = keep.text(",".join(t for t in (requests, self._options.requests) if t))
        status: int = lib.tare_export_new(self._options.source, c, made, err)
        if status == lib.TARE_OK and plan:
            status = self._plan(made[0], plan, err)
        if status == lib.TARE_OK and out:
            out[0], made[0] = made[0], ffi.NULL
        lib.tare_export_free(made)
        return status

    def _plan(self, made: Any, plan: Any, err: Any) -> int:
        import os  # pylint: disable=import-outside-toplevel
        import tempfile  # pylint: disable=import-outside-toplevel
        model = ffi.new("tare_model **")
        with tempfile.TemporaryDirectory() as folder:
            path = path_bytes(os.path.join(folder, "model.onnx"))
            status: int = lib.tare_export_save(made, path, self._options.max_model_bytes,
                                               ffi.new("bool *"), err)
            if status == lib.TARE_OK:
                status = lib.tare_model_load_with(path, self._options.c.load, model, err)
            if status == lib.TARE_OK:
                status = lib.tare_plan_build(model[0], self._profiles, self._build, plan, err)
            lib.tare_model_free(model)
        return status


@ffi.callback("tare_status(void *, const char *, tare_export **, tare_plan **, tare_error *)",
              error=lib.TARE_E_MEMORY)
def _make_written(user: Any, requests: Any, out: Any, plan: Any, err: Any) -> int:
    written: _Written = ffi.from_handle(user)
    return written.make(text(requests), out, plan, err)


def _written_of(model: Model, table: Table, options: Mapping[str, Any], profiles: Any,
                keep: Keep) -> Any:
    chosen = ExportOptions(keep, model, table, **options)
    c = keep.new("tare_raise_written *")
    c.make, c.profile = _make_written, chosen.c.profile
    c.user = keep.object(_Written(chosen, profiles, keep)).user
    return c


def raise_layers(model: Union[Model, Path], table: Table, data: DataLike,
                 profiles: ProfilesLike = None, *, below_db: Optional[float] = None,
                 min_sqnr_db: Optional[float] = None, seconds: float = 0,
                 processor_seconds: float = 0, most_probes: int = 0,
                 build: Optional[Mapping[str, Any]] = None,
                 written: Optional[Mapping[str, Any]] = None, **options: Any) -> Raised:
    """Finds the layers that 8 bits cost too much by trial, and notes them in the table
    (``layer_precisions``): row scales, 16-bit rows or float. ``tare calibrate`` does it by default.

    - ``data``: a few samples, which are read many times
    - ``below_db``: an SQNR of the worst output from which on nothing is done (default 28, 27 with
      ``written``); ``min_sqnr_db``: what a plan below it shall reach (default: 1 dB more);
      ``seconds``: after this time what has been measured decides, and two plans at most are judged;
      ``processor_seconds``: the same of what the calling thread has had on a processor;
      ``most_probes``: the same after so many measurements of single layers, which is the same on
      every machine
    - ``build``: options of :func:`tare.build`; ``options``: fit and threads as of
      :func:`tare.evaluate`
    - ``written``: options of :func:`tare.export` (``{}``: its defaults): the trials are of models
      that are written so, in place of plans; with ``profile``, its samples judge. ``tare quantize``
      does it by default
    """
    keep, call, loaded = Keep(), Call(), Model.of(model)
    c, out = keep.new("tare_raise_options *"), ffi.new("tare_raised *")
    (lib.tare_raise_options_init if written is None else lib.tare_raise_options_init_written)(c)
    built = BuildOptions(keep, table, **dict(build or {}))
    evaluated = EvalOptions(keep, **options)
    c.build, c.eval = built.c[0], evaluated.c[0]
    margin = c.sqnr_db - c.below_db
    c.below_db = c.below_db if below_db is None else below_db
    c.seconds, c.processor_seconds, c.most_probes = seconds, processor_seconds, most_probes
    c.sqnr_db = c.below_db + margin if min_sqnr_db is None else min_sqnr_db
    ports, n_ports = loaded._ports()
    outputs = ffi.new("const tare_port **")
    n_outputs = lib.tare_model_outputs(loaded._handle, outputs)

    def work() -> list[str]:
        inputs = Inputs((ports, n_ports), (outputs[0], n_outputs), call, evaluated.streaming)
        inputs.stream(c.eval)
        try:
            search = inputs.open(Data.of(data), again=True)
            ranges = keep.object(inputs.profiles(profiles, table.profiles))._handle
            evaluated.fit.apply(c.eval, ports, n_ports, inputs.data, keep)
            if written is not None:
                c.written = _written_of(loaded, table, written, ranges, keep)
            check(lib.tare_raise_layers, loaded._handle, ranges, search.handle, search.handle, c,
                  out)
        finally:
            messages = inputs.close()
        return messages

    warn(call.run(work))
    found = Raised(text(out.requests), out.n_layers, out.share, out.standard_sqnr_db, out.sqnr_db,
                   bool(out.complete))
    lib.tare_raised_fini(out)
    table.layer_precisions = found.requests
    return found
