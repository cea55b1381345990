"""Games as PGN: tags that chess rating programs read, with the columns played as a comment."""

from collections.abc import Iterable, Iterator

from db.records.budget import CLOCK, budget_of
from db.records.exchange import GameLine
from engine.result import Result
from ladder.results.exchange.fields import format_fields
from ladder.results.exchange.pgn_tags import escape_tag

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
