"""Start commands: how this machine starts the bot of a stored launch.

The kernels of players are compiled before any clock runs, each revision by its own sources.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from bots.catalogue import find, parse_player
from bots.errors import SpecError
from bots.foreign import SCRIPT
from bots.golden import DECIDES_OTHERWISE, describe_change, is_checked
from bots.parent_death import die_with_parent
from bots.protocol import Budget
from bots.warm import is_warm
from db.records.archives import UnpackedArchive, cache_of, files_of
from db.records.launch import Launch, Restart, Start
from db.records.pairs import Entrant
from engine.cache import PACKAGES, ROOT, cache_fault, cache_root
from ladder.errors import LadderError, UsageError
from ladder.registry.specs.archive import pack, use
from ladder.registry.specs.folder_files import find_tree_files
from ladder.signals import current_stop

MACHINE_CODE = "NUMBA_CACHE_DIR"
"""Variable for the folder of what numba compiles from a bot's files, which are read-only."""
UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
SECRETS = frozenset({"LADDER_DB", "PGPASSWORD"})
"""Variables that may contain a password of the database."""
HOST, COMPILER, CHECK = "bots.host", "bots.warm", ("bots.golden", "check")


def builtin_launch(player: str) -> Launch:
    """Return the launch of a player of this installation (``v4``, ``c4ai?weights=file.csv``)."""
    return Launch(command=(), folder="", player=player)


def make_start(launch: Launch) -> Start:
    """Return the start of a bot's process with this installation's interpreter and scripts.

    Its archive must be unpacked on this machine. A launch without an archive, which is not stored,
    starts in its folder.

    Raises:
        SpecError: a program that it needs is gone.

    """
    if launch.is_own:
        return _own_start(launch)
    archive, command = launch.archive, launch.command
    root = Path(launch.folder) if archive is None else files_of(archive)
    folder = str(root / ("" if launch.origin is None else launch.origin.inner))
    cache = "" if archive is None else str(cache_of(archive))
    # In the author's own folder, which is played from to try an unstored bot, nothing is compiled.
    environment = {MACHINE_CODE: cache} if cache else {UNCOMPILED: "1"}
    python = None
    if launch.python is not None:
        python = locate(launch.python, None if launch.is_python_chosen else "python3")
    if launch.program is not None:
        word = None if "/" in command[0] else command[0]
        command = (locate(launch.program, word), *command[1:])
    if launch.player is not None:
        # PYTHONPATH precedes the installed packages, including this project, so that the packages
        # of the archive are imported; their dependencies are found among the installed ones.
        # Not the user's cache: there, one stamp would stand for all copies of the same sources,
        # while numba stores machine code by the path of its source.
        command = host_command(HOST, python)
        environment |= {"LADDER_CACHE": cache, "PYTHONPATH": folder}
    if launch.host is not None:
        # Our own interpreter needs no packages here, and starts faster without them.
        interpreter = (sys.executable, "-I", "-S") if python is None else (python,)
        command = (*interpreter, SCRIPT, launch.host, folder, *launch.host_options, *command)
    return Start(
        argv=command,
        folder=folder,
        environment=tuple(environment.items()),
        address_mb=launch.address_mb,
        copied=str(root) if launch.writes and archive is not None else "",
    )


def locate(recorded: str, word: str | None) -> str:
    """Return the path of a program that was recorded when a bot was added.

    Args:
        recorded: its absolute path then.
        word: the name that is looked up on PATH if it is gone; None for no other program.

    Raises:
        SpecError: there is no such program.

    """
    found = shutil.which(recorded) or (word and shutil.which(word))
    if not found:
        raise SpecError(
            f"its program {recorded} is missing: install it, or add the bot again with a program "
            "that this machine has"
        )
    return found


def environment_without_secrets() -> dict[str, str]:
    """Return the environment of processes that prepare a bot: ours without `SECRETS`."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}


def make_entrant(
    launch: Launch,
    *,
    revision: int,
    name: str,
    budget: Budget,
    restart: Restart | None = None,
    values: Mapping[str, str] | None = None,
    kinds: Sequence[str] = (),
) -> Entrant:
    """Return a bot as one side of a pair.

    Args:
        launch: the stored launch.
        revision: key of its revision in the database.
        name: the bot's name.
        budget: the budget of a move.
        restart: when to restart its process; None: as its launch says.
        values: values of the placeholders ``{name}`` in its command, which another machine fills
            in; None if it has no placeholders.
        kinds: the kinds of budget in its hello. Players of the current sources know all of time.

    """
    return Entrant(
        revision=revision,
        name=name,
        start=make_start(launch),
        budget=budget,
        player=launch.player,
        restart=launch.restart if restart is None else restart,
        values=tuple((values or {}).items()),
        knows_clock=launch.is_own or "clock" in kinds,
    )


def placeholder(name: str) -> str:
    """Return the placeholder of a value in a command."""
    return f"{{{name}}}"


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of their placeholders; other braces stay."""
    for name, value in values.items():
        text = text.replace(placeholder(name), value)
    return text


