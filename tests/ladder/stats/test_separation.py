"""Games that have no finite ratings without a prior, compared with a brute-force search."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import linprog

from ladder.stats.pool.cells import Cells, from_games, groups
from ladder.stats.pool.fitting import logistic, predictors
from ladder.stats.pool.rating import RatingOptions, rate_pool
from ladder.stats.pool.separation import Unbounded

Row = tuple[int, int, tuple[int, int, int]]
"""First player, second player, and the losses, draws and wins of the first."""
A, B, C = 0, 1, 2
LOSER = [
    *[(A, B, (0, 0, 5)), (B, A, (5, 0, 0)), (A, C, (0, 4, 0))],
    *[(C, A, (0, 0, 3)), (C, B, (0, 0, 4)), (B, C, (4, 0, 0))],
]
"""B lost all its games."""
FAR = [(A, B, (0, 0, 3000)), (B, A, (2999, 0, 1)), (C, A, (0, 0, 10)), (A, C, (9, 0, 1))]
"""Finite without an advantage; with a fitted one, no value of it is the best."""


def cells_of(rows: Sequence[Row], size: int = 3) -> Cells:
    first, second, counts = zip(*rows, strict=True)
    return from_games(players="ABCDE"[:size], first=first, second=second, counts=counts)


def is_unbounded(rows: Sequence[Row], size: int, *, fitted: bool) -> bool:
    """Look for a direction that changes a game and makes no result less likely, game by game."""
    design = np.zeros((len(rows), size + 1))
    for number, (first, second, _) in enumerate(rows):
        design[number, [first, second, size]] = 1.0, -1.0, 1.0
    design = design[:, 1:] if fitted else design[:, 1:-1]  # A is held at 0
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return True
    limits = [
        -row for row, (*_, (_, draws, wins)) in zip(design, rows, strict=True) if draws + wins
    ]
    limits += [
        row for row, (*_, (lost, draws, _)) in zip(design, rows, strict=True) if lost + draws
    ]
    return any(
        linprog(sign * row, A_ub=limits, b_ub=np.zeros(len(limits)), bounds=(-1, 1)).fun < -1e-9
        for row in design
        for sign in (1, -1)
    )


@pytest.mark.parametrize(("rows", "advantage"), [(LOSER, 0.0), (LOSER, None), (FAR, None)])
def test_infinite_ratings_are_refused(rows: list[Row], advantage: float | None) -> None:
    """However flat the likelihood is before its end, a rating that has none is refused."""
    with pytest.raises(Unbounded):
        rate_pool(cells=cells_of(rows), options=RatingOptions(prior=0.0, advantage=advantage))


def test_anchors_hold_players_together() -> None:
    """Anchored players need no games that bound them, and others need some against these."""
    options = RatingOptions(prior=0.0, advantage=0.0, anchors={"A": 1000.0, "B": 400.0})
    assert rate_pool(cells=cells_of(LOSER), options=options).elo[:2].tolist() == [1000.0, 400.0]
    lost = [*LOSER[:2], (C, A, (3, 0, 0))]
    with pytest.raises(Unbounded) as caught:
        rate_pool(cells=cells_of(lost), options=options)
    assert caught.value.groups == (("A", "B"), ("C",))


def test_a_long_chain_has_its_distant_ratings() -> None:
    """Ratings that are finite are found, however far apart they are."""
    chain = [(number, number + 1, (1, 0, 2000)) for number in range(4)]
    rating = rate_pool(
        cells=cells_of([(a, b, counts) for a, b, counts in chain], 5),
        options=RatingOptions(prior=0.0, advantage=0.0),
    )
    assert np.diff(rating.elo) == pytest.approx([-400.0 * np.log10(2000.0)] * 4, abs=1e-3)


@pytest.mark.slow
def test_small_pools_are_decided_as_by_brute_force() -> None:
    """Of 80 random pools exactly those are refused that a search over all games refuses.

    In each of the others every player's expected points are those that it has.
    """
    random, refused = np.random.default_rng(2), 0
    for number in range(80):
        size, fitted, rows = int(random.integers(2, 6)), bool(number % 2), list[Row]()
        while not rows or len(groups(cells=cells_of(rows, size))) > 1:
            one, other = random.choice(size, 2, replace=False).tolist()
            lost, drawn, won = (random.integers(0, 3, 3) * (random.random(3) < 0.55)).tolist()
            rows += [(one, other, (lost, drawn, won))] if lost + drawn + won else []
        cells = cells_of(rows, size)
        options = RatingOptions(prior=0.0, advantage=None if fitted else 30.0)
        if is_unbounded(rows, size, fitted=fitted):
            refused += 1
            with pytest.raises(Unbounded):
                rate_pool(cells=cells, options=options)
            continue
        rating = rate_pool(cells=cells, options=options)
        expected, (games, _) = logistic(predictors(rating.fit.theta, cells)[0]), cells.results()
        excess = games @ np.array([0.0, 0.5, 1.0]) - games.sum(axis=1) * expected
        sums = np.bincount(cells.a, excess, size) - np.bincount(cells.b, excess, size)
        assert np.abs(sums).max() < 1e-6
    assert 16 < refused < 64
