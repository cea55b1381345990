"""The gate's decision on made-up pairs, without any process."""

import random
from collections.abc import Sequence

import pytest

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.errors import UsageError
from ladder.gate.judge import (
    Contestant,
    GateJudge,
    GateResult,
    GateTest,
    Verdict,
)
from ladder.ratings.sprt import Model, judge
from ladder.runs.decision import Decision

HERO, ONE, TWO = Contestant("new", 7), Contestant("one", 1), Contestant("two", 2)
W, D, L = Result.WIN, Result.DRAW, Result.LOSS
FOUR = Termination.FOUR_IN_A_ROW


def pair(
    number: int,
    results: Sequence[Result],
    other: Contestant = ONE,
    terminations: tuple[Termination, Termination] = (FOUR, FOUR),
) -> PlayedPair:
    """A pair with the candidate as A."""
    first, second = results
    return PlayedPair(number, HERO.revision, other.revision, "6x7", (first, second), terminations)


def after(
    pairs: Sequence[PlayedPair],
    *baselines: Contestant,
    candidate: Contestant = HERO,
    **test: float | int | Model,
) -> GateResult:
    """The result of a gate that sees these pairs."""
    gate = GateJudge(candidate, baselines or (ONE,), GateTest(**test))
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
        assert result.games == 2 * sum(result.deciding.pentanomial) < 600
        assert result.games + result.uncounted_games == 600
        assert str(result.games) in result.reason
    assert "new is worse than one" in bad.reason


def test_the_decision_is_that_of_the_first_crossing() -> None:
    """The counts must be those of the first pair at which the ratio left its bounds."""
    draw = random.Random(4)
    pairs = [pair(n, draw.choices((W, D, L), (9, 1, 10), k=2)) for n in range(1500)]
    result = after(pairs, max_drop=60)
    counts = [0] * 5
    test = GateTest(max_drop=60).sprt(1)
    for each in pairs:
        counts[sum(r.points2 for r in each.results)] += 1
        state = judge(counts=counts, test=test)
        if not state.lower < state.llr < state.upper:
            break
    assert result.games == 2 * sum(counts) < 3000
    assert list(result.deciding.pentanomial) == counts


def test_too_few_pairs_are_inconclusive() -> None:
    """At the limit of games there must be no verdict, and an odd limit must not be passed."""
    result = after([pair(n, (W, L)) for n in range(50)], max_games=41)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.games == 40
    assert result.uncounted_games == 60
    assert "no decision after 40 games" in result.reason


def test_no_games_are_inconclusive_with_empty_numbers() -> None:
    """Without games there must be a verdict and no number that does not exist."""
    result = after([])
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.deciding.estimate.elo is None
    assert result.deciding.after_stopping is None
    assert "no games" in result.reason


@pytest.mark.parametrize("loser", ["new", "one"])
def test_forfeits_make_it_invalid_whoever_causes_them(loser: str) -> None:
    """More than 2 % and at least 3 forfeits by one bot must end the gate, naming bot and kind."""
    lost = L if loser == "new" else W
    failing = (Termination.TIMEOUT, FOUR)
    pairs = [pair(n, (lost, W if lost is L else L), terminations=failing) for n in range(3)]
    assert after(pairs[:2]).verdict is Verdict.INCONCLUSIVE
    result = after(pairs)
    assert result.verdict is Verdict.INVALID
    assert f"{loser} forfeited 3 of its 6 games (3 timeout)" in result.reason
    assert result.forfeits[loser]["timeout"] == 3
    assert Verdict.INVALID.exit_code == 5


def test_forfeits_come_before_the_ratio() -> None:
    """A pair that would decide must make the gate invalid when it brings the third forfeit."""
    lossy = [pair(n, (L, L)) for n in range(200)]
    decisive = after(lossy, max_drop=100).games // 2
    crash = (Termination.CRASH, FOUR)
    for n in (0, 1, decisive - 1):
        lossy[n] = pair(n, (L, L), terminations=crash)
    assert after(lossy, max_drop=100).verdict is Verdict.INVALID


