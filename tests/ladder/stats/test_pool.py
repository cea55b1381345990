"""Ratings of a pool of players by maximum likelihood, and their errors."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.errors import UsageError
from ladder.stats.counts import pentanomial
from ladder.stats.difference import difference_of
from ladder.stats.elo import SCALE
from ladder.stats.pool.cells import (
    Disconnected,
    from_games,
    from_named_tables,
    from_tables,
    groups,
)
from ladder.stats.pool.rating import RatingOptions, draw_rate_equal, rate_connected, rate_pool
from ladder.stats.pool.separation import Unbounded
from tests.ladder.stats.pools import by_scipy, names, random_cells, random_tables
from tests.ladder.stats.vectors import vectors
from tests.support.simulated_gates import pair_table

PLAIN = RatingOptions(mean=0.0, prior=0.0, advantage=0.0)


def finite(rating):
    numbers = (
        rating.elo,
        rating.error95,
        rating.covariance,
        rating.advantage,
    )
    return all(np.all(np.isfinite(array)) for array in numbers)


def test_strengths_are_those_of_the_published_example():
    """Plain maximum likelihood gives the strengths of the published Bradley-Terry example."""
    vector = vectors("bt_")["bt_wikipedia"]
    players = sorted(vector["expect"])
    rows = vector["rows_white_black_w_d_l"]
    cells = from_games(
        players=players,
        first=[players.index(row[0]) for row in rows],
        second=[players.index(row[1]) for row in rows],
        counts=[[row[4], row[3], row[2]] for row in rows],
    )
    rating = rate_pool(cells=cells, options=PLAIN)
    for name, elo in zip(players, rating.elo, strict=True):
        assert math.exp(elo / SCALE) == pytest.approx(vector["expect"][name], rel=1e-3)
        assert elo == pytest.approx(vector["ordo_elo_std_logistic_computed"][name], abs=0.05)


def test_three_players_in_a_row_stand_at_their_scores():
    """Three players in a row stand exactly where the logistic scale puts their scores."""
    expected = vectors("laskos")["laskos_3engines"]["expect"]["exact_std_logistic"]
    cells = three_engines()
    assert rate_pool(cells=cells, options=PLAIN).elo == pytest.approx(expected, abs=0.001)


def three_engines():
    return from_games(
        players="HSK",
        first=[0, 1, 0],
        second=[1, 2, 2],
        counts=[[3, 9, 18], [3, 9, 18], [0, 6, 24]],
    )


def test_a_disconnected_pool_is_refused_with_its_groups():
    """Without games between two groups there is no list, and the error names them."""
    assert vectors("ordo_disc")["ordo_disconnected"]["expect"]["exit_code"] == 1
    cells = from_games(players="ABCDE", first=[0, 2, 2], second=[1, 3, 4], counts=[[1, 0, 1]] * 3)
    with pytest.raises(Disconnected) as caught:
        rate_pool(cells=cells)
    assert caught.value.groups == (("C", "D", "E"), ("A", "B"))
    assert groups(cells=cells) == caught.value.groups
    assert isinstance(caught.value, UsageError)


def test_the_largest_connected_group_is_rated_as_if_it_were_alone():
    """Games of other groups change nothing, and their players are named as left out."""
    counts = {("e", "c"): (4, 0, 0, 0, 1, 0, 2, 0, 3), ("d", "c"): (1, 0, 3, 0, 0, 0, 5, 0, 2)}
    large = [(a, b, "thu", table) for (a, b), table in counts.items()]
    small = [("b", "a", "6x7", (9, 0, 0, 0, 0, 0, 0, 0, 1))]
    both = rate_connected(cells=from_named_tables(small + large))
    alone = rate_pool(cells=from_named_tables(large))
    assert both.left_out == ("a", "b")
    assert both.rating.players == alone.players == ("c", "d", "e")
    assert both.rating.elo == pytest.approx(alone.elo)
    assert both.rating.error95 == pytest.approx(alone.error95)
    assert both.places["e"] == 2
    assert both.elo["e"] == both.rating.elo[2]


def test_anchors_without_rated_games_are_refused_or_left_out():
    """A list needs all its anchors; an early moment of its history is rated without them."""
    cells = from_named_tables([("a", "b", "thu", (4, 0, 0, 0, 1, 0, 2, 0, 3))])
    early = RatingOptions(anchors={"a": 1200.0, "later": 1300.0})
    with pytest.raises(UsageError, match="later"):
        rate_connected(cells=cells, options=early)
    waiting = rate_connected(cells=cells, options=early, may_lack_anchors=True)
    assert waiting.rating.elo.mean() == pytest.approx(1000.0)
    held = rate_connected(cells=cells, options=RatingOptions(anchors={"a": 1200.0}))
    assert held.elo["a"] == pytest.approx(1200.0)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_list_agrees_with_a_general_optimiser(seed, prior):
    """Ratings are those of scipy's optimiser on the same likelihood, to 0.01 Elo."""
    rng = np.random.default_rng(seed)
    cells, _ = random_cells(
        rng, size=int(rng.integers(3, 9)), pairs=25, spread=120, advantage=(50.0, -20.0)
    )
    rating = rate_pool(cells=cells, options=RatingOptions(mean=0, prior=prior))
    elo, advantage = by_scipy(cells, prior=prior)
    assert rating.elo == pytest.approx(elo, abs=0.01)
    assert rating.advantage == pytest.approx(advantage, abs=0.01)


