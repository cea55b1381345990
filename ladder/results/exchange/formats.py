"""Files of games: fields of text for CSV and PGN, which are written only, and JSON Lines."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain

import msgspec

from db.records.budget import CLOCK, budget_of
from db.records.exchange import GameLine
from db.records.rules import RULES
from db.records.runs import Conditions
from engine.result import Result
from ladder.results.exchange.jsonl import write_jsonl
from ladder.visible import visible


class GameFormat(StrEnum):
    """A format of game files; the value is their usual suffix."""

    PGN = "pgn"
    CSV = "csv"
    JSONL = "jsonl"


FIELDS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget", *RULES, "adjudicated", "date",
)  # fmt: skip
"""The fields of a game; from `boards` to the rules those of its division, the budget in JSON.

`moves` are the columns, separated by spaces.
`adjudicated` is the proof of an adjudicated game, such as ``win 7``; `date` is the day of its
start in UTC.
"""


def format_fields(line: GameLine) -> dict[str, str]:
    """Return a game without its times and thoughts, by the names of `FIELDS`."""
    own = {
        "boards": line.division.boards,
        "opening": _opening_text(line.division),
        "budget": msgspec.json.encode(line.division.budget).decode(),
        "rated": str(line.rated).lower(),
        **{name: str(line.division.given.get(name, "")) for name in RULES},
        "adjudicated": "" if line.adjudicated is None else line.adjudicated.text,
        # A number of digits would lose its zeros in a spreadsheet.
        "moves": " ".join(line.moves),
        "date": datetime.fromtimestamp(line.timing.started, UTC).strftime("%Y-%m-%d"),
    }
    return {name: own[name] if name in own else str(getattr(line, name)) for name in FIELDS}


def _opening_text(division: Conditions) -> str:
    if division.openings is not None:
        return f"openings:{division.openings}"
    if division.opening_plies is None:
        return f"auto{'' if division.fixed_opening is None else division.fixed_opening}"
    return str(division.opening_plies)


def write_csv(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the header and a line per game, with the games' numbers if they are exported."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    rest = iter(lines)
    first = next(rest, None)
    ids = first is not None and first.timing.id != 0
    writer.writerow([*FIELDS, "id"] if ids else FIELDS)
    for line in () if first is None else chain((first,), rest):
        number = [str(line.timing.id)] if ids else []
        writer.writerow([*map(visible, format_fields(line).values()), *number])
        yield output.getvalue()
        output.seek(0)
        output.truncate()
    yield output.getvalue()


ENDINGS = {"adjudicated": "adjudication"}
"""The words of the PGN standard for terminations that it has."""
RESULTS = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2-1/2"}


def write_pgn(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the text of each game: tags, an empty line, the columns played and the result."""
    for line in lines:
        fields, result = format_fields(line), RESULTS[line.result]
        tags = {
            "Event": line.kind.value,
            "Site": "?",
            "Date": fields["date"].replace("-", "."),
            "Round": f"{line.pair}.{line.game}",
            "White": line.first,
            "Black": line.second,
            "Result": result,
            "Board": line.board,
            "Termination": ENDINGS.get(line.termination, line.termination.value),
            "Budget": fields["budget"],
        }
        more = {
            "TimeControl": _time_control(line),
            "Adjudicated": fields["adjudicated"],
            "GameId": str(line.timing.id or ""),
        }
        tags |= {tag: value for tag, value in more.items() if value}
        text = "".join(f'[{tag} "{escape_tag(value)}"]\n' for tag, value in tags.items())
        yield f"{text}\n{{{line.moves}}} {result}\n\n"


def _time_control(line: GameLine) -> str:
    """Return a clock as the PGN standard (9.6.1) writes it, such as ``10+0.1`` for 10 s and 0.1 s.

    It is ``?`` if the sides have different clocks, and empty without a clock.
    """
    budget = line.division.budget
    if CLOCK not in budget:
        return ""
    first, second = (budget_of(budget, CLOCK, bot).clock for bot in (line.first, line.second))
    if first is None or first != second:
        return "?"
    increment = f"+{first.increment_ms / 1000:g}" if first.increment_ms else ""
    return f"{first.base_ms / 1000:g}{increment}"


WRITERS: Mapping[GameFormat, Callable[[Iterable[GameLine]], Iterator[str]]] = {
    GameFormat.PGN: write_pgn,
    GameFormat.CSV: write_csv,
    GameFormat.JSONL: write_jsonl,
}
"""Writers that yield a file's text in pieces, by format."""


def escape_tag(text: str) -> str:
    """Return a text for the quotes of a tag, printable and escaped."""
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')
