"""Quantized ONNX models: written for other engines, checked, and made float again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from ._inputs import pick, warn
from ._native import Keep, Path, ffi, lib, path_bytes, text
from .errors import check as checked
from .errors import make
from .model import Constants, Model, load_options_of, values_of
from .plan import Requests, requests_text
from .table import Table

__all__ = ["Export", "ExportedLayer", "Check", "Finding", "Imported", "export", "export_targets",
           "check", "import_quantized"]

_ROWS = {text(lib.tare_row_form_name(i)): i for i in range(lib.TARE_ROWS_COUNT)}
_WEIGHTS = {text(lib.tare_export_weights_name(i)): i for i in range(lib.TARE_EXPORT_WEIGHTS_COUNT)}
_TARGETS = {text(lib.tare_export_target_at(i).name): i for i in range(lib.tare_n_export_targets())}


@dataclass(frozen=True)
class ExportedLayer:
    """A layer that could run in int8."""

    name: str
    op: str
    form: str
    """``int8``, ``int16``, ``dynamic`` or ``fp32``."""
    reason: str
    """Why it is not int8; "" where it is."""


@dataclass(frozen=True)
class Export:
    """A quantized model that was written."""

    path: str
    layers: tuple[ExportedLayer, ...]
    opset: int
    external_data: bool
    """Whether constants are in the file PATH.data."""


@dataclass(frozen=True)
class Finding:
    """What a check found."""

    rule: str
    severity: str
    """``error``, ``warning`` or ``note``."""
    node: str
    op: str
    text: str
    advice: str


@dataclass(frozen=True)
class Check:
    """What an engine makes of a quantized model."""

    findings: tuple[Finding, ...]
    layers: Mapping[str, str]
    """Convolutions and products, with the reason why they do not run in int8; "" where they do."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings for which the engine refuses the model, or gets other results."""
        return tuple(f for f in self.findings if f.severity == "error")


@dataclass(frozen=True)
class Imported:
    """A float model that was made of a quantized one."""

    path: str
    table: Table
    """The thresholds that its scales mean."""
    precisions: str
    """Requests for layers that were float (:data:`tare.Requests`)."""
    kept: Mapping[str, str]
    """Nodes that stay quantized, and why."""


def export_targets() -> dict[str, str]:
    """Names of the engines that models are written for, and what each gets."""
    return {name: text(lib.tare_export_target_at(i).summary) for name, i in _TARGETS.items()}


def _layer(layer: Any) -> ExportedLayer:
    return ExportedLayer(text(layer.name), text(layer.op), text(layer.form), text(layer.reason))


class ExportOptions:
    """The options of an export, for :func:`export` and :func:`tare.raise_layers`."""

    def __init__(self, keep: Keep, model: Union[Model, Path], table: Union[Table, Path], *,
                 target: str = "onnxruntime", rows: str = "float", weights: str = "int8",
                 profile: Optional[int] = None, layer_precisions: Requests = None,
                 any_table: bool = False, max_model_bytes: int = 0,
                 limits: Optional[Mapping[str, int]] = None,
                 external_folder: Optional[Path] = None,
                 set: Optional[Constants] = None) -> None:
        self.source = path_bytes(model.path if isinstance(model, Model) else model)
        folder = model.external_folder if isinstance(model, Model) else external_folder
        scales = table if isinstance(table, Table) else Table.load(table)
        self.max_model_bytes = max_model_bytes
        self.c = c = keep.new("tare_export_options *")
        lib.tare_export_options_init(c)
        c.table, c.any_table = keep.object(scales)._handle, any_table
        c.target = pick("target", target, _TARGETS)
        c.rows, c.weights = pick("rows", rows, _ROWS), pick("weights", weights, _WEIGHTS)
        c.profile = -1 if profile is None else profile
        self.requests = requests_text(layer_precisions) or ""
        c.layer_precisions = keep.text(self.requests)
        c.load = load_options_of(limits, folder, keep)
        constants = set if set is not None else model.constants if isinstance(model, Model) else {}
        c.n_sets = len(constants)
        c.sets = sets = keep.array("tare_export_set[]", [{}] * len(constants))
        for i, (name, value) in enumerate(constants.items()):
            to = sets[i]
            values = values_of(value)
            to.input, to.n_values = keep.text(name), len(values)
            to.values = keep.array("double[]", values)


