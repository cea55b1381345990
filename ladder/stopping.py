"""Ctrl-C and SIGTERM as a wish that the main loop can look at."""

import signal
from types import FrameType, TracebackType
from typing import Self


class StopSignal:
    """Inside a ``with`` block SIGINT and SIGTERM set a flag instead of ending the program.

    Main thread only. A second signal changes nothing: stopping is quick and always saves.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.is_set = False

    def __enter__(self) -> Self:
        self._former = {number: signal.signal(number, self._note) for number in self.SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.is_set = True
