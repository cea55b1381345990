"""The one answer to who is better: interval, chance, verdict and words from counts."""

import itertools
import math
import random

import pytest
from scipy.special import betaincinv

from ladder.stats.difference import Difference, Sign, chance_words, difference_of
from ladder.stats.elo import elo_to_score

PAIRS = 8
"""Most pairs of the enumeration."""


def all_counts(pairs):
    """Return all pentanomial counts of a number of pairs."""
    return [
        tuple(sum(pair == place for pair in drawn) for place in range(5))
        for drawn in itertools.combinations_with_replacement(range(5), pairs)
    ]


def judge(counts_of):
    """Check mirror images, monotony, verdicts and finiteness for the given counts."""
    known = {}

    def of(counts):
        if counts not in known:
            known[counts] = difference_of(counts)
        return known[counts]

    def end(number, without):
        return without if number is None else number

    for counts in counts_of:
        found, back = of(counts), of(counts[::-1]).mirrored
        assert (back.low, back.high) == (found.low, found.high)
        assert back.elo == pytest.approx(found.elo, abs=1e-9)
        assert back.chance == pytest.approx(found.chance, abs=1e-12)
        low, high = end(found.low, -math.inf), end(found.high, math.inf)
        assert low < found.elo < high
        assert math.isfinite(found.elo)
        assert 0.0 < found.chance < 1.0
        assert (found.low is None) == (counts[0] == sum(counts))
        assert (found.high is None) == (counts[4] == sum(counts))
        assert (found.verdict is Sign.STRONGER) == (low > 0.0) == (found.chance > 0.975)
        assert (found.verdict is Sign.WEAKER) == (high < 0.0) == (found.chance < 0.025)
        for place in range(4):
            if counts[place]:
                better = list(counts)
                better[place], better[place + 1] = better[place] - 1, better[place + 1] + 1
                other = of(tuple(better))
                assert end(other.low, -math.inf) >= low - 1e-6
                assert end(other.high, math.inf) >= high - 1e-6
                assert other.chance >= found.chance - 1e-9


@pytest.mark.slow
def test_a_sample_of_all_counts_mirrors_and_never_worsens_by_a_better_pair():
    """Mirrored counts mirror, a better pair lowers nothing, the verdict follows the interval."""
    every = [counts for pairs in range(1, PAIRS + 1) for counts in all_counts(pairs)]
    judge(random.Random(1).sample(every, 40))


@pytest.mark.very_slow
def test_all_counts_mirror_and_never_worsen_by_a_better_pair():
    """The same for all counts of up to eight pairs."""
    judge([counts for pairs in range(1, PAIRS + 1) for counts in all_counts(pairs)])


@pytest.mark.parametrize(("won", "lost"), [(1, 9), (3, 17), (10, 2), (50, 50), (400, 3)])
def test_pairs_won_or_lost_whole_have_the_interval_of_clopper_and_pearson(won, lost):
    """With pairs of only 2-0 and 0-2, the interval is the binomial one, from beta quantiles."""
    found = difference_of((lost, 0, 0, 0, won))
    assert elo_to_score(elo=found.low) == pytest.approx(betaincinv(won, lost + 1, 0.025), rel=1e-9)
    assert elo_to_score(elo=found.high) == pytest.approx(betaincinv(won + 1, lost, 0.975), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "low", "high", "chance"),
    [
        ((0, 0, 0, 1, 0), -687.5, 880.6, 2 / 3),
        ((0, 0, 0, 0, 5), -15.2, None, 0.975),
        ((0, 0, 0, 0, 6), 28.4, None, 0.984),
        ((0, 0, 2, 0, 3), -98.2, 626.9, 0.9375),
        ((0, 0, 100, 0, 0), -12.6, 12.6, 0.5),
        ((5, 15, 35, 25, 20), 26.8, 113.5, 0.99946),
        ((0, 0, 97, 0, 3), -5.5, 29.7, 0.9375),
    ],
)
def test_known_counts_have_their_intervals(counts, low, high, chance):
    """Intervals and chances agree with those of an independent prototype."""
    found = difference_of(counts)
    assert found.low == pytest.approx(low, abs=0.06)
    assert found.high is high is None or found.high == pytest.approx(high, abs=0.06)
    assert found.chance == pytest.approx(chance, abs=5e-4)


def test_far_tails_and_large_counts_keep_their_digits():
    """Far from an even score, and with very many pairs, the bound agrees with known quantiles."""
    assert elo_to_score(elo=difference_of((0, 0, 0, 40, 160)).low) == pytest.approx(
        0.92708, abs=1e-5
    )
    # One pair in 3001 not won whole: the straight line of integration was wrong by 340 Elo here.
    whole = difference_of((1, 0, 0, 0, 3000))
    assert elo_to_score(elo=whole.low) == pytest.approx(betaincinv(3000, 2, 0.025), rel=1e-9)
    many = difference_of((10**14, 10**14, 10**15, 10**14, 10**14 + 10**8))
    deviation = math.sqrt((2 * 0.25 + 2 * 0.0625) * 1e14 / 1.4e15 / 1.4e15)
    assert many.high - many.low == pytest.approx(
        2 * 1.96 * deviation * 1600 / math.log(10), rel=1e-3
    )


def test_the_interval_of_games_counts_a_game_as_a_unit():
    """Three counts are games: ten games won, none lost give the bound of ten units."""
    assert difference_of((0, 0, 10)).low == difference_of((0, 0, 0, 0, 10)).low
    drawn = difference_of((0, 10, 0))
    assert drawn.low == -drawn.high < 0.0


def test_words_follow_the_verdict():
    """A sure, a probable and an open difference have different words, a shutout one end."""
    assert difference_of((0, 0, 0, 0, 6)).word == "stronger"
    assert difference_of((0, 0, 0, 0, 6)).words() == "at least +28"
    assert difference_of((5, 0, 0, 0, 0)).word == "probably weaker"
    assert difference_of((5, 0, 0, 0, 0)).words() == "at most +15"
    assert difference_of((0, 0, 1, 0, 0)).word == "no clear difference"
    assert Difference().word == "no games"
    assert difference_of((0, 0, 0, 0, 0)) == Difference()
    sure = difference_of((5, 15, 35, 25, 20))
    assert sure.words() == "+70 (+27 .. +114)"
    assert sure.sentence("a", "b") == "a is stronger than b by 27 to 114 Elo (99.9% sure)"
    assert sure.mirrored.sentence("b", "a") == "b is weaker than a by 27 to 114 Elo (99.9% sure)"
    likely = difference_of((0, 0, 2, 0, 3)).sentence("a", "b")
    assert likely.startswith("a is probably stronger than b (93.7% sure), between 98 Elo weaker")


def test_shown_chances_are_rounded_towards_one_half():
    """A chance is never shown as larger than it is, nor as 0 or 100 %."""
    assert [chance_words(each) for each in (0.5, 0.97499, 0.975, 0.9999999, 1e-9, None)] == [
        "50.0%", "97.4%", "97.5%", "99.9%", "0.1%", "-",
    ]  # fmt: skip
    values = difference_of((0, 0, 0, 40, 160)).values()
    assert values["los"] == 0.9999
    assert difference_of((0, 0, 0, 0, 6)).values()["error95"] is None
