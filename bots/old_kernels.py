"""Removal of compiled kernels, and stamps, that were not used for a month."""

import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from engine.cache import cache_root

KEPT_SECONDS = 30 * 86400.0


def remove_unused(now: float | None = None) -> None:
    """Remove what was not used for a month, for any versions and processor.

    Stamps go first, so that no stamp says that a removed kernel is compiled. A folder of kernels
    stays while a stamp names it; those of tools, such as the solver, have none.

    Args:
        now: the current time in seconds since the epoch.

    """
    since = (time.time() if now is None else now) - KEPT_SECONDS
    for machine in _entries([cache_root() / "numba"]):
        stamps = [machine / kind for kind in ("warm", "golden", "keys")]
        for stamp in _unused(_entries(stamps), since):
            with suppress(OSError):
                stamp.unlink()
        with suppress(FileNotFoundError):  # another process removes stamps, and then folders
            texts = [stamp.read_text("utf-8") for stamp in _entries([machine / "warm"])]
            kernels = machine / "kernels"
            # Release 0.2.0 had a folder beside `kernels` for each fingerprint of all sources.
            older = {*_entries([machine])} - {*stamps, kernels}
            for folder in _unused([*_entries([kernels]), *older], since):
                if not any(folder.name in text for text in texts):
                    shutil.rmtree(folder, ignore_errors=True)


def _entries(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_dir():
            yield from folder.iterdir()


def _unused(entries: Iterable[Path], since: float) -> Iterator[Path]:
    for entry in list(entries):
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < since:
                yield entry
