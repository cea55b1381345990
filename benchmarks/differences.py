"""Simulated matches: how often the 95 % interval of a difference holds the truth, and its width.

    python benchmarks/differences.py [MATCHES]

Draws MATCHES (default 400) seeded matches for each of many kinds of pairs: mean scores from 0.5 to
0.98, few and many draws, games of a pair that are independent, equal, or opposite, and pairs that
are nearly always tied. Beside the interval of `ladder.stats.difference` stands the normal one of
`ladder stats elo`. A second table has two bots of a list of five, whose difference comes from the
fit of all games.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.difference import Difference, difference_of
from ladder.stats.elo import estimate
from ladder.stats.pool.cells import from_tables
from ladder.stats.pool.rating import rate_pool
from tests.support.simulated_gates import pair_table

SEED = 20261128
PAIRS = (1, 2, 5, 10, 30, 100, 500)
MEANS = (0.5, 0.6, 0.8, 0.95, 0.98)
DRAWS = (0.0, 0.5, 0.95)
"""Shares of draws, of the most that the mean score allows."""
RANKED = (150.0, 60.0, 0.0, -60.0, -150.0)
"""True Elo of the bots of a list."""


def main(matches: int) -> None:
    """Print the coverage of matches by number of pairs, then that of a list."""
    print(f"{matches} matches of each of {len(kinds())} kinds of pairs, seed {SEED}\n")
    print("| pairs | lowest coverage | mean | above | below | normal, lowest | width |")
    print("|---|---|---|---|---|---|---|")
    for pairs in PAIRS:
        print(by_pairs(pairs, matches))
    print("\n| pairs of two bots of a list | coverage | above | below |\n|---|---|---|---|")
    for pairs in (2, 5, 20):
        print(of_lists(pairs, matches))


def kinds() -> Mapping[str, FloatArray]:
    """Return the probabilities of pairs by points, by kind."""
    return dict(_kinds())


def _kinds() -> Iterator[tuple[str, FloatArray]]:
    for mean, draws in product(MEANS, DRAWS):
        drawn = 2.0 * draws * min(mean, 1.0 - mean)
        game = np.array([1.0 - mean - drawn / 2, drawn, mean - drawn / 2])
        alone, equal, opposite = np.convolve(game, game), np.zeros(5), np.zeros(5)
        equal[[0, 2, 4]] = game
        tied = 2.0 * min(game[0], game[2]) + game[1]
        opposite[2], opposite[4 if mean >= 0.5 else 0] = tied, 1.0 - tied
        for word, pair in (("independent", alone), ("equal", equal), ("opposite", opposite)):
            yield f"{mean} {draws} {word}", pair
    for tied in (0.8, 0.95, 0.99):
        for won in (0.5, 0.9):
            yield (
                f"tied {tied} {won}",
                np.array([(1.0 - tied) * (1.0 - won), 0.0, tied, 0.0, (1.0 - tied) * won]),
            )


@cache
def found(counts: tuple[int, ...]) -> Difference:
    """Return the difference of counts, once."""
    return difference_of(counts)


def misses(difference: Difference, truth: float) -> tuple[bool, bool]:
    """Return whether the interval lies above the truth, and below it."""
    low, high = difference.low, difference.high
    return low is not None and low > truth + 1e-6, high is not None and high < truth - 1e-6


def by_pairs(pairs: int, matches: int) -> str:
    """Return a row: matches of this length, over all kinds."""
    rng = np.random.default_rng([SEED, pairs])
    coverages, normal, above, below, ratios = [], [], 0, 0, []
    for shares in kinds().values():
        score = float(shares @ np.linspace(0.0, 1.0, 5))
        truth = 1e9 if score >= 1.0 else 400.0 * float(np.log10(score / (1.0 - score)))
        missed, plain = 0, 0
        for row in rng.multinomial(pairs, shares / shares.sum(), size=matches):
            counts = tuple(row.tolist())
            difference, usual = found(counts), estimate(counts=counts)
            high, low = misses(difference, truth)
            above, below, missed = above + high, below + low, missed + (high or low)
            assert usual.elo is not None
            assert usual.error95 is not None
            plain += abs(usual.elo - truth) > usual.error95
            if difference.error95 is not None and usual.error95 > 1.0:
                ratios.append(difference.error95 / usual.error95)
        coverages.append(1.0 - missed / matches)
        normal.append(1.0 - plain / matches)
    total = matches * len(coverages)
    width = f"{np.median(ratios):.2f}" if ratios else "-"
    return (
        f"| {pairs} | {min(coverages):.3f} | {np.mean(coverages):.3f} | {above / total:.3f} | "
        f"{below / total:.3f} | {min(normal):.3f} | {width} |"
    )


def of_lists(pairs: int, lists: int) -> str:
    """Return a row: two bots of lists of five with that number of pairs of every two."""
    rng = np.random.default_rng([SEED, pairs, 5])
    places = [(a, b) for a in range(5) for b in range(a)]
    above = below = total = 0
    for number in range(lists):
        counts = []
        for a, b in places:
            table = pair_table(
                elo=RANKED[a] - RANKED[b], advantage=80.0, draws=0.1, correlation=-0.3
            )
            shares = np.asarray(table, dtype=float).reshape(-1)
            counts.append(rng.multinomial(pairs, shares / shares.sum()))
        rating = rate_pool(
            cells=from_tables(
                players="abcde",
                a=[a for a, _ in places],
                b=[b for _, b in places],
                counts=np.array(counts, dtype=float),
            )
        )
        a, b = places[number % len(places)]
        high, low = misses(rating.difference(a=a, b=b), RANKED[a] - RANKED[b])
        above, below, total = above + high, below + low, total + 1
    return (
        f"| {pairs} | {1.0 - (above + below) / total:.3f} | {above / total:.3f} | "
        f"{below / total:.3f} |"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
