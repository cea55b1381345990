"""Confinement of bot processes: their limits, their sandbox and the folder of their logs."""

from dataclasses import dataclass
from pathlib import Path

from db.records.launch import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The confinement of every bot that one command starts.

    Limits and sandbox have no defaults, so that no command can forget the user's options.
    """

    limits: Limits
    """Memory, processes and files of each bot."""
    sandbox: tuple[str, ...]
    """``standard``, or words before the command of each foreign bot, with ``{scratch}`` and
    ``{folder}`` for its two folders (`ladder.match.process.sandbox`); empty for none.
    Players of this installation run without them, for they are part of the ladder."""
    allows_foreign: bool = True
    """Whether foreign bots may be started at all."""
    logs: Path | None = None
    """Folder for the bots' stderr, created with the first file; None: no files."""
    log_bytes: int = 64 << 20
    """Maximum size of the logs of ended processes; a worker gets its share of the run's."""


BUILT_IN_ONLY = Confinement(limits=DEFAULT_LIMITS, sandbox=(), allows_foreign=False)
"""For code that starts only players of this installation; a foreign bot is refused."""
