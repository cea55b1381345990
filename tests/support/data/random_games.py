"""Made-up games for benchmarks and tests: legal, random, with plausible times."""

from db.records import thought_blob
from db.records.games import GameRecord, Thought
from db.records.pairs import (
    PairPlan,
    PairRecord,
)
from db.records.sides import SideSums
from engine.board import parse_board
from engine.position import Position
from engine.seeds import SplitMix


def random_record(plan: PairPlan, random: SplitMix) -> PairRecord:
    """A pair played at random from its opening."""
    games = tuple(_random_game(plan, swapped, random) for swapped in (False, True))
    return PairRecord(plan.id, plan.number, games)


def _random_game(plan: PairPlan, swapped: bool, random: SplitMix) -> GameRecord:
    position = Position.from_moves(parse_board(plan.board), plan.opening)
    sides = (SideSums(), SideSums())
    thoughts = []
    while not position.is_over:
        stats = sides[position.to_move]
        time_us = 95_000 + random.below(10_000)
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
        started=1e9,
        duration_us=sides[0].time_us + sides[1].time_us,
    )
