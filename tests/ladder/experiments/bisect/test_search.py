"""The search through a history, on invented pairs and real repositories."""

import re
from pathlib import Path

import numpy as np
import pytest

from ladder.errors import UsageError
from ladder.experiments.bisect.history import read_history
from ladder.experiments.bisect.result import CommitVerdict, result_of
from ladder.experiments.bisect.search import (
    GREATEST_DROP,
    Answer,
    BisectQuestion,
    CommitSearch,
    Posterior,
    possible_drops,
    posterior_of,
)
from ladder.registry.specs.spec import BotSource
from tests.support.data.bisected import CHAIN, history, pair, played
from tests.support.data.repositories import commit, git, repository


@pytest.mark.slow
@pytest.mark.parametrize("culprit", [0, 8, 15])
def test_each_commit_is_found(culprit: int) -> None:
    """Whichever of sixteen commits lost the rating, it must be named, with few visits."""
    search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
    visited = played(search, culprit)
    assert (search.answer, search.suspects) == (Answer.FOUND, (culprit,))
    assert visited[0] == 15
    assert len(visited) <= 7
    found = result_of(search, conditions="6x7", seed=1)
    assert found.culprit is not None
    assert found.culprit.subject == f"Step {culprit}"
    assert found.drop is not None
    assert (found.drop.elo or 0) < -100
    for tried in found.tried:
        index = int(tried.commit.commit)
        assert tried.verdict is (CommitVerdict.BAD if index >= culprit else CommitVerdict.GOOD)


def test_no_commit_is_blamed_where_none_lost() -> None:
    """A bad revision as strong as the good one must end the search there."""
    search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
    assert played(search, None) == [15]
    assert search.answer is Answer.NONE
    assert "is not worse" in result_of(search, conditions="", seed=1).reason


def test_a_loss_below_the_smallest_drop_is_named() -> None:
    """A certain loss that is too small for the question must be stated with the question for it."""
    search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
    played(search, 3, lost=(1, 10))
    assert search.answer is Answer.NONE
    reason = result_of(search, conditions="", seed=1).reason
    assert re.search(r"it is weaker all the same, by -\d+ .*: --max-drop \d+ looks for", reason), (
        reason
    )


def test_commits_that_cannot_be_distinguished_are_all_named() -> None:
    """A culprit behind untestable commits must be answered with these, not with a guess."""
    search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
    played(search, 7, untestable=(6, 7, 12))
    assert (search.answer, search.suspects) == (Answer.AMBIGUOUS, (6, 7, 8))
    result = result_of(search, conditions="", seed=1)
    assert result.culprit is None
    assert result.exit_code == 4


@pytest.mark.slow
def test_a_commit_on_a_merged_branch_is_found() -> None:
    """With branches a commit plays weaker exactly when it holds the culprit."""
    # 0 - 1 - 2 - 5 (merge of 2 and 4) - 6, and 0 - 3 - 4.
    holds = np.eye(7, dtype=bool)
    for child, parents in {1: (0,), 2: (1,), 3: (0,), 4: (3,), 5: (2, 4), 6: (5,)}.items():
        for parent in parents:
            holds[child] |= holds[parent]
    for culprit in range(7):
        search = CommitSearch(history(holds), BisectQuestion(max_drop=100.0))
        played(search, culprit)
        assert (search.answer, search.suspects) == (Answer.FOUND, (culprit,))


def test_a_commit_that_forfeits_is_skipped_and_a_good_one_ends_the_search() -> None:
    """Forfeits do not measure strength, whichever bot fails."""
    search = CommitSearch(history(), BisectQuestion())
    search.enter("commit", "good")
    for number in range(10):
        if search.index == 15 and not search.skipped:
            search.take(pair(number, won=False, crashed=True), "commit", "good")
    assert "commit forfeited" in search.skipped[15]
    again = CommitSearch(history(), BisectQuestion())
    again.enter("commit", "good")
    for number in range(10):
        if not again.is_over:
            failed = pair(number, won=False, crashed=True)
            again.take(failed.mirrored, "commit", "good")
    assert "good forfeited" in again.failing_good


@pytest.mark.slow
def test_repeated_games_end_without_an_answer() -> None:
    """One pair of games over and over must never blame a commit."""
    search = CommitSearch(history(CHAIN[:1, :1]), BisectQuestion(max_drop=20.0))
    search.enter("commit", "good")
    for number in range(200):
        if not search.is_over:
            search.take(pair(number, won=False, games=1), "commit", "good")
    assert search.answer is Answer.UNDECIDED
    assert "the games repeat" in result_of(search, conditions="", seed=1).reason


