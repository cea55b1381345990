"""Trials: games of a child against its parent, in this process or in a worker process."""

from typing import NamedTuple

from bots.c4ai.selfplay import Selfplay
from bots.c4ai.weights import Weights
from db.records.runs import plies_of_opening
from engine.board import Board, BoardClass, parse_board_classes
from engine.opening import draw_opening
from engine.seeds import SplitMix, mix
from ladder.learning.c4ai.settings import TrainingSettings
from ladder.match.process.worker_pool import WorkerPool, wait_for_result

_GAMES = 2
"""Number of the random stream of boards and openings; `ladder.learning.c4ai.loop` has another."""


class Score(NamedTuple):
    """The results of a trial, from the child's view."""

    wins: int
    draws: int
    losses: int


class Trials:
    """Trials played in this process; a stop takes effect only between moves."""

    def __init__(self, settings: TrainingSettings) -> None:
        self._settings = settings
        self._classes: tuple[BoardClass, ...] = parse_board_classes(settings.boards)
        self._known: dict[Board, Selfplay] = {}

    def play(self, generation: int, child: Weights, parent: Weights) -> Score:
        """Play the trial of a generation.

        Raises:
            OpeningError: the opening is too long for a board.

        """
        settings = self._settings
        counts = [0, 0, 0]
        for pair in range(settings.games_per_trial // 2):
            random = SplitMix(mix(settings.seed, generation, _GAMES, pair))
            board_class = random.choice(self._classes)
            board = board_class.draw(random)
            plies = plies_of_opening(settings.opening_plies, board_class)
            opening = draw_opening(board, plies, random)
            games = self._selfplay_on(board, keep=not board_class.varies)
            for child_first in (True, False):
                first, second = (child, parent) if child_first else (parent, child)
                result = games.play(first, second, opening=opening, depth=settings.depth)
                counts[1 - (result if child_first else -result)] += 1
        return Score(*counts)

    def _selfplay_on(self, board: Board, *, keep: bool) -> Selfplay:
        known = self._known.get(board)
        if known is None:
            known = Selfplay(board)
            if keep:
                self._known[board] = known
        return known


class TrialsInWorker:
    """Trials played in a worker process, which a stop ends even during a move."""

    def __init__(self, settings: TrainingSettings) -> None:
        self._pool = WorkerPool(1, _prepare, settings)

    def play(self, generation: int, child: Weights, parent: Weights) -> Score:
        """Play the trial of a generation.

        Raises:
            Stopped: the user stopped the command; the trial is lost.
            LadderError: the worker process was killed.

        """
        return wait_for_result(self._pool, self._pool.call(_play, generation, child, parent))

    def close(self) -> None:
        """Kill the worker process."""
        self._pool.kill()


_trials: Trials | None = None


def _prepare(settings: TrainingSettings) -> None:
    global _trials
    _trials = Trials(settings)


def _play(generation: int, child: Weights, parent: Weights) -> Score:
    assert _trials is not None, "the worker begins with _prepare"  # noqa: S101
    return _trials.play(generation, child, parent)
