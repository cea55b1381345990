"""The input of a pool rating: numbers of results for every two players.

Pairs of games come as 3x3 tables (`from_tables`), single games as losses, draws and wins
(`from_games`). Both become `Cells`, where a cell is an outcome of a cluster: the unit (pair or
game) within which results may depend on each other.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray, IntArray


class Disconnected(UsageError):
    """No games connect these groups, so they cannot be rated together."""

    def __init__(self, *, groups: tuple[tuple[str, ...], ...]) -> None:
        self.groups = groups
        listed = "; ".join(", ".join(group) for group in groups)
        super().__init__(
            f"the games do not connect these groups of players: {listed}; play games between them, "
            "or rate each group alone"
        )


@dataclass(frozen=True)
class Cells:
    """Numbers of clusters of T tables by K possible outcomes."""

    players: tuple[str, ...]
    classes: tuple[str, ...]
    """Board classes, each with its own first-mover advantage."""
    a: IntArray
    """Index of the player who moves first in the first game, shape (T,)."""
    b: IntArray
    board_class: IntArray
    counts: FloatArray
    """Number of clusters by outcome, shape (T, K)."""
    first: IntArray
    """A's result (0, 1, 2) moving first, by outcome, shape (K,)."""
    second: IntArray | None
    """A's result moving second, by outcome, shape (K,); None if clusters are single games."""
    repeats: FloatArray | None = None
    """How often each table holds the same cluster on average, shape (T,); None: once. Equal
    clusters, as deterministic players make them, are one observation."""

    @property
    def clusters(self) -> FloatArray:
        """Number of clusters of each table, shape (T,)."""
        return np.asarray(self.counts.sum(axis=1))

    def results(self) -> tuple[FloatArray, FloatArray]:
        """Return games by A's result (loss, draw, win), moving first and second: (T, 3) each."""
        ones = np.eye(3)
        first = self.counts @ ones[self.first]
        if self.second is None:
            return first, np.zeros_like(first)
        return first, self.counts @ ones[self.second]

    def among(self, players: Collection[str]) -> "Cells":
        """Return the games between these players only, sorted by name."""
        names = sorted(players)
        index = {name: place for place, name in enumerate(names)}
        place = np.array([index.get(name, -1) for name in self.players])
        a, b = place[self.a], place[self.b]
        kept = (a >= 0) & (b >= 0)
        return replace(
            self,
            players=tuple(names),
            a=a[kept],
            b=b[kept],
            board_class=self.board_class[kept],
            counts=self.counts[kept],
            repeats=None if self.repeats is None else self.repeats[kept],
        )

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Return games and points (draws half) of each player, shape (players,) each."""
        first, second = self.results()
        both = first + second
        points = both @ np.array([0.0, 0.5, 1.0])
        games = both.sum(axis=1)
        size = len(self.players)
        return tally(self.a, self.b, games, games, size), tally(
            self.a, self.b, points, games - points, size
        )


def tally(a: IntArray, b: IntArray, of_a: FloatArray, of_b: FloatArray, size: int) -> FloatArray:
    """Sum the values of the tables' players A and B by player, shape (size,)."""
    summed = np.zeros(size)
    np.add.at(summed, a, of_a)
    np.add.at(summed, b, of_b)
    return summed


def from_tables(
    *,
    players: Sequence[str],
    a: ArrayLike,
    b: ArrayLike,
    counts: ArrayLike,
    board_class: ArrayLike | None = None,
    classes: Sequence[str] = ("all",),
) -> Cells:
    """Return the cells of T tables of pairs.

    `a` and `b` are indices into `players`, shape (T,); `counts[t][i][j]` is the number of pairs in
    which A got result i (0 loss, 1 draw, 2 win) moving first and j moving second, shape (T, 3, 3);
    `board_class` are indices into `classes`, shape (T,), by default all 0. Two players may have
    several tables, in either order.

    Raises:
        UsageError: shapes, indices or counts are invalid.

    """
    cells = np.asarray(counts, dtype=np.float64).reshape(-1, 3, 3)
    outcome = np.arange(9)
    return _checked(
        players, a, b, cells.reshape(-1, 9), board_class, classes, outcome // 3, outcome % 3
    )


