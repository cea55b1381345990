"""What one bot process may use of the machine."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits that the supervisor puts on a bot and everything it starts; None: no limit.

    The first two are the kernel's own (setrlimit) and make the bot's calls fail; those after them
    are watched a few times a second and end the bot.
    """

    open_files: int | None = 1024
    """Descriptors per process (RLIMIT_NOFILE)."""
    file_mb: int | None = 1024
    """Size of one file in MiB (RLIMIT_FSIZE)."""
    address_mb: int | None = None
    """Address space per process in MiB (RLIMIT_AS); runtimes that reserve a lot need it off."""
    memory_mb: int | None = 1024
    """Resident memory of the bot and its descendants together, in MiB, shared pages once."""
    processes: int | None = 64
    """The bot and its descendants alive at the same time; threads are not counted.

    Beside this the kernel lets the user's tasks, all taken together, grow by some thousand
    (RLIMIT_NPROC; without effect for root)."""
    scratch_mb: int | None = 1024
    """Disk used by the scratch folder (HOME and TMPDIR), in MiB."""
    written_mb: int | None = 4096
    """What the living processes have written to disk in all, in MiB, wherever it lies."""

    def arguments(self) -> list[str]:
        """The supervisor's ``name=value`` arguments."""
        return [f"{k}={v}" for k, v in dataclasses.asdict(self).items() if v is not None]
