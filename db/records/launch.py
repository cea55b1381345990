"""How a bot is started: as it is stored, and as a process of this machine.

A `Launch` is stored with a revision and holds no path of this installation. A `Start` is made from
it when a process is wanted, and goes to a worker with the plan of a pair.
"""

import msgspec

from db.records.restart import Restart


class Origin(msgspec.Struct, frozen=True):
    """The revision of a git repository that a bot was taken from, and where its copy lies."""

    revision: str
    """The words of the user, such as ``main``."""
    commit: str
    """The hash that it stood for."""
    tree: str
    """The hash of the commit's files."""
    inner: str
    """The folder inside the repository in which the specification is read; "": its top."""
    build: str
    """The command that built it; "": none."""
    place: str
    """The absolute folder of the copy in the ladder's store."""
    digest: str
    """Of all its files after the build."""
    committed_at: float | None = None
    """Seconds since the epoch; None: taken before that was kept."""


class Limits(msgspec.Struct, frozen=True):
    """Limits on the machine's means for a bot and everything it starts; None: no limit.

    The first three are the kernel's own (setrlimit), hold for each of its processes, and make the
    bot's calls fail; the others are watched a few times a second and end the bot.
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
    """Data that the living processes have written to disk in all, in MiB, wherever it lies."""
    cpu_s: int | None = None
    """CPU time of all its processes and threads, the ended ones included, in one game, from one
    `ready` to the next."""


DEFAULT_LIMITS = Limits()


class Launch(msgspec.Struct, frozen=True):
    """A bot's way of being started, as it is stored with its revision (JSON)."""

    command: tuple[str, ...]
    """The program and its arguments, or with a `host` the arguments of that; empty for a built-in
    player."""
    folder: str
    """The absolute folder in which it runs; "" for a player of this installation."""
    player: str | None = None
    """The built-in player, with its options; None for every other bot."""
    restart: Restart = Restart.NEVER
    """How often its process is renewed, unless a run says otherwise."""
    address_mb: int | None = None
    """Address space of each of its processes, in MiB; None: no limit."""
    host: str | None = None
    """The script of `bots.foreign` that hosts it, such as ``thu``; not part of a stored path, so
    that a registered bot survives a new installation of the ladder."""
    python: str | None = None
    """The interpreter of the host; None: the ladder's own."""
    is_python_chosen: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the user named the interpreter, so that no other one may host the bot elsewhere."""
    min_time_ms: int | None = None
    """Time per move below which it cannot play, found at registration; None: none is known."""
    origin: Origin | None = None
    """The revision that it was taken from; None: it runs where its author works on it."""

    @property
    def is_description_only(self) -> bool:
        """Whether it only describes a bot: one that came with an import, see `without_commands`."""
        return not self.command and self.player is None


def without_commands(launch: Launch) -> Launch:
    """A launch that came with a file: without any command, folder, program or copy.

    Nothing starts a bot that has such a launch before it is registered on this machine. A player of
    the ladder itself stays what it is: its name is no command.
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
    """A file that a bot is made of, as it was when its identity was taken."""

    path: str
    """Absolute."""
    size: int
    """In bytes."""
    changed_ns: int
    """Time of the file's last change (ctime); 0 when it had only just been written."""
    digest: str
    """16 hex digits of its content."""


class Start(msgspec.Struct, frozen=True):
    """One process of a bot as this machine starts it. Bots with equal starts share processes."""

    argv: tuple[str, ...]
    """The program and its arguments, whole."""
    folder: str
    """The absolute folder in which it runs."""
    environment: tuple[tuple[str, str], ...] = ()
    """Names and values of the variables that it gets beside those of every bot."""
    address_mb: int | None = None
    """Address space of each of its processes, in MiB; None: no limit."""
    foreign: bool = True
    """Whether the sandbox goes before it: true of all but the players of this installation."""
    content: tuple[FileState, ...] = ()
    """The files that may not change while it plays; empty for what plays from a copy."""
