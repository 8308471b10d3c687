"""Plans: models compiled for a set of profiles, and contexts that run them."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._inputs import pick, warn
from ._native import Handle, Keep, Path, ffi, lib, path_bytes, text
from ._tensors import as_array, dtype_name, tensors_of, view_of
from .errors import UsageError, check, make
from .model import Model, Port, load_options_of, ports_of
from .profiles import ProfileSet, ProfilesLike, Range, no_range, ranges_of
from .table import Table

__all__ = ["Plan", "Context", "Layer", "LayerTensor", "Pass", "build", "Array"]

Array = np.ndarray[Any, Any]

_CONSTRAINTS = {"prefer": lib.TARE_CONSTRAINTS_PREFER, "obey": lib.TARE_CONSTRAINTS_OBEY,
                "none": lib.TARE_CONSTRAINTS_NONE}
_ROUNDINGS = {"table": lib.TARE_ROUNDING_TABLE, "nearest": lib.TARE_ROUNDING_NEAREST}

Requests = Union[None, str, Mapping[str, str]]
"""What layers are asked for, by glob: ``{"encoder*": "fp32", "@Conv": "int8"}``, or as text. The last
match wins."""


@dataclass(frozen=True)
class LayerTensor:
    """A tensor that a layer reads or writes."""

    name: str
    dtype: str
    """Element type in memory; ``uint8`` for quantized activations."""
    shape: str
    constant: bool
    scales: tuple[float, ...]
    """Of quantized activations: one for all profiles or one for each."""
    zero_point: int
    row_scales: bool


@dataclass(frozen=True)
class Layer:
    """A layer of a plan: the precision that was asked, the one it has, and why."""

    name: str
    op: str
    origins: tuple[str, ...]
    """Nodes of the model that it computes."""
    asked: str
    got: str
    """``any``: the layer has no int8 form."""
    precision: str
    reason: str
    """Why it has another precision than asked, or what it loses; "" for nothing."""
    output_asked: str
    output_type: str
    output_reason: str
    weights: str
    """Element type of the weights; ``none`` without."""
    weights_asked: str
    weights_reason: str
    rounding: str
    rounding_reason: str
    clipped: bool
    corrected: bool
    smoothed: bool
    decides_length: bool
    """The length of an output of the model follows from what the layer computes."""
    kernel: str
    shape: str
    weight_bytes: int
    inputs: tuple[LayerTensor, ...]
    outputs: tuple[LayerTensor, ...]


@dataclass(frozen=True)
class Pass:
    """A step of the build."""

    name: str
    summary: str
    changed: int
    removed: int


def _tensor(t: Any) -> LayerTensor:
    return LayerTensor(text(t.name), dtype_name(t.dtype), text(t.shape), bool(t.constant),
                       tuple(t.scales[i] for i in range(t.n_scales)), int(t.zero_point),
                       bool(t.row_scales))


def _precision(value: int) -> str:
    return text(lib.tare_precision_name(value))


def _layer(e: Any) -> Layer:
    return Layer(
        name=text(e.name), op=text(e.op),
        origins=tuple(text(e.origins[i]) for i in range(e.n_origins)),
        asked=_precision(e.asked), got=_precision(e.got), precision=text(e.precision),
        reason=text(e.reason), output_asked=_precision(e.output_asked),
        output_type=text(e.output_type), output_reason=text(e.output_reason),
        weights=dtype_name(e.weights), weights_asked=_precision(e.weights_asked),
        weights_reason=text(e.weights_reason), rounding=text(lib.tare_rounding_name(e.rounding)),
        rounding_reason=text(e.rounding_reason), clipped=bool(e.clipped),
        corrected=bool(e.corrected), smoothed=bool(e.smoothed),
        decides_length=bool(e.decides_length), kernel=text(e.kernel),
        shape=text(e.shape), weight_bytes=int(e.weight_bytes),
        inputs=tuple(_tensor(e.inputs[i]) for i in range(e.n_inputs)),
        outputs=tuple(_tensor(e.outputs[i]) for i in range(e.n_outputs)))


def requests_text(requests: Requests) -> Optional[str]:
    """Requests in the syntax of the command."""
    if requests is None or isinstance(requests, str):
        return requests
    return ",".join(f"{glob}:{precision}" for glob, precision in requests.items())


class BuildOptions:
    """The options of a build, for :func:`build` and :func:`tare.tune`."""

    def __init__(self, keep: Keep, table: Union[None, Table, Path] = None, *,
                 fp32: bool = False, any_table: bool = False, layer_precisions: Requests = None,
                 layer_weight_types: Requests = None, layer_output_types: Requests = None,
                 constraints: str = "prefer", weight_rounding: str = "table",
                 smoothing: bool = True, symmetric: bool = False, int8_when_small: bool = False,
                 observable: bool = False, tensor_scales: bool = False,
                 isa: Optional[str] = None) -> None:
        self.table = Table.load(table) if table is not None and not isinstance(table, Table) else table
        self.c = c = keep.new("tare_build_options *")
        lib.tare_build_options_init(c)
        if self.table is not None:
            c.table = keep.object(self.table)._handle
        c.layer_precisions = keep.text(requests_text(layer_precisions))
        c.layer_weight_types = keep.text(requests_text(layer_weight_types))
        c.layer_output_types = keep.text(requests_text(layer_output_types))
        c.constraints = pick("constraints", constraints, _CONSTRAINTS)
        c.weight_rounding = pick("weight_rounding", weight_rounding, _ROUNDINGS)
        c.no_smoothing, c.symmetric, c.any_table = not smoothing, symmetric, any_table
        c.int8_when_small, c.observable, c.fp32 = int8_when_small, observable, fp32
        c.tensor_scales, c.isa = tensor_scales, keep.text(isa)


def profiles_for(model: Model, given: ProfilesLike, table: Optional[Table]) -> ProfileSet:
    """The profiles that the caller gave, else those of the table."""
    ports, n_ports = model._ports()
    profiles = ProfileSet(ports, n_ports)
    if given is None and table is not None and table.profiles:
        given = table.profiles
    if given is None and lib.tare_profiles_n_symbols(profiles._handle) == 0:
        given = ""
    if given is None:
        raise no_range(profiles)
    profiles.add(given)
    return profiles


def build(model: Union[Model, Path], table: Union[None, Table, Path] = None,
          profiles: ProfilesLike = None, **options: Any) -> "Plan":
    """Builds a plan: int8 with the scales of a table, otherwise float.

    Without ``profiles`` those of the table are used. Options:

    - ``layer_precisions``, ``layer_weight_types``, ``layer_output_types``: :data:`tare.Requests`;
      ``constraints``: what happens to requests that cannot be met, ``prefer``, ``obey`` or ``none``
    - ``fp32``: a float plan even of a quantized model; ``any_table``: accept a table of another model
    - ``weight_rounding``: ``table`` or ``nearest``; ``smoothing=False``: leave out that of the table
    - ``symmetric``: activations without zero points; ``int8_when_small``: int8 also where float is
      faster; ``observable``: keep every tensor; ``isa``: CPU features to use
    - ``tensor_scales``: without effect: layers that a model quantizes at run time have one scale for the
      whole tensor, as other engines have it, unless ``layer_precisions`` asks for one for each row
    """
    keep, loaded = Keep(), Model.of(model)
    settings = BuildOptions(keep, table, **options)
    ranges = profiles_for(loaded, profiles, settings.table)
    plan = Plan(make(lib.tare_plan_build, "tare_plan", loaded._handle, ranges._handle, settings.c))
    warn([*ranges.warnings, *plan._unused()])
    return plan


class Plan(Handle):
    """A plan. Any number of threads may use it."""

    _free = "tare_plan_free"

    def __init__(self, pointer: Any) -> None:
        super().__init__(pointer)
        self._idle: list[Context] = []

    @classmethod
    def load(cls, path: Path, *, limits: Optional[Mapping[str, int]] = None) -> "Plan":
        """Loads a plan file by mapping it."""
        keep = Keep()
        return cls(make(lib.tare_plan_load_with, "tare_plan", path_bytes(path),
                        load_options_of(limits, None, keep)))

    def save(self, path: Path) -> None:
        """Writes a plan file."""
        check(lib.tare_plan_save, self._handle, path_bytes(path))

    def _unused(self) -> list[str]:
        kinds = (("rounds", lib.tare_plan_n_unused_roundings, lib.tare_plan_unused_rounding),
                 ("clips", lib.tare_plan_n_unused_clippings, lib.tare_plan_unused_clipping),
                 ("corrects", lib.tare_plan_n_unused_corrections, lib.tare_plan_unused_correction),
                 ("smooths", lib.tare_plan_n_unused_smoothings, lib.tare_plan_unused_smoothing))
        return [f"the table {verb} {count(self._handle)} layers or tensors in a way that the plan "
                f"cannot use, e.g. '{text(name(self._handle, 0))}'"
                for verb, count, name in kinds if count(self._handle)]

    def _ports(self, outputs: bool = False) -> tuple[Any, int]:
        out = ffi.new("const tare_port **")
        function = lib.tare_plan_outputs if outputs else lib.tare_plan_inputs
        count = function(self._handle, out)
        return out[0], count

    @property
    def inputs(self) -> list[Port]:
        """Inputs, in the order of the model."""
        return ports_of(*self._ports())

    @property
    def outputs(self) -> list[Port]:
        """Outputs, in the order of the model."""
        return ports_of(*self._ports(outputs=True))

    @property
    def profiles(self) -> list[dict[str, Range]]:
        """Profiles, by symbol."""
        return ranges_of(lib.tare_plan_profiles(self._handle))

    @property
    def closed_branches(self) -> list[str]:
        """Why branches of If nodes are closed: they refuse only runs that take them."""
        return [text(lib.tare_plan_closed_branch(self._handle, i))
                for i in range(lib.tare_plan_n_closed_branches(self._handle))]

    @property
    def layers(self) -> list[Layer]:
        """Layers, in the order in which they run."""
        return [_layer(lib.tare_plan_layer(self._handle, i))
                for i in range(lib.tare_plan_n_layers(self._handle))]

    @property
    def passes(self) -> list[Pass]:
        """Steps of the build that changed anything."""
        found = [lib.tare_plan_pass(self._handle, i)
                 for i in range(lib.tare_plan_n_passes(self._handle))]
        return [Pass(text(p.name), text(p.summary), int(p.n_changed), int(p.n_removed))
                for p in found]

    @property
    def weight_bytes(self) -> int:
        """Bytes of constants, packed weights included."""
        return int(lib.tare_plan_weight_bytes(self._handle))

    @property
    def context_bytes(self) -> int:
        """Bytes that a context with one thread needs."""
        return int(lib.tare_plan_context_bytes(self._handle))

    @property
    def n_random(self) -> int:
        """Number of nodes that draw random numbers."""
        return int(lib.tare_plan_n_random(self._handle))

    def context(self, *, threads: int = 0, profile: Optional[int] = None,
                kept_bytes: int = 0, seed: int = 0) -> "Context":
        """A context, which runs the plan."""
        return Context(self, threads=threads, profile=profile, kept_bytes=kept_bytes, seed=seed)

    def run(self, *arrays: Any, **named: Any) -> dict[str, Array]:
        """Runs the plan, in a context that nobody else uses: see :meth:`Context.run`."""
        try:
            context = self._idle.pop()
        except IndexError:
            context = self.context()
        try:
            return context.run(*arrays, **named)
        finally:
            self._idle.append(context)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{port.name}{list(port.shape)}" for port in self.inputs)
        return f"<tare.Plan of {text(lib.tare_plan_model_name(self._handle))}: {inputs}>"


class Context(Handle):
    """Memory and threads to run a plan with. Runs of several threads wait for each other: give each
    thread a context of its own to run at the same time."""

    _free = "tare_context_free"

    def __init__(self, plan: Plan, *, threads: int = 0, profile: Optional[int] = None,
                 kept_bytes: int = 0, seed: int = 0) -> None:
        options = ffi.new("tare_context_options *")
        lib.tare_context_options_init(options)
        options.threads, options.kept_bytes, options.seed = threads, kept_bytes, seed
        options.profile = -1 if profile is None else profile
        super().__init__(make(lib.tare_context_new, "tare_context", plan._handle, options), plan)
        self._plan = plan._handle  # not the plan, which has contexts itself
        self._lock = threading.Lock()
        ports, self._n_inputs = plan._ports()
        self._names = [text(ports[i].name) for i in range(self._n_inputs)]
        self._dtypes = [int(ports[i].dtype) for i in range(self._n_inputs)]
        ports, count = plan._ports(outputs=True)
        self._output_names = [text(ports[i].name) for i in range(count)]
        self._outputs = ffi.new("tare_tensor[]", max(count, 1))

    def _ordered(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        if len(arrays) == 1 and not named and isinstance(arrays[0], Mapping):
            return self._ordered([], arrays[0])
        for name in named:
            if name not in self._names:
                raise UsageError(f"no input '{name}': expected {', '.join(self._names)}")
        values = dict(zip(self._names, arrays))
        twice = [name for name in named if name in values]
        if len(arrays) > self._n_inputs or twice:
            raise UsageError(f"expected one array for each of {', '.join(self._names)}")
        values.update(named)
        for name in self._names:
            if name not in values:
                raise UsageError(f"no array for input '{name}'")
        return [as_array(values[name]) for name in self._names]

    def run(self, *arrays: Any, copy: bool = True, **named: Any) -> dict[str, Array]:
        """Runs the plan on arrays, and returns the outputs by name.

        Inputs are given in order, by name, or as one mapping. They have the element type of the
        input, and its rank or one less, for one sample without the batch axis. Their memory is read
        where it is. ``copy=False`` returns views of the memory of the context, which are valid until
        its next run. Other threads of Python go on meanwhile.
        """
        keep = Keep()
        tensors = tensors_of(self._ordered(arrays, named), self._dtypes, self._names, keep)
        with self._lock:
            check(lib.tare_context_run, self._handle, tensors, self._outputs)
            views = [view_of(self._outputs[i], self) for i in range(len(self._output_names))]
            return {name: view.copy() if copy else view
                    for name, view in zip(self._output_names, views)}

    @property
    def profile(self) -> Optional[int]:
        """Profile of the last run; None before the first one."""
        found = int(lib.tare_context_profile(self._handle))
        return None if found < 0 else found

    def set_seed(self, seed: int) -> None:
        """Sets the seed of the random numbers that nodes draw. Runs with the same inputs and the same
        seed give the same outputs."""
        with self._lock:
            lib.tare_context_set_seed(self._handle, seed)

    def set_profiling(self, on: bool) -> None:
        """Switches the measurement of layers on or off, and sets their times to 0."""
        with self._lock:
            lib.tare_context_set_profiling(self._handle, on)

    def layer_seconds(self) -> list[float]:
        """Time of each layer since :meth:`set_profiling`, in seconds."""
        return [float(lib.tare_context_layer_seconds(self._handle, i))
                for i in range(lib.tare_plan_n_layers(self._plan))]
