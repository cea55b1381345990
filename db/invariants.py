"""Rules that every stored bot, run, pair and game keeps; audits and imports check them.

A rule yields faults of a row, such as "its start -1 is not a date", from its values by column. The
columns of the row's pair, run and division have the prefixes ``pair_``, ``run_`` and ``division_``.
Another program may have written the row, so values can be of any type.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, assert_never

import msgspec

from db.outcomes import line_hash, read_sides
from db.records import thought_blob
from db.records.budget import is_valid_budget
from db.records.exchange import COLUMN_LIMIT, YEAR_9999
from db.records.games import COUNT_LIMIT, Proof, Thought, find_thought_fault
from db.records.launch import Launch
from db.records.pairs import PairStatus, find_offender
from db.records.rules import GameRules
from db.records.run_settings import settings_of
from db.records.runs import Conditions, RunKind, RunStatus
from engine.board import parse_board
from engine.board_class import format_board_classes, parse_board_class, parse_board_classes
from engine.errors import EngineError
from engine.mutable_game import MutableGame
from engine.position import Position, format_moves, parse_moves
from engine.result import Loser, Result, Termination
from engine.seeds import SEED_LIMIT


class StoredEnd(NamedTuple):
    """The end of a game as it is stored."""

    game: Position | MutableGame
    """The position after the last move."""
    result: Result
    """Result for the first player."""
    termination: Termination
    detail: str
    """The stored text about it."""
    rules: GameRules
    """The rules of its division."""
    thoughts: Sequence[Thought] = ()
    """Records of the moves of both sides after the opening, in order."""


def find_ending_fault(end: StoredEnd) -> str | None:
    """Return why a game cannot have ended in this way, or None if it can."""
    game, result, termination = end.game, end.result, end.termination
    loser = termination.loser
    if loser is Loser.BY_MOVES:
        is_possible = game.ending == (result, termination)
        return None if is_possible else f"its moves do not end in a {result} by {termination}"
    if game.is_over:
        return f"its moves end the game, so it cannot have ended by {termination}"
    match loser:
        case Loser.BY_RULE:
            return BY_RULE[termination](end)
        case Loser.OFFENDER if result is Result.DRAW:
            return f"a game that ended by {termination} cannot be a draw"
        case Loser.TO_MOVE if result is not (Result.WIN if len(game.moves) & 1 else Result.LOSS):
            return f"the side to move {termination.predicate}, so it cannot be a {result}"
        case Loser.OFFENDER | Loser.TO_MOVE | Loser.NONE:
            return None
        case _:
            assert_never(loser)


def _find_proof_fault(end: StoredEnd) -> str | None:
    game, result, detail, plies = end.game, end.result, end.detail, end.rules.adjudicate
    if plies is None:
        return "it was adjudicated, but its division plays games out"
    proof = Proof.of(Termination.ADJUDICATED, detail)
    if proof is None:
        return f"a proof is a result and a number of plies, such as win 7, got {detail[:80]!r}"
    ply = len(game.moves)
    left = game.board.cells - ply
    wins = result is not Result.DRAW
    if proof.value is not result:
        return f"it is a {result}, but adjudicated as a {proof.value}"
    # the winner's own stone is the last one
    if wins and proof.distance % 2 != (ply % 2 if result is Result.LOSS else 1 - ply % 2):
        return f"after ply {ply}, no {result} can come in {proof.distance} plies"
    least, most = (1, min(plies, left)) if wins else (left, left)
    if not least <= proof.distance <= most:
        return f"its proven end is {proof.distance} plies away, not {least}..{most}"
    return None


BY_RULE = {Termination.ADJUDICATED: _find_proof_fault}
"""For each termination by a rule, the function that finds a fault in the end of a stored game."""
Values = Mapping[str, Any]
OpeningLines = Mapping[str, frozenset[str]]
"""The lines of known sets of openings, by hash."""
P = ParamSpec("P")
OF_PAIR = ("run_id", "a_revision_id", "b_revision_id", "board", "board_class", "seed", "opening")
"""Columns of a game's pair that the rules need."""
OF_RUN = ("division_id", "rated")
"""Columns of a game's run that the rules need."""
OF_DIVISION = ("key",)
"""Columns of a run's or game's division that the rules need."""


