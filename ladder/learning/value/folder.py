"""The folder of a training. Files are written as a whole, so a killed process loses at most one.

::

    settings.json            the settings that identify the training
    games/GG-BBBBB.jsonl     the games of a block of a generation
    weights-GG.npz           the weights after a generation
    generations.jsonl        the quality of each generation
    weights.npz              the weights after the last generation
    weights.json             the record of how they were made
    training.html            the training as a page with charts
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from bots.catalogue import with_options
from engine.cache import PACKAGES, ROOT
from ladder.harness_version import hash_of_sources, versions
from ladder.learning.training_folder import LOG, lock_folder, parse_line, read_file, write_file
from ladder.learning.value.fitting import Quality
from ladder.learning.value.selfplay import SelfplayGame
from ladder.learning.value.settings import (
    SETTINGS,
    LearningSettings,
    format_command,
    read_settings,
)

WEIGHTS, GAMES = "weights.npz", "games"
RECORD = "weights.json"
PAGE = "training.html"


class GenerationRecord(msgspec.Struct, frozen=True):
    """A finished generation: a line of the log."""

    generation: int
    games: int
    positions: int
    """Positions that were learned from, including those of earlier generations."""
    quality: Quality
    seconds: float
    revision: str = ""
    """Hash of the sources that finished it, 16 hex digits; empty in logs of older versions."""


class WeightsRecord(msgspec.Struct, frozen=True):
    """How a file of weights was made."""

    weights: str
    """SHA-256 of the file, 64 hex digits."""
    command: str
    """The command that makes the file again."""
    seed: int
    games: int
    """Number of self-play games in all generations."""
    positions: int
    """Number of positions that the last generation learned from."""
    held_out_loss: float
    """Mean cross-entropy of the results of held-out games, in nats."""
    seconds: float
    """Total time of the sessions that finished the generations."""
    revision: str
    """Hash of the sources that finished the last generation, 16 hex digits; other sources may reach
    other weights."""
    versions: dict[str, str]
    """Versions of the ladder, Python, numba and numpy."""


def make_record(
    settings: LearningSettings, generations: Sequence[GenerationRecord], weights: bytes
) -> WeightsRecord:
    """Return the record of the weights after one or more finished generations."""
    return WeightsRecord(
        weights=hashlib.sha256(weights).hexdigest(),
        command=format_command(settings, len(generations)),
        seed=settings.seed,
        games=sum(one.games for one in generations),
        positions=generations[-1].positions,
        held_out_loss=generations[-1].quality.held_out_loss,
        seconds=round(sum(one.seconds for one in generations), 1),
        revision=generations[-1].revision,
        versions={**versions(), "numpy": np.__version__},
    )


def hash_training_sources() -> str:
    """Hash the sources of players and of the training, 16 hex digits."""
    folders = (*PACKAGES, "ladder/learning/value")
    return hash_of_sources(
        path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))
    )


class LearningFolder:
    """The files of one training, which only this process writes."""

    def __init__(self, folder: Path, settings: LearningSettings) -> None:
        self.path = folder
        self.settings = settings

    def games_file(self, generation: int, block: int) -> Path:
        """Return the path of a block of games."""
        return self.path / GAMES / f"{generation:02d}-{block:05d}.jsonl"

    def weights_file(self, generation: int) -> Path:
        """Return the path of the weights after a generation."""
        return self.path / f"weights-{generation:02d}.npz"

    def write_games(self, generation: int, block: int, games: Iterable[SelfplayGame]) -> None:
        """Store a block of games."""
        content = b"".join(msgspec.json.encode(game) + b"\n" for game in games)
        write_file(self.games_file(generation, block), content)

    def read_games(self, generation: int, block: int) -> list[SelfplayGame]:
        """Return the games of a block.

        Raises:
            UsageError: the file is damaged.

        """
        path = self.games_file(generation, block)
        remedy = "delete the file to have its games played again"
        return [
            parse_line(line, SelfplayGame, path, number, remedy)
            for number, line in enumerate(path.read_bytes().splitlines(), start=1)
        ]

    def records(self) -> list[GenerationRecord]:
        """Return the finished generations in order.

        Raises:
            UsageError: the log is damaged.

        """
        path = self.path / LOG
        lines = (read_file(path) or b"").splitlines()
        remedy = "delete the file to have all weights fitted again"
        return [
            parse_line(line, GenerationRecord, path, number, remedy)
            for number, line in enumerate(lines, start=1)
        ]

    def finish(self, record: GenerationRecord, weights: bytes) -> None:
        """Store the weights of a generation, then add it to the log."""
        write_file(self.weights_file(record.generation), weights)
        write_file(self.path / WEIGHTS, weights)
        records = [*self.records(), record]
        write_file(self.path / LOG, b"".join(msgspec.json.encode(one) + b"\n" for one in records))

    def write_record(self, record: WeightsRecord) -> None:
        """Store the record of how the weights were made."""
        write_file(self.path / RECORD, msgspec.json.format(msgspec.json.encode(record)) + b"\n")

    def write_page(self, page: str) -> None:
        """Store the page about the training."""
        write_file(self.path / PAGE, page.encode())


def format_spec(folder: Path, settings: LearningSettings) -> str:
    """Return the specification of the bot that plays with a training's weights."""
    return "builtin:" + with_options(settings.learner, {"weights": folder / WEIGHTS})


def format_note(records: Sequence[GenerationRecord]) -> str:
    """Return the note on the bot that is registered after a training."""
    last = records[-1]
    return (
        f"weights after {last.generation} generations of {last.games:,} games, held-out loss "
        f"{last.quality.held_out_loss:.4f}"
    )


@contextmanager
def open_folder(folder: Path, settings: LearningSettings) -> Iterator[LearningFolder]:
    """Begin or resume a training; no other process can until the block ends.

    Raises:
        UsageError: the folder cannot be written, or another process trains in it.

    """
    with lock_folder(folder):
        if read_settings(folder) is None:
            write_file(folder / SETTINGS, msgspec.json.encode(settings) + b"\n")
        yield LearningFolder(folder, settings)
