"""tare: INT8 calibration and inference for ONNX models whose inputs change length.

The usual order::

    import tare

    stats = tare.calibrate("model.onnx", samples)
    table = stats.table("entropy")
    plan = tare.build("model.onnx", table)
    outputs = plan.run(audio)

Everything that the library refuses raises a :class:`TareError`, with one sentence that says what is
wrong. What is skipped, cut or lost is told by Python's warnings, as :class:`TareWarning`.
"""

from ._api import version as __version__
from ._native import ffi as _ffi, lib as _lib, owned_text as _owned_text, text as _text

if _text(_lib.tare_version()) != __version__:
    raise ImportError(f"the package tare {__version__} found a library of version "
                      f"{_text(_lib.tare_version())}: install both of one version")

# pylint: disable=wrong-import-position
from ._progress import ProgressFunction
from .calibrate import calibrate
from .data import Data, DataLike
from .errors import (CheckError, FileError, InputError, LimitError, ModelError, OutOfMemoryError,
                     ShapeError, TareError, TareWarning, UnsupportedError, UsageError)
from .errors import make as _make
from .evaluate import (Evaluation, Interval, Metric, Difference, Score, TensorError, evaluate,
                       compare, metrics)
from .export import (Check, Export, ExportedLayer, Finding, Imported, check, export, export_targets,
                     import_quantized)
from .model import Model, Port, limits
from .plan import Array, Context, Layer, LayerTensor, Pass, Plan, Requests, build
from .profiles import Profile, ProfilesLike, Range
from .statistics import Statistics, StatisticsWarning, TensorStatistics, methods
from .streaming import Streaming
from .table import Table, TableEntry, TableFormat, table_formats
from .tune import Raised, raise_layers, Tuned, TunedLayer, TuneScore, TuneState, tune


def cores() -> int:
    """Number of threads that contexts and calibrations have by default."""
    return int(_lib.tare_cores())


def cpu_report(isa: "str | None" = None) -> str:
    """CPU features found, and the kernel chosen for each family."""
    return _owned_text(_make(_lib.tare_cpu_report, "char", isa.encode() if isa else _ffi.NULL))


__all__ = [
    "Array", "build", "calibrate", "check", "Check", "CheckError", "compare", "Context", "cores",
    "cpu_report", "Data", "DataLike", "Difference", "evaluate", "Evaluation", "export", "Export",
    "export_targets", "ExportedLayer", "FileError", "Finding", "import_quantized", "Imported",
    "InputError", "Interval", "Layer", "LayerTensor", "LimitError", "limits", "methods", "Metric",
    "metrics", "Model", "ModelError", "OutOfMemoryError", "Pass", "Plan", "Port", "Profile",
    "ProfilesLike", "ProgressFunction", "raise_layers", "Raised", "Range", "Requests", "Score",
    "ShapeError", "Statistics", "StatisticsWarning", "Streaming", "Table", "table_formats",
    "TableEntry", "TableFormat", "TareError", "TareWarning", "TensorError", "TensorStatistics",
    "tune", "Tuned", "TunedLayer", "TuneScore", "TuneState", "UnsupportedError", "UsageError",
]