def test_an_anchor_moves_the_whole_list():
    """Mean 1000 without anchors; an anchor moves the list as a whole and has no error."""
    cells, _ = random_cells(np.random.default_rng(2), size=5, pairs=20)
    free = rate_pool(cells=cells)
    assert free.elo.mean() == pytest.approx(1000.0)
    tied = rate_pool(cells=cells, options=RatingOptions(anchors={"p2": 1500.0}))
    assert tied.elo == pytest.approx(free.elo - free.elo[2] + 1500.0, abs=1e-6)
    assert tied.error95[2] == 0.0
    here, there = free.difference(a=0, b=4), tied.difference(a=0, b=4)
    assert here.elo == pytest.approx(there.elo)
    assert here.error95 == pytest.approx(there.error95)
    assert here.chance == pytest.approx(1 - free.difference(a=4, b=0).chance)


def test_who_is_listed_first_does_not_matter():
    """A table seen from the other player's side gives the same list."""
    a, b, _, tables, _ = random_tables(np.random.default_rng(4), size=5, pairs=10)
    here = rate_pool(cells=from_tables(players=names(5), a=a, b=b, counts=tables))
    # B's results mirrored; the game in which A moved first is the one in which B moved second.
    turned = tables[:, ::-1, ::-1].swapaxes(1, 2)
    there = rate_pool(cells=from_tables(players=names(5), a=b, b=a, counts=turned))
    assert here.elo == pytest.approx(there.elo, abs=1e-6)
    assert here.error95 == pytest.approx(there.error95, abs=1e-6)
    assert here.advantage == pytest.approx(there.advantage, abs=1e-6)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.lists(
        st.lists(st.integers(0, 40), min_size=9, max_size=9).filter(any), min_size=3, max_size=3
    )
)
def test_ratings_and_errors_are_finite(tables):
    """Any counts between connected players give finite ratings, errors and chances."""
    cells = from_tables(
        players="ABC", a=[0, 1, 2], b=[1, 2, 0], counts=np.reshape(tables, (3, 3, 3))
    )
    rating = rate_pool(cells=cells)
    assert finite(rating)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        here, there = rating.difference(a=one, b=other), rating.difference(a=other, b=one)
        assert (here.low, here.high) == (there.mirrored.low, there.mirrored.high)
        if here.elo is not None:
            assert 0 < here.chance < 1
            assert here.chance + there.chance == pytest.approx(1, abs=1e-9)
            assert all(each is None or math.isfinite(each) for each in (here.low, here.high))


