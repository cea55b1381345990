"""Records of the calls of a function, made by watching it and not by replacing it."""

import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def calls_of(function: Callable[..., object]) -> Iterator[list[dict[str, Any]]]:
    """Record a Python function's calls in this thread and in those that start in the block."""
    calls: list[dict[str, Any]] = []
    code = inspect.unwrap(function).__code__  # type: ignore[attr-defined]

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            calls.append(dict(frame.f_locals))

    former, of_threads = sys.getprofile(), threading.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield calls
    finally:
        threading.setprofile(of_threads)  # type: ignore[arg-type]
        sys.setprofile(former)
