"""Models whose states are carried from run to run, through which samples go in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

from ._native import Handle, ffi, lib, text
from .errors import check, make

__all__ = ["Streaming"]


@dataclass(frozen=True)
class Streaming:
    """How samples go through a model with states."""

    chunk: Optional[str] = None
    """Size of the chunks, ``"samples=512"``; None: samples are whole."""
    hop: int = 0
    """Step from chunk to chunk; 0: the size."""
    states: Optional[Sequence[str]] = None
    """Pairs ``"output:input"``; None: those whose names and shapes say that they are states."""
    generate: int = 0
    """Calibrations: tokens that the model goes on by behind each sample."""


class StreamingHandle(Handle):
    """The streaming of the library for a model or plan, whose ports must outlive it."""

    _free = "tare_streaming_free"

    def __init__(self, given: Streaming, ports: tuple[Any, int], outputs: tuple[Any, int]) -> None:
        super().__init__(make(lib.tare_streaming_new, "tare_streaming", *ports, *outputs))
        for pair in given.states or ():
            check(lib.tare_streaming_add_state, self._handle, pair.encode())
        if given.chunk is not None:
            check(lib.tare_streaming_set_chunk, self._handle, given.chunk.encode(), given.hop)
        if given.states is None:
            lib.tare_streaming_find_states(self._handle)
        if given.generate:
            check(lib.tare_streaming_set_generation, self._handle, given.generate)

    @property
    def states(self) -> list[tuple[str, str]]:
        """Names of the output and of the input of each state."""
        return [(text(lib.tare_streaming_state_output(self._handle, i)),
                 text(lib.tare_streaming_state_input(self._handle, i)))
                for i in range(lib.tare_streaming_n_states(self._handle))]

    @property
    def recognized(self) -> list[str]:
        """Names of the inputs that were not declared as states, but recognized."""
        return [into for i, (_, into) in enumerate(self.states)
                if text(lib.tare_streaming_state_reason(self._handle, i))]

    def ports(self) -> tuple[Any, int]:
        """The inputs that data have."""
        out = ffi.new("const tare_port **")
        count = lib.tare_streaming_ports(self._handle, out)
        return out[0], count
