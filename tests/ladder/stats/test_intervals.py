"""Errors of ratings that take the pair as the unit, and bounds after only wins or losses."""

from dataclasses import replace

import numpy as np
import pytest

from ladder.stats.difference import Difference, difference_of
from ladder.stats.pool.cells import from_games, from_tables
from ladder.stats.pool.rating import RatingOptions, rate_pool
from tests.ladder.stats.pools import names, random_cells
from tests.support.simulated_gates import pair_table

WON = [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
MIXED = np.array([[2, 0, 5], [0, 1, 0], [6, 0, 2]])


def pool(*rows, players="ABCDE", **options):
    """Return the list of rows (a, b, 3x3 counts)."""
    a, b, counts = zip(*rows, strict=True)
    used = players[: 1 + max(*a, *b)]
    return rate_pool(
        cells=from_tables(players=used, a=a, b=b, counts=np.array(counts, dtype=float)),
        options=RatingOptions(**options),
    )


def won(pairs):
    return pairs * np.array(WON)


@pytest.mark.parametrize("prior", [0.2, 1.0, 30.0])
def test_two_players_are_as_far_apart_as_their_pairs_say(prior):
    """In a list of two players the bound is that of the counts, whatever the prior."""
    alone = difference_of((0, 0, 0, 0, 12)).low
    rating = pool((0, 1, won(12)), prior=prior)
    assert rating.difference(a=0, b=1).low == pytest.approx(alone, abs=1e-6)
    assert rating.difference(a=1, b=0).high == pytest.approx(-alone, abs=1e-6)
    assert rating.at_least == (pytest.approx(1000 + alone / 2), None)
    assert rating.at_most == (None, pytest.approx(1000 - alone / 2))
    tied = pool((0, 1, won(12)), prior=prior, anchors={"B": 700.0})
    assert tied.at_least[0] == pytest.approx(700 + alone)
    assert tied.at_most[1] is None


def test_single_games_count_one_by_one():
    """Where games are no pairs, the game is the unit and the first move is allowed for."""
    cells = from_games(players="AB", first=[0, 1], second=[1, 0], counts=[[0, 0, 7], [7, 0, 0]])
    gap = rate_pool(cells=cells, options=RatingOptions(advantage=0.0)).difference(a=0, b=1)
    assert gap.low == pytest.approx(difference_of((0, 0, 14)).low, abs=1e-6)
    white = from_games(players="AB", first=[0], second=[1], counts=[[0, 0, 14]])
    helped = rate_pool(cells=white, options=RatingOptions(advantage=100.0)).difference(a=0, b=1)
    assert helped.low == pytest.approx(gap.low - 100, abs=1e-6)
    black = from_games(players="AB", first=[1], second=[0], counts=[[14, 0, 0]])
    hindered = rate_pool(cells=black, options=RatingOptions(advantage=100.0)).difference(a=0, b=1)
    assert hindered.low == pytest.approx(gap.low + 100, abs=1e-6)


def test_the_bound_stands_on_the_scale_of_the_others():
    """In a list the bound follows from all opponents; the others, and most gaps, have none."""
    rating = pool((0, 1, won(4)), (0, 2, won(6)), (1, 2, MIXED))
    assert rating.at_least[1:] == (None, None)
    assert rating.at_most == (None,) * 3
    # Lowered to its bound against both, A wins all ten pairs with a chance of 2.5 %.
    gaps = [rating.difference(a=0, b=other).low for other in (1, 2)]
    score = [np.mean(1 / (1 + 10 ** (-(g + f) / 400)))
             for g in gaps for f in [np.array([1, -1]) * rating.advantage[0]]]  # fmt: skip
    assert score[0] ** 4 * score[1] ** 6 == pytest.approx(0.025, rel=1e-6)
    moved = rating.elo[0] - rating.elo[1] - gaps[0]
    assert rating.at_least[0] == pytest.approx(rating.elo[0] - moved * 2 / 3)
    assert rating.difference(a=0, b=1).high is None
    between = rating.difference(a=1, b=2)
    assert None not in (between.low, between.high)


def test_two_players_that_won_everything_cannot_be_compared():
    """There is no bound between them, nor between two that lost everything."""
    rating = pool((0, 2, won(4)), (1, 2, won(40)), (2, 3, MIXED), (3, 4, won(3)), (2, 4, won(3)))
    assert rating.bounded.tolist() == [True, True, False, False, True]
    assert rating.difference(a=0, b=1) == Difference()
    assert rating.difference(a=0, b=2).high is None


def test_a_winner_and_a_loser_share_their_slack():
    """Between one that won everything and one that lost everything no split gives a smaller gap."""
    rating = pool((0, 1, won(5)), (0, 2, won(5)), (1, 2, MIXED), (1, 3, won(5)), (2, 3, won(5)))
    apart = rating.difference(a=0, b=3).low
    one = rating.elo[0] - rating.difference(a=0, b=1).low - rating.elo[1]
    other = rating.elo[2] - rating.elo[3] - rating.difference(a=2, b=3).low
    listed = rating.elo[0] - rating.elo[3]
    assert listed - one - other < apart < listed - max(one, other)
    met = pool((0, 1, won(5)), (0, 3, won(50)), (1, 2, MIXED), (2, 3, won(5)))
    direct = difference_of((0, 0, 0, 0, 50)).low
    assert met.difference(a=0, b=3).low >= direct - 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("pairs", "top"), [(2, 150.0), (4, 260.0), (8, 400.0)])
