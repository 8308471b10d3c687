"""Calibration: one pass of the float model over data."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from . import _progress
from ._calls import Call
from ._inputs import Fit, Inputs, fitted_warnings, pick, warn
from ._native import Keep, Path, ffi, lib, text
from ._progress import ProgressFunction
from .data import Data, DataLike
from .errors import UsageError, check
from .model import Model
from .profiles import ProfilesLike
from .statistics import Statistics
from .streaming import Streaming

__all__ = ["calibrate"]

_WEIGHTS = {text(lib.tare_weight_name(w)): w for w in range(lib.TARE_WEIGHT_COUNT)}
_ROUNDINGS = {"least-squares": 0, "nearest": 1}
_CLIPPINGS = {"off": lib.TARE_CLIPPING_OFF, "auto": lib.TARE_CLIPPING_AUTO,
              "on": lib.TARE_CLIPPING_ON}
_SMOOTHINGS = {"off": lib.TARE_SMOOTHING_OFF, "auto": lib.TARE_SMOOTHING_AUTO,
               "on": lib.TARE_SMOOTHING_ON}

StatisticsLike = Union[Statistics, Path]


def _statistics(given: StatisticsLike) -> Statistics:
    return given if isinstance(given, Statistics) else Statistics.load(given)


class _Choice:
    """Which samples are calibrated with."""

    def __init__(self, samples: int, quota: int, stratify: Optional[str], seed: int) -> None:
        if stratify not in (None, "length"):
            raise UsageError(f"stratify: unknown '{stratify}', expected length or None")
        self.c = ffi.new("tare_choice *")
        self.c.samples, self.c.quota, self.c.seed = samples, quota, seed
        self.c.by_length = stratify == "length"

    @property
    def reads_first(self) -> bool:
        """Whether samples are read to choose them."""
        return bool(self.c.samples or self.c.quota)


def calibrate(model: Union[Model, Path], data: DataLike, profiles: ProfilesLike = None, *,
              fit: str = "native", outside: str = "error",
              pad_values: Optional[Mapping[str, float]] = None,
              length_inputs: Optional[Sequence[str]] = None, count_padding: bool = False,
              all_tensors: bool = False, fold_norms: bool = False, weight: str = "element",
              weight_rounding: str = "least-squares", weight_clipping: str = "off",
              bias_correction: bool = False, smoothing: str = "off",
              samples: int = 0, quota: int = 0, stratify: Optional[str] = None, seed: int = 0,
              undecided: Optional[bool] = None, checkpoint: Optional[Path] = None,
              checkpoint_seconds: float = 60, resume: Optional[StatisticsLike] = None,
              counted: Sequence[StatisticsLike] = (), threads: int = 0,
              isa: Optional[str] = None, streaming: Optional[Streaming] = None,
              progress: Optional[ProgressFunction] = None) -> Statistics:
    """Runs a float model over data once, and returns the statistics of its tensors.

    Samples keep their lengths. Without ``profiles`` one is taken from the data, from the shortest to
    the longest sample; data that can be read only once are kept in memory for that.

    - ``fit``: ``native``, ``pad``, ``truncate`` or ``opt``; ``outside``: what happens to samples
      outside all profiles, ``error``, ``nearest`` or ``skip``; ``pad_values``: for inputs that are not padded
      with 0; ``length_inputs``: inputs that contain lengths (``"lengths=ids:1"``), found in the data
      by default; ``count_padding``: padding counts
    - ``all_tensors``: tensors that tare fuses away too, for other engines; ``fold_norms``: with it,
      leave out what :func:`tare.export` folds away
    - ``weight``: how much samples count: ``element``, ``sample`` or ``length``
    - ``weight_rounding``: ``least-squares`` or ``nearest``; ``weight_clipping`` and ``smoothing``:
      ``off``, ``auto`` or ``on``; ``bias_correction``
    - ``samples``, ``quota``, ``stratify="length"``, ``seed``: choose some samples
    - ``undecided``: leave weights to :meth:`tare.Statistics.decide`, by default for shards;
      ``checkpoint``: a file with the statistics so far; ``resume``: statistics of a checkpoint;
      ``counted``: statistics whose samples are left out
    - ``streaming``: a :class:`tare.Streaming`, for models with states; it needs profiles
    - ``threads``: 0 for all cores; ``isa``: CPU features to use, e.g. ``"avx2"``
    - ``progress``: see :data:`tare.ProgressFunction`

    Ctrl-C ends it at the next sample, with a checkpoint if there is one.
    """
    loaded, given, keep, call = Model.of(model), Data.of(data), Keep(), Call()
    how = Fit(fit, outside, pad_values, length_inputs, streaming is not None)
    choice = _Choice(samples, quota, stratify, seed)
    ticks = _progress.Progress(call, progress)
    out, counts = ffi.new("tare_stats **"), ffi.new("tare_fit_counts *")
    options = keep.new("tare_calibrate_options *")
    lib.tare_calibrate_options_init(options)
    options.weight = pick("weight", weight, _WEIGHTS)
    options.round_to_nearest = pick("weight_rounding", weight_rounding, _ROUNDINGS)
    options.clipping = pick("weight_clipping", weight_clipping, _CLIPPINGS)
    options.smoothing = pick("smoothing", smoothing, _SMOOTHINGS)
    options.count_padding, options.all_tensors = count_padding, all_tensors
    options.fold_norms, options.bias_correction = fold_norms, bias_correction
    options.undecided = given.shard is not None if undecided is None else undecided
    options.checkpoint = keep.text(checkpoint)
    options.checkpoint_seconds = checkpoint_seconds
    if resume is not None:
        options.resume = keep.object(_statistics(resume))._handle
    kept = [keep.object(_statistics(one))._handle for one in counted]
    options.counted, options.n_counted = keep.array("const tare_stats *[]", kept), len(kept)
    options.threads, options.isa, options.fitted = threads, keep.text(isa), counts
    options.progress = options.rounding_progress = _progress.tick
    options.progress_user, options.rounding_user = ticks.user, keep.object(_quiet(call)).user
    model_outputs = ffi.new("const tare_port **")
    n_outputs = lib.tare_model_outputs(loaded._handle, model_outputs)
    check(lib.tare_calibrate_check, loaded._handle)

    def work() -> list[str]:
        inputs = Inputs(loaded._ports(), (model_outputs[0], n_outputs), call, streaming)
        inputs.stream(options)
        try:
            again = (profiles is None and inputs.has_symbols) or how.finds_lengths or \
                choice.reads_first
            opened = inputs.open(given, again=again)
            ranges = keep.object(inputs.profiles(profiles, model=loaded._handle,
                                                 outside=how.outside))._handle
            how.apply(options, inputs.ports, inputs.n_ports, [opened], keep)
            check(lib.tare_dataset_choose, opened.handle, ranges, how.outside, choice.c)
            check(lib.tare_calibrate, loaded._handle, opened.handle, ranges, options, out)
        finally:
            messages = inputs.close()
        return messages

    messages = call.run(work)
    warn([*messages, *fitted_warnings(counts)])
    return Statistics(out[0])


def _quiet(call: Call) -> Any:
    """Progress that only stops: of the rounding of weights, which counts no samples."""
    return _progress.Progress(call, None)
