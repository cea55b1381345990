"""Registration of a folder of bots: each is tried out, and failures are collected."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from bots.errors import BotsError
from db.records.bots import BotRow
from ladder.errors import LadderError, Stopped, UsageError
from ladder.match.process.sandbox import Confinement
from ladder.names import check_name
from ladder.registry.registration import ExaminedBot, NothingToAdd, RegistrationRequest, examine
from ladder.registry.same_bot import FileReader
from ladder.registry.specs.spec import BotSource, ResolvedBot
from ladder.signals import current_stop

STEM, FOLDER, FILE = "{stem}", "{folder}", "{file}"
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


def make_requests(form: RegistrationRequest, pattern: str) -> list[RegistrationRequest]:
    """Return a request for each file of a folder, 7.so before 12.so.

    Args:
        form: the request for each file of its folder, with ``{stem}`` in its name for the file's
            name without suffix or ``{folder}`` for that of the file's folder, and ``{file}`` and
            ``{stem}`` in its specification; an empty one follows from the suffix.
        pattern: selects the files, such as ``*.so``, or ``*/bot.py``: each bot is started in its
            file's folder.

    Raises:
        UsageError: there is no such folder or file, or the names are not valid or not different.

    """
    folder, name = form.source.folder, form.name
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    try:
        files = list(filter(Path.is_file, folder.glob(pattern)))
    except (ValueError, NotImplementedError) as error:
        problem = f"{pattern!r} is not a pattern of files: {error}"
        raise UsageError(problem, option="pattern") from error
    if not files:
        raise UsageError(f"{folder} has no file that matches {pattern!r}", option="pattern")
    if STEM not in name and FOLDER not in name and len(files) > 1:
        problem = f"{name!r} gives all bots the same name: add {STEM} or {FOLDER} to it"
        raise UsageError(problem, option="name")
    requests: dict[str, RegistrationRequest] = {}
    for path in sorted(files, key=_numeric_key):
        file, stem = path.name, path.stem.removesuffix(".tar")
        spec = form.source.spec or SPECS.get(path.suffix)
        if spec is None:
            problem = f"{file} needs a specification: give one such as 'exec:./{FILE}'"
            raise UsageError(problem, option="spec")
        own = path.parent.resolve()
        bot_name = check_name(name.replace(STEM, stem).replace(FOLDER, own.name))
        if bot_name in requests:
            problem = f"{name!r} gives two files the name {bot_name}: {FOLDER} tells folders apart"
            raise UsageError(problem, option="name")
        spec = spec.replace(FILE, file).replace(STEM, stem)
        source = replace(form.source, spec=spec, folder=own)
        requests[bot_name] = replace(form, name=bot_name, source=source)
    return list(requests.values())


def _numeric_key(path: Path) -> tuple[str, str]:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), str(path)), str(path)


def pack_all(
    requests: Iterable[RegistrationRequest], pack: Callable[[BotSource], ResolvedBot]
) -> list[ResolvedBot | str]:
    """Pack the files of bots; return the problem in place of a bot that cannot be packed."""
    found: list[ResolvedBot | str] = []
    for request in requests:
        current_stop().check()
        try:
            found.append(pack(request.source))
        except (UsageError, BotsError) as error:
            found.append(str(error))
    return found


def involved_bots(
    known: Mapping[str, BotRow], requests: Iterable[RegistrationRequest]
) -> list[BotRow]:
    """Return the registered bots of the requests' names, and those that they are based on."""
    rows = {known[each.name].name: known[each.name] for each in requests if each.name in known}
    bases = {row.based_on for row in rows.values()} & known.keys()
    return list({**rows, **{name: known[name] for name in bases if name}}.values())


def examine_all(
    known: Mapping[str, BotRow],
    requests: Sequence[RegistrationRequest],
    packed: Sequence[ResolvedBot | str],
    confinement: Confinement,
    files_of: FileReader,
    *,
    concurrency: int,
) -> Iterator[Attempt]:
    """Try bots out, several at a time, and yield each attempt when it is done.

    Args:
        known: the registered bots by name, including retired ones.
        requests: the bots.
        packed: their files, as `pack_all` returns them.
        confinement: their confinement in the trials.
        files_of: returns the stored files of registered bots.
        concurrency: number of trials at the same time.

    Raises:
        Stopped: the user stops the command.

    """

    def attempt(request: RegistrationRequest, bot: ResolvedBot | str) -> Attempt:
        if isinstance(bot, str):
            return Attempt(request, problem=bot)
        try:
            return Attempt(request, examine(known, request, confinement, bot, files_of))
        except Stopped:
            raise
        except NothingToAdd:
            return Attempt(request)
        except (LadderError, BotsError) as error:
            return Attempt(request, problem=str(error))

    with ThreadPoolExecutor(concurrency) as pool:
        futures = [pool.submit(attempt, *each) for each in zip(requests, packed, strict=True)]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
