"""Review of one game: its analysis within a time, and estimates where that stays open."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from bots.champion import CHAMPION
from bots.warm import is_warm
from db.records.games import GameRow
from db.store import Store
from engine.position import Position
from ladder.errors import UsageError
from ladder.openings.draw import search_value
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.game import Analysed, Effort, ReplayedGame, Solvers, analyse_game
from ladder.results.analysis.verdict import Bounds, best_bounds, outcome_of

SECONDS = 10.0
"""Processor time of the solver for a game: hardly ever used up, but for the first plies of the
standard board."""
SIMULATIONS = 30_000
"""Simulations of the champion for a position: some 100 ms."""


@dataclass(slots=True)
class ReviewProgress:
    """The progress of a review."""

    positions: int
    """Positions of the game after its opening."""
    solved: int = 0
    """Positions that the solver has worked on."""
    decided: int = 0
    """Positions with a known result."""
    estimated: int = 0
    """Positions that the champion has estimated."""
    is_compiling: bool = False
    """Whether kernels are compiled, some 20 seconds, once."""

    @property
    def to_estimate(self) -> int:
        """Positions without a known result, once all have been solved."""
        return self.positions - self.decided if self.solved == self.positions else 0


@dataclass(frozen=True, slots=True)
class ReviewLimits:
    """The limits of a review."""

    nodes: int | None = None
    """The solver's node limit for a position; None to choose it by board and free cells."""
    seconds: float = SECONDS
    """The solver's processor time for all positions."""


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game."""

    analysed: Analysed
    truth: GameTruth


def review_game(
    store: Store,
    game: GameRow,
    limits: ReviewLimits,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    on_progress: Callable[[ReviewProgress], None] = lambda _: None,
) -> Review | None:
    """Solve the positions of a game, and let the champion estimate those that stay unproven.

    Positions that are stored with as many nodes are not solved again. Nothing is stored.

    Args:
        store: holds solved positions.
        game: a game with its thoughts.
        limits: the limits of the solver.
        is_stopped: called at least every second, except while kernels are compiled; True ends the
            review, which then returns None.
        on_progress: called after each position.

    Raises:
        UsageError: the game has no moves after its opening.
        EngineError: a stored move is not legal.

    """
    replayed = ReplayedGame.of(game)
    if not replayed.positions:
        raise UsageError(
            f"game {game.id} has no moves after its opening: there is nothing to analyse"
        )
    progress = ReviewProgress(len(replayed.positions))

    def on_compile() -> None:
        progress.is_compiling = True
        on_progress(progress)

    def on_position(is_decided: bool) -> None:
        progress.is_compiling = False
        progress.solved += 1
        progress.decided += is_decided
        on_progress(progress)

    stored = store.analysis.solved(key for key, _ in replayed.keys)
    solvers = Solvers(on_compile=on_compile)
    started = time.process_time()
    on_progress(progress)
    made = analyse_game(
        replayed,
        stored.get,
        solvers,
        Effort(limits.nodes),
        is_stopped,
        on_position,
        lambda: time.process_time() - started - solvers.prepare_s >= limits.seconds,
    )
    if not made.is_complete:
        return None
    progress.is_compiling = progress.to_estimate > 0 and not is_warm([CHAMPION])
    on_progress(progress)
    estimates: list[float | None] = []
    for position, columns in zip(replayed.positions, made.columns, strict=True):
        if is_stopped():
            return None
        best = best_bounds(columns)
        is_open = best.outcome is None
        estimates.append(_estimate(position, best) if is_open else None)
        progress.estimated += is_open
        progress.is_compiling = progress.is_compiling and not progress.estimated
        on_progress(progress)
    return Review(made, GameTruth(made.columns, made.verdicts, estimates))


def _estimate(position: Position, bounds: Bounds) -> float | None:
    """Return the champion's value of a position, within its proven bounds."""
    value = search_value(position, player=CHAMPION, simulations=SIMULATIONS)
    if value is None:
        return None
    return float(min(max(value, outcome_of(bounds.low)), outcome_of(bounds.high)))


def save_review(store: Store, game: GameRow, made: Analysed) -> None:
    """Store what a review has solved, and the verdicts on a stored game.

    Raises:
        DatabaseError: the database cannot be written.

    """
    if not game.id:
        store.analysis.save(made.solved)
    elif made.solved or not store.analysis.judged(game.division_id, games=[game.id]):
        store.analysis.save(made.solved, made.verdict_on(game.id))