def from_named_tables(tables: Iterable[tuple[str, str, str, ArrayLike]]) -> Cells:
    """Return the cells of tables of pairs: names of A and B, board class, nine counts of outcomes.

    Players and classes are sorted; the counts are those of `from_tables`.

    Raises:
        UsageError: counts are invalid, or a player meets itself.

    """
    rows = list(tables)
    players = sorted({name for a, b, _, _ in rows for name in (a, b)})
    classes = sorted({board_class for _, _, board_class, _ in rows})
    index = {name: place for place, name in enumerate(players)}
    return from_tables(
        players=players,
        a=[index[a] for a, _, _, _ in rows],
        b=[index[b] for _, b, _, _ in rows],
        counts=np.array([counts for _, _, _, counts in rows], dtype=np.float64),
        board_class=[classes.index(board_class) for _, _, board_class, _ in rows],
        classes=classes,
    )


def from_games(
    *, players: Sequence[str], first: ArrayLike, second: ArrayLike, counts: ArrayLike
) -> Cells:
    """Return the cells of single games, each a cluster of its own.

    `counts[t]` are the (losses, draws, wins) of `first[t]`, who moved first (White), against
    `second[t]`, shape (T, 3).

    Raises:
        UsageError: shapes, indices or counts are invalid.

    """
    cells = np.asarray(counts, dtype=np.float64).reshape(-1, 3)
    return _checked(players, first, second, cells, None, ("all",), np.arange(3), None)


def _checked(
    players: Sequence[str],
    a: ArrayLike,
    b: ArrayLike,
    counts: FloatArray,
    board_class: ArrayLike | None,
    classes: Sequence[str],
    first: IntArray,
    second: IntArray | None,
) -> Cells:
    left = np.asarray(a, dtype=np.int64).reshape(-1)
    right = np.asarray(b, dtype=np.int64).reshape(-1)
    kind = np.zeros_like(left) if board_class is None else np.asarray(board_class, dtype=np.int64)
    if not left.shape == right.shape == kind.shape == counts.shape[:1]:
        raise UsageError("every table needs two players, a board class and its counts")
    if len(set(players)) != len(players):
        raise UsageError("every player may be listed only once")
    if not np.all(np.isfinite(counts)) or np.any(counts < 0):
        raise UsageError("counts must be finite numbers, none below 0")
    for indices, names in ((left, players), (right, players), (kind, classes)):
        if indices.size and not (indices.min() >= 0 and indices.max() < len(names)):
            raise UsageError("a table names a player or board class that is not listed")
    if np.any(left == right):
        raise UsageError("a player has no rating against itself")
    kept = counts.sum(axis=1) > 0
    return Cells(
        players=tuple(players),
        classes=tuple(classes),
        a=left[kept],
        b=right[kept],
        board_class=kind[kept],
        counts=counts[kept],
        first=first,
        second=second,
    )


def groups(*, cells: Cells) -> tuple[tuple[str, ...], ...]:
    """Return the groups of players that games connect, the largest first."""
    label = np.arange(len(cells.players))
    while True:
        low = np.minimum(label[cells.a], label[cells.b])
        new = label.copy()
        np.minimum.at(new, cells.a, low)
        np.minimum.at(new, cells.b, low)
        new = new[new]
        if np.array_equal(new, label):
            break
        label = new
    members: dict[int, list[str]] = {}
    for name, root in zip(cells.players, label.tolist(), strict=True):
        members.setdefault(root, []).append(name)
    return tuple(tuple(m) for m in sorted(members.values(), key=len, reverse=True))


def require_connected(*, cells: Cells) -> None:
    """Raise Disconnected with the groups unless games connect all players."""
    found = groups(cells=cells)
    if len(found) > 1:
        raise Disconnected(groups=found)
