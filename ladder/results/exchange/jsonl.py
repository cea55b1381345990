"""Games as JSON Lines: one object per line with everything about a game."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from db.records.analysis import SolvedPosition
from db.records.archives import ArchivedFile, Manifest, UnpackedArchive, read_file
from db.records.exchange import GameLine, SolvedLine
from db.store import Store
from engine.board import parse_board
from engine.position import Position, parse_moves
from engine.position_key import key_of
from ladder.errors import UsageError
from ladder.registry.specs.archive import unpack
from ladder.results.analysis.verdict import BYTES, MoveVerdict
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


UNLIKE = "the content of {} is missing in the lines before, or is not that of its hash"
"""The message about a file of an archive."""


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


class ExportReader:
    """The lines of an export, read once: its games, and the files of bots among them."""

    def __init__(self, name: str, lines: Iterable[str], folder: Path) -> None:
        """Read nothing yet.

        Args:
            name: the name of the file, for messages.
            lines: its lines.
            folder: an empty folder for the files of bots.

        """
        self._name, self._lines, self._folder = name, lines, folder
        self.archives: list[UnpackedArchive] = []
        """The archives of the lines read so far."""

    def __iter__(self) -> Iterator[NumberedGame]:
        """Yield the games, without empty lines. Raises ImportRefused."""
        decoder = msgspec.json.Decoder(GameLine)
        for number, line in enumerate(self._lines, start=1):
            if line.startswith(STARTS):
                try:
                    self._read_files(line)
                except (msgspec.DecodeError, UsageError) as error:
                    raise ImportRefused(
                        self._name, number, f"not a bot's files: {error}"
                    ) from error
            elif line.strip():
                try:
                    yield NumberedGame(number, decoder.decode(line))
                except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                    why = f"it is not a game that `ladder export` wrote in JSON: {error}"
                    raise ImportRefused(self._name, number, why) from error

    def _read_files(self, line: str) -> None:
        """Read a part of a file, or an archive of those read before. Raises UsageError."""
        if line.startswith(STARTS[0]):
            part = msgspec.json.decode(line, type=FileLine)
            if not part.file.isalnum():
                raise UsageError(f"{part.file!r} is not a hash")
            with (self._folder / part.file).open("ab") as file:
                file.write(part.content)
        else:
            manifest = msgspec.json.decode(line, type=ArchiveLine).archive
            self.archives.append(unpack(manifest, self._parts, UNLIKE))

    def _parts(self, file: ArchivedFile) -> Iterator[bytes]:
        return read_file(self._folder / file.sha256) if file.size else iter(())


@contextmanager
def open_games(path: Path) -> Iterator[ExportReader]:
    """Open a file and yield a reader of its games and its bots' files.

    Raises:
        UsageError: the file cannot be read.
        ImportRefused: a line is not the JSON object of a game, or of a bot's files.

    """
    try:
        with (
            path.open(encoding="utf-8-sig", newline="") as lines,
            tempfile.TemporaryDirectory(prefix="ladder-import-") as folder,
        ):
            yield ExportReader(str(path), lines, Path(folder))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text, so nothing was imported: export it again"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def write_jsonl(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield one line per game."""
    for line in lines:
        yield visible_json(msgspec.json.encode(line).decode()) + "\n"


BYTES_OF_COLUMN = 4


def with_positions(store: Store, lines: Iterable[GameLine]) -> Iterator[GameLine]:
    """Yield lines with the solved positions of their games, each position once."""
    sent: set[bytes] = set()
    for line in lines:
        if line.analysis is not None:
            keys = _keys(line)
            known = store.analysis.solved(key for key in keys if key not in sent)
            sent |= known.keys()
            line.analysis.positions = tuple(
                SolvedLine(known[key].nodes, known[key].bounds) if key in known else None
                for key in keys
            )
        yield line


def check_analysis(line: GameLine) -> None:
    """Check what an imported line says about the analysis of its game. Raises ValueError."""
    found, played = line.analysis, len(line.moves) - line.opening_plies
    if found is None:
        return
    if len(found.moves) != BYTES * played or len(found.positions) not in (0, played):
        raise ValueError("the analysis is not of this game: it has another number of moves")
    for start in range(0, len(found.moves), BYTES):
        MoveVerdict.of(found.moves[start : start + BYTES])
    size = BYTES_OF_COLUMN * parse_board(line.board).columns
    if any(len(each.bounds) != size for each in found.positions if each is not None):
        raise ValueError("the analysis is not of this game: a position has other columns")


def solved_positions(lines: Iterable[GameLine]) -> Iterator[SolvedPosition]:
    """Yield the solved positions of games."""
    for line in lines:
        if line.analysis is None or not any(line.analysis.positions):
            continue
        for key, each in zip(_keys(line), line.analysis.positions, strict=True):
            if each is not None:
                yield SolvedPosition(key, line.analysis.solver_version, each.nodes, each.bounds)


def _keys(line: GameLine) -> Sequence[bytes]:
    """Return the keys of the positions before the moves after the opening."""
    moves, keys = parse_moves(line.moves), []
    position = Position.from_moves(parse_board(line.board), moves[: line.opening_plies])
    for column in moves[line.opening_plies :]:
        keys.append(key_of(position)[0])
        position = position.play(column)
    return keys
