"""The arithmetic of the pairs of two bots, against counts of single games."""

import itertools
from random import Random

from db.records.pairs import Forfeit, forfeits_of
from db.records.record import Record, Wdl
from engine.result import Result, Termination

RESULTS = (Result.LOSS, Result.DRAW, Result.WIN)


def test_a_record_counts_what_its_games_say() -> None:
    """Every count follows from A's results in the games, and from B's in the mirrored record."""
    random = Random(1)
    pairs = [(random.choice(RESULTS), random.choice(RESULTS)) for _ in range(60)]
    record = Record.total(Record.of_pair(*pair) for pair in pairs)
    games = list(itertools.chain(*pairs))
    assert record.pairs == 60
    assert record.wdl == tuple(games.count(each) for each in reversed(RESULTS))
    assert record.moving_first == tuple(
        [first for first, _ in pairs].count(each) for each in reversed(RESULTS)
    )
    points = [first.points2 + second.points2 for first, second in pairs]
    assert record.pentanomial == tuple(points.count(place) for place in range(5))
    assert record.score == sum(points) / 240
    first_movers = [first.points2 + second.mirrored.points2 for first, second in pairs]
    assert record.first_mover.score == sum(first_movers) / 240
    turned = Record.total(
        Record.of_pair(second.mirrored, first.mirrored) for first, second in pairs
    )
    assert record.mirrored == turned
    assert record.mirrored.mirrored == record
    assert record.mirrored.first_mover == record.first_mover
    assert record.mirrored.wdl == record.wdl.mirrored
    assert record * 2 == record + record


def test_distinct_pairs_are_summed_and_scale_the_counts() -> None:
    """Where they were not counted, all pairs are distinct; shares stay, the sum is theirs."""
    known, unknown = Record((4, 0, 0, 0, 0, 0, 0, 0, 6), 5), Record((0, 0, 0, 0, 2, 0, 0, 0, 0))
    assert (known + unknown).distinct == 7
    assert (unknown + unknown).distinct is None
    assert known.evidence == (2.0, 0.0, 0.0, 0.0, 3.0)
    assert unknown.evidence == (0, 0, 2, 0, 0)
    assert Record().score is None
    assert Record().evidence == (0.0,) * 5
    assert Wdl().score is None


def test_who_forfeited_is_the_loser_of_the_game() -> None:
    """Results are A's; games that end on the board or by resignation are no forfeits."""
    results = (Result.LOSS, Result.WIN)
    assert forfeits_of(results, (Termination.CRASH, Termination.TIMEOUT)) == [
        Forfeit(0, 0, Termination.CRASH),
        Forfeit(1, 1, Termination.TIMEOUT),
    ]
    assert forfeits_of(results, (Termination.RESIGNED, Termination.FOUR_IN_A_ROW)) == []
