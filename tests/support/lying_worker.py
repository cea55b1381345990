"""Records of pairs that a worker of a cluster could lie with."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from db.records.games import GameRecord
from db.records.pairs import PairPlan, PairRecord
from engine.board import parse_board
from engine.position import Position
from engine.result import Result, Termination
from engine.seeds import SplitMix
from tests.support.data.random_games import random_record

replace = msgspec.structs.replace
Lie = Callable[[PairPlan, PairRecord], Any]


def _in_game(**changes: Any) -> Lie:
    """Change fields of the second game."""

    def lie(plan: PairPlan, record: PairRecord) -> PairRecord:
        del plan
        one, two = record.games
        return replace(record, games=(one, replace(two, **changes)))

    return lie


def _by_moves(change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Lie:
    """Change the moves of the first game."""

    def lie(plan: PairPlan, record: PairRecord) -> PairRecord:
        del plan
        one, two = record.games
        return replace(record, games=(replace(one, moves=change(one.moves)), two))

    return lie


class LegalLie:
    """Legal games that the bots did not play, with plausible times: nothing in them is wrong."""

    def __call__(self, plan: PairPlan, record: PairRecord) -> PairRecord:
        """Return other games of the pair."""
        del record
        return _other_games(plan)


def _other_games(plan: PairPlan) -> PairRecord:
    return random_record(plan, SplitMix(plan.seed + 1), time_us=20, started=time.time())


def _turned(plan: PairPlan, record: PairRecord) -> PairRecord:
    one, two = record.games
    return replace(record, games=(replace(one, result=_other_result(plan, one)), two))


def _other_result(plan: PairPlan, game: GameRecord) -> Result:
    del plan
    return Result.DRAW if game.result is Result.WIN else Result.WIN


def _shorter(plan: PairPlan, record: PairRecord) -> PairRecord:
    """Return a game that stops in the middle and is said to be full."""
    one, two = record.games
    half = Position.from_moves(parse_board(plan.board), one.moves[:-1])
    cut = replace(one, moves=half.moves, result=Result.DRAW, termination=Termination.BOARD_FULL)
    return replace(record, games=(cut, two))


LIES: dict[str, Lie] = {
    "another pair": lambda plan, record: replace(record, id=plan.id + 1, number=plan.number + 1),
    "no record": lambda *_: {"games": []},
    "one game": lambda _, record: replace(record, games=record.games[:1]),
    "the same game twice": lambda _, record: replace(record, games=record.games[:1] * 2),
    "another result": _turned,
    "an unfinished game": _shorter,
    "an impossible column": _by_moves(lambda moves: (*moves[:-1], 200)),
    "moves beyond the end": _by_moves(lambda moves: (*moves, 0)),
    "another opening": _by_moves(lambda moves: ((moves[0] + 1) % 4, *moves[1:])),
    "an aborted game": _in_game(termination=Termination.ABORTED),
    "a huge text": _in_game(detail="x" * (64 << 20)),
    "huge thoughts": _in_game(thoughts=bytes(32 << 20)),
    "no thoughts": _in_game(thoughts=b"\x90"),
    "a long duration": _in_game(duration_us=10**12),
    "a time before the first computer": _in_game(started=-1e9),
    "no time at all": _in_game(started=float("nan")),
    "an unknown bot": lambda _, record: replace(record, failed_starts=(10**6,)),
    "a number of stalls": lambda _, record: replace(record, aborts=10**9),
    "other games": LegalLie(),
}