def _first(faults: Callable[P, Iterator[str]]) -> Callable[P, str | None]:
    """Let a function that yields faults return the first one, or None."""

    @wraps(faults)
    def find(*arguments: P.args, **options: P.kwargs) -> str | None:
        try:
            return next(faults(*arguments, **options), None)
        except (EngineError, TypeError, ValueError, AttributeError) as error:
            return str(error)  # a value of another type, or not in its notation

    return find


def _word_faults(row: Values, **words: type[Enum]) -> Iterator[str]:
    for name, kind in words.items():
        if row[name] not in set(kind):
            yield f"it has the unknown {name} {row[name]!r}"


def _bound_faults(row: Values, **limits: int) -> Iterator[str]:
    for name, limit in limits.items():
        if not 0 <= row[name] < limit:
            yield f"its {name} must be below {limit}, got {row[name]}"


def _copy_faults(row: Values, names: Iterable[str], of: str) -> Iterator[str]:
    """Yield the columns that repeat another row, given with a prefix, and differ from it."""
    for name in names:
        if row[name] != row[f"{of}_{name}"]:
            yield f"its {name} is not that of its {of}"


@_first
def find_revision_fault(revision: Values) -> Iterator[str]:
    """Return the first fault of a revision, or None."""
    for name, kind in (
        ("launch", Launch),
        ("budgets", tuple[str, ...]),
        ("boards", tuple[str, ...] | None),
        ("files", dict[str, str]),
    ):
        try:
            msgspec.json.decode(revision[name] or "null", type=kind)
        except msgspec.DecodeError as error:
            yield f"its {name} cannot be read: {error}"


@_first
def find_run_fault(run: Values) -> Iterator[str]:
    """Return the first fault of a run with its division's columns, or None."""
    yield from _word_faults(run, kind=RunKind, status=RunStatus)
    if run["kind"] == RunKind.PLAY and run["rated"]:
        yield "a game against a person cannot be rated"
    for name in ("stream", "identity"):
        if not run[name]:
            yield f"its {name} is missing"
    yield from _bound_faults(run, seed=SEED_LIMIT)
    settings_of(run["kind"], msgspec.json.decode(run["settings"]))
    division = Conditions.of_key(run["division_key"])
    canonical = format_board_classes(parse_board_classes(division.boards))
    if division.boards != canonical:
        yield f"the boards of its division must be written as {canonical}, got {division.boards}"
    if not division.has_one_opening:
        yield "its division must have one of opening_plies, openings, fixed_opening"
    if not is_valid_budget(division.budget):
        yield f"its division has the invalid budget {dict(division.budget)}"


@_first
def find_pair_fault(pair: Values) -> Iterator[str]:
    """Return the first fault of a pair with its run's columns, without its games, or None."""
    yield from _word_faults(pair, status=PairStatus)
    yield from _bound_faults(pair, number=COLUMN_LIMIT, stalls=COLUMN_LIMIT, seed=SEED_LIMIT)
    yield from _copy_faults(pair, ("stream", *OF_RUN), "run")


@_first
def find_game_fault(game: Values, openings: OpeningLines) -> Iterator[str]:
    """Return the first fault of a game, or None.

    Args:
        game: its columns, its bots' names as `first` and `second`, `has_last_words`, and the
            prefixed columns `OF_PAIR`, `OF_RUN` and `OF_DIVISION`.
        openings: known sets of openings; openings of other sets are not checked.

    """
    # In this order: later rules rely on earlier ones, such as on a known termination.
    yield from _outcome_faults(game)
    yield from _board_faults(game)
    movers = (game["pair_a_revision_id"], game["pair_b_revision_id"])
    players = (game["first_revision_id"], game["second_revision_id"])
    if players != (movers[::-1] if game["game"] else movers):
        yield "its bots are not those of its pair, or in the wrong order"
    yield from _copy_faults(game, ("run_id", "board", "board_class", "seed"), "pair")
    yield from _copy_faults(game, OF_RUN, "run")
    if game["rated"] and game["first"] == game["second"]:
        yield "a bot cannot be rated against itself"
    yield from _opening_faults(game, openings)
    position = Position.from_moves(parse_board(game["board"]), parse_moves(game["moves"]))
    result, termination = Result(game["result"]), Termination(game["termination"])
    rules = Conditions.of_key(game["division_key"])
    thoughts = thought_blob.decode(game["thoughts"])
    end = StoredEnd(position, result, termination, game["detail"], rules, thoughts)
    fault = find_ending_fault(end)
    if fault is not None:
        yield fault
    yield from _thought_faults(game, thoughts)


