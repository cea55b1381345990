"""Analysing the games of a division, one after the other, until a stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from db.records.analysis import AnalysisQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import parse_board
from engine.solver.value import SOLVER_VERSION
from ladder.results.analysis.game import Effort, Solvers, analyse_game


@dataclass(slots=True)
class Progress:
    """How far an analysis has come."""

    label: str
    """Of the division."""
    asked: int
    """Games that were asked for."""
    waiting: int
    """Those without verdicts at the start."""
    nodes: int | None
    """The most for one position; None: chosen by its board and free cells."""
    unrated: int = 0
    """Games of the division that were left out because they are not in its rating list."""
    other_divisions: tuple[str, ...] = ()
    """The divisions that were left out because the rating list is that of this one."""
    games: int = 0
    """Games judged in this session."""
    positions: int = 0
    """Positions looked at."""
    decided: int = 0
    """Those whose result is known."""
    started: float = field(default_factory=time.monotonic)
    stopped: bool = False

    @property
    def seconds_left(self) -> float | None:
        """Until all games are judged, at the pace so far; None before the first."""
        if not self.games:
            return None
        return (time.monotonic() - self.started) / self.games * (self.waiting - self.games)


class Watcher(Protocol):
    """Is told how far the work has come; see `reports.layout.progress`."""

    def started(self, state: Progress) -> None:
        """The first call."""

    def tick(self, state: Progress) -> None:
        """After every position and every game."""

    def ended(self, state: Progress) -> None:
        """The last call, also after a stop."""


def analyse(
    store: Store,
    division: DivisionRow,
    *,
    bots: tuple[str, ...] = (),
    games: int | None = None,
    rated_only: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    watcher: Watcher,
) -> Progress:
    """Judge the games that have no verdicts of this solver and as many nodes yet, newest first.

    Each game is stored when it is done. One that is interrupted is analysed again from its end, so
    that the verdicts are those of an analysis that nothing interrupts.

    Args:
        store: the open database.
        division: whose games.
        bots: only games of these.
        games: at most N of the newest.
        rated_only: only the games of the rating list, if it has any.
        nodes: the most for one position; None: chosen by its board and free cells.
        seconds: time after which no position is begun; None: no such end.
        is_stopped: asked before each position.
        watcher: is told how far the work has come.

    Raises:
        UnknownRow: a bot is not there.

    """
    effort = Effort(nodes)
    is_listed = rated_only and division.id in store.aggregate.count_games()
    query = AnalysisQuery(division.id, SOLVER_VERSION, bots, games, is_listed)
    asked = store.analysis.games(query)
    waiting = [one.id for one in asked if one.nodes < effort.on_board(parse_board(one.board))]
    state = Progress(division.label, len(asked), len(waiting), nodes)
    if rated_only:
        others = [other.label for other in store.divisions.all() if other.id != division.id]
        state.other_divisions = tuple(others)
    if is_listed:
        state.unrated = store.games.count_unrated().get(division.id, 0)
    solvers = Solvers()

    def is_over() -> bool:
        is_late = seconds is not None and time.monotonic() - state.started >= seconds
        return is_stopped() or is_late

    def count(is_decided: bool) -> None:
        state.positions += 1
        state.decided += is_decided
        watcher.tick(state)

    watcher.started(state)
    try:
        for game_id in waiting:
            game = store.games.get(game_id)
            if game is None:  # its run was deleted meanwhile
                continue
            made = analyse_game(game, store.analysis.solved, solvers, effort, is_over, count)
            if made.verdict is None:
                state.stopped = True
                break
            store.analysis.save(made.solved, made.verdict)
            state.games += 1
            watcher.tick(state)
    finally:
        watcher.ended(state)
    return state
