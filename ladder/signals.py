"""Ctrl-C and SIGTERM: a wish that the main loop can look at, or else the end of the command.

Python's own way serves SIGINT alone, and lets a second Ctrl-C break into the tidying up after the
first. Here the first of these signals counts, and whatever follows it changes nothing: stopping is
quick and always saves.
"""

import signal
from types import FrameType, TracebackType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_signals() -> None:
    """From now on the first of the signals raises KeyboardInterrupt in the main thread.

    A SIGHUP that is ignored stays so: that is what `nohup` is for.
    """
    for number in _ours():
        signal.signal(number, _interrupt)


def ignore_signals() -> None:
    """From now on none of the signals does anything.

    Not by SIG_IGN: Python complains of a signal that came before and was not served yet.
    """
    for number in _ours():
        signal.signal(number, _nothing)


def block_signals() -> None:
    """The same for the end of the program, when Python takes its handlers away."""
    ignore_signals()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def _nothing(number: int, frame: FrameType | None) -> None:
    del number, frame


def was_interrupted() -> bool:
    """Whether KeyboardInterrupt was raised so; libraries make other errors of it, or lose it."""
    return bool(_interrupts)


_interrupts: list[int] = []


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    ignore_signals()
    _interrupts.append(number)
    raise KeyboardInterrupt


def _ours() -> list[signal.Signals]:
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in SIGNALS if not (nohup and number is signal.SIGHUP)]


class StopSignal:
    """Inside a ``with`` block the signals set a flag instead of ending the program.

    Main thread only. A second signal changes nothing.
    """

    def __init__(self) -> None:
        self.is_set = was_interrupted()

    def __enter__(self) -> Self:
        self._former = {number: signal.signal(number, self._note) for number in _ours()}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._former.items():
            # Once stopped, what remains is to tell what was played: no signal may cut that off.
            signal.signal(number, _nothing if self.is_set else handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.is_set = True