def host_command(module: str, python: str | None = None) -> tuple[str, ...]:
    """Return the command that runs a module of this project, found on PYTHONPATH.

    -P keeps the current folder off the import path, so that a user's own package called `bots` or
    `engine` is not imported instead.
    """
    return (python or sys.executable, "-P", "-m", module)


@lru_cache(maxsize=4)
def own_sources(root: Path = ROOT) -> UnpackedArchive:
    """Return the copy of the packages `engine` and `bots` that hosts run.

    A run plays for hours while its author edits the same files. A host imports a player's modules
    when it first becomes that player, so hosts of the working tree would mix old and new code. The
    first call in a process makes the copy if necessary; it is unpacked like other bots' files, and
    kernels compiled from it are found by its content.

    Raises:
        UsageError: it cannot be written.

    """
    return pack(root, [file for name in PACKAGES for file in find_tree_files(root / name)])


def _own_start(launch: Launch) -> Start:
    """Return the start of a player's host, from our copy of the sources.

    LADDER_CACHE names the folder of kernels, because HOME is a scratch folder.
    """
    own = own_sources()
    with suppress(OSError):  # it is gone, which the start reports
        use(own.manifest.sha256)
    root = str(own.root)
    return Start(
        argv=host_command(HOST),
        folder=root,
        environment=(
            ("LADDER_CACHE", str(cache_root())),
            ("PYTHONPATH", root),
            (MACHINE_CODE, str(cache_of(own.manifest.sha256))),
        ),
        address_mb=launch.address_mb,
        foreign=False,
    )


def compile_players(bots: Iterable[Launch | Entrant]) -> None:
    """Compile the kernels of the built-in players among launches or sides of pairs.

    Raises:
        UsageError: the cache cannot be written, the compilation of a revision from git failed, or
            a player of the current sources decides otherwise than its golden games.
        LadderError: the compilation of the current sources failed.

    """
    groups: dict[Start, list[str]] = {}
    for bot in bots:
        if bot.player is not None:
            start = bot.start if isinstance(bot, Entrant) else make_start(bot)
            groups.setdefault(start, []).append(bot.player)
    for start, names in groups.items():
        # Stamps spare every command the start of an interpreter. Only the sources of another copy
        # can find theirs.
        is_own = start.folder == str(own_sources().root)
        if not (is_own and is_warm(names)):
            _compile(start, names)
        if is_own and not is_checked(names):
            _check(start, names)


def _check(start: Start, names: Sequence[str]) -> None:
    """Replay the golden games of players of our own sources, once for each edit.

    Raises:
        UsageError: a player decides otherwise.
        LadderError: the games cannot be replayed.

    """
    status = _run(start, *CHECK, *names)
    if status == DECIDES_OTHERWISE:
        changed = dict.fromkeys(parse_player(n)[0].name for n in names if not is_checked([n]))
        raise UsageError("; ".join(describe_change(find(name)) for name in changed))
    if status != 0:
        raise LadderError(
            f"replaying golden games of {', '.join(names)} failed, for the reason above"
        )


def _compile(start: Start, names: Sequence[str]) -> None:
    """Compile the players of one copy of the sources; stamps in its cache save repeated work."""
    if fault := cache_fault():
        raise UsageError(fault)
    if _run(start, COMPILER, *names) == 0:
        return
    if not start.foreign:
        raise LadderError(f"compiling {', '.join(names)} failed, for the reason above")
    raise UsageError(
        f"compiling {', '.join(names)} of {start.folder} failed, for the reason above: its "
        "dependencies are those installed here now; if it needs others, register it again with a "
        "build command and an interpreter of its own"
    )


def _run(start: Start, *words: str) -> int:
    """Run a module as a host of the players would run, and return its exit status.

    The memory of compilers is freed with their process, which dies with us and ignores Ctrl-C.
    """
    parent = os.getpid()

    def prepare_child() -> None:  # may take no locks, for callers may have threads (`examine_all`)
        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with subprocess.Popen(
        (*start.argv[: start.argv.index(HOST)], *words),
        cwd=start.folder,
        env={**environment_without_secrets(), **dict(start.environment)},
        stdin=subprocess.DEVNULL,
        preexec_fn=prepare_child,
    ) as process:
        try:
            status = current_stop().wait_child(process)
        finally:
            process.kill()
    current_stop().check()  # a SIGTERM to the process group has ended the compilation, too
    return status