def test_bounds_hold_the_truth(pairs, top):
    """Over seeded pools at most 5 % (and three standard errors) end in a bound that is wrong, also
    where the board decides both games of a pair."""
    rng = np.random.default_rng(5)
    elo = np.array([top, -60.0, 20.0, 40.0])
    a, b = np.triu_indices(4, 1)
    shares = [
        pair_table(elo=elo[i] - elo[j], correlation=1.0).ravel() for i, j in zip(a, b, strict=True)
    ]
    pools = 1000
    tables = np.stack([rng.multinomial(pairs, share, size=pools) for share in shares], axis=1)
    shutouts = np.flatnonzero((tables[:, :3, 8] == pairs).all(axis=1))
    wrong = 0
    for row in shutouts:
        cells = from_tables(players=names(4), a=a, b=b, counts=tables[row].reshape(-1, 3, 3))
        # Against the mean of the others, which is what the bound leaves as it is.
        bound = (rate_pool(cells=cells).at_least[0] - 1000) * 4 / 3
        wrong += bound > elo[0] - elo[1:].mean()
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / pools)
    assert wrong / pools <= limit < len(shutouts) / pools


def resampled(cells, rng, number, options):
    """Rate lists of resampled pairs, table by table (Efron 1979)."""
    totals = cells.counts.sum(axis=1).astype(int)
    lists = []
    for _ in range(number):
        counts = np.stack(
            [
                rng.multinomial(total, row / total)
                for total, row in zip(totals, cells.counts, strict=True)
            ]
        )
        again = rate_pool(cells=replace(cells, counts=counts.astype(float)), options=options)
        lists.append(np.concatenate([again.elo, again.advantage]))
    return np.array(lists)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correlation", "options"),
    [(-0.6, RatingOptions()), (0.6, RatingOptions(anchors={"p1": 1200.0}))],
)
def test_errors_are_those_of_resampled_pairs(correlation, options):
    """Stated errors agree to ten per cent with lists of whole pairs drawn again."""
    rng = np.random.default_rng(1)
    cells, _ = random_cells(rng, size=5, pairs=60, correlation=correlation)
    rating = rate_pool(cells=cells, options=options)
    lists = resampled(cells, np.random.default_rng(2), 300, options)
    stated = np.concatenate([rating.error95, rating.advantage_error95]) / 1.96
    assert lists.std(axis=0) == pytest.approx(stated, rel=0.1)
    gaps = lists[:, 0] - lists[:, 4]
    assert gaps.std() == pytest.approx(rating.difference(a=0, b=4).error95 / 1.96, rel=0.1)
