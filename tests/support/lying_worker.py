"""A worker of a cluster that lies: `python -m tests.support.lying_worker PORT FOLDER NAME LIE`.

Everything but the records of its pairs is that of an honest worker with one slot. With its first
lie a file `NAME.lied` appears where it runs.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from db.records.games import GameRecord
from db.records.pairs import PairPlan, PairRecord
from engine.board import parse_board
from engine.position import Position
from engine.result import Result, Termination
from engine.seeds import SplitMix
from ladder.runs.cluster import machine
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.serving import serve_worker
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


def main() -> None:
    """Serve until a signal."""
    port, folder, name, lie = sys.argv[1:]
    honest = machine.play

    def play(key: str, plan: PairPlan) -> Any:
        record = honest(key, plan)
        Path(f"{name}.lied").touch()
        return LIES[lie](plan, record)

    # Tasks come by the names of their functions.
    play.__module__, play.__qualname__ = machine.__name__, "play"
    machine.play = play
    endpoint = SchedulerEndpoint("127.0.0.1", int(port), Path(folder) if folder else None)
    serve_worker(endpoint, slots=1, name=name, report=lambda _: None, sandbox=())


if __name__ == "__main__":
    main()
