"""What crosses the border of the database: a pair as planned and a pair as played.

They live here, below `ladder`, because the store must know them and nothing imports upwards. All
are frozen and picklable: workers on other machines get a plan and send back a record.
"""

import msgspec

from db.records.restart import Restart


class Origin(msgspec.Struct, frozen=True):
    """The revision of a git repository that a bot was taken from, and where its copy lies."""

    revision: str
    """As the user wrote it, such as ``main``."""
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


class Limits(msgspec.Struct, frozen=True):
    """What a bot and everything it starts may use of the machine; None: no limit.

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
    """What the living processes have written to disk in all, in MiB, wherever it lies."""
    cpu_s: int | None = None
    """CPU time of all its processes and threads, the ended ones included, in one game, from one
    `ready` to the next."""


DEFAULT_LIMITS = Limits()


class Launch(msgspec.Struct, frozen=True):
    """How to start a bot's process. Equal launches can share a process."""

    command: tuple[str, ...]
    """The program and its arguments, or with a `host` the arguments of that."""
    folder: str
    """The absolute folder in which it runs."""
    player: str | None = None
    """For the built-in host: whom to be; not part of starting the process."""
    restart: Restart = Restart.NEVER
    address_mb: int | None = None
    """Address space of each of its processes, in MiB; None: no limit."""
    host: str | None = None
    """The script of `bots.foreign` that hosts it, such as ``thu``; not part of a stored path, so
    that a registered bot survives a new installation of the ladder."""
    python: str | None = None
    """The interpreter of the host; None: the ladder's own."""
    min_time_ms: int | None = None
    """Time per move below which it cannot play, found at registration; None: none is known."""
    origin: Origin | None = None
    """The revision that it was taken from; None: it runs where its author works on it."""
