"""Games from the CSV and the PGN-like text that we export, as the exact lines they stand for."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from db.records.exchange import (
    Conditions,
    GameLine,
)
from engine.result import Result
from ladder.errors import UsageError
from ladder.exchange.pgn import (
    tagged_games,
    text_of,
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A game and the line of the file at which it begins, from 1."""

    line: int
    game: GameLine


class Refused(UsageError):
    """A file that cannot be imported: which line, and why."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}, line {line}: {why}; nothing was imported")


def read_jsonl(name: str, lines: Iterable[str]) -> Iterator[Numbered]:
    """Games from JSON Lines; empty lines are skipped.

    Raises:
        Refused: a line is no JSON object of a game.

    """
    decoder = msgspec.json.Decoder(GameLine)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield Numbered(number, decoder.decode(line))
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                raise Refused(name, number, f"not an exported game: {error}") from error


_MOVES = re.compile(rb"[0-9a-b]*")
NUMBERS = ("pair", "game", "seed", "opening_plies", "run", "run_seed")
OWN = ("rated", "boards", "opening", "budget")


def read_csv(name: str, lines: Iterable[str], columns: tuple[str, ...]) -> Iterator[Numbered]:
    """Games from CSV with exactly these columns, in any order.

    Raises:
        Refused: the header or a line is not that of an export.

    """
    reader = csv.DictReader(lines, strict=True)
    try:
        header = reader.fieldnames or ()
        missing = [column for column in columns if column not in header]
        if missing:
            raise Refused(name, 1, f"the columns {', '.join(missing)} are missing")
        for row in reader:
            number = reader.line_num
            if None in row or None in row.values():
                raise Refused(name, number, "there are more or fewer values than columns")
            yield Numbered(number, _game(name, number, row))
    except csv.Error as error:
        raise Refused(name, reader.line_num, f"not CSV: {error}") from error


def read_pgn(name: str, lines: Iterable[bytes], tags: Mapping[str, str]) -> Iterator[Numbered]:
    """Games from PGN; `tags` says which column stands in which tag.

    Raises:
        Refused: a game lacks a tag, or its moves.

    """
    wanted = {tag.encode(): column for tag, column in tags.items()}
    results = {"1-0": "win", "0-1": "loss", "1/2-1/2": "draw"}
    try:
        for found in tagged_games(lines, wanted=frozenset(wanted), keep_comments=True):
            fields = {wanted[tag]: text_of(value) for tag, value in found.tags.items()}
            missing = [tag.decode() for tag in wanted if tag not in found.tags]
            if missing:
                raise Refused(name, found.line, f"the tags {', '.join(missing)} are missing")
            moves = next(filter(_MOVES.fullmatch, found.comments), None)
            if moves is None:
                raise Refused(name, found.line, "the columns played must stand in braces")
            fields["moves"] = moves.decode()
            result = text_of(found.tags[b"Result"])
            if result not in results:
                raise Refused(name, found.line, f"{result!r} is no result of a finished game")
            fields["result"] = results[result]
            pair, _, game = text_of(found.tags[b"Round"]).partition(".")
            fields.update(pair=pair, game=game)
            whole = _game(name, found.line, fields)
            whole.timing.started = _day(name, found.line, text_of(found.tags[b"Date"]))
            yield Numbered(found.line, whole)
    except UsageError as error:
        if isinstance(error, Refused):
            raise
        raise UsageError(f"{name}, {error}; nothing was imported") from error


def _day(name: str, line: int, text: str) -> float:
    """The beginning of a day in seconds since the epoch."""
    try:
        return datetime.strptime(text, "%Y.%m.%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise Refused(name, line, f"Date is written 2026.11.20, got {text!r}") from None


def _game(name: str, number: int, fields: Mapping[str, str]) -> GameLine:
    plain = {
        field: fields[field]
        for field in GameLine.__struct_fields__
        if field in fields and field not in OWN
    }
    try:
        if fields["rated"] not in ("true", "false"):
            raise Refused(name, number, f"rated is true or false, got {fields['rated']!r}")
        division = Conditions(
            fields["boards"],
            None if fields["opening"] == "auto" else int(fields["opening"]),
            msgspec.json.decode(fields["budget"], type=dict[str, int]),
        )
        numbers = {field: int(plain[field]) for field in NUMBERS}
        values = {**plain, **numbers, "rated": fields["rated"] == "true"}
        game = msgspec.convert({**values, "division": msgspec.to_builtins(division)}, GameLine)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Refused(name, number, str(error)) from error
    return game


CSV_COLUMNS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget",
)  # fmt: skip
"""The fields of a `GameLine`; the last three are those of its division, the budget in JSON."""

PGN_TAGS = {
    "Event": "kind", "Site": "", "Date": "", "Round": "", "White": "first", "Black": "second",
    "Result": "", "Board": "board", "Termination": "termination", "Seed": "seed",
    "OpeningPlies": "opening_plies", "BoardClass": "board_class", "WhiteHash": "first_hash",
    "BlackHash": "second_hash", "Run": "run", "Rated": "rated", "RunSeed": "run_seed",
    "Stream": "stream", "Identity": "identity", "Boards": "boards", "Opening": "opening",
    "Budget": "budget",
}  # fmt: skip
"""Tags and the CSV columns that they hold; those without one are made up below."""
PGN_RESULTS = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2-1/2"}


def write_jsonl(lines: Iterable[GameLine]) -> Iterator[str]:
    """One JSON object a line."""
    for line in lines:
        yield msgspec.json.encode(line).decode() + "\n"


def write_csv(lines: Iterable[GameLine]) -> Iterator[str]:
    """A header line and one line a game."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for line in lines:
        fields = flat(line)
        writer.writerow([fields[name] for name in CSV_COLUMNS])
        yield output.getvalue()
        output.seek(0)
        output.truncate()
    yield output.getvalue()


def write_pgn(lines: Iterable[GameLine]) -> Iterator[str]:
    """Tags as rating programs for chess read them; the columns played stand in a comment."""
    for line in lines:
        fields = flat(line)
        result = PGN_RESULTS[Result(line.result)]
        day = datetime.fromtimestamp(line.timing.started, UTC)
        made = {
            "Site": "?",
            "Date": day.strftime("%Y.%m.%d"),
            "Round": f"{line.pair}.{line.game}",
            "Result": result,
        }
        tags = [
            f'[{tag} "{_escaped(made[tag] if tag in made else fields[column])}"]\n'
            for tag, column in PGN_TAGS.items()
        ]
        yield "".join(tags) + f"\n{{{line.moves}}} {result}\n\n"


def flat(line: GameLine) -> dict[str, str]:
    """The fields of `CSV_COLUMNS` as text."""
    opening = line.division.opening_plies
    own = {
        "boards": line.division.boards,
        "opening": "auto" if opening is None else str(opening),
        "budget": msgspec.json.encode(line.division.budget).decode(),
        "rated": str(line.rated).lower(),
    }
    return {name: own[name] if name in own else str(getattr(line, name)) for name in CSV_COLUMNS}


def _escaped(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())