@pytest.mark.parametrize("pairs", [1, 20, 100_000])
def test_shutouts_are_finite_and_marked(pairs):
    """A bot that lost every game, by forfeit or otherwise, has a finite rating with a real error,
    and is marked as a bound."""
    table = np.zeros((2, 3, 3))
    table[0, 2, 2] = pairs
    table[1] = [[2, 0, 5], [0, 1, 0], [6, 0, 2]]
    cells = from_tables(players="ABC", a=[0, 0], b=[1, 2], counts=table)
    rating = rate_pool(cells=cells)
    assert finite(rating)
    assert rating.bounded.tolist() == [False, True, False]
    assert rating.elo[1] < rating.elo[2]
    assert rating.error95[1] > 100.0
    assert rating.difference(a=0, b=1).high is None


def test_a_shutout_without_a_prior_is_refused():
    """Without a prior a shutout has no rating; the error names winners and losers."""
    cells = from_games(players="ABC", first=[0, 1], second=[1, 2], counts=[[1, 0, 1], [0, 0, 3]])
    with pytest.raises(Unbounded) as caught:
        rate_pool(cells=cells, options=PLAIN)
    assert caught.value.groups == (("A", "B"), ("C",))


def test_an_undetermined_first_move_is_refused():
    """When the same player always moves first, its strength and the first move are one thing."""
    cells = from_games(players="AB", first=[0], second=[1], counts=[[3, 0, 5]])
    with pytest.raises(Unbounded, match="first-mover"):
        rate_pool(cells=cells, options=RatingOptions(prior=0.0))
    assert finite(rate_pool(cells=cells))


def test_pairs_and_the_same_games_agree_on_the_list():
    """Clustering changes the errors, never the ratings."""
    a, b, _, tables, _ = random_tables(np.random.default_rng(7), size=5, pairs=40, correlation=-0.8)
    pairs = rate_pool(cells=from_tables(players=names(5), a=a, b=b, counts=tables))
    single = rate_pool(
        cells=from_games(
            players=names(5), first=np.r_[a, b], second=np.r_[b, a],
            counts=np.r_[tables.sum(axis=2), tables.sum(axis=1)[:, ::-1]],
        )
    )  # fmt: skip
    assert pairs.elo == pytest.approx(single.elo, abs=1e-6)
    assert np.all(pairs.error95 < 0.9 * single.error95)


def test_what_does_not_fit_is_refused():
    """Wrong shapes, indices, players against themselves and unknown anchors are user errors."""
    good = np.ones((1, 3, 3))
    for bad in (
        {"a": [0], "b": [0], "counts": good},
        {"a": [0], "b": [5], "counts": good},
        {"a": [0, 1], "b": [1, 0], "counts": good},
        {"a": [0], "b": [1], "counts": -good},
        {"a": [0], "b": [1], "counts": good * np.nan},
    ):
        with pytest.raises(UsageError):
            from_tables(players="AB", **bad)
    with pytest.raises(UsageError, match="once"):
        from_tables(players="AA", a=[0], b=[1], counts=good)
    cells = from_tables(players="AB", a=[0], b=[1], counts=good)
    for options in (
        RatingOptions(anchors={"C": 0.0}),
        RatingOptions(prior=-1.0),
        RatingOptions(mean=math.inf),
    ):
        with pytest.raises(UsageError):
            rate_pool(cells=cells, options=options)


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """Over 40 seeded pools of 17 the 95 % intervals hold the truth as often as they say."""
    rng = np.random.default_rng(9)
    hits = []
    for _ in range(40):
        cells, elo = random_cells(rng, size=17, pairs=12, advantage=(120.0,), correlation=-0.6)
        rating = rate_pool(cells=cells, options=RatingOptions(mean=0))
        hits.append(np.mean(np.abs(rating.elo - elo) <= rating.error95))
    error = np.std(hits) / math.sqrt(len(hits))
    assert abs(np.mean(hits) - 0.95) < 0.01 + 3 * error


