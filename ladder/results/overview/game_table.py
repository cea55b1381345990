"""The columns of all games that people filter by, in memory: any filter answers in milliseconds.

An index for each filter would cost every stored pair; these 48 bytes a game cost only the process
that shows games, and only for the latest million. The table is read once, in short steps, and then
follows: games are only ever added, in ascending order of their ids, unless a whole run is deleted,
which is noticed. The truth stays in the database: whatever is found here is read there under the
same conditions.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from db.records.games import GameKeys, GameQuery, GameSummary
from db.store import Store
from engine.result import FORFEITS, Result, Termination

STEP = 5_000
"""Games that are read at a time."""
MOST = 1_000_000
"""Games that a table keeps; it may have an eighth more for a while."""

RESULTS = {each.value: code for code, each in enumerate(Result)}
TERMINATIONS = {each.value: code for code, each in enumerate(Termination)}
COLUMNS: dict[str, Any] = {
    "id": np.int64,
    "run": np.int64,
    "division": np.int32,
    "first": np.int32,
    "second": np.int32,
    "board": np.int32,
    "board_class": np.int32,
    "result": np.int8,
    "termination": np.int8,
    "plies": np.int16,
    "started": np.float64,
}
Mask = npt.NDArray[np.bool_]


class Newest(NamedTuple):
    """The newest games that fit, among those of a table."""

    games: Sequence[GameSummary]
    """The one stored last first."""
    down_to: int
    """Older games than the one of this id are not in the table; 0: it has all."""


class GameTable:
    """The table of one database. Any thread may ask; all methods take a store of its own."""

    _last: int
    """The highest id that was read; before the first read 0."""
    _down_to: int
    """The id below which no game is in the table, as in `Newest`."""

    def __init__(self, most: int = MOST) -> None:
        """An empty table that keeps the latest games, at least so many."""
        self._most = most
        self._lock = threading.Lock()
        self._runs: dict[int, float] = {}
        """The starts of the runs, by which deleted ones are noticed."""
        self._clear()

    @property
    def count(self) -> int:
        """Games in the table."""
        return self._count

    def catch_up(self, store: Store) -> bool:
        """Read what is new, at most one step; False: there is more."""
        with self._lock:
            runs = {run.id: run.started_at for run in store.runs.find()}
            if any(runs.get(run) != begun for run, begun in self._runs.items()):
                self._clear()
            self._runs = runs
            if not self._last:
                self._last = self._down_to = max(store.games.last_id() - self._most, 0)
            rows = store.games.keys(after=self._last, limit=STEP)
            if rows:
                self._append(rows)
            return len(rows) < STEP

    def newest(self, store: Store, query: GameQuery, limit: int) -> Newest:
        """At most `limit` of the games that fit.

        Raises:
            UnknownRow: the query names a bot or a run that is not there.

        """
        ours = None if query.bot is None else store.bots.revisions(query.bot)
        theirs = None if query.opponent is None else store.bots.revisions(query.opponent)
        with self._lock:
            places = self._places(query, ours, theirs)[-limit:]
            ids = tuple(int(each) for each in self._columns["id"][places])
            down_to = self._down_to
        return Newest(store.games.newest(replace(query, ids=ids), limit), down_to)

    def _clear(self) -> None:
        self._columns = {name: np.empty(0, kind) for name, kind in COLUMNS.items()}
        self._count = self._last = self._down_to = 0
        self._runs = {}
        self._boards: dict[str, int] = {}

    def _append(self, rows: Sequence[GameKeys]) -> None:
        total = self._count + len(rows)
        if total > len(self._columns["id"]):
            room = max(total, self._count + self._count // 4)
            for name, column in self._columns.items():
                grown = np.empty(room, column.dtype)
                grown[: self._count] = column[: self._count]
                self._columns[name] = grown
        read = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
        boards = self._boards
        for name in ("board", "board_class"):
            read[name] = tuple(boards.setdefault(text, len(boards)) for text in read[name])
        read["result"] = tuple(map(RESULTS.__getitem__, read["result"]))
        read["termination"] = tuple(map(TERMINATIONS.__getitem__, read["termination"]))
        for name, column in self._columns.items():
            column[self._count : total] = read[name]
        self._count = total
        self._last = rows[-1].id
        if total > self._most + self._most // 8:
            self._drop(total - self._most)

    def _drop(self, oldest: int) -> None:
        """Keep all but so many of the oldest games."""
        self._down_to = int(self._columns["id"][oldest - 1])
        self._columns = {
            name: column[oldest : self._count].copy() for name, column in self._columns.items()
        }
        self._count -= oldest

    def _places(
        self, query: GameQuery, ours: Sequence[int] | None, theirs: Sequence[int] | None
    ) -> npt.NDArray[np.intp]:
        """The places in the table of the games that fit, ascending."""
        end = self._count
        if query.before is not None:
            end = int(np.searchsorted(self._columns["id"][:end], query.before))
        columns = {name: column[:end] for name, column in self._columns.items()}
        fits: Mask = np.ones(end, np.bool_)
        if query.run_id is not None:
            fits &= columns["run"] == query.run_id
        if query.division_id is not None:
            fits &= columns["division"] == query.division_id
        if query.since is not None:
            fits &= columns["started"] >= query.since
        if query.board is not None:
            code = self._boards.get(query.board, -1)
            fits &= (columns["board"] == code) | (columns["board_class"] == code)
        if query.termination is not None:
            fits &= columns["termination"] == TERMINATIONS[query.termination.value]
        if query.forfeit:
            fits &= np.isin(columns["termination"], [TERMINATIONS[each.value] for each in FORFEITS])
        if query.shortest is not None:
            fits &= columns["plies"] >= query.shortest
        if query.longest is not None:
            fits &= columns["plies"] <= query.longest
        if ours is None:
            if query.result is not None:
                fits &= columns["result"] == RESULTS[query.result.value]
            return np.flatnonzero(fits)
        first, second = np.isin(columns["first"], ours), np.isin(columns["second"], ours)
        if theirs is not None:
            first &= np.isin(columns["second"], theirs)
            second &= np.isin(columns["first"], theirs)
        if query.result is not None:
            first &= columns["result"] == RESULTS[query.result.value]
            second &= columns["result"] == RESULTS[query.result.mirrored.value]
        if query.moved_first is not None:
            fits &= first if query.moved_first else second
        else:
            fits &= first | second
        return np.flatnonzero(fits)
