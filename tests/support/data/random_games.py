"""Legal random games with plausible times, for benchmarks and tests."""

from db.records import thought_blob
from db.records.games import GameRecord, SideSums, Thought
from db.records.pairs import (
    PairPlan,
    PairRecord,
)
from engine.board import parse_board
from engine.position import Position
from engine.seeds import SplitMix


def random_record(
    plan: PairPlan, random: SplitMix, *, time_us: int = 95_000, started: float = 1e9
) -> PairRecord:
    """Play a pair at random from its opening.

    Args:
        plan: of the pair.
        random: draws the moves.
        time_us: the shortest time of a move; the longest is a tenth more.
        started: the start of both games, in epoch seconds.

    """
    games = tuple(
        _random_game(plan, swapped, random, time_us, started) for swapped in (False, True)
    )
    return PairRecord(plan.pair.id, plan.pair.number, games)


def _random_game(
    plan: PairPlan, swapped: bool, random: SplitMix, least_us: int, started: float
) -> GameRecord:
    position = Position.from_moves(parse_board(plan.pair.board), plan.pair.opening)
    sides = (SideSums(), SideSums())
    thoughts = []
    while not position.is_over:
        stats = sides[position.to_move]
        time_us = least_us + random.below(max(1, least_us * 10_000 // 95_000))
        stats.moves += 1
        stats.time_us += time_us
        stats.max_us = max(stats.max_us, time_us)
        stats.simulations += 10_000
        stats.searched_us += time_us
        thoughts.append(Thought(time_us, random.below(2001) / 1000 - 1, 10_000, 12))
        position = position.play(random.choice(position.legal_moves()))
    assert position.ending is not None
    return GameRecord(
        swapped=swapped,
        moves=position.moves,
        result=position.ending.result,
        termination=position.ending.termination,
        sides=sides,
        thoughts=thought_blob.encode(thoughts),
        started=started,
        duration_us=sides[0].time_us + sides[1].time_us,
    )
