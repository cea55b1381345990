"""Records of the calls of a function, made by watching it and not by replacing it."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def calls_of(function: Callable[..., object]) -> Iterator[list[dict[str, Any]]]:
    """Record the arguments of every call of a Python function in this thread during the block."""
    calls: list[dict[str, Any]] = []
    code = inspect.unwrap(function).__code__  # type: ignore[attr-defined]

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            calls.append(dict(frame.f_locals))

    former = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(former)
