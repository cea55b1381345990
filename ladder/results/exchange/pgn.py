"""Games as PGN: tags that chess rating programs read, with the columns played as a comment."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from db.records.budget import CLOCK, budget_of
from db.records.exchange import GameLine
from engine.result import Result
from ladder.errors import UsageError
from ladder.results.exchange.fields import format_fields, parse_game
from ladder.results.exchange.numbered_game import ImportRefused, NumberedGame
from ladder.results.exchange.pgn_tags import decode_tag, escape_tag, tagged_games

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
"""The tag of the game's number, which an import ignores."""
TIME_CONTROL = "TimeControl"
"""The tag of a clock (PGN standard 9.6.1), which an import ignores as `Budget` has it, too."""
RESULTS = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2-1/2"}
_MOVES = re.compile(rb"[0-9a-b]*")


def read_pgn(name: str, lines: Iterable[bytes]) -> Iterator[NumberedGame]:
    """Yield the games of PGN lines with all of `TAGS`.

    Raises:
        ImportRefused: a game lacks a tag or its moves, or a tag is invalid.

    """
    wanted = {tag.encode(): field for tag, field in TAGS.items()}
    more = {tag.encode(): field for tag, field in MORE_TAGS.items()}
    endings = {word: ending for ending, word in ENDINGS.items()}
    results = {word: result for result, word in RESULTS.items()}
    try:
        for found in tagged_games(
            lines, wanted=frozenset(wanted), optional=frozenset(more), keep_comments=True
        ):
            fields = {(wanted | more)[tag]: decode_tag(value) for tag, value in found.tags.items()}
            missing = [tag.decode() for tag in wanted if tag not in found.tags]
            if missing:
                raise ImportRefused(name, found.line, f"the tags {', '.join(missing)} are missing")
            moves = next(filter(_MOVES.fullmatch, found.comments), None)
            if moves is None:
                raise ImportRefused(
                    name, found.line, "the columns played are missing: they must stand in braces"
                )
            word = decode_tag(found.tags[b"Result"])
            if word not in results:
                raise ImportRefused(
                    name, found.line, f"{word!r} is not the result of a finished game"
                )
            pair, _, game = decode_tag(found.tags[b"Round"]).partition(".")
            fields["termination"] = endings.get(fields["termination"], fields["termination"])
            fields.update(moves=moves.decode(), result=results[word], pair=pair, game=game)
            whole = parse_game(name, found.line, fields)
            whole.timing.started = _day(name, found.line, decode_tag(found.tags[b"Date"]))
            yield NumberedGame(found.line, whole)
    except ImportRefused:
        raise
    except UsageError as error:
        raise UsageError(f"{name}, {error}; nothing was imported") from error


def _day(name: str, line: int, text: str) -> float:
    """Return the beginning of a day in seconds since the epoch."""
    try:
        return datetime.strptime(text, "%Y.%m.%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise ImportRefused(
            name, line, f"Date must be written like 2026.11.20, got {text!r}"
        ) from None


def write_pgn(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the text of each game: tags, an empty line, the columns played and the result."""
    for line in lines:
        fields = format_fields(line)
        result = RESULTS[Result(line.result)]
        day = datetime.fromtimestamp(line.timing.started, UTC)
        made = {
            "Site": "?",
            "Date": day.strftime("%Y.%m.%d"),
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
