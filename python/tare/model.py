"""Models and their inputs and outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

from ._native import Handle, Keep, Path, ffi, lib, owned_text, path_bytes, text
from ._tensors import dtype_name
from .errors import UsageError, check, make

__all__ = ["Model", "Port", "limits"]


@dataclass(frozen=True)
class Port:
    """An input or output."""

    name: str
    dtype: str
    """Element type, e.g. ``"float32"``."""
    shape: tuple[Union[int, str], ...]
    """Sizes, and symbols such as ``"samples"`` where they change; of outputs also expressions."""


def ports_of(ports: Any, count: int) -> list[Port]:
    """Ports as dataclasses."""

    def dim(value: Any) -> Union[int, str]:
        return int(value.value) if value.symbol == ffi.NULL else text(value.symbol)

    return [Port(text(ports[i].name), dtype_name(ports[i].dtype),
                 tuple(dim(ports[i].dims[axis]) for axis in range(ports[i].rank)))
            for i in range(count)]


def limits() -> dict[str, str]:
    """Names of the limits, and what they limit."""
    return {text(lib.tare_limit_at(i).name): text(lib.tare_limit_at(i).text)
            for i in range(lib.tare_n_limits())}


def limits_of(values: Optional[Mapping[str, int]], keep: Keep) -> Any:
    """Limits that differ from the defaults; NULL for none. ``max_nodes`` is ``max-nodes``."""
    if not values:
        return ffi.NULL
    out = keep.new("tare_limits *")
    lib.tare_limits_init(out)
    names = list(limits())
    for name, value in values.items():
        known = name.replace("_", "-")
        if known not in names:
            raise UsageError(f"limits: unknown '{name}', expected one of {', '.join(names)}")
        check(lib.tare_limit_set, out, names.index(known), value)
    return out


def load_options_of(limits_given: Optional[Mapping[str, int]], external_folder: Optional[Path],
                    keep: Keep) -> Any:
    """How files of models are read."""
    options = keep.new("tare_load_options *")
    lib.tare_load_options_init(options)
    options.limits = limits_of(limits_given, keep)
    options.external_folder = keep.text(external_folder)
    return options


#: Inputs that become constants: a value, or one for each element, by name.
Constants = Mapping[str, Union[float, Sequence[float]]]


def values_of(value: Union[float, Sequence[float]]) -> list[float]:
    """The values of an input that becomes a constant."""
    return [float(v) for v in value] if isinstance(value, Sequence) else [float(value)]


class Model(Handle):
    """An ONNX model.

    ``limits`` are those of the command (``{"max-memory": 2_000_000_000}``), ``external_folder`` is
    another folder in which external data may be, and ``set`` turns inputs into constants
    (``{"sr": 16000}``).
    """

    _free = "tare_model_free"

    def __init__(self, path: Path, *, limits: Optional[Mapping[str, int]] = None,
                 external_folder: Optional[Path] = None,
                 set: Optional[Constants] = None) -> None:
        keep = Keep()
        options = load_options_of(limits, external_folder, keep)
        super().__init__(
            make(lib.tare_model_load_with, "tare_model", path_bytes(path), options))
        self.limits = dict(limits or {})
        self.external_folder = external_folder
        for name, value in (set or {}).items():
            values = values_of(value)
            check(lib.tare_model_set_values, self._handle, name.encode(), values, len(values))
        self.constants = dict(set or {})

    @classmethod
    def of(cls, model: Union["Model", Path]) -> "Model":
        """The model itself, or that of a file."""
        return model if isinstance(model, Model) else cls(model)

    def _ports(self) -> tuple[Any, int]:
        out = ffi.new("const tare_port **")
        count = lib.tare_model_inputs(self._handle, out)
        return out[0], count

    @property
    def path(self) -> str:
        """The file."""
        return text(lib.tare_model_get_info(self._handle).path)

    @property
    def inputs(self) -> list[Port]:
        """Inputs, in the order of the file."""
        return ports_of(*self._ports())

    @property
    def outputs(self) -> list[Port]:
        """Outputs, in the order of the file."""
        out = ffi.new("const tare_port **")
        count = lib.tare_model_outputs(self._handle, out)
        return ports_of(out[0], count)

    @property
    def n_random(self) -> int:
        """Number of nodes that draw random numbers."""
        return int(lib.tare_model_n_random(self._handle))

    @property
    def is_quantized(self) -> bool:
        """Whether the model has scales itself (Q/DQ): then it is built without a table."""
        return bool(lib.tare_model_get_info(self._handle).n_stated)

    @property
    def hash(self) -> int:
        """Hash of the file, which statistics and tables have too."""
        return int(lib.tare_model_get_info(self._handle).hash)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(lib.tare_model_get_info(self._handle).n_nodes)

    @property
    def opset(self) -> int:
        """Version of the default operator set."""
        return int(lib.tare_model_get_info(self._handle).opset)

    @property
    def closed_branches(self) -> list[str]:
        """Why branches of If nodes are closed: they refuse only runs that take them."""
        return [text(lib.tare_model_closed_branch(self._handle, i))
                for i in range(lib.tare_model_n_closed_branches(self._handle))]

    @property
    def operators(self) -> dict[str, int]:
        """How many nodes have each operator."""
        name, count = ffi.new("const char **"), ffi.new("int *")
        found = {}
        for i in range(lib.tare_model_n_operators(self._handle)):
            lib.tare_model_operator(self._handle, i, name, count)
            found[text(name[0])] = count[0]
        return found

    def print(self, *, optimized: bool = False) -> str:
        """The graph as text, a line for each node."""
        out = ffi.new("char **")
        check(lib.tare_model_print, self._handle, optimized, out)
        return owned_text(out[0])

    def __repr__(self) -> str:
        inputs = ", ".join(f"{port.name}{list(port.shape)}" for port in self.inputs)
        return f"<tare.Model {self.path}: {inputs}>"
