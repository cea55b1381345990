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
    """No signals to processes outside of the bot (`ladder.match.process.containment.signal_scope`)."""


ALL_FACILITIES = Facilities()


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The bounds of every bot that one command starts."""

    limits: Limits = DEFAULT_LIMITS
    """Memory, processes, files and CPU time of each bot."""
    sandbox: tuple[str, ...] = ()
    """Words before the command of every bot but the players of this installation, which are the
    ladder itself; ``{scratch}`` and ``{folder}`` in them stand for the bot's two folders."""
    logs: Path | None = None
    """Folder for capped files of the bots' stderr, made when a bot writes any; None: no files."""
    log_bytes: int = 64 << 20
    """Bytes that the files of ended processes may take: of all of a run's workers together, then,
    in the confinement that a worker gets, its share."""
    facilities: Facilities = ALL_FACILITIES


UNCONFINED = Confinement()
"""The default limits, no sandbox, no logs."""
