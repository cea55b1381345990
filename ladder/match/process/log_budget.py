"""The log files of the bots that one process starts: their names and their total size."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections import deque
from pathlib import Path

FORFEIT = ".forfeit.log"
"""End of the file name of a log whose bot forfeited a game."""
LEAST_BYTES = 4096
"""Size that a smaller file counts as, which also limits the number of files."""


class LogBudget:
    """The logs of ended processes, of which the oldest are deleted above a total size.

    Logs of forfeits are deleted only when no other logs are left.
    """

    def __init__(self, limit_bytes: int) -> None:
        """Create an empty budget.

        Args:
            limit_bytes: the most that all logs may take together.

        """
        self._limit = limit_bytes
        self._used = 0
        self._plain: deque[tuple[Path, int]] = deque()
        self._forfeits: deque[tuple[Path, int]] = deque()

    def add(self, path: Path | None, *, forfeit: bool) -> None:
        """Add the log of an ended process, if it wrote one, and delete logs over the budget."""
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
            with contextlib.suppress(OSError):  # the user has deleted it
                oldest.unlink()


def log_path(folder: Path, bot: str) -> Path:
    """Return a new path for the stderr of a bot's process, named after the bot."""
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", bot)[:60].lstrip(".") or "bot"
    return folder.absolute() / f"{plain}-{os.getpid()}-{secrets.token_hex(4)}.log"
