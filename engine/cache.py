"""The cache folder of compiled kernels, named without importing the compiler.

numba's cache checks only the file of the cached function itself; after an edit of a
*called* function in another file it would run the old machine code. So the cache folder is named
by a hash of every source of `engine` and `bots`, the versions of numba and Python and the CPU.
"""

import errno
import hashlib
import os
import platform
import sys
import tempfile
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the packages."""
PACKAGES = ("engine", "bots")
"""The packages that contain kernels."""
_PROBE_BYTES = 1 << 20


@lru_cache(maxsize=1)
def source_fingerprint() -> str:
    """Hash all Python sources of `engine` and `bots`, 16 hex digits."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def machine() -> str:
    """Describe the CPU model: machine code for one must not be loaded on another."""
    described = set()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("model name", "flags", "Features", "CPU part")):
                described.add(line)
    except OSError:
        described.add(platform.processor())
    digest = hashlib.sha256("\n".join(sorted(described)).encode()).hexdigest()[:8]
    return f"{platform.machine()}-{digest}"


def cache_root() -> Path:
    """Return the folder of all caches: ``LADDER_CACHE``, else one in the user's cache folder."""
    given = os.environ.get("LADDER_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "connect4-ladder"


def cache_folder() -> Path:
    """Return the folder of machine code for these sources on this machine."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    versions = f"numba{version('numba')}-{python}-{machine()}"
    return cache_root() / "numba" / versions / source_fingerprint()


def cache_fault() -> str | None:
    """Try to write to the cache; return why that fails and what to do, or None if it succeeds."""
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root, buffering=0) as probe:
            if probe.write(bytes(_PROBE_BYTES)) < _PROBE_BYTES:  # a full disk takes a part
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        return (
            f"compiled players cannot be stored in {root}: {error.strerror}; "
            "set LADDER_CACHE to a folder that can be written"
        )
    return None
