"""Simulated gates: how often verdicts are wrong, and what they cost.

    python -m benchmarks.gate_promises [GATES [errors] [gains] [repeats] [forfeits] [early]]

Plays GATES (default 1000) seeded gates in every row, decided by the shipped rules, and prints the
named tables, or all. `OPENBLAS_NUM_THREADS=1` is faster on a busy machine.

First table: the stated errors at their boundaries. The candidate is as strong as the baseline (a
regression is wrong) or weaker by the drop (a pass is wrong); without a limit of games, so that no
gate ends without a verdict, and with one; and against two baselines. The interval is that of Wilson
(95 %).

Second table: verdicts on a wanted gain, at true gains of 0, 2, 5 and 10 Elo, and games beside those
that the gate expects.

Third table: errors where bots ignore their seed, so that there are only as many different pairs
as starting positions; or bots are equal and one common pair of games, won by the candidate, is a
share of all, while it loses a little more often in the rest. Columns: counting every pair, counting
distinct pairs alone, and the gate, which wants both to agree.

Fourth table: gates of equal bots, of which one forfeits some of its games, and a pair's two games
fail independently or together. Columns: marking a bot as soon as it has 3 forfeits and more than
2 %, and the gate.

Fifth table: what the early test saves.
"""

import math
import sys
from collections.abc import Callable

import numpy as np

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.experiments.gate.question import GateTest
from ladder.experiments.tally import ForfeitCount
from ladder.results.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE
from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.elo import score_to_elo
from ladder.stats.sprt import State
from ladder.stats.sprt_estimate import forecast_test
from tests.ladder.experiments.gate.simulated_judges import (
    BoolArray,
    Draw,
    JudgedGates,
    judged_gates,
    new_pairs,
    pairs_from_starts,
    pairs_with_common_win,
)
from tests.support.simulated_gates import pair_table

SEED = 20240917
PAIRS = 1500
NO_LIMIT = 400_000
"""Games that no gate of these drops reaches."""
DECISIONS = (State.ACCEPT_H1, State.ACCEPT_H0)
BOTS = ("candidate", "baseline")


def main(gates: int, *tables: str) -> None:
    """Print the named tables, or all."""
    print(f"{gates} gates a row, seed {SEED}")
    for name, table in TABLES.items():
        if name in (tables or TABLES):
            table(gates)


def errors(gates: int) -> None:
    """Print the first table."""
    print("errors: wrong verdicts with their interval, those decided early, no verdict, mean games")
    for draws in (0.02, 0.3):
        for drop in (20.0, 10.0, 5.0):
            boundaries(gates, drop, draws, GateTest().early)
    for drop in (20.0, 10.0):
        two_baselines(gates, drop)
    boundaries(gates, 20.0, 0.02, GateTest().early, max_games=2 * PAIRS)
    for drop in (20.0, 10.0, 5.0):
        boundaries(gates, drop, 0.02, 0.0)


def all_gains(gates: int) -> None:
    """Print the second table."""
    print("gains: better, no gain; mean games, and those expected; decided early")
    for drop, gain in ((0.0, 20.0), (0.0, 10.0), (0.0, 5.0), (2.0, 5.0)):
        test = GateTest(max_drop=drop, min_gain=gain, max_games=NO_LIMIT)
        for elo in (0.0, 2.0, 5.0, 10.0, 50.0):
            shares = shares_of(elo)
            draw = new_pairs(np.random.default_rng(SEED), shares)
            ends = judged_gates(draw, test, gates=round(gates * gain / 20.0), counted="all")
            better, worse = ((ends.states == each.value).mean() for each in DECISIONS)
            expected = forecast_test(elo=elo, counts=100 * shares, test=test.sprt(1)).games
            print(
                f"{test.asked:<42} {elo:+3g} Elo  {better:6.1%} {worse:6.1%}  "
                f"{2 * ends.pairs.mean():7.0f} {expected:7.0f}  early {ends.early.mean():6.1%}",
                flush=True,
            )