def test_a_few_forfeits_among_many_games_are_borne() -> None:
    """Up to 2 % of forfeits must count as losses and nothing more."""
    pairs = [pair(n, (W, L)) for n in range(400)]
    for n in (100, 200, 300):
        pairs[n] = pair(n, (W, L), terminations=(FOUR, Termination.CRASH))
    result = after(pairs, max_drop=5, max_games=800)
    assert result.verdict is not Verdict.INVALID
    assert result.forfeits["new"]["crash"] == sum(n < result.games // 2 for n in (100, 200, 300))


def test_a_pass_needs_all_baselines_and_a_regression_one() -> None:
    """Against several, each must be passed, and failing against one must fail at beta / k."""
    winning = [pair(n, (W, W), (ONE, TWO)[n % 2]) for n in range(400)]
    passed = after(winning, ONE, TWO)
    assert passed.verdict is Verdict.PASS
    assert passed.deciding.sprt.lower == pytest.approx(
        judge(counts=[0] * 5, test=GateTest(beta=0.025).sprt(1)).lower
    )
    assert after([each for each in winning if each.b_revision == 1], ONE, TWO).verdict is (
        Verdict.INCONCLUSIVE
    )
    mixed = [pair(n, (W, W), ONE) if n % 2 == 0 else pair(n, (L, L), TWO) for n in range(400)]
    failed = after(mixed, ONE, TWO)
    assert failed.verdict is Verdict.REGRESSION
    assert failed.deciding.name == "two"


def test_pairs_count_from_the_candidate_side_wherever_it_stands() -> None:
    """A stored pair in which the candidate was B must count the same."""
    straight = [pair(n, (W, D)) for n in range(20)]
    assert after([each.mirrored for each in straight]) == after(straight)
    assert after(straight).deciding.wdl == (20, 20, 0)


def test_a_bot_against_itself_passes() -> None:
    """The control must pass: pairs with one win each are a perfect tie."""
    same = Contestant("new", HERO.revision)
    pairs = [pair(n, (W, L), same) for n in range(1000)]
    result = after(pairs, same, max_drop=50)
    assert result.verdict is Verdict.PASS
    assert list(result.forfeits) == ["new"]


def test_normalized_elo_is_another_question() -> None:
    """The same pairs must have another ratio under the other model, and a logistic estimate."""
    draw = random.Random(1)
    pairs = [pair(n, draw.choices((W, D, L), (3, 1, 3), k=2)) for n in range(100)]
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
        ({"max_drop": 0.0}, "--max-drop"),
        ({"max_drop": float("nan")}, "--max-drop"),
        ({"max_drop": 5000.0}, "--max-drop"),
        ({"alpha": 0.6}, "--alpha"),
        ({"beta": 0.0}, "--beta"),
        ({"max_games": 1}, "--max-games"),
        ({"model": Model.BAYESIAN}, "--model"),
    ],
)
def test_impossible_questions_are_refused(test: dict[str, float], named: str) -> None:
    """Numbers out of range must be refused by the name of their option."""
    with pytest.raises(UsageError, match=named):
        GateTest(**test)  # type: ignore[arg-type]


class Notes:
    """A judge who writes down what it sees."""

    decided = False
    progress = ""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def take(self, pair: PlayedPair) -> None:
        self.seen.append(pair.number)

    def wants(self, plan: object) -> bool:
        return True


def test_pairs_are_judged_in_the_order_of_their_numbers() -> None:
    """A pair that finished early must wait for those of lower numbers, not for higher ones."""
    notes = Notes()
    decision = Decision(notes)
    decision.add(pair(3, (W, W)))
    decision.consider([1, 2, 4])
    assert notes.seen == []
    decision.add(pair(1, (W, W)))
    decision.consider([2, 4])
    assert notes.seen == [1]
    decision.add(pair(2, (W, W)))
    decision.consider([4])
    assert notes.seen == [1, 2, 3]
    decision.add(pair(9, (W, W)))
    decision.consider([])
    assert notes.seen == [1, 2, 3, 9]