def test_games_that_were_played_twice_decide_with_the_others() -> None:
    """The distinct pairs agree with all of them, and the weaker evidence of both is enough."""
    search = CommitSearch(history(CHAIN[:1, :1]), BisectQuestion(max_drop=100.0))
    search.enter("commit", "good")
    for number in range(200):
        if not search.is_over:
            search.take(pair(number, won=False, games=1 + number // 2), "commit", "good")
    assert (search.answer, search.suspects) == (Answer.FOUND, (0,))


def test_the_limit_of_games_holds() -> None:
    """No more games than allowed may be counted."""
    search = CommitSearch(history(), BisectQuestion(max_games=40))
    played(search, 3)
    assert search.answer is Answer.UNDECIDED
    assert search.games == 40
    assert "the most that are allowed" in result_of(search, conditions="", seed=1).reason


def test_the_posterior_of_one_commit_is_that_of_bayes() -> None:
    """With one commit and one drop the odds must be the likelihood ratio."""
    after = posterior_of(np.ones((1, 1), dtype=bool), np.array([[2.0]]))
    assert after.blamed[0] / after.none == pytest.approx(np.exp(2.0))
    assert after.weaker[0] == after.blamed[0]


def test_greater_drops_are_multiples_within_the_greatest() -> None:
    """The smallest is that of the question, however great it is."""
    assert possible_drops(1000.0) == (1000.0,)
    drops = possible_drops(200.0)
    assert drops[0] == 200.0 < drops[-1] <= GREATEST_DROP


def test_a_group_is_sure_given_that_a_commit_is_to_blame() -> None:
    """What is left for no commit does not count against the group, while it is small."""
    chances = Posterior(
        blamed=np.array([0.3, 0.66, 0.0]),
        none=np.array(0.04),
        none_or_least=np.array(0.04),
        weaker=np.array([0.3, 0.96, 0.96]),
    )
    assert chances.sure_groups(0.95, np.array([0, 0, 1])).tolist() == [True, False]
    assert chances.sure_groups(0.95, np.array([0, 1, 1])).tolist() == [False, False]
    search = CommitSearch(history(CHAIN[:3, :3]), BisectQuestion())
    search.posterior = Posterior(
        blamed=np.array([0.3, 0.2, 0.0]),
        none=np.array(0.5),
        none_or_least=np.array(0.5),
        weaker=np.array([0.3, 0.5, 0.5]),
    )
    assert search.credible_set_size == 2


@pytest.mark.slow
def test_histories_are_read_and_refused(tmp_path: Path) -> None:
    """First parents alone or all commits, in an order that git gives; wrong ends are named."""
    place = repository(tmp_path, {"bot.py": "0"})
    git(place, "tag", "start")
    git(place, "checkout", "--quiet", "-b", "side")
    side = commit(place, {"bot.py": "1"}, "On the side")
    git(place, "tag", "side-tip")
    git(place, "checkout", "--quiet", "main")
    first = commit(place, {"other.py": "2"}, "On main\nwith a body")
    git(place, "merge", "--quiet", "--no-ff", "--message", "Merged", "side")
    bot = BotSource("python:bot.py:Bot", place)
    read = read_history(bot, good="start", bad="main", first_parent=True)
    assert [each.subject for each in read.commits] == ["On main with a body", "Merged"]
    assert read.good.subject == "A step"
    whole = read_history(bot, good="start", bad="main", first_parent=False)
    hashes = [each.commit for each in whole.commits]
    assert {side, first} < set(hashes)
    assert whole.holds[-1].all()
    assert not whole.holds[hashes.index(side), hashes.index(first)]
    for good, bad, words in (
        ("main", "start", "swap the two"),
        ("main", "main", "the same commit"),
        ("side-tip", first, "not an ancestor"),
        ("nowhere", "main", "good: .* has no revision 'nowhere'"),
        ("start", "nowhere", "bad: .* has no revision 'nowhere'"),
    ):
        with pytest.raises(UsageError, match=words):
            read_history(bot, good=good, bad=bad, first_parent=True)


@pytest.mark.parametrize("numbers", [{"max_drop": 0.0}, {"confidence": 1.0}, {"confidence": 0.3}])
def test_settings_of_a_search_out_of_range_are_refused(numbers: dict[str, float]) -> None:
    """The message must name the number."""
    with pytest.raises(UsageError, match="must be"):
        BisectQuestion(**numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize(("chance", "sure"), [(0.018, False), (0.016, True)])
def test_a_third_of_the_allowed_error_is_for_each_kind(chance: float, sure: bool) -> None:
    """At 95 % an answer leaves at most 5 % / 3 to its alternatives."""
    others = np.array([1.0 - chance, chance])
    found = Posterior(
        blamed=others,
        none=np.array(0.0),
        none_or_least=np.array(1.0 - chance),
        weaker=others,
    )
    assert bool(found.is_none_sure(0.95)) is sure
    assert found.sure_groups(0.95, np.arange(2)).tolist() == [sure, False]


def test_a_pair_is_taken_once() -> None:
    """A pair that an earlier visit took is no longer new, however often it is offered."""
    search = CommitSearch(history(), BisectQuestion())
    search.enter("commit", "good")
    first, second = (pair(number, won=False) for number in range(2))
    assert search.is_new(first)
    search.take(first, "commit", "good")
    assert not search.is_new(first)
    assert search.is_new(second)