def all_repeats(gates: int) -> None:
    """Print the third table."""
    print("repeated pairs: pass, regression, no verdict; mean games")
    for starts in (1, 10, 50, 200, 1000, 5000):
        for elo in (0.0, -20.0):
            repeats(f"{starts} starts, {elo:g} Elo", gates, from_starts(starts, elo, gates))
    for common in (0.02, 0.05, 0.1, 0.3):
        repeats(f"a win of {common:.0%}, 0 Elo", gates, with_common_win(common, gates))


def all_forfeits(gates: int) -> None:
    """Print the fourth table."""
    print("forfeits: share invalid, and median games to it")
    for together in (False, True):
        for rate in (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2, 0.5):
            forfeits(gates, rate, together=together)


def all_obvious(gates: int) -> None:
    """Print the fifth table."""
    print("early test: pass, regression, no verdict; mean games; decided early; and without it")
    for drop in (20.0, 10.0, 5.0):
        for elo in (-400.0, -250.0, -150.0, -50.0, -drop, 0.0, 50.0, 150.0, 250.0):
            obvious(gates, drop, elo)


TABLES = {
    "errors": errors,
    "gains": all_gains,
    "repeats": all_repeats,
    "forfeits": all_forfeits,
    "early": all_obvious,
}


def shares_of(elo: float, draws: float = 0.02) -> FloatArray:
    """Return the probabilities of a pair's five results."""
    table = pair_table(elo=elo, advantage=40, draws=draws, correlation=-0.4)
    return np.asarray(pentanomial(table=table))


def boundaries(
    gates: int, drop: float, draws: float, early: float, max_games: int = NO_LIMIT
) -> None:
    """Print a row for each of the two hypotheses, against one baseline.

    Half the drop takes four times the pairs, so it gets half the gates.
    """
    gates = round(gates * drop / 20.0)
    test = GateTest(max_drop=drop, max_games=max_games, early=early)
    for elo, wrong in ((0.0, State.ACCEPT_H0), (-drop, State.ACCEPT_H1)):
        rng = np.random.default_rng(SEED)
        ends = judged_gates(new_pairs(rng, shares_of(elo, draws)), test, gates=gates, counted="all")
        limit = "" if max_games == NO_LIMIT else f", {max_games} games"
        name = f"drop {drop:g}, {elo:+g} Elo, {draws:.0%} draws, early {early:g}{limit}"
        bad = ends.states == wrong.value
        is_open = ends.states == State.CONTINUE.value
        print_errors(name, bad, bad & ends.early, is_open, 2 * ends.pairs)


def two_baselines(gates: int, drop: float) -> None:
    """Print a row: an equal candidate against two baselines, the first regression decides."""
    test = GateTest(max_drop=drop, max_games=NO_LIMIT)
    rng = np.random.default_rng(SEED)
    draw = new_pairs(rng, shares_of(0.0))
    ends = [judged_gates(draw, test, gates=gates, baselines=2, counted="all") for _ in range(2)]
    bad = np.array([each.states == State.ACCEPT_H0.value for each in ends])
    early = (bad & [each.early for each in ends]).any(axis=0)
    games = 2 * (ends[0].pairs + ends[1].pairs)
    name = f"drop {drop:g}, +0 Elo, two baselines"
    print_errors(name, bad.any(axis=0), early, np.zeros(gates, dtype=bool), games)


def print_errors(
    name: str, bad: BoolArray, early: BoolArray, is_open: BoolArray, games: IntArray
) -> None:
    """Print a row of the first table."""
    low, high = wilson(int(bad.sum()), len(bad))
    print(
        f"{name:<48} {bad.mean():6.2%} ({low:.2%} .. {high:.2%})  early {early.mean():6.2%}  "
        f"open {is_open.mean():6.2%}  {games.mean():7.0f}",
        flush=True,
    )


