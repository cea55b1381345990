"""Thousands of simulated gates at once, decided by the shipped rules.

The counts of all gates are rows of arrays, which show the few pairs that may decide a gate. There
`ladder.experiments.gate.judge.GateTally` decides, as in `ladder gate`. Gates that cannot reach a
limit within a block of pairs are not evaluated pair by pair.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.experiments.gate.judge import GateTally
from ladder.experiments.gate.question import EarlyTest, GateTest
from ladder.experiments.tally import REPEATS_IN_A_ROW
from ladder.stats.counts import FloatArray, IntArray
from ladder.stats.evidence import log_evidence_above, log_evidence_below
from ladder.stats.sprt import Sprt, State, bounds, llr
from tests.support.records import record_of

BoolArray = NDArray[np.bool_]
Draw = Callable[[IntArray], tuple[IntArray, BoolArray]]
"""Draws the next pair of some gates: half points of the candidate, and whether games are new."""

NARROW = 1.0 - 1e-9
"""Part of a limit that counts as reached, so that rounding hides no decision."""
BLOCK_ELO = 160.0
"""Pairs drawn at a time, times the drop."""


@dataclass(frozen=True)
class JudgedGates:
    """How simulated gates against one baseline ended, one entry each."""

    states: NDArray[np.str_]
    """Values of `State`; `continue` for no decision."""
    pairs: IntArray
    """Pairs played."""
    early: BoolArray
    """Whether the test for obvious cases decided."""


def new_pairs(rng: np.random.Generator, shares: FloatArray) -> Draw:
    """Return pairs that all differ, whose results have these probabilities, shape (5,)."""
    ends = np.cumsum(shares)[:-1]

    def draw(rows: IntArray) -> tuple[IntArray, BoolArray]:
        return np.searchsorted(ends, rng.random(len(rows)), side="right"), np.ones(len(rows), bool)

    return draw


def pairs_from_starts(
    rng: np.random.Generator, shares: FloatArray, *, gates: int, starts: int
) -> Draw:
    """Return pairs from a number of starting positions, each of which always gives one pair."""
    points = new_pairs(rng, shares)(np.arange(gates * starts))[0].reshape(gates, starts)
    seen = np.zeros((gates, starts), dtype=bool)

    def draw(rows: IntArray) -> tuple[IntArray, BoolArray]:
        start = rng.integers(starts, size=len(rows))
        is_new = ~seen[rows, start]
        seen[rows, start] = True
        return points[rows, start], is_new

    return draw


def pairs_with_common_win(
    rng: np.random.Generator, shares: FloatArray, *, gates: int, common: float
) -> Draw:
    """Return pairs of which a share is one and the same won pair; the rest has these shares."""
    rest = new_pairs(rng, shares)
    seen = np.zeros(gates, dtype=bool)

    def draw(rows: IntArray) -> tuple[IntArray, BoolArray]:
        is_common = rng.random(len(rows)) < common
        is_new = ~(is_common & seen[rows])
        seen[rows] |= is_common
        return np.where(is_common, 4, rest(rows)[0]), is_new

    return draw


def judged_gates(
    draw: Draw, test: GateTest, *, gates: int, baselines: int = 1, counted: str = "gate"
) -> JudgedGates:
    """Play gates to their end, each against one of `baselines` baselines.

    Args:
        draw: the source of the pairs.
        test: the question.
        gates: the number of gates.
        baselines: the number of baselines that share beta.
        counted: `gate` for the rule of the gate, `all` or `distinct` to count these pairs alone.

    """
    sprt, early = test.sprt(baselines), test.early_test(baselines)
    views = {"gate": [0, 1], "all": [0], "distinct": [1]}[counted]
    counts = np.zeros((2, gates, 5))
    states = np.full(gates, State.CONTINUE.value, dtype="<U16")
    pairs, repeats = (np.zeros(gates, dtype=np.int64) for _ in range(2))
    is_early = np.zeros(gates, dtype=bool)
    running = np.arange(gates)
    block = math.ceil(BLOCK_ELO / (test.elo1 - test.elo0))
    for begun in range(0, test.games // 2, block):
        width = min(block, test.games // 2 - begun)
        drawn = [draw(running) for _ in range(width)]
        cells = np.eye(5)[np.stack([each for each, _ in drawn], axis=1)]
        is_new = np.stack([new for _, new in drawn], axis=1)
        steps = np.stack([cells, cells * is_new[..., None]])
        ends = np.full(len(running), width)
        for column in range(width if counted == "gate" else 0):
            repeats[running] = np.where(is_new[:, column], 0, repeats[running] + 1)
            ends[(repeats[running] >= REPEATS_IN_A_ROW) & (ends == width)] = column + 1
        is_open = repeats[running] < REPEATS_IN_A_ROW
        near = np.flatnonzero(_is_near(counts[views[:1]][:, running], block, sprt, early))
        path = counts[:, running[near], None] + steps[:, near].cumsum(axis=2)
        for index, column in np.argwhere(_may_decide(path[views], sprt, early)):
            place = near[index]
            row = running[place]
            if column < ends[place] and states[row] == State.CONTINUE.value:
                tally = GateTally()
                every, distinct = (path[views[end], index, column].tolist() for end in (0, -1))
                tally.record, tally.distinct = record_of(every), record_of(distinct)
                tally.decide(sprt, early)
                states[row], is_early[row] = tally.state.value, tally.early is not None
                if tally.state is not State.CONTINUE:
                    ends[place], is_open[place] = column + 1, False
        counts[:, running] += steps.sum(axis=2)
        pairs[running] = begun + ends
        running = running[is_open]
        if not running.size:
            break
    return JudgedGates(states, pairs, is_early)


def _is_near(seen: FloatArray, block: int, sprt: Sprt, early: EarlyTest | None) -> BoolArray:
    """Return which rows can be decided within a block, by losing or winning all of its pairs."""
    lost, won = block * np.eye(5)[[0, 4]]
    return np.asarray(_may_decide(seen + lost, sprt, early) | _may_decide(seen + won, sprt, early))


def _may_decide(seen: FloatArray, sprt: Sprt, early: EarlyTest | None) -> BoolArray:
    """Return where all views of the counts reach a limit: (views, ..., 5) -> (...)."""
    lower, upper = (NARROW * each for each in bounds(alpha=sprt.alpha, beta=sprt.beta))
    ratios = llr(counts=seen, test=sprt)
    may_decide = (ratios >= upper).all(axis=0) | (ratios <= lower).all(axis=0)
    if early is not None:
        if early.score1 is not None:
            below = log_evidence_below(counts=seen, mean=early.score1).min(axis=0)
            may_decide |= below >= NARROW * early.fail_at
        if early.score0 is not None:
            above = log_evidence_above(counts=seen, mean=early.score0).min(axis=0)
            may_decide |= above >= NARROW * early.pass_at
    return np.asarray(may_decide)
