"""Whether a likelihood without a prior has a single highest point, decided by the games alone.

It has none if some direction of the parameters makes no result less likely (Albert and Anderson
1984). With a fixed first-mover advantage that is so unless everyone can be reached from everyone by
steps to a player that took a point or half a point (Ford 1957): anchored players are then one. With
a fitted advantage a linear program finds a direction, if there is one.
"""

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray, IntArray, unit_scores
from ladder.stats.pool.cells import Cells
from ladder.stats.special import has_ascent, strong_groups

_POINTS = unit_scores(size=3)


class Unbounded(UsageError):
    """Without a prior some ratings are infinite; a prior above 0 keeps them finite."""

    def __init__(self, *, groups: tuple[tuple[str, ...], ...]) -> None:
        self.groups = groups
        """Groups from best to worst: none lost half a point to a later one. A single group means
        that the first-mover advantage is the cause."""
        if len(groups) > 1:
            listed = "; ".join(", ".join(group) for group in groups)
            why = f"these groups of players have only won or only lost against each other: {listed}"
        else:
            why = "these games do not determine the first-mover advantage beside the ratings"
        super().__init__(f"no finite ratings without a prior: {why}; choose a prior above 0")


def require_bounded(cells: Cells, anchors: IntArray, edges: IntArray) -> None:
    """Refuse games that have no highest likelihood, or not a single one.

    Args:
        cells: games that connect all players.
        anchors: players whose ratings are fixed.
        edges: board classes whose first-mover advantage is fitted.

    Raises:
        Unbounded: a rating or an advantage would be infinite, or any value does.

    """
    if not cells.a.size:
        return
    _require_strong(cells, anchors)
    if not edges.size:
        return
    free = np.ones(len(cells.players) + len(cells.classes), dtype=bool)
    free[len(cells.players) :] = False
    free[len(cells.players) + edges] = True
    # Without anchors one player is held, because only differences of ratings matter.
    free[anchors if anchors.size else [0]] = False
    rows, taken, given = _observations(cells)
    is_flat = (
        np.linalg.matrix_rank((rows.T @ rows)[np.ix_(free, free)], hermitian=True) < free.sum()
    )
    shut = (taken == 0.0) | (given == 0.0)
    signs = np.where(taken > 0.0, 1.0, -1.0)[:, None]
    if is_flat or has_ascent(better=(signs * rows)[shut][:, free], equal=rows[~shut][:, free]):
        raise Unbounded(groups=(cells.players,))


def _observations(cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what each table and seat says: its direction, and the points of A and of B."""
    players, directions, results = len(cells.players), [], []
    tables = np.arange(cells.a.size)
    for games, sign in zip(cells.results(), (1.0, -1.0), strict=True):
        rows = np.zeros((tables.size, players + len(cells.classes)))
        rows[tables, cells.a], rows[tables, cells.b] = 1.0, -1.0
        rows[tables, players + cells.board_class] = sign
        played = games.sum(axis=1) > 0.0
        directions.append(rows[played])
        results.append(games[played])
    taken = np.concatenate(results) @ _POINTS
    given = np.concatenate(results) @ _POINTS[::-1]
    return np.concatenate(directions), taken, given


def _require_strong(cells: Cells, anchors: IntArray) -> None:
    """Refuse players of whom some took no point from the others. Raises Unbounded."""
    first, second = cells.results()
    taken, given = (first + second) @ _POINTS, (first + second) @ _POINTS[::-1]
    node = np.arange(len(cells.players))
    node[anchors] = anchors.min(initial=0)
    a, b = node[cells.a], node[cells.b]
    labels = strong_groups(
        size=node.size,
        tails=np.concatenate([a[taken > 0], b[given > 0]]),
        heads=np.concatenate([b[taken > 0], a[given > 0]]),
    )
    members: dict[int, list[str]] = {}
    for name, label in zip(cells.players, labels[node].tolist(), strict=True):
        members.setdefault(label, []).append(name)
    if len(members) > 1:
        raise Unbounded(groups=tuple(tuple(group) for _, group in sorted(members.items())))