def export(model: Union[Model, Path], output: Path, table: Union[Table, Path],
           **options: Any) -> Export:
    """Writes a quantized model (Q/DQ) for another engine.

    ``table`` should have all tensors (``calibrate(..., all_tensors=True, fold_norms=True)``).
    Layers that it raises (``layer_precisions``) are float, or have the form of ``rows``. Options:

    - ``target``: one of :func:`tare.export_targets`, by default ``onnxruntime``
    - ``rows``: what becomes of layers that need a scale for each row: ``float`` (default), ``int16``
      or ``dynamic``
    - ``set``: inputs that the written model has no more, as of :class:`tare.Model`, from which they
      are taken otherwise; branches that they decide become part of the graph
    - ``weights``: ``int8`` (default), ``uint8``, ``int7`` or ``float``
    - ``profile``: column of a table with several, by default the largest of all
    - ``layer_precisions``: :data:`tare.Requests`
    - ``any_table``, ``max_model_bytes``, ``limits``, ``external_folder``
    """
    keep = Keep()
    chosen = ExportOptions(keep, model, table, **options)
    out = ffi.new("tare_export **")
    checked(lib.tare_export_new, chosen.source, chosen.c, out)
    try:
        external = ffi.new("bool *")
        checked(lib.tare_export_save, out[0], path_bytes(output), chosen.max_model_bytes, external)
        read, written = ffi.new("int64_t *"), ffi.new("int64_t *")
        lib.tare_export_opset(out[0], read, written)
        layers = tuple(_layer(lib.tare_export_layer(out[0], i))
                       for i in range(lib.tare_export_n_layers(out[0])))
        unused = lib.tare_export_n_unused_smoothings(out[0])
        if unused:
            warn([f"the table smooths {unused} tensors that the model cannot, e.g. "
                  f"'{text(lib.tare_export_unused_smoothing(out[0], 0))}'"])
        return Export(str(output), layers, int(written[0]), bool(external[0]))
    finally:
        lib.tare_export_free(out)


def check(path: Path, target: str = "onnxruntime", *,
          limits: Optional[Mapping[str, int]] = None) -> Check:
    """Checks what an engine makes of a quantized model. Findings raise nothing."""
    keep, out = Keep(), ffi.new("tare_check **")
    checked(lib.tare_check_new, path_bytes(path), pick("target", target, _TARGETS),
            load_options_of(limits, None, keep), out)
    try:
        findings = [lib.tare_check_finding(out[0], i)
                    for i in range(lib.tare_check_n_findings(out[0]))]
        layers = [lib.tare_check_layer(out[0], i) for i in range(lib.tare_check_n_layers(out[0]))]
        return Check(tuple(Finding(text(f.rule), text(lib.tare_severity_name(f.severity)),
                                   text(f.node), text(f.op), text(f.text), text(f.advice))
                           for f in findings),
                     {text(layer.name): text(layer.reason) for layer in layers})
    finally:
        lib.tare_check_free(out)


def import_quantized(path: Path, output: Path, *, max_model_bytes: int = 0,
                     limits: Optional[Mapping[str, int]] = None) -> Imported:
    """Makes a float model and a table of a quantized model."""
    keep, out = Keep(), ffi.new("tare_import **")
    checked(lib.tare_import_new, path_bytes(path), load_options_of(limits, None, keep), out)
    try:
        checked(lib.tare_import_save, out[0], path_bytes(output), max_model_bytes, ffi.new("bool *"))
        kept = [lib.tare_import_kept(out[0], i) for i in range(lib.tare_import_count(out[0]).kept)]
        return Imported(str(output), _copied(lib.tare_import_table(out[0])),
                        text(lib.tare_import_precisions(out[0])),
                        {text(node.name): text(node.reason) for node in kept})
    finally:
        lib.tare_import_free(out)


def _copied(table: Any) -> Table:
    """A table of its own, by way of its file: the library has no other copy."""
    import os  # pylint: disable=import-outside-toplevel
    import tempfile  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.calib.json")
        checked(lib.tare_table_write_json, table, path_bytes(path))
        return Table(make(lib.tare_table_read, "tare_table", path_bytes(path)))
