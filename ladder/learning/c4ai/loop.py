"""Self-learning of c4ai: weights are mutated, and a child that wins more replaces its parent.

The settings and the number of a generation determine it, so a training resumes after the last
generation in its log.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from bots.c4ai.selfplay import Selfplay
from bots.c4ai.weights import LIMIT, Weights
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


STEP = 5
"""Largest change of a weight by the first mutation after a replacement."""
_MUTATION = 1
"""Number of the random stream of mutations; `ladder.learning.c4ai.loop` has that of games."""

PlayTrial = Callable[[int, Weights, Weights], Score]
"""A function that plays a trial, given the generation's number, the child and its parent."""


class GenerationTiming(msgspec.Struct, frozen=True):
    """The fields of a generation that depend on the clock."""

    seconds: float


class Generation(msgspec.Struct, frozen=True):
    """The trial of one child: a line of the log."""

    generation: int
    """Number, from 1 on."""
    child: Weights
    wins: int
    """Games that the child won."""
    draws: int
    losses: int
    replaced: bool
    weights: Weights
    """The parent of the next generation."""
    unbeaten: int
    """Generations since the weights last changed, including this one."""
    timing: GenerationTiming


@dataclass(slots=True)
class TrainingState:
    """The progress of a training, for the loop and for displays."""

    settings: TrainingSettings
    weights: Weights
    target: int
    """Total number of generations wanted."""
    generation: int = 0
    unbeaten: int = 0
    changes: int = 0
    generations_before: int = 0
    """Generations in the log when this process began."""
    started: float = field(default_factory=time.monotonic)

    def add(self, generation: Generation) -> None:
        """Add a finished generation."""
        self.generation = generation.generation
        self.weights = generation.weights
        self.unbeaten = generation.unbeaten
        self.changes += generation.replaced

    @property
    def games_per_second(self) -> float | None:
        """Speed of this process, None before its first generation."""
        done = self.generation - self.generations_before
        seconds = time.monotonic() - self.started
        return done * self.settings.games_per_trial / seconds if done and seconds > 0 else None


def mutate(weights: Weights, unbeaten: int, random: SplitMix) -> Weights:
    """Return a child: each weight moved at random, uniformly within 5 * (unbeaten + 1)."""
    span = STEP * (unbeaten + 1)
    return Weights(
        *(max(-LIMIT, min(LIMIT, one + random.below(2 * span + 1) - span)) for one in weights)
    )


def train(state: TrainingState, play: PlayTrial) -> Iterator[Generation]:
    """Yield the missing generations; the caller adds each to the state."""
    while state.generation < state.target:
        began = time.perf_counter()
        number = state.generation + 1
        random = SplitMix(mix(state.settings.seed, number, _MUTATION))
        child = mutate(state.weights, state.unbeaten, random)
        score = play(number, child, state.weights)
        replaced = score.wins > score.losses
        yield Generation(
            generation=number,
            child=child,
            wins=score.wins,
            draws=score.draws,
            losses=score.losses,
            replaced=replaced,
            weights=child if replaced else state.weights,
            unbeaten=0 if replaced else state.unbeaten + 1,
            timing=GenerationTiming(round(time.perf_counter() - began, 6)),
        )


def format_note(state: TrainingState) -> str:
    """Return the note on the bot that is registered after a training."""
    settings = state.settings
    return (
        f"weights after {state.generation} generations on {settings.boards} at depth "
        f"{settings.depth}, seed {settings.seed}"
    )
