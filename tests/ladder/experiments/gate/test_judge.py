"""The gate's decision on made-up pairs, without any process."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from db.records.pairs import PlayedPair
from db.records.run_settings import settings_of
from engine.result import Result, Termination
from ladder.errors import UsageError
from ladder.experiments.engine import exit_code_of
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.tally import REPEATS_IN_A_ROW, JudgedBot
from ladder.stats.counts import IntArray
from ladder.stats.difference import Sign, difference_of
from ladder.stats.sprt import Model, State, sprt_result
from tests.ladder.experiments.gate.simulated_judges import judged_gates
from tests.support.data.pairs import pair_of

HERO, ONE, TWO = JudgedBot("new", 7, "n"), JudgedBot("one", 1, "o"), JudgedBot("two", 2, "t")
W, D, L = Result.WIN, Result.DRAW, Result.LOSS
FOUR = Termination.FOUR_IN_A_ROW


def pair(
    number: int,
    results: Sequence[Result],
    other: JudgedBot = ONE,
    terminations: tuple[Termination, Termination] = (FOUR, FOUR),
) -> PlayedPair:
    """Return a pair with the candidate as A, unlike every pair of another number."""
    cell = 3 * results[0].points2 + results[1].points2
    return pair_of(number, HERO.revision, other.revision, cell, ends=terminations)


def after(
    pairs: Sequence[PlayedPair],
    *baselines: JudgedBot,
    candidate: JudgedBot = HERO,
    **test: float | int | Model,
) -> GateResult:
    """Return the result of a gate that sees these pairs, without the early test by default."""
    gate = GateJudge(candidate, baselines or (ONE,), GateTest(**{"early": 0.0, **test}))
    for each in pairs:
        gate.take(each)
    return gate.result()


def test_better_pairs_pass_and_worse_ones_fail() -> None:
    """Winning must pass, losing must be a regression, each once the ratio is out of bounds."""
    good = after([pair(n, (W, (L, W, W)[n % 3])) for n in range(300)])
    bad = after([pair(n, (L, (W, L, L)[n % 3])) for n in range(300)])
    assert (good.verdict, bad.verdict) == (Verdict.PASS, Verdict.REGRESSION)
    assert good.deciding.sprt.llr >= good.deciding.sprt.upper
    assert bad.deciding.sprt.llr <= bad.deciding.sprt.lower
    for result in (good, bad):
        assert result.games == result.deciding.record.games < 600
        assert result.games + result.uncounted_games == 600
        assert str(result.games) in result.reason
    assert "new is worse than one" in bad.reason


def test_a_wanted_gain_is_found_or_not() -> None:
    """Equal results pass "is it worse?" and are no gain in "is it better?"."""
    even = [pair(n, ((W, L), (L, W))[n % 2]) for n in range(300)]
    better = [pair(n, (W, (L, W, W)[n % 3])) for n in range(300)]
    assert after(even, max_drop=50).verdict is Verdict.PASS
    none = after(even, max_drop=0, min_gain=50)
    assert none.verdict is Verdict.NO_GAIN
    assert "new is not better than one by 50 Elo or more: new is between" in none.reason
    found = after(better, max_drop=0, min_gain=50)
    assert found.verdict is Verdict.PASS
    assert "new is better than one: new is stronger than one by" in found.reason
    with_drop = after(better, max_drop=5, min_gain=20)
    assert "new is not worse than one by 5 Elo or more: new is stronger" in with_drop.reason
    settings = settings_of("gate", GateTest(max_drop=0, min_gain=50).settings)
    assert GateTest.of(settings) == GateTest(max_drop=0, min_gain=50)
    lost = after([pair(n, (L, L)) for n in range(300)], max_drop=0, min_gain=5, early=0.1)
    assert "decided by the early test" in lost.reason
    assert lost.games < 40


@pytest.mark.parametrize(
    ("results", "verdict", "word"),
    [((L, L), Verdict.REGRESSION, "weaker"), ((W, W), Verdict.PASS, "stronger")],
)
def test_obvious_cases_are_decided_early(
    results: tuple[Result, Result], verdict: Verdict, word: str
) -> None:
    """A candidate that loses (wins) every game fails (passes) in a third of the games, and the
    result carries the e-value behind it."""
    pairs = [pair(n, results) for n in range(300)]
    plain, early = after(pairs), after(pairs, early=0.1)
    assert plain.verdict is early.verdict is verdict
    assert plain.deciding.early is None
    assert early.games < plain.games / 3
    decision = early.deciding.early
    assert decision is not None
    assert decision.log_e >= decision.log_limit == pytest.approx(math.log(200))
    assert f"new is {word} than one by at least" in early.reason
    assert early.reason.endswith(f"after {early.games} games, decided by the early test")


def test_the_early_test_needs_both_counts() -> None:
    """Copies of few lost pairs prove nothing early: the distinct pairs must agree."""
    copies = [replace(pair(n, (L, L)), content=0) for n in range(50)]
    assert after(copies, early=0.1).deciding.early is None


@pytest.mark.slow
def test_a_drop_of_normalized_elo_is_not_passed_early() -> None:
    """The bets do not know the spread that normalized Elo needs; a failure needs none."""
    won, lost = ([pair(n, (each, each)) for n in range(40)] for each in (W, L))
    assert after(won, early=0.1, model=Model.NORMALIZED).deciding.early is None
    assert after(lost, early=0.1, model=Model.NORMALIZED).deciding.early is not None


@pytest.mark.slow
@pytest.mark.parametrize("counted", ["gate", "all", "distinct"])
def test_simulated_gates_end_as_the_judge_ends_them(counted: str) -> None:
    """The simulation behind the published error rates gives each gate its verdict, its games and
    its early decision, also where pairs repeat."""
    rng, gates = np.random.default_rng(3), 12
    test = GateTest(max_drop=60, max_games=400)
    shares = np.linspace((0.3, 0.1, 0.4, 0.1, 0.1), (0.1, 0.1, 0.4, 0.1, 0.3), gates)
    cells = np.array([rng.choice(5, size=200, p=each) for each in shares])
    lines = np.arange(200) % rng.choice((3, 40, 200), size=(gates, 1))
    cells = np.take_along_axis(cells, lines, axis=1)
    drawn = np.zeros(gates, dtype=np.int64)

    def draw(rows: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        numbers = drawn[rows]
        drawn[rows] += 1
        return cells[rows, numbers], lines[rows, numbers] == numbers

    found = judged_gates(draw, test, gates=gates, counted=counted)
    for row in range(gates):
        judge = GateJudge(HERO, [ONE], test)
        for number, (cell, line) in enumerate(zip(cells[row], lines[row], strict=True)):
            if judge.decided or (counted == "distinct" and line < number):
                continue
            name = number if counted == "all" else int(line)
            results = {0: (L, L), 1: (L, D), 2: (W, L), 3: (W, D), 4: (W, W)}[int(cell)]
            judge.take(replace(pair(number, results), content=name))
        result = judge.result()
        assert found.states[row] == result.deciding.state.value
        assert found.early[row] == (result.deciding.early is not None)
        if counted != "distinct":
            assert 2 * found.pairs[row] == result.games
    assert len({*found.states.tolist()}) == 3 or counted == "all"


@pytest.mark.parametrize(("limit", "games"), [(2, 2), (3, 2), (41, 40), (42, 42), (44, 44)])
def test_too_few_pairs_are_inconclusive(limit: int, games: int) -> None:
    """At the limit of games there must be no verdict, and an odd limit must not be passed."""
    result = after([pair(n, (W, L)) for n in range(50)], max_games=limit)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.games == games
    assert result.uncounted_games == 100 - games
    assert f"no decision after {games} games, and {limit // 2 * 2} games at most" in result.reason
    assert result.seconds == pytest.approx(1.5 * games / 2)
    assert "new is " in after([pair(n, (W, L)) for n in range(300)]).reason
    empty = after([])
    assert empty.verdict is Verdict.INCONCLUSIVE
    assert empty.deciding.difference.elo is empty.deciding.after_stopping is None
    assert "no stored games" in empty.reason


@pytest.mark.parametrize("loser", ["new", "one"])
def test_forfeits_of_either_side_make_a_gate_invalid(loser: str) -> None:
    """More than 2 % and at least 3 forfeits by one bot must end the gate, naming bot and kind."""
    lost = L if loser == "new" else W
    failing = (Termination.TIMEOUT, FOUR)
    pairs = [pair(n, (lost, W if lost is L else L), terminations=failing) for n in range(3)]
    assert after(pairs[:2]).verdict is Verdict.INCONCLUSIVE
    result = after(pairs)
    assert result.verdict is Verdict.INVALID
    assert f"{loser} forfeited 3 of its 6 games (3 timeout)" in result.reason
    assert result.forfeits[loser]["timeout"] == 3
    assert exit_code_of(Verdict.INVALID) == 5


def test_forfeits_come_before_the_ratio() -> None:
    """A pair that would decide must make the gate invalid when it brings the third forfeit."""
    lossy = [pair(n, (L, L)) for n in range(200)]
    decisive = after(lossy, max_drop=100).games // 2
    for n in (0, 5, decisive - 1):
        lossy[n] = pair(n, (L, L), terminations=(Termination.CRASH, Termination.CRASH))
    assert after(lossy[: decisive - 1], max_drop=100).verdict is Verdict.INCONCLUSIVE
    assert after(lossy, max_drop=100).verdict is Verdict.INVALID


def test_a_bot_against_itself_is_charged_once_for_each_of_its_games() -> None:
    """Both sides of a control are one bot: its rate is that over all four seats of a pair."""
    crash = (Termination.CRASH, FOUR)
    pairs = [pair(n, (L, W), HERO, crash) for n in range(20)]
    result = after(pairs, HERO)
    assert result.verdict is Verdict.INVALID
    assert "new forfeited 3 of its 12 games (3 crash)" in result.reason


def replay(pairs: Sequence[PlayedPair], start: int) -> list[PlayedPair]:
    """Return the same draws once more, under new numbers, with the same games."""
    return [replace(each, number=start + n) for n, each in enumerate(pairs)]


@pytest.mark.slow
def test_the_same_draw_counts_once() -> None:
    """A pair whose board, opening and seed are counted must change nothing,
    however often, whoever was A, and even if its games went differently.
    """
    pairs = [pair(n, (W, (L, W, D)[n % 3])) for n in range(20)]
    once = after(pairs)
    assert once.verdict is Verdict.INCONCLUSIVE
    again = [each for n in range(1, 9) for each in replay(pairs, 20 * n)]
    turned = [each.mirrored for each in again]
    other = [replace(each, content=-1) for each in again]
    for more in (again, turned, other):
        result = after([*pairs, *more])
        assert result.deciding.replayed_games == 2 * 160
        assert replace(result.deciding, replayed_games=0) == once.deciding
        assert (result.verdict, result.reason) == (once.verdict, once.reason)


@pytest.mark.slow
def test_games_that_repeat_decide_nothing() -> None:
    """Two games over and over, from different seeds, must end early without a decision."""
    for results in ((L, L), (W, W), (W, L)):
        pairs = [replace(pair(n, results), content=334) for n in range(500)]
        result = after(pairs)
        assert result.verdict is Verdict.INCONCLUSIVE
        assert result.games == 2 * (1 + REPEATS_IN_A_ROW)
        assert result.deciding.record.distinct == 1
        assert f"(1 of {1 + REPEATS_IN_A_ROW} pairs are distinct)" in result.reason
        assert "longer openings" in result.reason
        assert ("may be the same player" in result.reason) is (results == (W, L))
        cut = after(pairs[:20], max_games=40).reason
        assert ("may be the same player" in cut) is (results == (W, L))
        seen = result.deciding.difference
        pairs = result.deciding.record.pentanomial
        assert seen == difference_of([cell / (1 + REPEATS_IN_A_ROW) for cell in pairs])
        assert seen.verdict is Sign.UNDECIDED
        assert result.uncounted_games == 2 * (500 - 1 - REPEATS_IN_A_ROW)


@pytest.mark.slow
def test_a_decision_is_that_of_all_pairs_and_of_the_distinct_ones() -> None:
    """Where repeated games make one of the two tests decide, the gate must continue;
    where both agree, it must decide, and report how many pairs are distinct.
    """
    few = [replace(pair(n, (W, W)), content=n % 15) for n in range(60)]
    all_pairs = after(few)
    assert all_pairs.deciding.sprt.state is State.ACCEPT_H1
    assert all_pairs.deciding.sprt_distinct.state is State.CONTINUE
    assert all_pairs.verdict is Verdict.INCONCLUSIVE
    assert "but the distinct pairs alone do not" in all_pairs.reason
    enough = [replace(pair(n, (W, W)), content=n % 30) for n in range(120)]
    decided = after(enough, max_drop=60)
    assert decided.verdict is Verdict.PASS
    repeated = [replace(pair(n, (W, W)), content=n // 2) for n in range(200)]
    shared = after(repeated, max_drop=60)
    assert shared.verdict is Verdict.PASS
    assert shared.deciding.sprt_distinct.state is State.ACCEPT_H1
    record = shared.deciding.record
    assert f"({record.distinct} of {record.pairs} pairs are" in shared.reason


@pytest.mark.slow
def test_a_common_win_among_rare_losses_is_no_regression() -> None:
    """An even candidate that wins by one common game and loses by rare ones must not fail because
    the common game counts once."""
    pairs = [
        replace(pair(n, (W, W)), content=-1) if n % 2 else pair(n, (L, L)) for n in range(1000)
    ]
    result = after(pairs, max_drop=100)
    assert result.deciding.sprt_distinct.state is State.ACCEPT_H0
    assert result.verdict is not Verdict.REGRESSION


@pytest.mark.slow
def test_one_exhausted_baseline_leaves_the_others_to_decide() -> None:
    """Repeated games against one baseline must not stop the test against another, which can fail
    the gate, but not pass it."""
    for results, verdict in (((L, L), Verdict.REGRESSION), ((W, W), Verdict.INCONCLUSIVE)):
        gate = GateJudge(HERO, (ONE, TWO), GateTest())
        for n in range(100):
            gate.take(replace(pair(2 * n, (W, L)), content=-1))
        assert not gate.decided
        for n in range(100):
            gate.take(pair(2 * n + 1, results, TWO))
        assert gate.decided
        result = gate.result()
        assert result.verdict is verdict
        assert result.deciding.name == ("two" if verdict is Verdict.REGRESSION else "one")


@pytest.mark.slow
def test_a_pass_needs_all_baselines_and_a_regression_one() -> None:
    """Against several, each must be passed, and failing against one must fail at beta / k."""
    winning = [pair(n, (W, W), (ONE, TWO)[n % 2]) for n in range(400)]
    passed = after(winning, ONE, TWO)
    assert passed.verdict is Verdict.PASS
    assert passed.deciding.sprt.lower == pytest.approx(
        sprt_result(counts=[0] * 5, test=GateTest(beta=0.025, early=0.0).sprt(1)).lower
    )
    assert after([each for each in winning if each.b_revision == 1], ONE, TWO).verdict is (
        Verdict.INCONCLUSIVE
    )
    mixed = [pair(n, (W, W), ONE) if n % 2 == 0 else pair(n, (L, L), TWO) for n in range(400)]
    failed = after(mixed, ONE, TWO)
    assert failed.verdict is Verdict.REGRESSION
    assert failed.deciding.name == "two"


def turned(pairs: list[PlayedPair]) -> list[PlayedPair]:
    """Return pairs with the same results in which the other bot moved first in game 0."""
    return [replace(each.mirrored, results=each.mirrored.results[::-1]) for each in pairs]


@pytest.mark.slow
def test_pairs_count_from_the_candidate_side_wherever_it_stands() -> None:
    """A stored pair in which the candidate was B must count the same."""
    straight = [pair(n, (W, D)) for n in range(20)]
    assert after(turned(straight)) == after(straight)
    assert after(straight).deciding.record.wdl == (20, 20, 0)
    newer = JudgedBot("newer", HERO.revision + 1, "a")
    straight = [pair(n, (W, D), newer) for n in range(20)]
    assert after(turned(straight), newer) == after(straight, newer)


@pytest.mark.slow
def test_the_model_of_elo_changes_the_ratio_and_not_the_estimate() -> None:
    """The same pairs must have another ratio for normalized Elo, and a logistic estimate."""
    draw = random.Random(1)
    pairs = [pair(n, draw.choices((W, D, L), (3, 8, 2), k=2)) for n in range(100)]
    logistic, normalized = (
        after(pairs, model=model, max_games=100) for model in (Model.LOGISTIC, Model.NORMALIZED)
    )
    assert logistic.deciding.sprt.llr != normalized.deciding.sprt.llr
    one, two = logistic.deciding.after_stopping, normalized.deciding.after_stopping
    assert one is not None
    assert two is not None
    assert two.elo == pytest.approx(one.elo, abs=3.0)


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ({"max_drop": 0.0}, "max drop"),
        ({"max_drop": float("nan")}, "max drop"),
        ({"max_drop": 5000.0}, "max drop"),
        ({"min_gain": 5000.0}, "min gain"),
        ({"alpha": 0.6}, "alpha"),
        ({"beta": 0.0}, "beta"),
        ({"max_games": 1}, "max games"),
    ],
)
def test_impossible_questions_are_refused(test: dict[str, float], named: str) -> None:
    """Numbers out of range must be refused by the name of their option."""
    with pytest.raises(UsageError, match=named):
        GateTest(**test)  # type: ignore[arg-type]
