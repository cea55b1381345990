"""The bounds inside which bot processes run: limits, the sandbox, and the folder of their logs."""

from dataclasses import dataclass
from pathlib import Path

from db.records.launch import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Facilities:
    """Facilities of the kernel that hold a bot, used wherever the machine offers them."""

    groups: bool = True
    """A control group for each bot (`ladder.match.process.cgroups`)."""
    signal_scope: bool = True
    """No signals to other processes (`ladder.match.process.signal_scope`)."""


ALL_FACILITIES = Facilities()


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The bounds of every bot that one command starts.

    Limits and sandbox have no defaults: a command that could leave them out would ignore what the
    user has set.
    """

    limits: Limits
    """Memory, processes, files and CPU time of each bot."""
    sandbox: tuple[str, ...]
    """Words before the command of every bot but the players of this installation, which are the
    ladder itself; ``{scratch}`` and ``{folder}`` in them stand for the bot's two folders."""
    allows_foreign: bool = True
    """Whether bots other than the players of this installation may be started at all."""
    logs: Path | None = None
    """Folder for capped files of the bots' stderr, made when a bot writes any; None: no files."""
    log_bytes: int = 64 << 20
    """Bytes that the files of ended processes may take: of all of a run's workers together, then,
    in the confinement that a worker gets, its share."""
    facilities: Facilities = ALL_FACILITIES


BUILT_IN_ONLY = Confinement(limits=DEFAULT_LIMITS, sandbox=(), allows_foreign=False)
"""For code that starts nothing but players of this installation; any other bot is refused."""
