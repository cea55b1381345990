"""Confinement of bots: limits, logs, and a sandbox such as ``--sandbox standard``.

The standard sandbox is bubblewrap around the command of one bot. The bot sees the system read-only,
its own files, and the interpreters that its command names, with their prefixes. It can write into
its scratch folder and the folder of what is compiled from its files. It has no network, sees no
other process, and nothing of the user's home.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.foreign import SCRIPT
from db.records.launch import DEFAULT_LIMITS, Limits
from engine.cache import cache_root

STANDARD = "standard"
"""The value of ``--sandbox`` for this sandbox."""
PROGRAM = "bwrap"
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/sys",
)  # fmt: skip
"""Folders of programs and libraries, and what describes the machine."""
HOSTS = str(Path(SCRIPT).parent)
"""The scripts that host foreign bots."""
MOST_LINKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The confinement of every bot that one command starts.

    Limits and sandbox have no defaults, so that no command can forget the user's options.
    """

    limits: Limits
    """Memory, processes and files of each bot."""
    sandbox: tuple[str, ...]
    """``standard``, or words before the command of each foreign bot, with ``{scratch}`` and
    ``{folder}`` for its two folders (`sandbox_words`); empty for none.
    Players of this installation run without them, for they are part of the ladder."""
    allows_foreign: bool = True
    """Whether foreign bots may be started at all."""
    logs: Path | None = None
    """Folder for the bots' stderr, created with the first file; None: no files."""
    log_bytes: int = 64 << 20
    """Maximum size of the logs of ended processes; a worker gets its share of the run's."""


BUILT_IN_ONLY = Confinement(limits=DEFAULT_LIMITS, sandbox=(), allows_foreign=False)
"""For code that starts only players of this installation; a foreign bot is refused."""


def sandbox_words(
    sandbox: Sequence[str],
    command: Sequence[str],
    folder: str,
    scratch: str,
    environment: Mapping[str, str],
) -> list[str]:
    """Return the words before a bot's command.

    Args:
        sandbox: ``standard`` alone, or a command with ``{scratch}`` and ``{folder}`` for the two
            folders of the bot; empty for none.
        command: the bot's program and its arguments.
        folder: its working folder, absolute.
        scratch: its scratch folder.
        environment: its variables besides those of every bot.

    """
    if list(sandbox) == [STANDARD]:
        return _standard(command, folder, scratch, environment)
    return [word.replace("{scratch}", scratch).replace("{folder}", folder) for word in sandbox]


def _standard(
    command: Sequence[str], folder: str, scratch: str, environment: Mapping[str, str]
) -> list[str]:
    words = [shutil.which(PROGRAM) or PROGRAM, "--unshare-all", "--die-with-parent"]
    for place in SYSTEM:
        words += ["--ro-bind-try", place, place]
    words += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108 - its own
    seen: set[str] = set()
    for word in command:
        words += _program_words(word, folder, seen)
    archives = cache_root() / "bots"
    if Path(folder).is_relative_to(archives):
        files = str(archives / Path(folder).relative_to(archives).parts[0] / "files")
        words += ["--ro-bind", files, files]
    elif os.path.isdir(folder):  # a copy in the scratch folder does not exist yet
        words += ["--ro-bind", folder, folder]
    for value in environment.values():
        if value != folder and Path(value).is_relative_to(archives):
            os.makedirs(value, exist_ok=True)  # what is compiled from its files
            words += ["--bind", value, value]
    words += ["--bind", scratch, scratch, "--chdir", folder, "--remount-ro", "/", "--"]
    return words


def _program_words(word: str, folder: str, seen: set[str]) -> Iterator[str]:
    """Yield the words that show a program or script of a command, and what it needs."""
    found = word if os.path.isabs(word) else shutil.which(word) if "/" not in word else None
    for _ in range(MOST_LINKS):
        if found is None or not os.path.exists(found):
            return
        target = os.readlink(found) if os.path.islink(found) else None
        if not _is_visible(found, folder, seen):
            place = _prefix_of(found)
            seen.add(place)
            if place == found and target is not None:
                yield from ("--symlink", target, found)
            else:
                yield from ("--ro-bind", place, place)
        if target is None:
            return
        found = os.path.normpath(os.path.join(os.path.dirname(found), target))


def _is_visible(path: str, folder: str, seen: set[str]) -> bool:
    return any(Path(path).is_relative_to(each) for each in (*SYSTEM, folder, *seen))


def _prefix_of(path: str) -> str:
    """Return what to show of a program: an interpreter's prefix, a host's folder, else the file."""
    if path.startswith(f"{HOSTS}/"):
        return HOSTS
    prefix = Path(path).parent.parent
    home = Path.home()
    if home.is_relative_to(prefix) or prefix == home / ".local":
        return path  # these hold more than an interpreter
    libraries = prefix / "lib"
    is_prefix = (
        (prefix / "pyvenv.cfg").exists()
        or (prefix / "libexec" / "pyenv").exists()  # which its shims call
        or (libraries / "node_modules").exists()
        or any(libraries.glob("python*"))
    )
    return str(prefix) if is_prefix else path
