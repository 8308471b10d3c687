"""Evaluation: plans over data, compared with a reference and with labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence

from . import _progress
from ._calls import Call
from ._inputs import Fit, Inputs, fitted_warnings, warn
from ._native import Keep, Path, ffi, lib, text
from ._progress import ProgressFunction
from ._tensors import dtype_name
from .data import Data, DataLike
from .errors import UsageError, check
from .plan import Plan
from .streaming import Streaming

__all__ = ["Evaluation", "Score", "TensorError", "Difference", "Interval", "Metric", "evaluate",
           "compare", "metrics"]


@dataclass(frozen=True)
class Metric:
    """A metric of tasks."""

    name: str
    summary: str
    lower_is_better: bool
    needs_labels: bool
    options: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """Results over a set of samples. Values that do not apply are NaN."""

    samples: int
    sqnr_db: float
    """Of the worst output beside the reference, and at most 6 dB more than the tenth of samples
    that has least; infinity if they are equal."""
    cosine: float
    """The lowest of the outputs."""
    max_abs_error: float
    top1_agreement: float
    """Share of rows (last axis) with the same argmax."""
    metric: float
    reference: float
    """Metric of the reference."""
    other_shapes: int
    """Samples in which an output has another shape than in the reference."""
    together_db: float
    """SQNR of the worst output over all samples together."""
    tenth_db: float
    """The lowest SQNR of single samples, without a tenth of them."""
    worst: str
    """Name of the worst output; "" if none was compared."""
    values: int
    """Values of float outputs that count."""
    constant: int
    """Values left out, as no layer decides them, such as constants of masks."""
    undefined: int
    """Values left out, as they are NaN or infinite in the reference."""
    broken: int
    """Values that are NaN or infinite in the plan alone."""
    agreement: float = math.nan
    """Of the kind of the output; of several outputs the one that is worst beside what is tolerated
    of its kind."""
    agreement_kind: str = "none"
    """``top1``, ``edits``, ``cosine``, ``equal`` or ``none``: how it is counted."""
    agreement_tenth: float = math.nan
    """The worst of single samples, without a tenth of them."""
    agreement_output: str = ""
    """Name of the output; "" if none has an agreement."""


@dataclass(frozen=True)
class TensorError:
    """Errors of an intermediate tensor, compared with the reference."""

    name: str
    dtype: str
    layer: int
    is_output: bool
    comparable: bool
    values: int
    constant: int
    """Of the values, those that no layer decides, which are not part of the SQNR."""
    undefined: int
    """Values left out, as they are NaN or infinite in the reference."""
    max_abs: float
    mean_abs: float
    rms: float
    sqnr_db: float
    cosine: float
    input_sqnr_db: float
    """The lowest SQNR of what the layer reads: below it, the error is the layer's own."""


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Difference of a figure to that of the first plan, over the same samples."""

    value: float
    interval: Interval
    samples: int
    differing: int
    distinct: bool
    """The interval does not contain 0."""


@dataclass(frozen=True)
class Evaluation:
    """Results of a plan."""

    total: Score
    profiles: tuple[Score, ...]
    """By profile of the plan."""
    outputs: Mapping[str, Score]
    """By output, without the metric."""
    levels: Mapping[float, Score]
    """By gain in dB, if the data have a gain range."""
    sample_names: tuple[str, ...]
    sample_lengths: tuple[int, ...]
    sample_seconds: tuple[float, ...]
    seconds: float
    reference_seconds: float
    tensors: tuple[TensorError, ...] = ()
    sqnr_difference: Optional[Difference] = None
    """To the first plan that was compared."""
    metric_difference: Optional[Difference] = None
    sqnr_interval: Optional[Interval] = field(default=None)


def metrics() -> list[Metric]:
    """The metrics."""

    def one(i: int) -> Metric:
        options = tuple(text(lib.tare_metric_option_at(k).name)
                        for k in range(lib.tare_n_metric_options()) if lib.tare_metric_takes(i, k))
        return Metric(text(lib.tare_metric_name(i)), text(lib.tare_metric_summary(i)),
                      bool(lib.tare_metric_lower_is_better(i)),
                      lib.tare_metric_get_truth(i) == lib.TARE_TRUTH_LABELS, options)

    return [one(i) for i in range(lib.tare_n_metrics())]


def _kind(s: Any) -> str:
    """Of a score without an agreement: none."""
    return "none" if math.isnan(s.agreement) else text(lib.tare_agreement_name(s.agreement_kind))


def _score(s: Any, names: list[str]) -> Score:
    return Score(int(s.samples), s.sqnr_db, s.cosine, s.max_abs_error, s.top1_agreement, s.metric,
                 s.reference, int(s.other_shapes), s.together_db, s.tenth_db,
                 names[s.worst] if s.worst >= 0 else "", int(s.values), int(s.constant),
                 int(s.undefined), int(s.broken), s.agreement, _kind(s), s.agreement_tenth,
                 names[s.agreement_output] if s.agreement_output >= 0 else "")


def _difference(d: Any) -> Difference:
    return Difference(d.value, Interval(d.low, d.high), int(d.samples), int(d.differing),
                      bool(d.distinct))


def _tensor(t: Any) -> TensorError:
    return TensorError(text(t.name), dtype_name(t.dtype), int(t.layer), bool(t.is_output),
                       bool(t.comparable), int(t.values), int(t.constant), int(t.undefined),
                       t.max_abs, t.mean_abs, t.rms, t.sqnr_db, t.cosine, t.input_sqnr_db)


def _evaluation(r: Any, samples: Any, plan: Plan, **more: Any) -> Evaluation:
    """`samples`: the result that has them, which is the first."""
    n = int(samples.n_samples)
    names = [port.name for port in plan.outputs]
    return Evaluation(
        total=_score(r.total, names),
        profiles=tuple(_score(r.profiles[i], names) for i in range(r.n_profiles)),
        outputs={names[i]: _score(r.outputs[i], names) for i in range(r.n_outputs)},
        levels={r.levels[i].gain_db: _score(r.levels[i].score, names) for i in range(r.n_levels)},
        sample_names=tuple(text(samples.samples[i].name) for i in range(n)),
        sample_lengths=tuple(int(samples.samples[i].length) for i in range(n)),
        sample_seconds=tuple(r.sample_seconds[i] for i in range(n)) if r.sample_seconds else (),
        seconds=r.seconds, reference_seconds=r.reference_seconds, **more)


class EvalOptions:
    """The options of evaluations that :func:`tare.tune` has too."""

    def __init__(self, keep: Keep, *, metric: Optional[str] = None,
                 metric_options: Optional[Mapping[str, str]] = None, output: int = 0,
                 fit: str = "native", outside: str = "error",
                 pad_values: Optional[Mapping[str, float]] = None,
                 length_inputs: Optional[Sequence[str]] = None, threads: int = 0,
                 profile: Optional[int] = None, streaming: Optional[Streaming] = None,
                 agreement: Optional[Mapping[str, str]] = None) -> None:
        self.fit = Fit(fit, outside, pad_values, length_inputs, streaming is not None)
        self.streaming = streaming
        self.c = c = keep.new("tare_eval_options *")
        lib.tare_eval_options_init(c)
        self._set_metric(metric, metric_options or {}, keep)
        self._set_agreement(agreement or {}, keep)
        c.output, c.threads = output, threads
        c.profile = -1 if profile is None else profile

    def _set_agreement(self, agreement: Mapping[str, str], keep: Keep) -> None:
        names = [text(lib.tare_agreement_name(i)) for i in range(lib.TARE_AGREEMENT_COUNT)]
        for output, kind in agreement.items():
            if kind not in names:
                raise UsageError(f"agreement of '{output}': unknown '{kind}', expected one of "
                                 f"{', '.join(names)}")
        choices = [{"output": keep.text(output), "kind": names.index(kind)}
                   for output, kind in agreement.items()]
        self.c.agreements = keep.array("tare_output_agreement[]", choices)
        self.c.n_agreements = len(choices)

    def _set_metric(self, metric: Optional[str], options: Mapping[str, str], keep: Keep) -> None:
        names = [m.name for m in metrics()]
        if metric is None:
            if options:
                raise UsageError("metric_options without a metric")
            return
        if metric not in names:
            raise UsageError(f"metric: unknown '{metric}', expected one of {', '.join(names)}")
        settings = [{"name": keep.text(name), "value": keep.text(str(value))}
                    for name, value in options.items()]
        self.c.metric = keep.text(metric)
        self.c.settings = keep.array("tare_metric_setting[]", settings)
        self.c.n_settings = len(settings)
        check(lib.tare_metric_check, names.index(metric), self.c.settings, len(settings))


def _run(plans: Sequence[Plan], data: DataLike, keep: Keep, options: EvalOptions,
         progress: Optional[ProgressFunction]) -> Any:
    """Results of the plans, in one pass; each has to be freed with tare_eval_result_fini."""
    call, given = Call(), Data.of(data)
    ticks = keep.object(_progress.Progress(call, progress))
    options.c.progress, options.c.progress_user = _progress.tick, ticks.user
    handles = ffi.new("const tare_plan *[]", [plan._handle for plan in plans])
    results = ffi.new("tare_eval_result[]", len(plans))

    def work() -> list[str]:
        inputs = Inputs(plans[0]._ports(), plans[0]._ports(outputs=True), call, options.streaming)
        inputs.stream(options.c)
        try:
            opened = inputs.open(given, again=options.fit.finds_lengths)
            options.fit.apply(options.c, inputs.ports, inputs.n_ports, [opened], keep)
            check(lib.tare_eval_many, handles, len(plans), opened.handle, options.c, results)
        finally:
            messages = inputs.close()
        return messages

    messages = call.run(work)
    warn([*messages, *fitted_warnings(results[0].fitted)], stacklevel=4)
    return results


def _free(results: Any, n: int) -> None:
    for i in range(n):
        lib.tare_eval_result_fini(results + i)


def evaluate(plan: Plan, data: DataLike, against: Optional[Plan] = None, *,
             tensors: bool = False, save_outputs: Optional[Path] = None,
             save_inputs: bool = False, progress: Optional[ProgressFunction] = None,
             **options: Any) -> Evaluation:
    """Runs a plan over data, and compares its outputs with those of another plan and with labels.

    - ``tensors``: compare the intermediate tensors too (build the reference with
      ``observable=True``); ``save_outputs``: an HDF5 file for the outputs, with ``save_inputs`` for
      the inputs too
    - ``metric``: one of :func:`tare.metrics`, with ``metric_options`` and the number of its
      ``output``. Labels come with the data (:class:`tare.Data`)
    - ``agreement``: how the agreement with ``against`` is counted, by output: ``top1``, ``edits``,
      ``cosine``, ``equal`` or ``none``, in place of what the output looks like
    - ``fit``, ``outside``, ``pad_values``, ``length_inputs``, ``threads``, ``streaming``: as of
      :func:`tare.calibrate`; ``profile``: run in this profile
    """
    keep = Keep()
    settings = EvalOptions(keep, **options)
    settings.c.save_outputs, settings.c.save_inputs = keep.text(save_outputs), save_inputs
    if against is not None:
        settings.c.against = against._handle
    comparison = ffi.new("tare_comparison **")
    if tensors:
        if against is None:
            raise UsageError("tensors=True needs a plan to compare with (against)")
        check(lib.tare_comparison_new, plan._handle, against._handle, False, comparison)
        settings.c.tensors = comparison[0]
    try:
        results = _run([plan], data, keep, settings, progress)
        found = [_tensor(lib.tare_comparison_tensor(comparison[0], i))
                 for i in range(lib.tare_comparison_count(comparison[0]) if tensors else 0)]
        try:
            return _evaluation(results[0], results[0], plan, tensors=tuple(found))
        finally:
            _free(results, 1)
    finally:
        lib.tare_comparison_free(comparison)


def compare(plans: Mapping[str, Plan], data: DataLike, reference: Optional[Plan] = None, *,
            progress: Optional[ProgressFunction] = None,
            **options: Any) -> dict[str, Evaluation]:
    """Compares plans with a reference in one pass over data: each sample is read once.

    ``plans`` by name. Differences and their intervals are those to the first of them, by a paired
    bootstrap over the samples. If the reference is one of them, it runs once, and has no SQNR: then
    the first of the others is the base of differences of the SQNR. Options are those of
    :func:`evaluate`.
    """
    if not plans:
        raise UsageError("compare: no plans")
    keep, members = Keep(), list(plans.values())
    settings = EvalOptions(keep, **options)
    if reference is not None:
        settings.c.against = reference._handle
    results = _run(members, data, keep, settings, progress)
    try:
        more = _differences(results, len(members), settings)
        return {name: _evaluation(results[i], results[0], members[i], **more[i])
                for i, name in enumerate(plans)}
    finally:
        _free(results, len(members))


def _differences(results: Any, n: int, settings: EvalOptions) -> list[dict[str, Any]]:
    """What differs from the first plan."""
    more: list[dict[str, Any]] = [{} for _ in range(n)]
    found, own = ffi.new("tare_difference[]", n), ffi.new("tare_interval[]", n)
    if n > 1 and settings.c.metric != ffi.NULL:
        states = ffi.new("const tare_metric_states *[]", [results[i].states for i in range(n)])
        check(lib.tare_metric_differences, states, n, 0, ffi.NULL, 0, found)
        for i in range(n):
            more[i]["metric_difference"] = _difference(found[i])
    with_errors = [i for i in range(n) if results[i].n_errors > 0]  # not the reference itself
    if with_errors:
        tallies = ffi.new("const tare_error_tally *[]", [results[i].errors for i in with_errors])
        check(lib.tare_sqnr_differences, tallies, len(with_errors),
              results[with_errors[0]].n_errors, results[with_errors[0]].n_columns, 0, found, own)
        for at, i in enumerate(with_errors):
            more[i]["sqnr_interval"] = Interval(own[at].low, own[at].high)
            more[i]["sqnr_difference"] = _difference(found[at])
    return more
