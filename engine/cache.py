"""The cache of compiled kernels, without importing the compiler.

The folder for the versions of numba and Python and the CPU holds::

    kernels/<module>-<key>/       machine code; `engine.kernel_keys` makes the keys
    keys/<fingerprint>            the keys of all modules of these sources
    warm/<player>-<key>           a stamp: the player's kernels are compiled, in the named folders
    golden/<player>-<fingerprint> a stamp: the player decides as recorded

`bots.old_kernels` removes what was not used for a month.
"""

import errno
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from engine.whole_file import write_whole

ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the packages."""
PACKAGES = ("engine", "bots")
"""The packages that contain kernels."""
_PROBE_BYTES = 1 << 20
_OTHER_CPU = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
"""Variables by which numba compiles for another processor."""


@lru_cache(maxsize=1)
def source_fingerprint() -> str:
    """Hash all Python sources of `engine` and `bots`, 16 hex digits."""
    return fingerprint_of(read_sources(PACKAGES))


def fingerprint_of(sources: Mapping[str, bytes]) -> str:
    """Hash the paths and contents of sources, 16 hex digits."""
    digest = hashlib.sha256()
    for path, source in sources.items():
        digest.update(path.encode())
        digest.update(source)
    return digest.hexdigest()[:16]


def read_sources(packages: Iterable[str]) -> dict[str, bytes]:
    """Read all Python sources of packages, by path relative to the root."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for package in packages
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def machine() -> str:
    """Describe the CPU model: machine code for one must not be loaded on another."""
    described = {f"{name}={os.environ[name]}" for name in _OTHER_CPU if os.environ.get(name)}
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
    """Return the folder of all entries for these versions on this machine."""
    from importlib.metadata import version  # a fifth of the time in which a bot's host starts

    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return cache_root() / "numba" / f"numba{version('numba')}-{python}-{machine()}"


def is_used(entry: Path) -> bool:
    """Return whether an entry exists, and note this use by its time."""
    try:
        os.utime(entry)
    except OSError:  # the cache may be read-only
        return entry.exists()
    return True


def write_entry(entry: Path, text: str) -> None:
    """Write a file of the cache as a whole.

    Raises:
        OSError: the cache cannot be written.

    """
    entry.parent.mkdir(parents=True, exist_ok=True)
    write_whole(entry, text.encode())


def cache_fault() -> str | None:
    """Try to write to the cache; return why that fails and what to do, or None if it succeeds."""
    import tempfile  # hosts load this module, and only need it here

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
