"""The rating list: maximum likelihood over all players of a pool, with clustered errors.

The model is logistic in the expected score with draws as half a win (Zermelo 1929, Bradley and
Terry 1952, Elo 1978), with a first-mover advantage per board class (Davidson and Beaver 1977) and a
weak prior that keeps shutouts finite. Errors are clustered by pair of games (see `intervals`). The
cost depends on the number of tables, not of games.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray
from ladder.stats.difference import Difference, difference_of, fitted_difference, shutout_of
from ladder.stats.elo import SCALE, Z95
from ladder.stats.own_rating import Rating
from ladder.stats.pool.cells import Cells, groups, require_connected
from ladder.stats.pool.fitting import BoolArray, Fit, Setup, logistic, maximise, predictors, unpack
from ladder.stats.pool.intervals import covariance, pair_spread, slack

MEAN = 1000.0
"""Mean Elo of the pool without anchors."""
PRIOR = 1.0
"""Virtual draws of every player against the pool's mean."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the first of two players in the slack of both."""


@dataclass(frozen=True)
class RatingOptions:
    """Scale and prior of a rating list."""

    mean: float | None = None
    """Mean Elo of all players; None means the anchors' mean, or `MEAN` without anchors."""
    anchors: Mapping[str, float] = field(default_factory=dict)
    """Fixed Elo by name."""
    prior: float = PRIOR
    """Virtual draws against the pool's mean; 0 means plain maximum likelihood."""
    advantage: float | None = None
    """First-mover advantage in Elo; None means to fit it per board class."""

    @property
    def centre(self) -> float:
        """Origin of the fit's scale in Elo; without anchors, the mean of all players."""
        if self.mean is not None:
            return self.mean
        return sum(self.anchors.values()) / len(self.anchors) if self.anchors else MEAN


