"""For scripts that were written for ONNX Runtime's static quantization.

Change the import::

    from tare.compat.onnxruntime import (CalibrationDataReader, CalibrationMethod, QuantFormat,
                                         QuantType, quantize_static)

Samples of any length are taken, also by entropy and percentile. Arguments that tare does not have
are refused, or named in a warning where the model is right without them.
"""

from __future__ import annotations

import abc
import enum
import os
import tempfile
import warnings
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from .._native import Path, lib, owned_text
from ..calibrate import calibrate
from ..data import Data
from ..errors import TareWarning, UnsupportedError, UsageError, make
from ..export import Export, export
from ..model import Model
from ..profiles import ProfilesLike

__all__ = ["CalibrationDataReader", "CalibrationMethod", "QuantFormat", "QuantType",
           "StaticQuantConfig", "quantize", "quantize_static"]


class CalibrationDataReader(abc.ABC):
    """A reader of samples, as ONNX Runtime has it."""

    @abc.abstractmethod
    def get_next(self) -> Optional[Mapping[str, Any]]:
        """The next sample, a mapping from names of inputs to arrays; None at the end."""

    def __iter__(self) -> "CalibrationDataReader":
        return self

    def __next__(self) -> Mapping[str, Any]:
        sample = self.get_next()
        if sample is None:
            raise StopIteration
        return sample


class CalibrationMethod(enum.Enum):
    """How thresholds are found."""

    MinMax = 0
    Entropy = 1
    Percentile = 2
    Distribution = 3


class QuantFormat(enum.Enum):
    """How the model says what is quantized."""

    QOperator = 0
    QDQ = 1


class QuantType(enum.Enum):
    """Types of quantized numbers."""

    QInt8 = 0
    QUInt8 = 1
    QFLOAT8E4M3FN = 2
    QInt16 = 3
    QUInt16 = 4
    QInt4 = 5
    QUInt4 = 6


_METHODS = {CalibrationMethod.MinMax: "minmax", CalibrationMethod.Entropy: "entropy",
            CalibrationMethod.Percentile: "percentile"}
_WEIGHTS = {QuantType.QInt8: "int8", QuantType.QUInt8: "uint8"}
_OPERATORS = ("Conv", "MatMul", "Gemm")


class _Extra(NamedTuple):
    """An option of extra_options: what it may be without a word, and what is said otherwise."""

    accepted: tuple[Any, ...]
    remark: str


_ANY_NUMBER = "thresholds are computed from exact counts in one pass"
_EXTRAS = {
    "ActivationSymmetric": _Extra((False,), "activations without negative values keep all of uint8"),
    "AddQDQPairToWeight": _Extra((False, True), ""),
    "CalibMaxIntermediateOutputs": _Extra((None,), _ANY_NUMBER + ", and never kept"),
    "CalibMovingAverage": _Extra((False,), _ANY_NUMBER + ": ranges are not averaged"),
    "CalibMovingAverageConstant": _Extra((0.01,), _ANY_NUMBER + ": ranges are not averaged"),
    "CalibPercentile": _Extra((), ""),
    "CalibStridedMinMax": _Extra((None,), _ANY_NUMBER),
    "CalibTensorRangeSymmetric": _Extra((False, True), ""),
    "DedicatedQDQPair": _Extra((False,), "readers of a tensor share its pair"),
    "DisableShapeInference": _Extra((False,), "shapes are always inferred"),
    "EnableSubgraph": _Extra((False, True), ""),
    "ForceQuantizeNoInputCheck": _Extra((False,), "only layers that compute are quantized"),
    "MatMulConstBOnly": _Extra((True,), "products of two activations are quantized too"),
    "MinimumRealRange": _Extra((None,), "dead tensors stay float instead"),
    "QuantizeBias": _Extra((True,), "biases are quantized as the engine fuses them"),
    "SmoothQuant": _Extra((False, True), ""),
    "SmoothQuantAlpha": _Extra((0.5,), "the share of each channel is computed"),
    "SmoothQuantFolding": _Extra((True,), "smoothing is always folded"),
    "UseQDQContribOps": _Extra((False,), "the operators are those of ONNX"),
    "WeightSymmetric": _Extra((True,), "weights are always symmetric"),
}
_REFUSED = {
    "OpTypesToExcludeOutputQuantization": "use nodes_to_exclude",
    "QDQKeepRemovableActivations": "there is no such choice",
    "QDQOpTypePerChannelSupportToAxis": "weights have scales of output channels",
    "TensorQuantOverrides": "use nodes_to_exclude, or tare.export with layer_precisions",
}


def _say(message: str) -> None:
    warnings.warn(message, TareWarning, stacklevel=4)