def wilson(hits: int, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z2 = 1.96**2
    middle = (hits + z2 / 2) / (number + z2)
    half = math.sqrt(z2 * (hits * (number - hits) / number + z2 / 4)) / (number + z2)
    return middle - half, middle + half


def obvious(gates: int, drop: float, elo: float) -> None:
    """Print a row: gates of a candidate of this strength, with the early test and without."""
    cells = []
    for early in (GateTest().early, 0.0):
        test = GateTest(max_drop=drop, max_games=2 * PAIRS, early=early)
        draw = new_pairs(np.random.default_rng(SEED), shares_of(elo))
        ends = judged_gates(draw, test, gates=gates, counted="all")
        cells.append(f"{share_text(ends)} {ends.early.mean():6.1%}")
    print(f"drop {drop:2g}, {elo:+4g} Elo   {cells[0]} | without {cells[1]}", flush=True)


def from_starts(starts: int, elo: float, gates: int) -> Callable[[np.random.Generator], Draw]:
    """Make sources whose every opening always gives the same pair, of the right mean strength."""
    return lambda rng: pairs_from_starts(rng, shares_of(elo), gates=gates, starts=starts)


def with_common_win(common: float, gates: int) -> Callable[[np.random.Generator], Draw]:
    """Make an even match in which a share of all pairs is one and the same won pair."""
    rest = shares_of(score_to_elo(score=(0.5 - common) / (1.0 - common)))
    return lambda rng: pairs_with_common_win(rng, rest, gates=gates, common=common)


def repeats(name: str, gates: int, source: Callable[[np.random.Generator], Draw]) -> None:
    """Print a row: every pair counted, distinct pairs counted, and the gate."""
    test = GateTest(max_games=2 * PAIRS)
    cells = [
        share_text(judged_gates(source(np.random.default_rng(SEED)), test, gates=gates, counted=by))
        for by in ("all", "distinct", "gate")
    ]
    print(f"{name:<22} all {cells[0]} | distinct {cells[1]} | gate {cells[2]}", flush=True)


def share_text(ends: JudgedGates) -> str:
    """Return the shares of pass, regression and no verdict, and the mean number of games."""
    passed, failed = (
        np.mean(ends.states == wanted.value) for wanted in (State.ACCEPT_H1, State.ACCEPT_H0)
    )
    games = 2 * ends.pairs.mean()
    return f"{passed:6.1%} {failed:6.1%} {1 - passed - failed:6.1%} {games:5.0f}"


def forfeits(gates: int, rate: float, *, together: bool) -> None:
    """Return a row: how often a bot of this forfeit rate is called unreliable within 1500 pairs."""
    rng = np.random.default_rng(SEED)
    old, new = [], []
    for _ in range(gates):
        hit = rng.random((2, PAIRS)) < rate
        failed: IntArray = 2 * hit[0].astype(np.int64) if together else hit.sum(axis=0)
        total = failed.cumsum()
        games = 2 * np.arange(1, PAIRS + 1)
        marked = np.flatnonzero((total >= FORFEIT_MINIMUM) & (total > FORFEIT_SHARE * games))
        old.append(2 * (marked[0] + 1) if marked.size else 0)
        new.append(first_culprit(failed))
    kind = "together" if together else "single"
    print(f"{kind:<9} {rate:5.1%}  old {outcome_text(old)}   gate {outcome_text(new)}", flush=True)


def first_culprit(failed: IntArray) -> int:
    """Return the games after which the gate is invalid, or 0 if it never is."""
    count = ForfeitCount(BOTS)
    for number, failures in enumerate(failed.tolist(), start=1):
        ended = (Termination.CRASH,) * failures + (Termination.FOUR_IN_A_ROW,) * (2 - failures)
        results = (Result.LOSS, Result.LOSS)
        count.add(BOTS, PlayedPair(number, 0, 1, "6x7", results, ended, ("", "", number), number))
        if failures and count.failures:
            return 2 * number
    return 0


def outcome_text(games: list[int]) -> str:
    """Return the share of the gates with this verdict and their median length."""
    ended = [count for count in games if count]
    median = f"{np.median(ended):5.0f}" if ended else "    -"
    return f"{len(ended) / len(games):6.1%} {median}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:])
