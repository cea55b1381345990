"""How a bot is started.

A `Launch` is stored with a revision and holds no path of this installation. A `Start` is derived
from it for this machine, and sent to a worker with the plan of a pair.
"""

import msgspec

from db.records.restart import Restart


class Origin(msgspec.Struct, frozen=True):
    """The git commit that a bot was taken from, and the folder of its copy."""

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
    place: str
    """Absolute folder of the copy."""
    digest: str
    """Hash of all its files after the build."""
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
    """The program and its arguments, or those of the `host`; empty for a built-in player."""
    folder: str
    """Absolute working folder; "" for a built-in player."""
    player: str | None = None
    """The built-in player with its options; None for other bots."""
    restart: Restart = Restart.NEVER
    """When its process is restarted, unless a run overrides it."""
    address_mb: int | None = None
    """Address space of each process in MiB; None for no limit."""
    host: str | None = None
    """The script in `bots.foreign` that hosts it, such as ``thu``. Its path is not stored, so that
    a bot still starts after the ladder is installed elsewhere."""
    python: str | None = None
    """Python interpreter of the host; None for the ladder's own."""
    is_python_chosen: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the user chose the interpreter, so that machines of a cluster must have it, too."""
    min_time_ms: int | None = None
    """Shortest time per move in which it can answer, measured at registration; None if unknown."""
    origin: Origin | None = None
    """The commit that it was taken from; None if it runs in its author's folder."""

    @property
    def is_description_only(self) -> bool:
        """Whether it cannot start a bot, because it was imported; see `without_commands`."""
        return not self.command and self.player is None


def without_commands(launch: Launch) -> Launch:
    """Return the launch of an imported bot: without command, folder, interpreter and copy.

    So importing a file never runs anything; the bot must first be registered on this machine.
    Built-in players are kept, because their names are not commands.
    """
    player = launch.player if launch.origin is None else None
    return Launch(
        command=(),
        folder="",
        player=player,
        restart=launch.restart,
        address_mb=launch.address_mb,
        min_time_ms=launch.min_time_ms,
    )


class FileState(msgspec.Struct, frozen=True, array_like=True):
    """A file of a bot when the bot's identity was computed."""

    path: str
    """Absolute path."""
    size: int
    """Size in bytes."""
    changed_ns: int
    """The file's ctime in ns; 0 if it was too recent to be relied on."""
    digest: str
    """Hash of its content, 16 hex digits."""


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
    content: tuple[FileState, ...] = ()
    """Files that must not change while it plays; empty for a bot that plays from a copy."""
