"""How a bot is started.

A `Launch` is stored with a revision and holds no path of this installation. A `Start` is derived
from it for this machine, and sent to a worker with the plan of a pair.
"""

from enum import StrEnum

import msgspec


class Restart(StrEnum):
    """When a bot's process is restarted if nothing fails."""

    GAME = "game"
    PAIR = "pair"
    NEVER = "never"


class Origin(msgspec.Struct, frozen=True):
    """The git commit that a bot was taken from."""

    revision: str
    """The revision as the user wrote it, such as ``main``."""
    commit: str
    """Hash of the commit."""
    tree: str
    """Hash of the commit's files."""
    inner: str
    """Folder in the repository that the specification refers to; "" for the top."""
    build: str
    """The build command; "" without one."""
    committed_at: float | None = None
    """Seconds since the epoch; None if an older version registered it."""


class Limits(msgspec.Struct, frozen=True):
    """Resource limits of a bot and its child processes; None for no limit.

    The first three are set with setrlimit for each process: system calls beyond them fail. The
    others are measured a few times per second: exceeding one kills the bot.
    """

    open_files: int | None = 1024
    """Descriptors per process (RLIMIT_NOFILE)."""
    file_mb: int | None = 1024
    """Size of one file in MiB (RLIMIT_FSIZE)."""
    address_mb: int | None = None
    """Address space per process in MiB (RLIMIT_AS). Some runtimes reserve more than they use."""
    memory_mb: int | None = 1024
    """Resident memory of all processes in MiB, counting shared pages once."""
    processes: int | None = 64
    """Number of processes at a time, not counting threads.

    In addition RLIMIT_NPROC lets all tasks of the user grow by a few thousand (no effect for
    root)."""


DEFAULT_LIMITS = Limits()


class Launch(msgspec.Struct, frozen=True):
    """How to start a bot, as stored with its revision in JSON."""

    command: tuple[str, ...]
    """The program and its arguments, or those of the `host`, relative to the root of its files;
    empty for a built-in player."""
    folder: str
    """Absolute folder from which it was added; it is never started there. "" if unknown."""
    player: str | None = None
    """The built-in player with its options; None for other bots."""
    restart: Restart = Restart.NEVER
    """When its process is restarted, unless a run overrides it."""
    address_mb: int | None = None
    """Address space of each process in MiB; None for no limit."""
    host: str | None = None
    """The script in `bots.foreign` that hosts it, such as ``thu``. Its path is not stored, so that
    a bot still starts after the ladder is installed elsewhere."""
    host_options: tuple[str, ...] = ()
    """Words for the host before the command."""
    python: str | None = None
    """Python interpreter of the host; None for the ladder's own."""
    is_python_chosen: bool = False
    """Whether the user chose the interpreter, so that no other may take its place."""
    program: str | None = None
    """Absolute path of the command's program, if that is not among its files."""
    min_time_ms: int | None = None
    """Shortest time per move in which it can answer, measured at registration; None if unknown."""
    origin: Origin | None = None
    """The commit that it was taken from; None if its files were taken from `folder`."""
    archive: str | None = None
    """Hash of the manifest of its files, a column of its own; None if they are not stored."""
    patterns: tuple[str, ...] = ()
    """Patterns of the files that were added to those which its specification means."""
    writes: bool = False
    """Whether it wrote into its folder during its trial: each of its processes gets a copy."""
    used: tuple[str, ...] | None = None
    """Its files that its specification or patterns name, or that it opened during its trial; None
    if that is unknown, so that every file counts."""

    @property
    def is_own(self) -> bool:
        """Whether it is a player of this installation."""
        return self.player is not None and self.origin is None

    @property
    def can_play(self) -> bool:
        """Whether its files are stored, or it needs none."""
        return self.is_own or self.archive is not None


class Start(msgspec.Struct, frozen=True):
    """How this machine starts a process of a bot. Bots with equal starts share processes."""

    argv: tuple[str, ...]
    """The program and all its arguments."""
    folder: str
    """Absolute working folder."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables in addition to those of every bot."""
    address_mb: int | None = None
    """Address space of each process in MiB; None for no limit."""
    foreign: bool = True
    """Whether it runs in the sandbox; false only for players of this installation."""
    copied: str = ""
    """Folder that each process gets a copy of, with its working folder inside; "" for none."""
