"""Self-learning of c4ai: weights are mutated, and a child that wins more replaces its parent.

All of a training follows from its settings and the numbers of its generations, so that its log is
all that has to be kept: it is resumed after the last generation that the log holds whole.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from bots.c4ai.weights import LIMIT, Weights
from engine.seeds import SplitMix, mix
from ladder.learning.c4ai.settings import TrainingSettings
from ladder.learning.c4ai.trials import Score

STEP = 5
"""How far the first mutation after a change may move a weight."""
_MUTATION = 1
"""The stream of mutations; that of games is in `ladder.learning.c4ai.trials`."""

PlayTrial = Callable[[int, Weights, Weights], Score]
"""Plays a child against its parent: the number of the generation, the child, the parent."""


class GenerationTiming(msgspec.Struct, frozen=True):
    """The part of a generation that depends on the clock."""

    seconds: float


class Generation(msgspec.Struct, frozen=True):
    """One trial of a child, a line of a log."""

    generation: int
    """From 1 on."""
    child: Weights
    wins: int
    """Of the child."""
    draws: int
    losses: int
    replaced: bool
    weights: Weights
    """The parent of the next generation."""
    unbeaten: int
    """Generations since the weights last changed, this one included."""
    timing: GenerationTiming


@dataclass(slots=True)
class TrainingState:
    """Where a training stands, for the loop and for whoever watches."""

    settings: TrainingSettings
    weights: Weights
    target: int
    """Generations in all."""
    generation: int = 0
    unbeaten: int = 0
    changes: int = 0
    generations_before: int = 0
    """Those that were there when this process began."""
    started: float = field(default_factory=time.monotonic)

    def take(self, one: Generation) -> None:
        """Note a generation."""
        self.generation = one.generation
        self.weights = one.weights
        self.unbeaten = one.unbeaten
        self.changes += one.replaced

    @property
    def games_a_second(self) -> float | None:
        """Of this process so far; None before its first generation."""
        done = self.generation - self.generations_before
        seconds = time.monotonic() - self.started
        return done * self.settings.games_per_trial / seconds if done and seconds > 0 else None


class TrainingWatcher(Protocol):
    """The interface of a display of a training."""

    def started(self, state: TrainingState) -> None:
        """The training begins or goes on."""

    def tick(self, state: TrainingState) -> None:
        """A generation is over."""

    def ended(self, state: TrainingState) -> None:
        """The training stops."""


def mutated(weights: Weights, unbeaten: int, random: SplitMix) -> Weights:
    """A child: each weight moves by a uniform whole number within 5 * (unbeaten + 1)."""
    span = STEP * (unbeaten + 1)
    return Weights(
        *(max(-LIMIT, min(LIMIT, one + random.below(2 * span + 1) - span)) for one in weights)
    )


def train(state: TrainingState, play: PlayTrial) -> Iterator[Generation]:
    """The generations that are missing, one after the other; the caller notes each in the state.

    Args:
        state: where the training stands.
        play: plays the games of a trial.

    """
    while state.generation < state.target:
        began = time.perf_counter()
        number = state.generation + 1
        random = SplitMix(mix(state.settings.seed, number, _MUTATION))
        child = mutated(state.weights, state.unbeaten, random)
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


def note_of(state: TrainingState) -> str:
    """A line about a training for the bot that comes of it."""
    settings = state.settings
    return (
        f"weights after {state.generation} generations on {settings.boards} at depth "
        f"{settings.depth}, seed {settings.seed}"
    )
