"""The log files of the bots that one process starts: their names, and how much of them is kept."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections import deque
from pathlib import Path

FORFEIT = ".forfeit.log"
"""The end of the name of a log whose bot has lost a game by failing."""
LEAST_BYTES = 4096
"""Bytes that are counted for a smaller file, so that their number is bounded, too."""


class LogBudget:
    """The logs of processes that have ended; the oldest go when there are too many.

    Those of forfeits go last: only when there is nothing else left to go.
    """

    def __init__(self, limit_bytes: int) -> None:
        """Nothing has been written yet.

        Args:
            limit_bytes: what all of them may take together.

        """
        self._limit = limit_bytes
        self._used = 0
        self._plain: deque[tuple[Path, int]] = deque()
        self._forfeits: deque[tuple[Path, int]] = deque()

    def ended(self, path: Path | None, *, forfeit: bool) -> None:
        """A process has ended whose log is in this file, if it wrote one."""
        if path is None:
            return
        try:
            size = max(LEAST_BYTES, path.stat().st_size)
            if forfeit:
                path = path.rename(path.with_name(path.name.removesuffix(".log") + FORFEIT))
        except OSError:  # it wrote nothing
            return
        (self._forfeits if forfeit else self._plain).append((path, size))
        self._used += size
        while self._used > self._limit and (self._plain or self._forfeits):
            oldest, freed = (self._plain or self._forfeits).popleft()
            self._used -= freed
            with contextlib.suppress(OSError):  # somebody else has deleted it
                oldest.unlink()


def log_path(folder: Path, bot: str) -> Path:
    """A file for the stderr of a bot's process, named after the bot; it is not made here."""
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", bot)[:60].lstrip(".") or "bot"
    return folder.absolute() / f"{plain}-{os.getpid()}-{secrets.token_hex(4)}.log"
