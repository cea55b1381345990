"""Simulated pools: how often the stated 95 % intervals hold the truth.

    python benchmarks/ratings_coverage.py [POOLS]

Rates POOLS (default 500) seeded pools of 17 players from pairs of games with a strong first move
and games of a pair that hang together. Beside the clustered errors stands what the same games give
when every game is taken as independent (trinomial), with and without the first move in the model;
and for two players the pentanomial interval beside the trinomial one. Last, runs of five players
that `ladder run --until-error` ends.
"""

import sys
import time
from itertools import count

import numpy as np

from ladder.runs.decision import UntilError
from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.elo import estimate
from ladder.stats.pool.cells import (
    Cells,
    from_games,
    from_named_tables,
    from_tables,
)
from ladder.stats.pool.rating import PoolRating, RatingOptions, rate_pool
from tests.support.data.pairs import bot_row, pair_of
from tests.support.simulated_gates import pair_table

SEED = 20240917
PLAYERS = 17
SPREAD = 200.0
DRAWS = 0.03
ADVANTAGE = 120.0
NAMES = tuple(f"p{number}" for number in range(PLAYERS))


def main(number: int) -> None:
    """Print coverage by pairs per two players and by correlation inside pairs, then timings."""
    print(
        f"{number} pools of {PLAYERS}, first move {ADVANTAGE:g} Elo, draws {DRAWS:.0%}, seed {SEED}"
    )
    print("                 pairs as units                | games as units  | and no first move")
    print("pairs  corr.   ratings  differences  first move | ratings  diff.  | ratings  diff.")
    for pairs, correlation in ((4, -0.6), (15, -0.6), (60, -0.6), (15, 0.0), (15, 0.4)):
        print(pools(number=number, pairs=pairs, correlation=correlation))
    print("\ntwo players, 200 pairs: coverage of the interval and its mean half width in Elo")
    for correlation in (-0.6, 0.0, 0.4):
        print(duels(number=4 * number, correlation=correlation))
    print(timings())
    print("\nruns until every error is small enough: coverage of the ratings, mean games")
    for limit in (60.0, 30.0):
        print(until(number=number // 2, limit=limit))


def until(*, number: int, limit: float) -> str:
    """Return a row: simulated runs that end by the errors of their ratings."""
    elo = np.array([150.0, 50.0, 0.0, -80.0, -120.0])
    bots = [bot_row(place) for place in range(elo.size)]
    hits, games = [], []
    for seed in range(number):
        rng, judge = np.random.default_rng([SEED, seed]), UntilError(limit, bots)
        counts: dict[tuple[int, int], IntArray] = {}
        for turn in count():
            if judge.decided:
                break
            a, b = map(int, rng.choice(elo.size, 2, replace=False))
            table = pair_table(elo=elo[a] - elo[b], advantage=40, draws=0.05, correlation=-0.4)
            cell = int(rng.choice(9, p=np.asarray(table).ravel()))
            counts.setdefault((a, b), np.zeros(9, dtype=np.int64))[cell] += 1
            judge.take(pair_of(turn, a, b, cell))
        rows = ((f"p{a}", f"p{b}", "any", table) for (a, b), table in counts.items())
        rating = rate_pool(cells=from_named_tables(rows))
        missed = rating.elo - rating.elo.mean() - (elo - elo.mean())
        hits.append(float(np.mean(np.abs(missed) <= rating.error95)))
        games.append(2 * sum(int(table.sum()) for table in counts.values()))
    return f"{limit:g} Elo: {np.mean(hits):.1%} of {number} runs, {np.mean(games):.0f} games"


def truth(rng: np.random.Generator) -> FloatArray:
    """Draw the Elo of a pool, with mean 0."""
    elo = rng.normal(0.0, SPREAD, PLAYERS)
    return np.asarray(elo - elo.mean())


def play(rng: np.random.Generator, elo: FloatArray, pairs: int, correlation: float) -> IntArray:
    """Draw 3x3 tables of about `pairs` pairs for every two players, ordered as `triu_indices`."""
    tables = []
    for i, j in zip(*np.triu_indices(PLAYERS, 1), strict=True):
        shares = pair_table(
            elo=float(elo[i] - elo[j]), advantage=ADVANTAGE, draws=DRAWS, correlation=correlation
        )
        tables.append(rng.multinomial(rng.poisson(pairs), shares.ravel()).reshape(3, 3))
    return np.asarray(tables)


def as_pairs(tables: IntArray) -> Cells:
    """Return cells that count whole pairs."""
    i, j = np.triu_indices(PLAYERS, 1)
    return from_tables(players=NAMES, a=i, b=j, counts=tables)


def as_games(tables: IntArray) -> Cells:
    """Return cells that count every game on its own."""
    i, j = np.triu_indices(PLAYERS, 1)
    first, second = tables.sum(axis=2), tables.sum(axis=1)[:, ::-1]
    return from_games(
        players=NAMES, first=np.r_[i, j], second=np.r_[j, i], counts=np.r_[first, second]
    )


def covered(rating: PoolRating, elo: FloatArray) -> tuple[float, float]:
    """Return the shares of ratings and of differences whose interval holds the truth."""
    i, j = np.triu_indices(PLAYERS, 1)
    spread = rating.covariance[:PLAYERS, :PLAYERS]
    error = 1.96 * np.sqrt(spread[i, i] + spread[j, j] - 2 * spread[i, j])
    gaps = (rating.elo[i] - rating.elo[j]) - (elo[i] - elo[j])
    single = np.abs(rating.elo - elo) <= rating.error95
    return float(np.mean(single)), float(np.mean(np.abs(gaps) <= error))


def pools(*, number: int, pairs: int, correlation: float) -> str:
    """Print one line of coverage."""
    rng = np.random.default_rng([SEED, pairs, round(10 * correlation) + 10])
    hits = np.zeros((number, 7))
    for row in range(number):
        elo = truth(rng)
        tables = play(rng, elo, pairs, correlation)
        rating = rate_pool(cells=as_pairs(tables), options=RatingOptions(mean=0.0))
        hits[row, :2] = covered(rating, elo)
        hits[row, 2] = abs(rating.advantage[0] - ADVANTAGE) <= rating.advantage_error95[0]
        games = as_games(tables)
        hits[row, 3:5] = covered(rate_pool(cells=games, options=RatingOptions(mean=0.0)), elo)
        plain = rate_pool(cells=games, options=RatingOptions(mean=0.0, advantage=0.0))
        hits[row, 5:] = covered(plain, elo)
    a, b, c, d, e, f, g = hits.mean(axis=0)
    return (
        f"{pairs:5d} {correlation:6.1f} {a:9.1%} {b:12.1%} {c:11.1%} "
        f"| {d:7.1%} {e:6.1%} | {f:7.1%} {g:6.1%}"
    )


def duels(*, number: int, correlation: float) -> str:
    """Print the coverage of a difference from pentanomial and from trinomial counts."""
    rng = np.random.default_rng([SEED, round(10 * correlation) + 10])
    elo = 30.0
    shares = pair_table(elo=elo, advantage=ADVANTAGE, draws=DRAWS, correlation=correlation)
    # Within pairs the truth is the mean of both scores, as both estimates see it.
    target = estimate(counts=1e9 * pentanomial(table=shares)).elo or 0.0
    hits, widths = np.zeros((number, 2)), np.zeros((number, 2))
    for row in range(number):
        table = rng.multinomial(200, shares.ravel()).reshape(3, 3)
        games = table.sum(axis=1) + table.sum(axis=0)
        for column, counts in enumerate((pentanomial(table=table), games)):
            seen = estimate(counts=counts)
            assert seen.elo is not None
            assert seen.error95 is not None
            hits[row, column] = abs(seen.elo - target) <= seen.error95
            widths[row, column] = seen.error95
    (p, t), (wp, wt) = hits.mean(axis=0), widths.mean(axis=0)
    return (
        f"correlation {correlation:4.1f}: pentanomial {p:.1%} (+-{wp:.1f}), "
        f"trinomial {t:.1%} (+-{wt:.1f})"
    )


def timings() -> str:
    """Print the seconds for a list of a million games."""
    rng = np.random.default_rng(SEED)
    cells = as_pairs(play(rng, truth(rng), 500_000 // 136, -0.5))
    start = time.perf_counter()
    rate_pool(cells=cells)
    return f"\n17 players, 1,000,000 games: list {time.perf_counter() - start:.4f} s"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
