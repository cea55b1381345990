"""The choice of the next pairs by what they are expected to add to the rating list."""

import numpy as np
import pytest

from ladder.errors import UsageError
from ladder.stats.pool.cells import (
    from_tables,
    groups,
)
from ladder.stats.pool.pair_design import FLOOR, next_pairs
from ladder.stats.pool.rating import RatingOptions, rate_pool
from tests.ladder.stats.pools import names
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


def test_equal_players_are_paired_before_unequal_ones():
    """A game whose result is known beforehand adds little, so it is not chosen."""
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


def test_a_floor_pairs_every_player():
    """With a floor every player turns up sooner or later, however certain its rating is."""
    cells = pool(6, lambda i, j: even(1 if 5 in (i, j) else 500))
    seen = {
        player
        for batch in range(20)
        for pair in next_pairs(cells=cells, seed=1, batch=batch)
        for player in pair
    }
    assert seen == set(range(6))


def true_error(*, seed, floor):
    """Mean square distance in Elo of a list from the truth, after 256 pairs among twelve players
    whose strengths lie far apart, chosen by `next_pairs` with this share of random pairs."""
    rng = np.random.default_rng(seed)
    elo = np.linspace(-900, 900, 12)
    a, b = np.triu_indices(12, 1)
    counts = np.zeros((a.size, 3, 3))
    for batch in range(16):
        cells = from_tables(players=names(12), a=a, b=b, counts=counts)
        for low, high in next_pairs(cells=cells, seed=seed, batch=batch, floor=floor):
            row = np.flatnonzero((a == low) & (b == high))[0]
            score = 1 / (1 + 10 ** ((elo[high] - elo[low]) / 400))
            i, j = 2 * (rng.random(2) < score)
            counts[row, i, j] += 1
    cells = from_tables(players=names(12), a=a, b=b, counts=counts)
    return np.mean((rate_pool(cells=cells, options=RatingOptions(mean=0)).elo - elo) ** 2)


@pytest.mark.slow
def test_chosen_pairs_give_a_better_list_than_random_ones():
    """Over seeded pools the list is nearer to the truth than after as many random pairs."""
    uncertain, random = (
        np.sqrt(np.mean([true_error(seed=seed, floor=floor) for seed in range(20, 27)]))
        for floor in (FLOOR, 1.0)
    )
    assert uncertain < 0.88 * random


def test_a_single_player_and_a_floor_out_of_range_are_refused():
    with pytest.raises(UsageError, match="two players"):
        next_pairs(
            cells=from_tables(players="A", a=[], b=[], counts=np.zeros((0, 3, 3))), seed=1, batch=0
        )
    with pytest.raises(UsageError, match="random"):
        next_pairs(cells=pool(3, lambda *_: even(1)), seed=1, batch=0, floor=1.5)
