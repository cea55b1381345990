"""Coroutines in tests, run in a thread of their own: the browser's loop may run in this one."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def run_apart(coroutine: Coroutine[object, object, T]) -> T:
    """Return what a coroutine returns in an event loop of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
