"""Long calls: the library works in a thread of its own, while the thread of the caller supplies
samples, reports progress and takes Ctrl-C."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, Optional, TypeVar

Result = TypeVar("Result")

_POLL_SECONDS = 0.1


class Stopped(Exception):
    """The call is to end."""


class Call:
    """One long call. The library's threads use :meth:`ask` for what only the caller may do."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stop = False
        self._result: Any = None
        self._error: Optional[BaseException] = None

    @property
    def stopped(self) -> bool:
        """Whether the caller wants no more."""
        return self._stop

    def ask(self, function: Callable[[], Result]) -> Result:
        """Lets the thread of the caller compute something. Raises Stopped if it will not."""
        reply: queue.SimpleQueue[Result] = queue.SimpleQueue()
        self._requests.put((function, reply))
        while not self._stop:
            try:
                return reply.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                pass
        raise Stopped

    def _work(self, function: Callable[[], Any]) -> None:
        try:
            self._result = function()
        except BaseException as error:  # pylint: disable=broad-except
            self._error = error
        finally:
            self._requests.put(None)

    def _serve(self) -> None:
        while True:
            request = self._requests.get()
            if request is None:
                return
            function, reply = request
            reply.put(function())

    def run(self, function: Callable[[], Result]) -> Result:
        """Runs it. What the caller's own code raises goes first, and ends the call before."""
        thread = threading.Thread(target=self._work, args=(function,), name="tare", daemon=True)
        thread.start()
        own: Optional[BaseException] = None
        try:
            self._serve()
        except BaseException as error:  # pylint: disable=broad-except
            own = error
        self._stop = own is not None
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt as error:
                own, self._stop = own or error, True
        if own is not None:
            raise own
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[no-any-return]
