"""Simulated gates: what repeated games and forfeits do to the verdict.

    python -m benchmarks.gate_promises [GATES]

Plays GATES (default 1000) seeded gates of the shipped judge in every row, at most 3000 games each.

First table: the candidate is as strong as the baseline (a regression is wrong) or weaker by 20 Elo
(a pass is wrong), and bots ignore their seed, so that there are only as many different pairs as
starting positions; or bots are equal and one common pair of games, won by the candidate, is a share
of all, while it loses a little more often in the rest. Columns: counting every pair, counting
distinct pairs alone, and the gate, which wants both to agree.

Second table: gates of equal bots, of which one forfeits some of its games, and a pair's two games
fail independently or together. Columns: marking a bot as soon as it has 3 forfeits and more than
2 %, and the gate.
"""

import sys
from collections.abc import Callable, Iterator

import numpy as np

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.experiments.gate.forfeits import ForfeitCount
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.tally import GateBot
from ladder.results.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE
from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.elo import score_to_elo
from tests.support.simulated_gates import pair_table

SEED = 20240917
PAIRS = 1500
BOTS = GateBot("candidate", 1, "a"), GateBot("baseline", 2, "b")
CELLS = (
    (Result.LOSS, Result.LOSS),
    (Result.LOSS, Result.DRAW),
    (Result.WIN, Result.LOSS),
    (Result.WIN, Result.DRAW),
    (Result.WIN, Result.WIN),
)
"""Results of a pair's two games by the candidate's half points."""
FOUR = Termination.FOUR_IN_A_ROW

Source = Callable[[np.random.Generator], Iterator[tuple[int, int]]]
"""Endless pairs: which games they are, and the candidate's half points."""


def main(gates: int) -> None:
    """Print both tables."""
    print(f"{gates} gates a row, seed {SEED}; shares of pass, regression, no decision; mean games")
    for starts in (1, 10, 50, 200, 1000, 5000):
        for elo in (0.0, -20.0):
            repeats(f"{starts} starts, {elo:g} Elo", gates, from_starts(starts, elo))
    for share in (0.02, 0.05, 0.1, 0.3):
        repeats(f"a win of {share:.0%}, 0 Elo", gates, with_common_win(share))
    print("\nforfeits: share invalid, and median games to it")
    for together in (False, True):
        for rate in (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2, 0.5):
            forfeits(gates, rate, together=together)
    print("\nearly test: pass, regression, no decision; mean games; and without it")
    for drop in (20.0, 5.0):
        for elo in (-400.0, -250.0, -150.0, -50.0, -drop, 0.0, 50.0, 250.0):
            obvious(gates, drop, elo)


def obvious(gates: int, drop: float, elo: float) -> None:
    """Print a row: gates of a candidate of this strength, with the early test and without."""
    shares = pentanomial(table=pair_table(elo=elo, advantage=40, draws=0.02, correlation=-0.4))
    cells = []
    for early in (GateTest().early, 0.0):
        rng = np.random.default_rng(SEED)
        test = GateTest(max_drop=drop, max_games=2 * PAIRS, early=early)
        ends = [judged(enumerate_points(rng, shares), "all", test) for _ in range(gates)]
        cells.append(share_text(ends))
    print(f"drop {drop:2g}, {elo:+4g} Elo   {cells[0]} | without {cells[1]}", flush=True)


def enumerate_points(rng: np.random.Generator, shares: FloatArray) -> Iterator[tuple[int, int]]:
    """Yield pairs that all differ, with the candidate's half points."""
    yield from enumerate(rng.choice(5, size=PAIRS, p=shares).tolist())


def from_starts(starts: int, elo: float) -> Source:
    """Make sources whose every opening always gives the same pair, of the right mean strength."""
    shares = pentanomial(table=pair_table(elo=elo, advantage=40, draws=0.02, correlation=-0.4))

    def pairs(rng: np.random.Generator) -> Iterator[tuple[int, int]]:
        points = rng.choice(5, size=starts, p=shares)
        while True:
            start = int(rng.integers(starts))
            yield start, int(points[start])

    return pairs


def with_common_win(share: float) -> Source:
    """Make an even match in which a share of all pairs is one and the same won pair."""
    rest = (0.5 - share) / (1.0 - share)
    table = pair_table(elo=score_to_elo(score=rest), advantage=40, draws=0.02, correlation=-0.4)
    shares = pentanomial(table=table)

    def pairs(rng: np.random.Generator) -> Iterator[tuple[int, int]]:
        number = 0
        while True:
            number += 1
            yield (0, 4) if rng.random() < share else (number, int(rng.choice(5, p=shares)))

    return pairs


def repeats(name: str, gates: int, source: Source) -> None:
    """Return a row: every pair counted, distinct pairs counted, and the gate."""
    cells = []
    for rule in ("all", "distinct", "gate"):
        rng = np.random.default_rng(SEED)
        test = GateTest(max_games=2 * PAIRS)
        cells.append(share_text([judged(source(rng), rule, test) for _ in range(gates)]))
    print(f"{name:<22} all {cells[0]} | distinct {cells[1]} | gate {cells[2]}", flush=True)


def share_text(ends: list[tuple[Verdict, int]]) -> str:
    """Return the shares of pass, regression and no decision, and the mean number of games."""
    passed, failed = (
        np.mean([verdict is wanted for verdict, _ in ends])
        for wanted in (Verdict.PASS, Verdict.REGRESSION)
    )
    games = np.mean([count for _, count in ends])
    return f"{passed:6.1%} {failed:6.1%} {1 - passed - failed:6.1%} {games:5.0f}"


def judged(source: Iterator[tuple[int, int]], rule: str, test: GateTest) -> tuple[Verdict, int]:
    """Return the verdict of one gate and its number of games."""
    judge = GateJudge(BOTS[0], [BOTS[1]], test)
    seen: set[int] = set()
    number = 0
    while not judge.decided and number < PAIRS:
        which, points = next(source)
        number += 1
        if rule == "distinct" and which in seen:
            continue
        seen.add(which)
        line = number if rule == "all" else which
        judge.take(
            PlayedPair(
                number,
                1,
                2,
                "6x7",
                CELLS[points],
                (FOUR, FOUR),
                ("6x7", "", number),
                (str(line), ""),
            )
        )
    return judge.result().verdict, 2 * number


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
    count = ForfeitCount(bot.name for bot in BOTS)
    for number, failures in enumerate(failed.tolist(), start=1):
        count.add((BOTS[0].name, BOTS[1].name), [(BOTS[0].name, Termination.CRASH)] * failures)
        if failures and count.culprit:
            return 2 * number
    return 0


def outcome_text(games: list[int]) -> str:
    """Return the share of the gates with this verdict and their median length."""
    ended = [count for count in games if count]
    median = f"{np.median(ended):5.0f}" if ended else "    -"
    return f"{len(ended) / len(games):6.1%} {median}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
