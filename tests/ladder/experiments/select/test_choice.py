"""The choice among candidates, on invented pairs of known strength."""

import numpy as np
import pytest

from db.records.pairs import PlayedPair
from db.records.run_settings import SelectSettings, settings_of
from engine.result import Termination
from ladder.errors import UsageError
from ladder.experiments.select.field import SelectQuestion, contenders, strengths
from ladder.experiments.select.judge import FieldJudge
from ladder.experiments.select.session import SelectionEnd, selected_of
from ladder.experiments.tally import JudgedBot
from ladder.stats.counts import pentanomial
from tests.support.data.pairs import pair_of
from tests.support.simulated_gates import pair_table

CELLS = (0, 1, 6, 7, 8)
"""A cell of the table of results by the half points of A."""


def shares(elo: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.asarray(pentanomial(table=pair_table(elo=elo, advantage=40, draws=0.02)))


def judge_of(players: int, question: SelectQuestion, baseline: str | None = None) -> FieldJudge:
    bots = [JudgedBot(f"bot{place}", place, str(place)) for place in range(players)]
    return FieldJudge(bots, question, baseline)


def pair(
    number: int, a: int, b: int, cell: int, games: int | None = None, failed: bool = False
) -> PlayedPair:
    """Return a pair of two bots by A's half points; with `failed` A crashes in both games."""
    ended = Termination.CRASH if failed else Termination.FOUR_IN_A_ROW
    return pair_of(number, a, b, CELLS[cell], games, (ended, ended))


def played(judge: FieldJudge, truth: list[float], seed: int, most: int = 4000) -> None:
    """Play rounds of all wanted pairs until the judge has decided."""
    rng = np.random.default_rng(seed)
    number = 0
    while not judge.decided and number < most:
        for a in range(len(truth)):
            for b in range(a + 1, len(truth)):
                if judge.open[a] and judge.open[b]:
                    cell = int(rng.choice(5, p=shares(truth[a] - truth[b])))
                    swapped = number % 2 == 1
                    one, two = (b, a) if swapped else (a, b)
                    judge.take(pair(number, one, two, 4 - cell if swapped else cell))
                    number += 1


def test_strengths_are_those_that_made_the_results() -> None:
    """Expected counts must give back the differences, also of players that never met."""
    truth = [0.0, 60.0, -40.0]
    counts = np.zeros((3, 3, 5))
    for one, other in ((0, 1), (0, 2)):
        counts[one, other] = 10_000 * shares(truth[one] - truth[other])
        counts[other, one] = counts[one, other, ::-1]
    found = strengths(counts)
    assert found.differences[1, 2] == pytest.approx(100.0, abs=1.5)
    assert found.variance[1, 2] == pytest.approx(
        found.variance[1, 0] + found.variance[0, 2], rel=1e-6
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_best_is_chosen_wherever_it_stands(seed: int) -> None:
    """One that is better than all others by three times the indifference must be the choice."""
    best = seed % 4
    judge = judge_of(4, SelectQuestion(indifference=40.0))
    played(judge, [120.0 if place == best else 0.0 for place in range(4)], seed)
    assert judge.is_chosen
    assert judge.leader == best
    worst = min(range(4), key=judge.games_of)
    assert judge.games_of(worst) < judge.counted / 2 + 2


def test_a_failing_candidate_is_dropped_and_its_losses_do_not_count() -> None:
    """A bot that forfeits is not chosen, and no opponent gains from meeting it."""
    judge = judge_of(3, SelectQuestion(indifference=40.0))
    for number in range(6):
        judge.take(pair(number, 0, 1, 0, failed=True))
    assert "bot0 forfeited" in judge.failed[0]
    assert not judge.open[0]
    assert not judge.counts()[1].any()
    assert not judge.is_invalid


def test_a_choice_among_one_bot_that_works_is_invalid() -> None:
    """Two of three that forfeit leave no other to choose from; before that it names no leader."""
    judge = judge_of(3, SelectQuestion(indifference=40.0))
    assert judge.progress == "3 can be chosen"
    for number in range(12):
        judge.take(pair(number, number % 2, 2, 0, failed=True))
    assert len(judge.failed) == 2
    assert judge.is_invalid


def test_the_question_of_a_run_is_read_again() -> None:
    """The baseline stands beside it."""
    asked = SelectQuestion(indifference=30.0, confidence=0.9)
    stored = settings_of("select", asked.settings("v1"))
    assert isinstance(stored, SelectSettings)
    assert stored.select is not None
    assert stored.select.against == "v1"
    assert SelectQuestion.of(stored.select) == asked


def test_a_failing_baseline_makes_the_choice_invalid() -> None:
    """Strength beside a baseline that crashes means nothing."""
    judge = judge_of(3, SelectQuestion(), baseline="bot0")
    for number in range(6):
        judge.take(pair(number, 0, 1, 0, failed=True))
    assert judge.is_invalid
    assert judge.decided


def test_repeated_games_choose_no_candidate() -> None:
    """One pair of games over and over is no evidence, and the choice must give up."""
    judge = judge_of(2, SelectQuestion())
    for number in range(200):
        judge.take(pair(number, 0, 1, 4, games=1))
    assert judge.is_exhausted
    assert not judge.is_chosen
    assert judge.counted < 200


@pytest.mark.slow
def test_pairs_that_were_played_ahead_change_nothing() -> None:
    """How many unwanted pairs were played depends on the workers, and the choice must not."""
    rng = np.random.default_rng(5)
    truth = [60.0, 0.0, -200.0]
    judges = [judge_of(3, SelectQuestion(indifference=40.0)) for _ in range(2)]
    ahead = 0
    for number in range(2000):
        a, b = ((0, 1), (0, 2), (1, 2))[number % 3]
        made = pair(number, a, b, int(rng.choice(5, p=shares(truth[a] - truth[b]))))
        is_wanted = bool(judges[0].open[a] and judges[0].open[b])
        for judge in judges if is_wanted else judges[1:]:
            judge.take(made)
        ahead += not is_wanted
    assert judges[0].is_chosen
    assert ahead > 20
    assert judges[1].counted == judges[0].counted
    assert (judges[1].counts() == judges[0].counts()).all()
    assert judges[1].surplus > judges[0].surplus


@pytest.mark.parametrize("games", [12, 40, 120])
def test_no_bot_can_be_the_best_against_its_own_interval(games: int) -> None:
    """Before the choice, only bots whose interval includes the leader's strength are named."""
    judge = judge_of(3, SelectQuestion(max_games=games))
    played(judge, [0.0, -100.0, -150.0], 3)
    outcome = selected_of(judge, "6x7")
    assert outcome.choice is SelectionEnd.UNDECIDED
    for each in outcome.players:
        assert each.difference.elo is not None
        if each.can_be_best and each.difference.high is not None:
            assert each.difference.high >= 0.0
    assert "can still be the best" in outcome.reason or "one leads, but 95 %" in outcome.reason


@pytest.mark.parametrize("numbers", [{"indifference": 0.0}, {"confidence": 1.0}])
def test_settings_of_a_choice_out_of_range_are_refused(numbers: dict[str, float]) -> None:
    """The message must name the number."""
    with pytest.raises(UsageError, match="must be"):
        SelectQuestion(**numbers)  # type: ignore[arg-type]


def test_players_that_did_not_meet_are_compared_through_others() -> None:
    """The difference of two players is the sum of both to a third one, and nothing else."""
    counts = np.zeros((3, 3, 5))
    for one, other, row in ((0, 1, (2, 3, 5, 6, 9)), (1, 2, (4, 4, 9, 5, 3))):
        counts[one, other], counts[other, one] = row, row[::-1]
    gaps = strengths(counts).differences
    alone = strengths(counts[:2, :2]).differences
    assert gaps[0, 1] == pytest.approx(alone[0, 1])
    assert gaps[0, 2] == pytest.approx(gaps[0, 1] + gaps[1, 2])
    assert gaps[0, 1] > 50


@pytest.mark.parametrize(("players", "error"), [(2, 0.05), (3, 0.025)])
def test_the_bounds_share_the_error_over_the_other_players(players: int, error: float) -> None:
    """The ratio and the bets have 5 % together for one other player, 2.5 % for each of two."""
    contest = SelectQuestion()
    by_ratio = 1.0 / (1.0 + np.exp(contest.bound(players)))
    assert by_ratio + np.exp(-contest.early_bound(players)) == pytest.approx(error)


def test_a_plain_loser_is_out_soon() -> None:
    """Bets on lost pairs need no spread, so no fixed number of pairs."""
    counts = np.zeros((3, 3, 5))
    for one, other, lost in ((0, 1, 12), (0, 2, 2), (1, 2, 2)):
        counts[one, other, 4] = counts[other, one, 0] = lost
    assert contenders(counts, SelectQuestion()).tolist() == [True, False, True]
