"""Functions run in a thread of their own, apart from what the thread of the tests has."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P, T = ParamSpec("P"), TypeVar("T")


def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a new thread: a command that sets its priority sets that of the thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *args, **kwargs).result()


def run_apart(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine in a new event loop: the browser's may run in the thread of the tests."""
    return run_in_thread(asyncio.run, coroutine)
