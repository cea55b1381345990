"""The rating list: maximum likelihood over all players of a pool, with clustered errors.

The model is logistic in the expected score with draws as half a win (Zermelo 1929, Bradley and
Terry 1952, Elo 1978), with a first-mover advantage per board class (Davidson and Beaver 1977) and a
weak prior that keeps shutouts finite. Errors are clustered by pair of games (see `clusters`). The
cost depends on the number of tables, not of games.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray
from ladder.stats.elo import SCALE, Z95, normal_cdf
from ladder.stats.pool.cells import Cells, groups, require_connected
from ladder.stats.pool.clusters import covariance, pair_spread
from ladder.stats.pool.families import logistic
from ladder.stats.pool.fitting import BoolArray, Fit, Setup, maximise, predictors, unpack
from ladder.stats.pool.shutouts import slack

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
class Difference:
    """The difference of two players."""

    elo: float
    error95: float
    """Half the 95 % interval, in Elo."""
    los: float
    """Likelihood of superiority of the first player, 0..1."""
    at_least: float | None = None
    """Lower bound of the difference with 95 % confidence; None unless the first player won, or the
    second lost, all its games, in which case the prior determines `elo`."""
    at_most: float | None = None
    """Upper bound with 95 % confidence; None unless the first player lost, or the second won, all
    its games."""

    @property
    def is_bound(self) -> bool:
        """Whether the games give only a bound."""
        return self.at_least is not None or self.at_most is not None


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
    """Lower bound of each player's Elo with 95 % confidence; None unless it won all its games."""
    at_most: tuple[float | None, ...]
    """Upper bound of each player's Elo with 95 % confidence; None unless it lost all its games."""
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

    def difference(self, *, a: int, b: int) -> Difference:
        """Return the difference of players `a` and `b` (indices), with its own error."""
        spread = self.covariance
        variance = float(spread[a, a] + spread[b, b] - 2.0 * spread[a, b])
        gap = float(self.elo[a] - self.elo[b])
        error = math.sqrt(max(variance, 0.0))
        least, less = self._slack(a, b), self._slack(b, a)
        return Difference(
            elo=gap,
            error95=Z95 * error,
            los=_superiority(gap, error),
            at_least=None if least is None else gap - least,
            at_most=None if less is None else gap + less,
        )

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
        spread = self.covariance
        variance = float(spread[a, a] + spread[b, b] - 2.0 * spread[a, b]) / SCALE**2
        if variance <= 0.0:
            return 0.0
        edge = float(self.advantage.mean()) if self.advantage.size else 0.0
        gap = float(self.elo[a] - self.elo[b])
        p = logistic(np.array([gap + edge, gap - edge]) / SCALE)
        each = max(float(np.sum(p * (1.0 - p))), 1e-9) / self.pair_spread
        return 3.0 / (variance * each)


def _superiority(gap: float, error: float) -> float:
    if error <= 1e-9:
        return 0.5 if abs(gap) <= 1e-9 else float(gap > 0)
    return normal_cdf(gap / error)


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
