"""A game as named text fields, for CSV and PGN."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain

import msgspec

from db.records.budget import CLOCK, budget_of
from db.records.exchange import ConditionsLine, GameLine
from engine.result import Result
from ladder.results.exchange.jsonl import write_jsonl
from ladder.results.standings.pgn_list import escape_tag
from ladder.visible import visible


class GameFormat(StrEnum):
    """A format of game files; the value is their usual suffix."""

    PGN = "pgn"
    CSV = "csv"
    JSONL = "jsonl"


FIELDS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget", "adjudicate", "adjudicated", "date",
)  # fmt: skip
"""The fields of a game; from `boards` to `adjudicate` those of its division, the budget in JSON.

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
        "adjudicate": str(line.division.adjudicate or ""),
        "adjudicated": "" if line.adjudicated is None else line.adjudicated.proof.text,
        "date": datetime.fromtimestamp(line.timing.started, UTC).strftime("%Y-%m-%d"),
    }
    return {name: own[name] if name in own else str(getattr(line, name)) for name in FIELDS}


def _opening_text(division: ConditionsLine) -> str:
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


TAGS = {
    "Event": "kind", "Site": "", "Date": "", "Round": "", "White": "first", "Black": "second",
    "Result": "", "Board": "board", "Termination": "termination", "Seed": "seed",
    "OpeningPlies": "opening_plies", "BoardClass": "board_class", "WhiteHash": "first_hash",
    "BlackHash": "second_hash", "Run": "run", "Rated": "rated", "RunSeed": "run_seed",
    "Stream": "stream", "Identity": "identity", "Boards": "boards", "Opening": "opening",
    "Budget": "budget",
}  # fmt: skip
"""The field of each tag; an empty one is built from several fields."""
MORE_TAGS = {"Adjudicate": "adjudicate", "Adjudicated": "adjudicated"}
"""The field of each tag that only adjudicated divisions and games have."""
ENDINGS = {"adjudicated": "adjudication"}
"""The words of the PGN standard for terminations that it has."""
ID = "GameId"
"""The tag of the game's number."""
TIME_CONTROL = "TimeControl"
"""The tag of a clock (PGN standard 9.6.1)."""
RESULTS = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2-1/2"}


def write_pgn(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the text of each game: tags, an empty line, the columns played and the result."""
    for line in lines:
        fields = format_fields(line)
        result = RESULTS[Result(line.result)]
        made = {
            "Site": "?",
            "Date": fields["date"].replace("-", "."),
            "Round": f"{line.pair}.{line.game}",
            "Result": result,
            "Termination": ENDINGS.get(line.termination, line.termination),
        }
        tags = [
            f'[{tag} "{escape_tag(made[tag] if tag in made else fields[field])}"]\n'
            for tag, field in TAGS.items()
        ]
        tags += [
            f'[{tag} "{escape_tag(fields[field])}"]\n'
            for tag, field in MORE_TAGS.items()
            if fields[field]
        ]
        if control := _time_control(line):
            tags.append(f'[{TIME_CONTROL} "{control}"]\n')
        if line.timing.id:
            tags.append(f'[{ID} "{line.timing.id}"]\n')
        yield "".join(tags) + f"\n{{{line.moves}}} {result}\n\n"


def _time_control(line: GameLine) -> str:
    """Return a clock as PGN writes it, such as ``10+0.1`` for 10 s and 0.1 s per move.

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
