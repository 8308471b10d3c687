"""For scripts with a subclass of one of TensorRT's calibrators.

Change the import, and let ``get_batch`` return arrays instead of addresses in the memory of a GPU::

    import tare.compat.tensorrt as trt

    class Calibrator(trt.IInt8EntropyCalibrator2): ...

    table = trt.calibrate("model.onnx", Calibrator())
"""

from __future__ import annotations

import enum
import numbers
import os
import tempfile
from typing import Any, Iterator, Optional, Sequence, Union

from .._native import Path
from ..calibrate import calibrate as _calibrate
from ..data import Data
from ..errors import InputError, UsageError
from ..model import Model
from ..plan import Plan, build
from ..profiles import ProfilesLike
from ..table import Table

__all__ = ["CalibrationAlgoType", "IInt8Calibrator", "IInt8EntropyCalibrator",
           "IInt8EntropyCalibrator2", "IInt8MinMaxCalibrator", "IInt8LegacyCalibrator",
           "calibrate", "build_plan"]


class CalibrationAlgoType(enum.Enum):
    """TensorRT's names of the algorithms."""

    LEGACY_CALIBRATION = 0
    ENTROPY_CALIBRATION = 1
    ENTROPY_CALIBRATION_2 = 2
    MINMAX_CALIBRATION = 3


class IInt8Calibrator:
    """What the calibrators have in common. Override the four methods as for TensorRT."""

    _ALGORITHM = CalibrationAlgoType.ENTROPY_CALIBRATION_2
    _HEADER = "EntropyCalibration2"
    _METHOD = "entropy"

    def get_algorithm(self) -> CalibrationAlgoType:
        """The algorithm."""
        return self._ALGORITHM

    def get_batch_size(self) -> int:
        """Number of samples in a batch. Batches may be smaller, and their lengths may differ."""
        raise NotImplementedError(f"{type(self).__name__} has no get_batch_size()")

    def get_batch(self, names: Sequence[str]) -> Optional[Sequence[Any]]:
        """The next batch: one array for each name, or None at the end.

        Addresses in the memory of a GPU, as TensorRT takes them, are refused: tare runs on the CPU,
        and the shape belongs to the data.
        """
        raise NotImplementedError(f"{type(self).__name__} has no get_batch()")

    def read_calibration_cache(self) -> Optional[bytes]:
        """Contents of the cache; None to calibrate."""
        return None

    def write_calibration_cache(self, cache: bytes) -> None:
        """Keeps the contents of the cache."""


class IInt8EntropyCalibrator2(IInt8Calibrator):
    """Thresholds by entropy."""


class IInt8EntropyCalibrator(IInt8Calibrator):
    """Thresholds by entropy, under TensorRT's older name."""

    _ALGORITHM = CalibrationAlgoType.ENTROPY_CALIBRATION
    _HEADER = "EntropyCalibration"


class IInt8MinMaxCalibrator(IInt8Calibrator):
    """Thresholds at the largest magnitude."""

    _ALGORITHM = CalibrationAlgoType.MINMAX_CALIBRATION
    _HEADER = "MinMaxCalibration"
    _METHOD = "minmax"


class IInt8LegacyCalibrator(IInt8Calibrator):
    """Thresholds at a quantile of the magnitudes. The cutoff of the regression is not used."""

    _ALGORITHM = CalibrationAlgoType.LEGACY_CALIBRATION
    _HEADER = "LegacyCalibration"
    _METHOD = "percentile"

    def get_quantile(self) -> float:
        """The quantile, above 0 and up to 1."""
        return 0.9999


def _checked(name: str, value: Any) -> Any:
    if isinstance(value, numbers.Integral) or not (hasattr(value, "shape") or
                                                   hasattr(value, "__array__")):
        raise InputError(
            f"get_batch: '{name}' is {type(value).__name__}, expected an array: tare runs on the CPU "
            "and takes no device pointers; return the NumPy array that was copied to the device")
    return value


class _Batches:
    """The batches of a calibrator as samples."""

    def __init__(self, calibrator: IInt8Calibrator, names: Sequence[str]) -> None:
        self._calibrator, self._names = calibrator, list(names)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while (batch := self._calibrator.get_batch(list(self._names))) is not None:
            if len(batch) == 0:
                return
            if len(batch) != len(self._names):
                raise InputError(f"get_batch: returned {len(batch)} arrays, expected one for each of "
                                 f"{', '.join(self._names)}")
            yield {name: _checked(name, value) for name, value in zip(self._names, batch)}


def _cache_bytes(table: Table, header: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calibration.cache")
        table._save(path, "trt", options={"algo-header": header})
        with open(path, "rb") as file:
            return file.read()


def _cached(calibrator: IInt8Calibrator) -> Optional[Table]:
    cache = calibrator.read_calibration_cache()
    if not cache:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calibration.cache")
        with open(path, "wb") as file:
            file.write(bytes(cache))
        return Table.load(path)


def calibrate(model: Union[Model, Path], calibrator: IInt8Calibrator,
              profiles: ProfilesLike = None, **options: Any) -> Table:
    """The table of a calibrator: from its cache if it has one, else from its batches.

    Batches are read once; they are kept in memory while the profile is found, if none is given.
    ``options`` are those of :func:`tare.calibrate`. The cache that ``write_calibration_cache`` gets
    is one that TensorRT reads; it has all tensors of the model.
    """
    if not isinstance(calibrator, IInt8Calibrator):
        raise UsageError(f"calibrator: expected a subclass of IInt8Calibrator of {__name__}, got "
                         f"{type(calibrator).__name__}")
    table = _cached(calibrator)
    if table is not None:
        return table
    loaded = Model.of(model)
    batches = iter(_Batches(calibrator, [port.name for port in loaded.inputs]))
    options = {"all_tensors": True, "weight_rounding": "nearest", **options}
    stats = _calibrate(loaded, Data(batches, name="batches"), profiles, **options)
    percentile = 100 * calibrator.get_quantile() \
        if isinstance(calibrator, IInt8LegacyCalibrator) else None
    table = stats.table(calibrator._METHOD, percentile=percentile)
    calibrator.write_calibration_cache(_cache_bytes(table, calibrator._HEADER))
    return table


def build_plan(model: Union[Model, Path], calibrator: IInt8Calibrator,
               profiles: ProfilesLike = None, **options: Any) -> Plan:
    """Calibrates, and builds a plan of tare. ``options`` are those of :func:`tare.build`.

    A cache has no profiles: with one, ``profiles`` are needed.
    """
    loaded = Model.of(model)
    return build(loaded, calibrate(loaded, calibrator, profiles), profiles, **options)
