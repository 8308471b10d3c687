"""Progress of long calls, which also takes the wish of the caller to end them."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._calls import Call, Stopped
from ._native import ffi

ProgressFunction = Callable[[int, Optional[int]], Optional[bool]]
"""Gets how many samples are done, of how many (None: not known). False ends the call."""


class Progress:
    """The progress function of one call."""

    def __init__(self, call: Call, function: Optional[ProgressFunction]) -> None:
        self._call, self._function = call, function
        self.user = ffi.new_handle(self)

    def report(self, done: int, total: int) -> bool:
        """Whether the call goes on."""
        if self._call.stopped:
            return False
        if self._function is None:
            return True
        function: ProgressFunction = self._function
        try:
            return self._call.ask(lambda: function(done, None if total < 0 else total)) is not False
        except Stopped:
            return False


@ffi.callback("bool(void *, int64_t, int64_t)", error=False)
def tick(user: Any, done: int, total: int) -> bool:
    """The tare_progress_fn of all calls."""
    progress: Progress = ffi.from_handle(user)
    return progress.report(done, total)
