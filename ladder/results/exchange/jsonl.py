"""Games as JSON Lines: one object per line with everything about a game."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from db.records.archives import ArchivedFile, Manifest, read_file
from db.records.exchange import GameLine
from db.store import Store
from ladder.errors import UsageError
from ladder.match.specs.archive import unpack
from ladder.visible import visible_json


@dataclass(frozen=True, slots=True)
class NumberedGame:
    """A game and the number of its first line in the file, from 1."""

    line: int
    game: GameLine


class ImportRefused(UsageError):
    """A file that cannot be imported because of a line."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}, line {line}: {why}; nothing was imported")


STARTS = ('{"file":', '{"archive":')
"""The beginnings of the lines that hold no game."""


class FileLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a file."""

    file: str
    """SHA-256 of the whole file."""
    content: bytes


class ArchiveLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An archive whose files stand in earlier lines."""

    archive: Manifest


def write_archives(store: Store) -> Iterator[str]:
    """Yield the lines of all archives of a database, each file once."""
    written: set[str] = set()
    for manifest in store.archives.all():
        for file in manifest.files:
            if file.sha256 not in written:
                written.add(file.sha256)
                for part in store.archives.read_parts(file):
                    yield msgspec.json.encode(FileLine(file.sha256, part)).decode() + "\n"
        yield msgspec.json.encode(ArchiveLine(manifest)).decode() + "\n"


def import_archives(store: Store, path: Path) -> None:
    """Store the archives of a file.

    Raises:
        ImportRefused: a line is not readable, or a file has another content than its hash says.
        OSError: the file cannot be read.

    """
    with tempfile.TemporaryDirectory(prefix="ladder-import-") as folder:

        def read(file: ArchivedFile) -> Iterator[bytes]:
            place = Path(folder, file.sha256)
            return read_file(place) if file.size else iter(())

        with path.open(encoding="utf-8", newline="") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    if line.startswith(STARTS[0]):
                        part = msgspec.json.decode(line, type=FileLine)
                        if not part.file.isalnum():
                            raise UsageError(f"{part.file!r} is not a hash")
                        with Path(folder, part.file).open("ab") as file:
                            file.write(part.content)
                    elif line.startswith(STARTS[1]):
                        manifest = msgspec.json.decode(line, type=ArchiveLine).archive
                        store.archives.add(unpack(manifest, read))
                except (msgspec.DecodeError, UsageError) as error:
                    raise ImportRefused(str(path), number, f"not a bot's files: {error}") from error


@contextmanager
def open_games(path: Path) -> Iterator[Iterator[NumberedGame]]:
    """Open a file and yield an iterator over its games, without empty lines and bots' files.

    Raises:
        UsageError: the file cannot be read.
        ImportRefused: a line is not the JSON object of a game.

    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            yield _read(str(path), lines)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text, so nothing was imported: export it again"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(name: str, lines: Iterable[str]) -> Iterator[NumberedGame]:
    decoder = msgspec.json.Decoder(GameLine)
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith(STARTS):
            try:
                yield NumberedGame(number, decoder.decode(line))
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                raise ImportRefused(
                    name, number, f"it is not a game that `ladder export` wrote in JSON: {error}"
                ) from error


def write_jsonl(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield one line per game."""
    for line in lines:
        yield visible_json(msgspec.json.encode(line).decode()) + "\n"
