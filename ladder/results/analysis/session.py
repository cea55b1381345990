"""Analysing the games of a division, one after the other, until a stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from db.records.analysis import AnalysisQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.solver.value import SOLVER_VERSION
from ladder.results.analysis.game import Solvers, analyse_game

DEFAULT_NODES = 200_000
"""For one position."""


@dataclass(slots=True)
class Progress:
    """How far an analysis has come."""

    label: str
    """Of the division."""
    asked: int
    """Games that were asked for."""
    waiting: int
    """Those without verdicts at the start."""
    nodes: int
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
        """After every game."""

    def ended(self, state: Progress) -> None:
        """The last call, also after a stop."""


def analyse(
    store: Store,
    division: DivisionRow,
    *,
    bots: tuple[str, ...] = (),
    games: int | None = None,
    nodes: int = DEFAULT_NODES,
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
        games: only so many of the newest.
        nodes: the most for one position.
        seconds: time after which no position is begun; None: no such end.
        is_stopped: asked before each position.
        watcher: is told how far the work has come.

    Raises:
        UnknownRow: a bot is not there.

    """
    query = AnalysisQuery(division.id, SOLVER_VERSION, nodes, bots, games)
    waiting, asked = store.analysis.waiting(query)
    state = Progress(division.label, asked, len(waiting), nodes)
    solvers = Solvers()

    def is_over() -> bool:
        is_late = seconds is not None and time.monotonic() - state.started >= seconds
        return is_stopped() or is_late

    watcher.started(state)
    try:
        for game_id in waiting:
            game = store.games.get(game_id)
            if game is None:  # its run was deleted meanwhile
                continue
            made = analyse_game(game, store.analysis.solved, solvers, nodes, is_over)
            if made.verdict is None:
                state.stopped = True
                break
            store.analysis.keep(made.solved, made.verdict)
            state.positions += made.positions
            state.decided += made.decided
            state.games += 1
            watcher.tick(state)
    finally:
        watcher.ended(state)
    return state
