"""The one door to numba: a typed decorator and a cache that cannot go stale.

numba's on-disk cache looks only at the file of the cached function itself; after an edit of a
*called* function in another file it would run the old machine code. So the cache folder is named
by a hash of every source of `engine` and `bots`, the versions of numba and Python and the CPU.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba
from numba.extending import intrinsic

__all__ = ["cache_folder", "intrinsic", "kernel", "source_fingerprint"]

F = TypeVar("F", bound=Callable[..., object])

ROOT = Path(__file__).resolve().parent.parent


def source_fingerprint() -> str:
    """A hash of every Python source of `engine` and `bots`, 16 hex digits."""
    digest = hashlib.sha256()
    for package in ("engine", "bots"):
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    given = os.environ.get("LADDER_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "connect4-ladder"


def cache_folder() -> Path:
    """Where this version of the sources keeps its machine code on this machine."""
    from llvmlite import binding

    machine = f"{platform.machine()}-{binding.get_host_cpu_name()}"
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    versions = f"numba{numba.__version__}-{python}-{machine}"
    return _cache_root() / "numba" / versions / source_fingerprint()


setattr(numba.config, "CACHE_DIR", str(cache_folder()))  # noqa: B010 - absent from numba's types


def kernel(function: F) -> F:
    """Compile a function to machine code on first use and cache the result on disk."""
    return cast(F, numba.njit(cache=True, error_model="numpy", nogil=True)(function))