@dataclass(frozen=True)
class PoolRating:
    """A rating list, with the covariance to compare any two of its players."""

    cells: Cells
    """The rated games."""
    options: RatingOptions
    fit: Fit
    """Maximum of the likelihood on the scale of the expected score, in natural units."""
    elo: FloatArray
    """Shape (players,)."""
    error95: FloatArray
    """Half the 95 % interval against the mean (or the anchors), in Elo, shape (players,)."""
    games: FloatArray
    points: FloatArray
    """Games and points (draws half) of every player, shape (players,)."""
    bounded: BoolArray
    """Mask of players with only wins or only losses, whose Elo the prior determines."""
    at_least: tuple[float | None, ...]
    """Lower end of the 95 % interval of each player that won all its games; else None."""
    at_most: tuple[float | None, ...]
    """Upper end of the 95 % interval of each player that lost all its games; else None."""
    advantage: FloatArray
    """First-mover advantage in Elo by board class, shape (classes,); 0 without games."""
    advantage_error95: FloatArray
    covariance: FloatArray
    """Covariance of players, then advantages, in squared Elo, shape (players + classes,) * 2."""
    draw_rate_equal: float | None
    """Share of draws between equals, 0..1; None without games."""
    pair_spread: float
    """Ratio of the variance of a pair's points to that of two independent games without draws."""

    @property
    def players(self) -> tuple[str, ...]:
        """Names, in the order of all arrays by player."""
        return self.cells.players

    @property
    def classes(self) -> tuple[str, ...]:
        """Board classes, in the order of `advantage`."""
        return self.cells.classes

    def rating(self, place: int) -> Rating:
        """Return a player's own rating, by its index."""
        return Rating(
            float(self.elo[place]),
            float(self.error95[place]),
            self.at_least[place],
            self.at_most[place],
        )

    def difference(self, *, a: int, b: int) -> Difference:
        """Return the difference of players `a` and `b` (indices), from all games of the pool.

        It is a `fitted_difference`, with the results of all pairs from the side of the
        stronger players. If one of the two won or lost everything, it is that of as many won pairs
        as give the bound of `_slack`. If the two have met only each other, it is that of the pairs
        that they played, so that verdict and chance are those of their head-to-head record; only
        the Elo is that of the fit, which knows the advantage and the prior.

        It takes some milliseconds, so compute it only for pairs of players that are shown.
        """
        if a > b:
            return self.difference(a=b, b=a).mirrored
        gap = float(self.elo[a] - self.elo[b])
        cells = self.cells
        own = ((cells.a == a) | (cells.a == b)) & ((cells.b == a) | (cells.b == b))
        others = ((cells.a == a) | (cells.a == b) | (cells.b == a) | (cells.b == b)) & ~own
        if cells.second is not None and own.any() and not others.any():
            return self._of_own_pairs(a, gap, own)
        least, less = self._slack(a, b), self._slack(b, a)
        if least is not None:
            return shutout_of(gap - least)
        if less is not None:
            return shutout_of(-gap - less).mirrored
        if self.bounded[a] and self.bounded[b]:
            return Difference()
        higher = np.where(self.elo[cells.a] >= self.elo[cells.b], gap >= 0.0, gap < 0.0)
        seen = self._points(np.where(own, cells.a == a, higher)).sum(0)
        return fitted_difference(gap=gap, deviation=math.sqrt(self._variance(a, b)), seen=seen)

    def _of_own_pairs(self, a: int, gap: float, own: BoolArray) -> Difference:
        """Return the difference of two players that have met no other."""
        counts = self._points(self.cells.a == a)[own].sum(0)
        if self.cells.repeats is not None:
            distinct = self.cells.clusters[own] / self.cells.repeats[own]
            counts = counts * (distinct.sum() / counts.sum())
        met = difference_of(counts)
        if met.elo is None or met.low is None or met.high is None or met.elo * gap <= 0.0:
            return met
        stretch = gap / met.elo
        return Difference(gap, stretch * met.low, stretch * met.high, met.chance)

    def _points(self, from_a: BoolArray) -> FloatArray:
        """Return the clusters of each table by points of A, or of B where `from_a` is False."""
        cells = self.cells
        points = cells.first if cells.second is None else cells.first + cells.second
        counts = cells.counts @ np.eye(int(points.max()) + 1)[points]
        return np.where(from_a[:, None], counts, counts[:, ::-1])

    def _variance(self, a: int, b: int) -> float:
        """Return the variance of a difference, in squared Elo."""
        spread = self.covariance
        return max(float(spread[a, a] + spread[b, b] - 2.0 * spread[a, b]), 0.0)

    def _slack(self, ahead: int, behind: int) -> float | None:
        """Return how much smaller a difference may be, in Elo; None without such a bound.

        There is no bound if `behind` has won everything or `ahead` has lost everything.
        """
        down, up = self._won_all(ahead), self._lost_all(behind)
        if not (down or up) or self._lost_all(ahead) or self._won_all(behind):
            return None
        # Both may be nearer to the others than listed: take the least favourable combination.
        shares = SHARES if down and up else (1.0,) if down else (0.0,)
        return SCALE * max(
            slack(
                cells=self.cells,
                theta=self.fit.theta,
                moves={ahead: -share, behind: 1.0 - share},
            )
            for share in shares
        )

    def _won_all(self, player: int) -> bool:
        return bool(self.bounded[player]) and self.points[player] > 0.0

    def _lost_all(self, player: int) -> bool:
        return bool(self.bounded[player]) and self.points[player] == 0.0

    def pairs_to_halve(self, *, a: int, b: int) -> float:
        """Return the number of further pairs that would halve the error of a difference.

        Variance is the inverse of information, so three times the current information is needed. A
        pair adds the information of two games at these ratings (Fisher 1925) divided by
        `pair_spread`.
        """
        variance = self._variance(a, b) / SCALE**2
        if variance <= 0.0:
            return 0.0
        edge = float(self.advantage.mean()) if self.advantage.size else 0.0
        gap = float(self.elo[a] - self.elo[b])
        p = logistic(np.array([gap + edge, gap - edge]) / SCALE)
        each = max(float(np.sum(p * (1.0 - p))), 1e-9) / self.pair_spread
        return 3.0 / (variance * each)


def rate_pool(*, cells: Cells, options: RatingOptions | None = None) -> PoolRating:
    """Rate all players of `cells` (see `cells.from_tables` and `cells.from_games`).

    Raises:
        Disconnected: games do not connect all players.
        Unbounded: there is no prior and a rating is infinite.
        UsageError: an anchor is unknown, or the prior is below 0.

    """
    options = options or RatingOptions()
    setup = natural_setup(cells, options)
    require_connected(cells=cells)
    fit = maximise(cells=cells, setup=setup)
    spread = covariance(cells, fit)
    ratings, advantages = unpack(fit.theta, cells)
    size = ratings.size
    elo = SCALE * ratings
    if not setup.anchors and size:
        centre = np.eye(spread.shape[0])
        centre[:size, :size] -= 1.0 / size
        spread = centre @ spread @ centre.T
        elo = elo - elo.mean()
    spread = SCALE**2 * 0.5 * (spread + spread.T)
    errors = Z95 * np.sqrt(np.maximum(np.diag(spread), 0.0))
    games, points = cells.scores()
    bounded = (games > 0.0) & ((points <= 0.0) | (points >= games))
    at_least, at_most = _bounds(cells, fit, setup, elo + options.centre, bounded, points)
    return PoolRating(
        cells=cells,
        options=options,
        fit=fit,
        elo=elo + options.centre,
        error95=errors[:size],
        games=games,
        points=points,
        bounded=bounded,
        at_least=at_least,
        at_most=at_most,
        advantage=SCALE * advantages,
        advantage_error95=errors[size:],
        covariance=spread,
        draw_rate_equal=draw_rate_equal(cells=cells, theta=fit.theta),
        pair_spread=pair_spread(cells, fit.theta),
    )


