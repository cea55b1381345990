"""Simulated bisections: which method finds the culprit, how often, and after how many games.

    python -m benchmarks.bisections [HISTORIES]

HISTORIES (default 1000) seeded histories a row, of 16 or of 64 commits, any of which lost 20, 40
or 80 Elo, or none did; the smallest drop of interest is 20 Elo, and the answer is to be right with
95 %. Three methods: a sequential test at every step of an ordinary bisection, alpha and beta shared
out over the steps; the posterior with one drop, the smallest of interest; and the posterior of the
command, which learns how great the drop is. `visits` says how often another commit was turned to,
`held` how often the stated interval of the drop holds the true one.
"""

import math
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.experiments.bisect.search import (
    LEAST_PAIRS,
    SETTLED,
    most_open,
    possible_drops,
    posterior_of,
)
from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.elo import estimate
from ladder.stats.evidence import drop_evidence
from ladder.stats.sprt import Model, Sprt, bounds, llr
from tests.support.simulated_gates import pair_table

SEED = 20240917
MAX_DROP = 20.0
CONFIDENCE = 0.95
BATCH = 8
"""Pairs between two evaluations."""
MOST_PAIRS = 40_000
NONE, UNDECIDED = -1, -2


@dataclass(frozen=True)
class Ends:
    """Results of simulated searches."""

    found: IntArray
    """The blamed commit, NONE or UNDECIDED."""
    pairs: IntArray
    visits: IntArray
    """How often another commit was turned to."""
    elo: FloatArray
    """The estimated difference, NaN where no commit is blamed."""
    error: FloatArray


def shares_of(drop: float) -> FloatArray:
    """Return the probabilities of a pair's five results."""
    table = pair_table(elo=-drop, advantage=40, draws=0.02, correlation=-0.4)
    return np.asarray(pentanomial(table=table))


def draw(rng: np.random.Generator, weak: NDArray[np.bool_], drop: float) -> IntArray:
    """Draw a batch of pairs per search, of a commit that is weaker or equal."""
    shares = np.where(weak[:, None], shares_of(drop), shares_of(0.0))
    return np.asarray(rng.multinomial(BATCH, shares))


def step_by_step(rng: np.random.Generator, culprits: IntArray, commits: int, drop: float) -> Ends:
    """Bisect with a sequential test at each step, whose errors are shared out evenly."""
    number = len(culprits)
    steps = 1 + math.ceil(math.log2(commits))
    share = (1.0 - CONFIDENCE) / steps
    test = Sprt(elo0=-MAX_DROP, elo1=0.0, alpha=share, beta=share, model=Model.LOGISTIC)
    lower, upper = bounds(alpha=share, beta=share)
    low, high = np.full(number, -1), np.full(number, commits - 1)
    place = np.full(number, commits - 1)
    found = np.full(number, UNDECIDED)
    pairs, visits = np.zeros(number, dtype=np.int64), np.ones(number, dtype=np.int64)
    counts = np.zeros((number, 5), dtype=np.int64)
    running = np.arange(number)
    while running.size and pairs.max() < MOST_PAIRS:
        weak = (culprits[running] >= 0) & (place[running] >= culprits[running])
        counts[running] += draw(rng, weak, drop)
        pairs[running] += BATCH
        ratio = llr(counts=counts[running], test=test)
        bad, good = ratio <= lower, ratio >= upper
        first = running[good & (place[running] == commits - 1) & (low[running] == -1)]
        found[first[high[first] == commits - 1]] = NONE
        high[running[bad]] = place[running[bad]]
        low[running[good]] = place[running[good]]
        moved = running[bad | good]
        counts[moved] = 0
        visits[moved] += 1
        place[moved] = (low[moved] + high[moved]) // 2
        ended = moved[(high[moved] - low[moved] == 1) & (found[moved] == UNDECIDED)]
        found[ended] = high[ended]
        running = running[found[running] == UNDECIDED]
    empty = np.full(number, np.nan)
    return Ends(found, pairs, visits, empty, empty)


