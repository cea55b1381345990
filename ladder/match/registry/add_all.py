"""Registering a folder of bots: each is tried out, and those that fail say why at the end."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from bots.errors import BotsError
from db.records.bots import BotRow
from db.records.restart import Restart
from ladder.errors import LadderError, Stopped, UsageError
from ladder.match.process.confinement import Confinement
from ladder.match.registry.register import ExaminedBot, NothingToAdd, RegistrationRequest, examine
from ladder.names import check_name

STEM, FILE = "{stem}", "{file}"
SPECS = {".so": "thu:{file}", ".py": "kaggle:{file}"}
"""The specification of a file, by its suffix, where none is given."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One file of the folder after its trial."""

    request: RegistrationRequest
    examined: ExaminedBot | None = None
    """The bot, when it passed its trial."""
    problem: str = ""
    """Why it did not; "" also when it is registered already, with the same content."""


def make_requests(
    folder: Path,
    pattern: str,
    *,
    name: str,
    spec: str | None = None,
    note: str | None = None,
    restart: Restart | None = None,
    replace: bool = False,
) -> list[RegistrationRequest]:
    """A request for each file of a folder, in the order of the numbers in their names.

    Args:
        folder: it is also where the bots will run.
        pattern: selects the files, such as ``*.so``.
        name: what to call each, with ``{stem}`` for its file's name without suffix.
        spec: its specification, with ``{file}`` and ``{stem}``; None: by its suffix.
        note: a note for all of them.
        restart: how often their processes are renewed; None: what suits the kind.
        replace: whether bots that have these names are replaced where their content differs.

    Raises:
        UsageError: there is no such folder or file, or the names are none, or not different.

    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    try:
        files = sorted(path for path in folder.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise UsageError(f"--pattern {pattern!r} is no pattern of files: {error}") from error
    if not files:
        raise UsageError(f"{folder} holds no file that --pattern {pattern!r} selects")
    if STEM not in name and len(files) > 1:
        raise UsageError(f"--name {name!r} calls all bots the same: write {STEM} into it")
    place = folder.resolve()
    requests: dict[str, RegistrationRequest] = {}
    for path in sorted(files, key=_in_numbers):
        file = str(path.relative_to(folder))
        form = spec or SPECS.get(path.suffix)
        if form is None:
            raise UsageError(f"--spec is needed for {file}, such as --spec 'exec:./{FILE}'")
        called = check_name(name.replace(STEM, path.stem), "--name")
        if called in requests:
            raise UsageError(f"--name {name!r} calls two files {called}")
        requests[called] = RegistrationRequest(
            name=called,
            spec=form.replace(FILE, file).replace(STEM, path.stem),
            folder=place,
            note=note,
            restart=restart,
            replace=replace,
        )
    return list(requests.values())


def examine_all(
    known: Mapping[str, BotRow],
    requests: Sequence[RegistrationRequest],
    confinement: Confinement,
    *,
    concurrency: int,
    report: Callable[[str], None] | None = None,
) -> Iterator[Attempt]:
    """Try bots out, several at a time; each as soon as it is done.

    Args:
        known: the registered bots by name, the retired ones too.
        requests: the bots.
        confinement: their bounds in the trials.
        concurrency: trials at the same time.
        report: called with a sentence about a bot that is silent for long, from any thread.

    Raises:
        Stopped: the user wants the command to end; what was yielded before stands.

    """
    with ThreadPoolExecutor(concurrency) as pool:
        futures = [
            pool.submit(_attempt, known, request, confinement, report) for request in requests
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _attempt(
    known: Mapping[str, BotRow],
    request: RegistrationRequest,
    confinement: Confinement,
    report: Callable[[str], None] | None,
) -> Attempt:
    try:
        return Attempt(request, examine(known, request, confinement, report))
    except Stopped:
        raise
    except NothingToAdd:
        return Attempt(request)
    except (LadderError, BotsError) as error:
        return Attempt(request, problem=str(error))


def _in_numbers(path: Path) -> list[tuple[int, str]]:
    """A key that puts 7.so before 12.so."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
