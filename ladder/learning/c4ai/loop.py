"""Self-learning of c4ai: weights are mutated, and a child that wins more replaces its parent.

The settings and the number of a generation determine it. The folder of a training holds::

    generations.jsonl   the settings on the first line, then one generation per line
    weights.csv         the current weights

The log grows by one line at a time, so a killed training loses at most the generation in play; an
incomplete last line, as a power failure may leave it, is dropped.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from bots.c4ai.player import Selfplay
from bots.c4ai.weights import LIMIT, Weights
from bots.catalogue import with_options
from db.records.runs import plies_of_opening
from engine.board_class import parse_board_classes
from engine.opening import draw_opening
from engine.seeds import SplitMix, mix
from ladder.errors import UsageError
from ladder.learning.c4ai.settings import TrainingSettings
from ladder.learning.training_folder import LOG, lock_folder, parse_line, write_file

WEIGHTS = "weights.csv"
STEP = 5
"""Largest change of a weight by the first mutation after a replacement."""
_MUTATION, _GAMES = 1, 2
"""Numbers of the random streams."""
_DAMAGED = "the log is damaged: choose another folder, or delete this line and all that follow"


class Score(NamedTuple):
    """The results of a trial, from the child's view."""

    wins: int
    draws: int
    losses: int


PlayTrial = Callable[[TrainingSettings, int, Weights, Weights], Score]
"""A function that plays a trial, as `play_trial` does."""


def play_trial(
    settings: TrainingSettings, generation: int, child: Weights, parent: Weights
) -> Score:
    """Play the trial of a generation.

    Raises:
        OpeningError: the opening is too long for a board.

    """
    counts = [0, 0, 0]
    for pair in range(settings.games_per_trial // 2):
        random = SplitMix(mix(settings.seed, generation, _GAMES, pair))
        board_class = random.choice(parse_board_classes(settings.boards))
        board = board_class.draw(random)
        plies = plies_of_opening(settings.opening_plies, board_class)
        opening = draw_opening(board, plies, random)
        for child_first in (True, False):
            first, second = (child, parent) if child_first else (parent, child)
            games = _selfplay_on(board)
            result = games.play(first, second, opening=opening, depth=settings.depth)
            counts[1 - (result if child_first else -result)] += 1
    return Score(*counts)


_selfplay_on = lru_cache(maxsize=16)(Selfplay)


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
        score = play(state.settings, number, child, state.weights)
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


class TrainingLog:
    """The open log of one training."""

    def __init__(self, folder: Path, file: BinaryIO, state: TrainingState) -> None:
        self._file = file
        self._weights = folder / WEIGHTS
        self.state = state

    def add(self, generation: Generation) -> None:
        """Write a generation to the log and add it to the state."""
        self._file.write(msgspec.json.encode(generation) + b"\n")
        self.state.add(generation)
        if generation.replaced:
            self.write_weights()

    def write_weights(self) -> None:
        """Write the current weights to their file."""
        write_file(self._weights, f"{self.state.weights}\n".encode("ascii"))


@contextmanager
def open_log(folder: Path, settings: TrainingSettings, target: int) -> Iterator[TrainingLog]:
    """Begin or resume a training; no other process can until the block ends.

    Args:
        folder: created if it does not exist.
        settings: those of the log, if there is one (see `ladder.learning.c4ai.settings`).
        target: total number of generations wanted.

    Raises:
        UsageError: the folder cannot be written, another process trains in it, or its log is
            damaged.

    """
    path = folder / LOG
    with lock_folder(folder):
        try:
            file = open(path, "a+b", buffering=0)  # noqa: SIM115 - closed below
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}", option="output"
            ) from error
        with file:
            log = TrainingLog(folder, file, _read_state(path, file, settings, target))
            log.write_weights()
            yield log
            os.fsync(file.fileno())


def _read_state(
    path: Path, file: BinaryIO, settings: TrainingSettings, target: int
) -> TrainingState:
    state = TrainingState(settings, settings.start, target)
    file.seek(0)
    content = file.read()
    complete = content.rfind(b"\n") + 1
    file.truncate(complete)
    lines = content[:complete].splitlines()
    if not lines:
        file.write(msgspec.json.encode(settings) + b"\n")
    elif parse_line(lines[0], TrainingSettings, path, 1, _DAMAGED) != settings:
        raise UsageError(
            f"{path} is the log of another training: choose another folder", option="output"
        )
    for number, line in enumerate(lines[1:], start=2):
        generation = parse_line(line, Generation, path, number, _DAMAGED)
        if generation.generation != number - 1:
            raise UsageError(
                f"{path}, line {number}: generation {generation.generation} stands in place of "
                f"{number - 1}: {_DAMAGED}",
                option="output",
            )
        state.add(generation)
    state.generations_before = state.generation
    return state


def format_spec(folder: Path) -> str:
    """Return the specification of the bot that plays with a training's weights."""
    return "builtin:" + with_options("c4ai", {"weights": folder / WEIGHTS})


def format_note(state: TrainingState) -> str:
    """Return the note on the bot that is registered after a training."""
    settings = state.settings
    return (
        f"weights after {state.generation} generations on {settings.boards} at depth "
        f"{settings.depth}, seed {settings.seed}"
    )