def _outcome_faults(game: Values) -> Iterator[str]:
    yield from _word_faults(game, result=Result, termination=Termination)
    if game["termination"] == Termination.ABORTED:
        yield "it was aborted, and only finished games are stored"
    offender = find_offender(Result(game["result"]), Termination(game["termination"]))
    if game["offender"] != offender:
        yield (
            f"it is a {game['result']} by {game['termination']}, but its offender is "
            f"{game['offender']}"
        )
    if game["has_last_words"] and offender is None:
        yield "it has the last output of a failing bot, but no bot failed"
    if game["game"] not in (0, 1):
        yield f"a game of a pair is 0 or 1, got {game['game']}"
    if not 0 <= game["started_at"] < YEAR_9999:
        yield f"its start {game['started_at']} is not a date"
    yield from _bound_faults(game, seed=COUNT_LIMIT, duration_us=COUNT_LIMIT)
    sums = [value for side in read_sides(game) for value in msgspec.structs.astuple(side)]
    if min(sums) < 0:
        yield "one of its sums is negative"
    if max(sums) >= COUNT_LIMIT:
        yield "one of its sums is too large to be exported"


def _board_faults(game: Values) -> Iterator[str]:
    board, kind = parse_board(game["board"]), parse_board_class(game["board_class"])
    for name, canonical in (("board", board), ("board_class", kind)):
        if str(canonical) != game[name]:
            yield f"its {name} must be written as {canonical}, got {game[name]!r}"
    if not kind.includes(board):
        yield f"the board {board} does not belong to the board_class {kind}"
    boards = Conditions.of_key(game["division_key"]).boards
    if kind not in parse_board_classes(boards):
        yield f"the board_class {kind} is not in its division's {boards}"
    moves = parse_moves(game["moves"])
    if game["moves"] != format_moves(moves):
        yield "its moves must be written as 0 to 9, a, b"
    if game["plies"] != len(moves):
        yield f"it has {len(moves)} moves, but its plies are {game['plies']}"
    if game["line_hash"] != line_hash(game["board"], game["moves"]):
        yield "its line_hash is not that of its board and moves"


def _opening_faults(game: Values, openings: OpeningLines) -> Iterator[str]:
    plies = game["opening_plies"]
    if not 0 <= plies <= len(game["moves"]):
        yield "opening_plies must be between 0 and the number of moves"
    if game["moves"][:plies] != game["pair_opening"]:
        yield "its moves do not begin with the opening of its pair"
    division = Conditions.of_key(game["division_key"])
    if division.openings is None:
        asked = division.plies_on(parse_board_class(game["board_class"]))
        if plies != asked:
            yield f"its opening has {plies} plies, but its division requires {asked}"
    known = openings.get(division.openings or "")
    line = f"{game['board']} {game['pair_opening']}".rstrip()
    if known is not None and line not in known:
        yield f"its opening '{line}' is not in its division's set of openings"


def _thought_faults(game: Values, thoughts: Sequence[Thought]) -> Iterator[str]:
    moves = len(game["moves"]) - game["opening_plies"]
    # Games that earlier versions imported from CSV and PGN have no thoughts.
    # A move that lost the game has a thought but is not among the moves: an illegal one, and in
    # games of earlier versions one that came too late.
    most = moves + (game["offender"] is not None)
    if thoughts and not moves <= len(thoughts) <= most:
        yield f"it has {moves} moves after the opening, but {len(thoughts)} thoughts"
    if any(side.moves > moves + 1 for side in read_sides(game)):
        yield f"it has {moves} moves after the opening, but a side's sums count more"
    yield from filter(None, map(find_thought_fault, thoughts))
