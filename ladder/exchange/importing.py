"""Reading exported games: every line is held against the rules before anything is stored."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bots.budget import KIND_OF_FIELD
from db.records.exchange import (
    GameLine,
    NotImportable,
)
from db.records.runs import RunKind
from db.store import Store
from engine.board import MAX_SIDE, parse_board, parse_board_class, parse_board_classes
from engine.errors import EngineError
from engine.position import Position, format_moves, parse_moves
from engine.result import Result, Termination
from engine.seeds import SEED_LIMIT
from ladder.errors import UsageError
from ladder.exchange.formats import Numbered, Refused, read_jsonl
from ladder.ratings.sequential_elo import rate_pair

TIMING_LIMIT = 1 << 53
YEAR_9999 = 253_370_764_800.0
"""Seconds since the epoch, after which no date can be written."""


def import_games(store: Store, name: str, read: Iterable[Numbered]) -> int:
    """Check all games and store them in one transaction; how many.

    Args:
        store: where to.
        name: of the file, for messages.
        read: the games in the order of the file.

    Raises:
        Refused: a line breaks a rule, a pair is not whole, or is here already.

    """
    games: dict[tuple[int, str, int], list[Numbered]] = {}
    for each in read:
        _checked(name, each.line, check_game, each.game)
        key = (each.game.run, each.game.stream, each.game.pair)
        games.setdefault(key, []).append(each)
    pairs = [_pair(name, both) for both in games.values()]
    # In the order of storing, in which live ratings moved; in a file without it, that of the file.
    pairs.sort(key=lambda pair: max(each.game.timing.stored for each in pair))
    try:
        return store.exchange.import_lines([(one.game, two.game) for one, two in pairs], rate_pair)
    except NotImportable as error:
        raise Refused(name, pairs[error.place][0].line, str(error)) from error


def _pair(name: str, both: Sequence[Numbered]) -> tuple[Numbered, Numbered]:
    """Both games of a pair, in order."""
    line = both[0].line
    if sorted(each.game.game for each in both) != [0, 1]:
        raise Refused(name, line, "a pair is its games 0 and 1, each once in the file")
    one, two = sorted(both, key=lambda each: each.game.game)
    _checked(name, line, check_pair, one.game, two.game)
    return one, two


def _checked(name: str, line: int, check: Callable[..., None], *games: GameLine) -> None:
    try:
        check(*games)
    except (EngineError, ValueError, UsageError) as error:
        raise Refused(name, line, str(error)) from error


def check_game(game: GameLine) -> None:
    """Hold a game against the rules.

    Raises:
        ValueError: it breaks one; the message says which.

    """
    RunKind(game.kind)
    result, termination = Result(game.result), Termination(game.termination)
    _require(game.game in (0, 1), f"game must be 0 or 1, got {game.game}")
    _require(0 <= game.pair < 1 << 53, f"pair must be 0 or more, got {game.pair}")
    _require(0 <= game.seed < SEED_LIMIT, "seed must be below 2**53 and not negative")
    _require(0 <= game.run_seed < SEED_LIMIT, "run_seed must be below 2**53 and not negative")
    _require(bool(game.first and game.second), "first and second must name bots")
    _require(not (game.rated and game.first == game.second), "a bot cannot be rated against itself")
    _require(bool(game.stream and game.identity), "stream and identity must not be empty")
    parse_board_class(game.board_class)
    parse_board_classes(game.division.boards)
    plies = game.division.opening_plies
    _require(
        plies is None or 0 <= plies <= MAX_SIDE**2, "the opening of a division is 0 plies or more"
    )
    budget = game.division.budget
    _require(
        bool(budget)
        and set(budget) <= set(KIND_OF_FIELD)
        and all(0 < n < TIMING_LIMIT for n in budget.values()),
        f"a budget is some of {', '.join(KIND_OF_FIELD)}, each above 0 and below 2**53",
    )
    moves = parse_moves(game.moves)
    _require(game.moves == format_moves(moves), "moves must be written as 0..9, a, b")
    board = parse_board(game.board)
    _require(str(board) == game.board, f"write the board as {board}")
    position = Position.from_moves(board, moves)
    _require(
        0 <= game.opening_plies <= len(moves), "opening_plies must be 0 up to the number of moves"
    )
    _check_ending(position, result, termination)
    timing = game.timing
    numbers = [value for side in timing.sides for value in msgspec.structs.astuple(side)]
    numbers += [timing.duration_us, timing.aborts, timing.stored]
    numbers += [thought.time_us for thought in timing.thoughts]
    _require(
        all(0 <= value < TIMING_LIMIT for value in numbers) and 0 <= timing.started < YEAR_9999,
        "timing must not be negative, nor too great to be stored",
    )


def _check_ending(position: Position, result: Result, termination: Termination) -> None:
    if termination is Termination.ABORTED:
        raise ValueError("aborted games are not kept")
    if termination in (Termination.FOUR_IN_A_ROW, Termination.BOARD_FULL):
        _require(
            position.ending == (result, termination),
            f"these moves do not end in a {result} by {termination}",
        )
        return
    _require(not position.is_over, f"the moves end the game, so it did not end by {termination}")
    if termination.is_forfeit:
        _require(result is not Result.DRAW, f"a game that ended by {termination} is no draw")


def check_pair(one: GameLine, two: GameLine) -> None:
    """See that two games are one pair.

    Raises:
        ValueError: they are not; the message says why.

    """
    swapped = (two.second, two.second_hash, two.first, two.first_hash)
    _require(
        (one.first, one.first_hash, one.second, one.second_hash) == swapped,
        "the second game of a pair has the colours swapped",
    )
    same = (
        "kind", "board", "seed", "opening_plies", "board_class", "rated", "run_seed", "identity",
        "division",
    )  # fmt: skip
    for name in same:
        _require(
            getattr(one, name) == getattr(two, name), f"both games of a pair have the same {name}"
        )
    opening = one.opening_plies
    _require(one.moves[:opening] == two.moves[:opening], "both games have the same opening")


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise ValueError(otherwise)


@contextmanager
def open_games(
    path: Path, form: str, columns: tuple[str, ...], tags: Mapping[str, str]
) -> Iterator[Iterator[Numbered]]:
    """The games of a file in one of the formats of an export.

    Args:
        path: the file.
        form: jsonl, csv or pgn.
        columns: of CSV.
        tags: of PGN, with the column that each holds.

    Raises:
        UsageError: the file cannot be read.

    """
    from ladder.exchange.formats import (
        read_csv,
        read_pgn,
    )

    name = str(path)
    try:
        if form == "pgn":
            with path.open("rb") as lines:
                yield read_pgn(name, lines, tags)
        else:
            with path.open(encoding="utf-8", newline="") as texts:
                yield read_csv(name, texts, columns) if form == "csv" else read_jsonl(name, texts)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 text; nothing was imported") from error
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from error