def draw_rate_equal(*, cells: Cells, theta: FloatArray) -> float | None:
    """Return the maximum-likelihood share of draws between equals, 0..1; None without games.

    The share is assumed proportional to 4 p (1 - p) for expected score p, as in the models of Rao
    and Kupper (1967) and Davidson (1970) if draws are rare.
    """
    falls, drawn, total = [], [], []
    for z, games in zip(predictors(theta, cells), cells.results(), strict=True):
        p = logistic(z)
        falls.append(4.0 * p * (1.0 - p))
        drawn.append(games[:, 1])
        total.append(games.sum(axis=1))
    fall, draws, games_played = map(np.concatenate, (falls, drawn, total))
    if games_played.sum() == 0.0:
        return None
    if draws.sum() == 0.0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = 0.5 * (low + high)
        slope = np.sum(draws) / rate - np.sum(
            (games_played - draws) * fall / np.maximum(1.0 - rate * fall, 1e-12)
        )
        low, high = (rate, high) if slope > 0 else (low, rate)
    return float(0.5 * (low + high))


@dataclass(frozen=True)
class Pool:
    """The rating list of the largest group of players that games connect."""

    rating: PoolRating
    left_out: tuple[str, ...]
    """Players of all other groups."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of every rated player in the arrays of `rating`, by name."""
        return {name: place for place, name in enumerate(self.rating.players)}

    @property
    def elo(self) -> Mapping[str, float]:
        """Ratings by name."""
        return dict(zip(self.rating.players, self.rating.elo.tolist(), strict=True))


def rate_connected(
    *,
    cells: Cells,
    options: RatingOptions | None = None,
    may_lack_anchors: bool = False,
) -> Pool:
    """Rate the largest group of players that games connect.

    Args:
        cells: all games.
        options: options of the list.
        may_lack_anchors: whether to rate without anchors if one of them is not in the group,
            instead of raising an error.

    Raises:
        UsageError: as in `rate_pool`, except for unconnected players.

    """
    options = options or RatingOptions()
    largest, *others = groups(cells=cells) or ((),)
    if others:
        cells = cells.among(largest)
    if may_lack_anchors and not set(options.anchors) <= set(largest):
        options = replace(options, anchors={})
    rating = rate_pool(cells=cells, options=options)
    return Pool(rating, tuple(name for group in others for name in group))


def _bounds(
    cells: Cells, fit: Fit, setup: Setup, elo: FloatArray, bounded: BoolArray, points: FloatArray
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return lower and upper bounds of Elo by player; None without such a bound."""
    size = elo.size
    at_least: list[float | None] = [None] * size
    at_most: list[float | None] = [None] * size
    # Without anchors the mean stays fixed, so a player moves relative to the others.
    moved = SCALE if setup.anchors else SCALE * (1.0 - 1.0 / max(size, 1))
    for player in np.flatnonzero(bounded).tolist():
        if player in setup.anchors:
            continue
        if points[player] > 0.0:
            distance = slack(cells=cells, theta=fit.theta, moves={player: -1.0})
            at_least[player] = float(elo[player]) - moved * distance
        else:
            distance = slack(cells=cells, theta=fit.theta, moves={player: 1.0})
            at_most[player] = float(elo[player]) + moved * distance
    return tuple(at_least), tuple(at_most)


def natural_setup(cells: Cells, options: RatingOptions) -> Setup:
    """Convert options to natural units, with ratings relative to `options.centre`."""
    given = options.anchors
    unknown = sorted(set(given) - set(cells.players))
    if unknown:
        raise UsageError(f"anchors name players without games: {', '.join(unknown)}")
    numbers = [options.centre, options.prior, options.advantage or 0.0, *given.values()]
    if not all(math.isfinite(number) for number in numbers) or options.prior < 0.0:
        raise UsageError("mean, anchors and advantage must be finite, the prior 0 or more")
    index = {name: number for number, name in enumerate(cells.players)}
    return Setup(
        prior=options.prior,
        anchors={index[name]: (elo - options.centre) / SCALE for name, elo in given.items()},
        advantage=None if options.advantage is None else options.advantage / SCALE,
    )
