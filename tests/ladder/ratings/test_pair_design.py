import numpy as np
import pytest

from ladder.errors import UsageError
from ladder.ratings.pool.cells import (
    from_tables,
    groups,
)
from ladder.ratings.pool.pair_design import next_pairs
from ladder.ratings.pool.rating import Options, rate
from tests.ladder.ratings.pools import names, random_tables
from tests.support.simulated_gates import pair_table


def pool(size, table_of):
    a, b = np.triu_indices(size, 1)
    counts = np.array([table_of(i, j) for i, j in zip(a, b, strict=True)], dtype=float)
    return from_tables(players=names(size), a=a, b=b, counts=counts)


def even(number):
    table = np.zeros((3, 3))
    table[0, 2] = table[2, 0] = number
    return table


def test_the_same_counts_give_the_same_plan():
    """Seed, batch and finished counts decide everything; another seed gives another plan."""
    cells = pool(6, lambda *_: even(2))
    plan = next_pairs(cells=cells, seed=1, batch=3)
    assert plan == next_pairs(cells=cells, seed=1, batch=3)
    assert plan != next_pairs(cells=cells, seed=2, batch=3)
    assert plan != next_pairs(cells=cells, seed=1, batch=4)
    assert len(plan) == 16
    assert all(0 <= a < b < 6 for a, b in plan)


def test_the_unknown_player_is_played_first():
    """A player with few games is in every pair that is not drawn at random."""
    cells = pool(6, lambda i, j: even(1 if 5 in (i, j) else 50))
    assert all(5 in pair for pair in next_pairs(cells=cells, seed=1, batch=0, floor=0.0, size=4))


def test_equals_are_played_before_the_hopeless():
    """A game whose result is known beforehand tells little, so it is not chosen."""
    cells = pool(6, lambda i, j: 30 * pair_table(elo=250.0 * (i - j)))
    plan = next_pairs(cells=cells, seed=1, batch=0, floor=0.0)
    assert all(b - a == 1 for a, b in plan)


def test_an_empty_pool_gets_connected():
    """From no games at all two batches connect the pool."""
    cells = pool(8, lambda *_: np.zeros((3, 3)))
    plan = next_pairs(cells=cells, seed=1, batch=0, floor=0.0, size=8)
    played = {pair: even(0.5) for pair in plan}
    connected = pool(8, lambda i, j: played.get((i, j), np.zeros((3, 3))))
    assert len(groups(cells=connected)) == 1


def test_a_difference_is_what_its_two_players_decide():
    """Asked for one difference, the two players mostly meet each other."""
    cells = pool(6, lambda *_: even(20))
    plan = next_pairs(cells=cells, seed=1, batch=0, floor=0.0, difference=(4, 1))
    assert plan.count((1, 4)) > 8


def test_the_floor_reaches_everybody():
    """With a floor every player turns up sooner or later, however certain its rating is."""
    cells = pool(6, lambda i, j: even(1 if 5 in (i, j) else 500))
    seen = {
        player
        for batch in range(20)
        for pair in next_pairs(cells=cells, seed=1, batch=batch)
        for player in pair
    }
    assert seen == set(range(6))


def test_it_beats_random_pairing():
    """On unequal pools the list's stated error is smaller than after as many random pairs."""
    rng = np.random.default_rng(4)
    a, b, _, _, elo = random_tables(rng, size=10, pairs=1, spread=300)
    stated = {True: 0.0, False: 0.0}
    for uncertain in stated:
        counts = np.zeros((a.size, 3, 3))
        for batch in range(30):
            cells = from_tables(players=names(10), a=a, b=b, counts=counts)
            plan = next_pairs(cells=cells, seed=5, batch=batch, floor=0.2 if uncertain else 1.0)
            for low, high in plan:
                row = np.flatnonzero((a == low) & (b == high))[0]
                score = 1 / (1 + 10 ** ((elo[high] - elo[low]) / 400))
                i, j = 2 * (rng.random(2) < score)
                counts[row, i, j] += 1
        cells = from_tables(players=names(10), a=a, b=b, counts=counts)
        rating = rate(cells=cells, options=Options(mean=0))
        stated[uncertain] = float(np.sqrt(np.mean(np.diag(rating.covariance)[:10])))
    assert stated[True] < 0.92 * stated[False]


def test_senseless_requests_are_refused():
    """One player cannot be paired, and a floor is a share."""
    with pytest.raises(UsageError, match="two players"):
        next_pairs(
            cells=from_tables(players="A", a=[], b=[], counts=np.zeros((0, 3, 3))), seed=1, batch=0
        )
    with pytest.raises(UsageError, match="random"):
        next_pairs(cells=pool(3, lambda *_: even(1)), seed=1, batch=0, floor=1.5)