def test_an_empty_pool_gives_an_empty_list():
    """No players and no games give an empty list; a lone player stands at the mean."""
    nobody = rate_pool(cells=from_tables(players=(), a=[], b=[], counts=np.zeros((0, 3, 3))))
    assert nobody.elo.shape == (0,)
    assert nobody.draw_rate_equal is None
    alone = rate_pool(cells=from_tables(players="A", a=[], b=[], counts=np.zeros((0, 3, 3))))
    assert alone.elo.tolist() == [1000.0]
    assert not alone.bounded[0]


def test_as_many_more_pairs_as_stated_halve_an_error():
    """After playing as many more pairs as asked for, the error of the difference is about half."""
    rng = np.random.default_rng(12)
    a, b, _, tables, elo = random_tables(rng, size=6, pairs=15, spread=80)
    before = rate_pool(cells=from_tables(players=names(6), a=a, b=b, counts=tables))
    more = round(before.pairs_to_halve(a=0, b=1))
    shares = pair_table(elo=elo[0] - elo[1], advantage=80, draws=0.1, correlation=-0.4)
    tables[0] += rng.multinomial(more, shares.ravel()).reshape(3, 3)
    after = rate_pool(cells=from_tables(players=names(6), a=a, b=b, counts=tables))
    ratio = after.difference(a=0, b=1).error95 / before.difference(a=0, b=1).error95
    assert ratio == pytest.approx(0.5, abs=0.05)


def test_the_share_of_draws_between_equals_is_that_of_their_games():
    """Between equals the maximum-likelihood share is plain: one draw in four games is 0.25."""
    cells = from_games(players="AB", first=[0], second=[1], counts=[(1, 1, 2)])
    assert draw_rate_equal(cells=cells, theta=np.zeros(3)) == pytest.approx(0.25)
    # At an expected score of 3/4 there are 4 * 3/4 * 1/4 of them: 15 of 100 games for a fifth.
    unequal = from_games(players="AB", first=[0], second=[1], counts=[(15, 15, 70)])
    theta = np.array([math.log(3), 0.0, 0.0])
    assert draw_rate_equal(cells=unequal, theta=theta) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "table", [(4, 1, 3, 0, 2, 5, 6, 3, 9), (0, 0, 2, 0, 1, 0, 3, 1, 2), (0, 0, 0, 0, 0, 0, 0, 0, 5)]
)
def test_a_list_of_two_agrees_with_their_head_to_head(table):
    """Verdict, chance and the signs of the bounds are those of the pairs, whatever the fit adds."""
    cells = from_tables(players="AB", a=[0], b=[1], counts=np.reshape(table, (1, 3, 3)))
    for repeats in (None, np.array([2.0])):
        rating = rate_pool(cells=replace(cells, repeats=repeats))
        listed = rating.difference(a=0, b=1)
        half = 1.0 if repeats is None else 0.5
        met = difference_of(half * pentanomial(table=np.reshape(table, (3, 3))))
        assert listed.chance == pytest.approx(met.chance, abs=1e-12)
        assert listed.verdict is met.verdict
        assert (listed.low > 0) == (met.low > 0)
        assert (listed.high is None) == (met.high is None)
        if met.high is not None:
            assert listed.elo == pytest.approx(float(rating.elo[0] - rating.elo[1]))


@pytest.mark.slow
def test_the_difference_of_a_list_has_its_own_variance():
    """With many games it is the normal interval of the fit's covariance, not of squared errors."""
    cells, _ = random_cells(np.random.default_rng(5), size=6, pairs=400)
    rating = rate_pool(cells=cells)
    for a, b in ((0, 5), (2, 3)):
        found, cover = rating.difference(a=a, b=b), rating.covariance
        error = 1.96 * math.sqrt(cover[a, a] + cover[b, b] - 2 * cover[a, b])
        assert found.error95 == pytest.approx(error, rel=0.06)
        assert found.elo == pytest.approx(rating.elo[a] - rating.elo[b])
