"""Games as JSON Lines, CSV and PGN-like text.

JSON Lines are exact. The other two hold results and moves, and of what depends on the clock only
the date.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from db.exchange import GameLine
from engine.result import Result

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
