"""Simulated pools: how many games pairing by uncertainty saves against random pairing.

    python benchmarks/ratings_pairing.py [POOLS]

Rates POOLS (default 60) seeded pools of 17 players, whose pairs are chosen in batches of 16 at
random or by uncertainty. For several numbers of games it prints the mean error of
the list (root of the mean square against the truth, and as the list states it), and then how many
games random pairing needs for the true error that the other one reaches.
"""

import sys

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import (
    from_tables,
    groups,
)
from ladder.stats.pool.pair_design import (
    BATCH,
    next_pairs,
)
from ladder.stats.pool.rating import RatingOptions, rate_pool
from tests.support.simulated_gates import pair_table

SEED = 20240917
PLAYERS = 17
NAMES = tuple(f"p{number}" for number in range(PLAYERS))
BATCHES = 128
LONGER = 2
"""Factor by which random pairing plays longer, to see when it catches up."""
SHOWN = (8, 16, 32, 64, 128)
ADVANTAGE, DRAWS, CORRELATION = 60.0, 0.02, -0.4


def main(number: int) -> None:
    """Print one block for each spread of strengths."""
    print(f"{number} pools of {PLAYERS}, batches of {BATCH} pairs, seed {SEED}")
    for spread in (100.0, 200.0, 350.0):
        block(number=number, spread=spread)


def block(*, number: int, spread: float) -> None:
    """Print errors of both pairings at the same numbers of games, and the games saved."""
    results = {}
    for uncertain in (False, True):
        runs = [play(seed=seed, spread=spread, uncertain=uncertain) for seed in range(number)]
        mean = np.mean(runs, axis=0)
        results[uncertain] = np.sqrt(mean)
    print(f"\nstrengths spread by {spread:g} Elo")
    print(" games   error in Elo: random  uncertain   stated: random  uncertain   games ratio")
    games = 2 * BATCH * np.arange(1, LONGER * BATCHES + 1)
    for batch in SHOWN:
        (real_r, real_u) = (results[kind][batch - 1, 0] for kind in (False, True))
        (said_r, said_u) = (results[kind][batch - 1, 1] for kind in (False, True))
        curve = np.minimum.accumulate(results[False][:, 0])
        needed = np.interp(-real_u, -curve, games)
        beyond = ">" if real_u < curve[-1] else ""
        print(
            f"{games[batch - 1]:6d} {real_r:21.1f} {real_u:10.1f} {said_r:16.1f} {said_u:10.1f} "
            f"{beyond + format(needed / games[batch - 1], '.2f'):>13}"
        )


def play(*, seed: int, spread: float, uncertain: bool) -> FloatArray:
    """Return squared error and stated variance of the list per batch, shape (batches, 2)."""
    rng = np.random.default_rng([SEED, seed, int(spread), int(uncertain)])
    elo = np.random.default_rng([SEED, seed]).normal(0.0, spread, PLAYERS)
    elo -= elo.mean()
    lows, highs = np.triu_indices(PLAYERS, 1)
    place = np.zeros((PLAYERS, PLAYERS), dtype=int)
    place[lows, highs] = np.arange(lows.size)
    counts = np.zeros((lows.size, 9))
    shares = np.array(
        [
            pair_table(
                elo=float(elo[i] - elo[j]), advantage=ADVANTAGE, draws=DRAWS,
                correlation=CORRELATION,
            ).ravel()
            for i, j in zip(lows, highs, strict=True)
        ]
    )  # fmt: skip
    batches = BATCHES if uncertain else LONGER * BATCHES
    out = np.full((batches, 2), 1e5)
    for batch in range(batches):
        cells = from_tables(players=NAMES, a=lows, b=highs, counts=counts)
        if uncertain:
            rows = [place[pair] for pair in next_pairs(cells=cells, seed=seed, batch=batch)]
        else:
            rows = list(rng.integers(lows.size, size=BATCH))
        for row in rows:
            counts[row, rng.choice(9, p=shares[row])] += 1
        cells = from_tables(players=NAMES, a=lows, b=highs, counts=counts)
        if len(groups(cells=cells)) == 1:
            rating = rate_pool(cells=cells, options=RatingOptions(mean=0.0))
            out[batch] = (
                np.mean((rating.elo - elo) ** 2),
                np.mean(np.diag(rating.covariance)[:PLAYERS]),
            )
    return out


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