def _check_extras(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name in _REFUSED:
            raise UnsupportedError(f"extra_options: {name} is not supported: {_REFUSED[name]}")
        known = _EXTRAS.get(name)
        if known is None:
            raise UsageError(f"extra_options: unknown option '{name}', expected one of "
                             f"{', '.join(sorted(_EXTRAS))}")
        if known.remark and value not in known.accepted:
            _say(f"extra_options: {name}={value!r} has no effect: {known.remark}")


def _check_types(activation_type: QuantType, weight_type: QuantType) -> None:
    for name, value in (("activation_type", activation_type), ("weight_type", weight_type)):
        if value not in _WEIGHTS:
            shown = value.name if isinstance(value, QuantType) else repr(value)
            raise UnsupportedError(f"{name}: {shown} is not supported: expected QInt8 or QUInt8")


def _glob(name: str) -> str:
    """Requests for the node of this name alone."""
    return owned_text(make(lib.tare_layer_glob, "char", name.encode()))


def _requests(model: Model, op_types: Optional[Sequence[str]], chosen: Optional[Sequence[str]],
              excluded: Optional[Sequence[str]]) -> Optional[str]:
    """Which layers are quantized, as requests of which the last match wins."""
    requests: list[str] = []
    if op_types:
        others = [op for op in op_types if op not in _OPERATORS]
        if others:
            _say(f"op_types_to_quantize: {', '.join(others)} stay float: only "
                 f"{', '.join(_OPERATORS)} are quantized")
        there = model.operators
        requests += [f"@{op}:fp32" for op in _OPERATORS if op not in op_types and op in there]
    if chosen:
        requests = ["*:fp32"] + [f"{_glob(name)}:int8" for name in chosen] + requests
    requests += [f"{_glob(name)}:fp32" for name in excluded or ()]
    return ",".join(requests) or None


class _SavedModel:
    """The path of a model that may be an object of the package onnx."""

    def __init__(self, model: Any) -> None:
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        if hasattr(model, "SerializeToString"):
            self._folder = tempfile.TemporaryDirectory()
            self.path = os.path.join(self._folder.name, "model.onnx")
            with open(self.path, "wb") as file:
                file.write(model.SerializeToString())
        else:
            self.path = os.fspath(model)

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: Any) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def quantize_static(model_input: Union[Path, Any], model_output: Path,
                    calibration_data_reader: Any,
                    quant_format: QuantFormat = QuantFormat.QDQ,
                    op_types_to_quantize: Optional[Sequence[str]] = None,
                    per_channel: Optional[bool] = None, reduce_range: bool = False,
                    activation_type: QuantType = QuantType.QInt8,
                    weight_type: QuantType = QuantType.QInt8,
                    nodes_to_quantize: Optional[Sequence[str]] = None,
                    nodes_to_exclude: Optional[Sequence[str]] = None,
                    use_external_data_format: bool = False,
                    calibrate_method: CalibrationMethod = CalibrationMethod.MinMax,
                    calibration_providers: Optional[Sequence[str]] = None,
                    extra_options: Optional[Mapping[str, Any]] = None, *,
                    profiles: ProfilesLike = None) -> Export:
    """Calibrates a float model with the samples of a reader, and writes it quantized.

    Beside the arguments of ONNX Runtime there are ``profiles``, by default one over the lengths of
    the samples, which are then kept in memory. Returns what became of each layer.
    """
    if quant_format is not QuantFormat.QDQ:
        raise UnsupportedError("quant_format: QOperator is not supported: expected QDQ, which ONNX "
                               "Runtime fuses to the same operators")
    if calibrate_method not in _METHODS:
        shown = getattr(calibrate_method, "name", repr(calibrate_method))
        raise UnsupportedError(f"calibrate_method: {shown} is not supported: expected MinMax, Entropy "
                               "or Percentile")
    extra = dict(extra_options or {})
    _check_extras(extra)
    _check_types(activation_type, weight_type)
    if per_channel is False:
        _say("per_channel=False has no effect: weights have a scale for each output channel")
    others = [name for name in calibration_providers or () if name != "CPUExecutionProvider"]
    if others:
        _say(f"calibration_providers: {', '.join(others)} are not used: calibration runs on the CPU")
    weights = _WEIGHTS[weight_type]
    if reduce_range and weights != "uint8":
        _say("reduce_range=True: weights are stored as uint8 instead, which avoids the same "
             "saturation without losing a bit")
        weights = "uint8"
    weights = "float" if extra.get("AddQDQPairToWeight") else weights
    method = _METHODS[calibrate_method]
    percentile = extra.get("CalibPercentile", 99.999) if method == "percentile" else None
    with _SavedModel(model_input) as path:
        model = Model(path)
        requests = _requests(model, op_types_to_quantize, nodes_to_quantize, nodes_to_exclude)
        stats = calibrate(model, Data(calibration_data_reader, name="reader"), profiles,
                          all_tensors=True, fold_norms=True,
                          smoothing="auto" if extra.get("SmoothQuant") else "off")
        return export(model, model_output, stats.table(method, percentile=percentile),
                      weights=weights, layer_precisions=requests,
                      max_model_bytes=1 if use_external_data_format else 0)


class StaticQuantConfig:
    """The arguments of :func:`quantize_static`, for :func:`quantize`."""

    def __init__(self, calibration_data_reader: Any, calibrate_method: CalibrationMethod =
                 CalibrationMethod.MinMax, **arguments: Any) -> None:
        self.arguments = {"calibration_data_reader": calibration_data_reader,
                          "calibrate_method": calibrate_method, **arguments}


def quantize(model_input: Union[Path, Any], model_output: Path, quant_config: StaticQuantConfig,
             **more: Any) -> Export:
    """:func:`quantize_static` with the arguments of a configuration."""
    if not isinstance(quant_config, StaticQuantConfig):
        raise UnsupportedError(f"quant_config: {type(quant_config).__name__} is not supported: "
                               "expected StaticQuantConfig")
    return quantize_static(model_input, model_output, **{**quant_config.arguments, **more})
