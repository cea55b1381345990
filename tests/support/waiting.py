"""Waiting for what other processes do."""

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], step_s: float = 0.02) -> None:
    """Wait until a condition holds, for five minutes at most: less than a test may take."""
    deadline = time.monotonic() + 290
    while not condition():
        assert time.monotonic() < deadline, "it did not happen within five minutes"
        time.sleep(step_s)  # short by default, or a run ends before its test kills it