def by_posterior(
    rng: np.random.Generator,
    culprits: IntArray,
    commits: int,
    drop: float,
    drops: tuple[float, ...],
    stay: float,
    least: int = LEAST_PAIRS,
) -> Ends:
    """Bisect by the posterior; leave a commit once it is weaker with a chance below `stay`."""
    number = len(culprits)
    holds = np.tril(np.ones((commits, commits), dtype=bool))
    testable = np.ones(commits, dtype=bool)
    counts = np.zeros((number, commits, 5), dtype=np.int64)
    evidence = np.zeros((number, commits, len(drops)))
    place = np.full(number, commits - 1)
    found = np.full(number, UNDECIDED)
    pairs, visits = np.zeros(number, dtype=np.int64), np.ones(number, dtype=np.int64)
    since = np.zeros(number, dtype=np.int64)
    running = np.arange(number)
    elo, error = np.full(number, np.nan), np.full(number, np.nan)
    while running.size and pairs.max() < MOST_PAIRS:
        weak = (culprits[running] >= 0) & (place[running] >= culprits[running])
        counts[running, place[running]] += draw(rng, weak, drop)
        pairs[running] += BATCH
        since[running] += BATCH
        evidence[running, place[running]] = drop_evidence(
            counts=counts[running, place[running]], drops=drops, model=Model.LOGISTIC
        )
        after = posterior_of(holds, evidence[running])
        blames = after.sure_groups(CONFIDENCE, np.arange(commits))
        sure = blames.any(axis=-1)
        found[running[sure]] = blames[sure].argmax(axis=-1)
        found[running[after.is_none_sure(CONFIDENCE)]] = NONE
        chance = np.take_along_axis(after.weaker, place[running][:, None], axis=-1)[:, 0]
        leaves = (np.minimum(chance, 1.0 - chance) < stay) & (since[running] >= least)
        following = most_open(after.weaker, testable)
        moves = leaves & (following != place[running])
        visits[running[moves]] += 1
        since[running[moves]] = 0
        place[running[moves]] = following[moves]
        for row in running[sure]:
            pooled = counts[row, found[row] :].sum(axis=0)
            seen = estimate(counts=pooled)
            elo[row], error[row] = seen.elo, seen.error95
        running = running[found[running] == UNDECIDED]
    return Ends(found, pairs, visits, elo, error)


def main(number: int) -> None:
    """Print a row for each method, number of commits and drop."""
    print(f"{number} histories a row, seed {SEED}, right with {CONFIDENCE:.0%}")
    print("commits  drop  method             right  wrong  open  games  (90 %)  visits  held  s")
    for commits in (16, 64):
        for drop in (20.0, 40.0, 80.0, 0.0):
            row(commits, drop, "test per step", number, 0, ())
            row(commits, drop, "one drop", number, SETTLED, (MAX_DROP,))
            row(commits, drop, "any drop", number, SETTLED, possible_drops(MAX_DROP))


def row(
    commits: int, drop: float, name: str, number: int, stay: float, drops: tuple[float, ...]
) -> None:
    """Print one cell of the experiment."""
    start = time.perf_counter()
    rng = np.random.default_rng([SEED, commits, int(drop)])
    culprits = rng.integers(commits, size=number) if drop else np.full(number, NONE)
    if drops:
        ends = by_posterior(rng, culprits, commits, drop, drops, stay)
    else:
        ends = step_by_step(rng, culprits, commits, drop)
    right = ends.found == culprits
    undecided = ends.found == UNDECIDED
    games = 2 * ends.pairs
    decided = ~np.isnan(ends.elo)
    held = (
        np.mean(np.abs(ends.elo[decided] + drop) <= ends.error[decided])
        if decided.any()
        else math.nan
    )
    print(
        f"{commits:7d} {drop:5.0f}  {name:<17} {right.mean():6.1%} "
        f"{1 - right.mean() - undecided.mean():6.1%} {undecided.mean():5.1%} {games.mean():6.0f} "
        f"{np.quantile(games, 0.9):7.0f} {ends.visits.mean():7.1f} {held:6.1%} "
        f"{time.perf_counter() - start:5.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
