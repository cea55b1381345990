"""Registration of a folder of bots: each is tried out, and failures are collected."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from bots.errors import BotsError
from db.records.bots import BotRow
from db.records.restart import Restart
from ladder.errors import LadderError, Stopped, UsageError
from ladder.match.process.confinement import Confinement
from ladder.match.registry.register import (
    ExaminedBot,
    NothingToAdd,
    RegistrationRequest,
    examine,
    pack_request,
)
from ladder.match.specs.source import GitTree, PackedBot
from ladder.names import check_name
from ladder.signals import current_stop

STEM, FILE = "{stem}", "{file}"
SPECS = {".so": "thu:{file}", ".py": "kaggle:{file}", ".gz": "kaggle:{file}"}
"""The default specification of a file, by its suffix."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The attempt to register one file of the folder."""

    request: RegistrationRequest
    examined: ExaminedBot | None = None
    """The bot, if it passed its trial."""
    problem: str = ""
    """Why it failed; "" if it passed, or is already registered with the same content."""


def make_requests(
    folder: Path,
    pattern: str,
    *,
    name: str,
    spec: str | None = None,
    note: str | None = None,
    restart: Restart | None = None,
    time_ms: int | None = None,
    replace: bool = False,
    tree: GitTree | None = None,
) -> list[RegistrationRequest]:
    """Return a request for each file of a folder, in the order of the numbers in their names.

    Args:
        folder: the folder of the files, in which the bots will run.
        pattern: selects the files, such as ``*.so``.
        name: name of each bot, with ``{stem}`` for its file's name without suffix.
        spec: specification of each bot, with ``{file}`` and ``{stem}``; None: by its suffix.
        note: a note for all of them.
        restart: when to restart their processes; None: the default of each kind.
        time_ms: time per move in their trials; None: the default of each kind.
        replace: whether bots of the same names are replaced if their content differs.
        tree: the files of a revision, in whose place the folder lies.

    Raises:
        UsageError: there is no such folder or file, or the names are not valid or not different.

    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    try:
        files = sorted(path for path in folder.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        problem = f"{pattern!r} is not a pattern of files: {error}"
        raise UsageError(problem, option="pattern") from error
    if not files:
        raise UsageError(f"{folder} has no file that matches {pattern!r}", option="pattern")
    if STEM not in name and len(files) > 1:
        problem = f"{name!r} gives all bots the same name: add {STEM} to it"
        raise UsageError(problem, option="name")
    requests: dict[str, RegistrationRequest] = {}
    for path in sorted(files, key=_numeric_key):
        file = str(path.relative_to(folder))
        template = spec or SPECS.get(path.suffix)
        if template is None:
            problem = f"{file} needs a specification: give one such as 'exec:./{FILE}'"
            raise UsageError(problem, option="spec")
        stem = path.stem.removesuffix(".tar")
        bot_name = check_name(name.replace(STEM, stem))
        if bot_name in requests:
            raise UsageError(f"{name!r} gives two files the name {bot_name}", option="name")
        requests[bot_name] = RegistrationRequest(
            name=bot_name,
            spec=template.replace(FILE, file).replace(STEM, stem),
            folder=folder.resolve(),
            note=note,
            restart=restart,
            time_ms=time_ms,
            replace=replace,
            tree=tree,
        )
    return list(requests.values())


def pack_all(requests: Sequence[RegistrationRequest]) -> list[PackedBot | str]:
    """Pack the files of bots; return the problem in place of a bot that cannot be packed."""
    found: list[PackedBot | str] = []
    for request in requests:
        try:
            current_stop().check()
            found.append(pack_request(request))
        except Stopped:
            raise
        except (LadderError, BotsError) as error:
            found.append(str(error))
    return found


def examine_all(
    known: Mapping[str, BotRow],
    requests: Sequence[RegistrationRequest],
    packed: Sequence[PackedBot | str],
    confinement: Confinement,
    *,
    concurrency: int,
) -> Iterator[Attempt]:
    """Try bots out, several at a time, and yield each attempt when it is done.

    Args:
        known: the registered bots by name, including retired ones.
        requests: the bots.
        packed: their files, as `pack_all` returns them.
        confinement: their confinement in the trials.
        concurrency: number of trials at the same time.

    Raises:
        Stopped: the user stops the command.

    """
    with ThreadPoolExecutor(concurrency) as pool:
        futures = [
            pool.submit(_attempt, known, request, bot, confinement)
            for request, bot in zip(requests, packed, strict=True)
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _attempt(
    known: Mapping[str, BotRow],
    request: RegistrationRequest,
    bot: PackedBot | str,
    confinement: Confinement,
) -> Attempt:
    if isinstance(bot, str):
        return Attempt(request, problem=bot)
    try:
        return Attempt(request, examine(known, request, confinement, bot))
    except Stopped:
        raise
    except NothingToAdd:
        return Attempt(request)
    except (LadderError, BotsError) as error:
        return Attempt(request, problem=str(error))


def _numeric_key(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts 7.so before 12.so."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
