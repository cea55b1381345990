"""The one door to numba: a typed decorator whose cache cannot go stale (see `engine.cache`)."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba
from numba.extending import intrinsic

from engine.cache import cache_folder, source_fingerprint

__all__ = ["cache_folder", "intrinsic", "kernel", "source_fingerprint"]

F = TypeVar("F", bound=Callable[..., object])

setattr(numba.config, "CACHE_DIR", str(cache_folder()))  # noqa: B010 - absent from numba's types


def kernel(function: F) -> F:
    """Compile a function to machine code on first use and cache the result on disk."""
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
