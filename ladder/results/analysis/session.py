"""Analysis of a division's games, by threads that work on one game each.

A position that two games share is solved in the earlier one, as if there were one thread, so the
number of threads changes no verdict.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock, local
from typing import Protocol

from db.records.analysis import SolvedPosition
from db.records.games import GameQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import parse_board
from engine.solver.value import SOLVER_VERSION
from ladder.look_ahead import in_order
from ladder.results.analysis.game import Analysed, Effort, ReplayedGame, Solvers, analyse_game


@dataclass(slots=True)
class Progress:
    """The progress of an analysis."""

    label: str
    """Label of the division."""
    asked: int
    """Games to analyse, including those with verdicts."""
    waiting: int
    """Games without verdicts at the start."""
    nodes: int | None
    """Node limit for each position; None if chosen by board and free cells."""
    unrated: int = 0
    """Unrated games of the division, if they were left out."""
    other_divisions: tuple[str, ...] = ()
    """Labels of other divisions, if they were left out."""
    games: int = 0
    """Games judged in this session."""
    positions: int = 0
    """Judged positions."""
    decided: int = 0
    """Judged positions with a known result."""
    started: float = field(default_factory=time.monotonic)
    stopped: bool = False

    @property
    def seconds_left(self) -> float | None:
        """Seconds until all games are judged at the pace so far; None before the first."""
        if not self.games:
            return None
        return (time.monotonic() - self.started) / self.games * (self.waiting - self.games)


class Watcher(Protocol):
    """A receiver of the progress; see `reports.layout.progress`."""

    def started(self, state: Progress) -> None:
        """Handle the start of the analysis."""

    def tick(self, state: Progress) -> None:
        """Handle a judged position or game."""

    def ended(self, state: Progress) -> None:
        """Handle the end of the analysis, perhaps by a stop."""


@dataclass(frozen=True, slots=True)
class _OpenGame:
    """The positions of a game whose results are not stored yet."""

    keys: frozenset[bytes]
    solved: "Future[dict[bytes, SolvedPosition]]" = field(default_factory=Future)
    """The positions that were solved for this game, once it is analysed."""


@dataclass(frozen=True, slots=True)
class _GameTask:
    """A game to analyse, and what is known of its positions."""

    game_id: int
    replayed: ReplayedGame
    stored: Mapping[bytes, SolvedPosition]
    """Its positions that were stored when it was read."""
    own: _OpenGame
    earlier: Sequence[_OpenGame]
    """The earlier games that were open then, in order."""

    def known(self, key: bytes) -> SolvedPosition | None:
        """Return what is stored of a position after all earlier games; wait for those with it."""
        for game in reversed(self.earlier):
            found = game.solved.result().get(key) if key in game.keys else None
            if found is not None:
                return found
        return self.stored.get(key)


def analyse(
    store: Store,
    division: DivisionRow,
    *,
    bots: tuple[str, ...] = (),
    games: int | None = None,
    rated_only: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    is_stopped: Callable[[], bool] = lambda: False,
    watcher: Watcher,
) -> Progress:
    """Judge the games without verdicts of this solver version and node limit, newest first.

    Each game is stored when it is done. A game that is interrupted is analysed again as a whole, so
    that an interruption does not change its verdicts.

    Args:
        store: the open database.
        division: the division.
        bots: names; analyse only games of these bots. Empty for all.
        games: number of newest games to analyse; None for all.
        rated_only: analyse only rated games, if the division has any.
        nodes: node limit for each position; None to choose it by board and free cells.
        seconds: time limit; None for none.
        threads: number of threads.
        is_stopped: called before and while a position is searched; True ends the analysis.
        watcher: receives the progress.

    Raises:
        UnknownRow: a bot is unknown.

    """
    effort = Effort(nodes)
    is_listed = rated_only and division.id in store.aggregate.count_games()
    query = GameQuery(division_id=division.id, bots=bots, rated=is_listed or None)
    asked = store.analysis.games(query, SOLVER_VERSION, games)
    waiting = [one.id for one in asked if one.nodes < effort.on_board(parse_board(one.board))]
    state = Progress(division.label, len(asked), len(waiting), nodes)
    if rated_only:
        others = [other.label for other in store.divisions.all() if other.id != division.id]
        state.other_divisions = tuple(others)
    if is_listed:
        state.unrated = store.games.count_unrated().get(division.id, 0)
    lock, own = Lock(), local()
    open_games: list[_OpenGame] = []

    def is_over() -> bool:
        is_late = seconds is not None and time.monotonic() - state.started >= seconds
        return is_stopped() or is_late

    def count(is_decided: bool) -> None:
        with lock:
            state.positions += 1
            state.decided += is_decided
            watcher.tick(state)

    def tasks() -> Iterator[_GameTask]:
        for game_id in waiting:
            game = store.games.get(game_id)
            if game is None:  # its run was deleted meanwhile
                continue
            replayed = ReplayedGame.of(game)
            stored = store.analysis.solved(key for key, _ in replayed.keys)
            opened = _OpenGame(frozenset(key for key, _ in replayed.keys))
            task = _GameTask(game_id, replayed, stored, opened, tuple(open_games))
            open_games.append(opened)
            yield task

    def work(task: _GameTask) -> tuple[_GameTask, Analysed]:
        if not hasattr(own, "solvers"):
            own.solvers = Solvers()
        solved: list[SolvedPosition] = []
        try:
            made = analyse_game(task.replayed, task.known, own.solvers, effort, is_over, count)
            solved = made.solved
        finally:
            task.own.solved.set_result({position.key: position for position in solved})
        return task, made

    watcher.started(state)
    try:
        for task, made in in_order(tasks(), work, threads):
            if not made.is_complete:
                state.stopped = True
                break
            store.analysis.save(made.solved, made.verdict_on(task.game_id))
            del open_games[0]
            with lock:
                state.games += 1
                watcher.tick(state)
    finally:
        watcher.ended(state)
    return state
