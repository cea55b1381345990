"""A training's folder. Every file is written whole or not at all, so a kill costs one at most.

::

    settings.json            what identifies the training
    games/GG-BBBBB.jsonl     the games of a block of a generation
    weights-GG.npz           the weights after a generation
    generations.jsonl        the quality of each generation
    weights.npz              the weights after the last generation
    weights.json             how they were made
    training.html            its course as a page
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec

from ladder.errors import UsageError
from ladder.learning.training_folder import hold
from ladder.learning.value.fitting import Quality
from ladder.learning.value.selfplay import SelfplayGame
from ladder.learning.value.settings import LEARNER, LearningSettings

SETTINGS, LOG, WEIGHTS, GAMES = "settings.json", "generations.jsonl", "weights.npz", "games"
RECORD = "weights.json"
PAGE = "training.html"


class GenerationRecord(msgspec.Struct, frozen=True):
    """A finished generation, a line of the log."""

    generation: int
    games: int
    positions: int
    """Learned from, those of former generations included."""
    quality: Quality
    seconds: float
    revision: str = ""
    """Hash of the sources of the session that ended it, 16 hex digits; empty: not noted."""


class LearningFolder:
    """The files of one training; this process alone writes them."""

    def __init__(self, folder: Path, settings: LearningSettings) -> None:
        self.path = folder
        self.settings = settings

    def games_file(self, generation: int, block: int) -> Path:
        """The file of a block of games."""
        return self.path / GAMES / f"{generation:02d}-{block:05d}.jsonl"

    def weights_file(self, generation: int) -> Path:
        """The file of the weights after a generation."""
        return self.path / f"weights-{generation:02d}.npz"

    def write_games(self, generation: int, block: int, games: Iterable[SelfplayGame]) -> None:
        """Keep a block of games."""
        content = b"".join(msgspec.json.encode(game) + b"\n" for game in games)
        _write(self.games_file(generation, block), content)

    def read_games(self, generation: int, block: int) -> list[SelfplayGame]:
        """The games of a block.

        Raises:
            UsageError: the file holds something else.

        """
        path = self.games_file(generation, block)
        games = []
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                games.append(msgspec.json.decode(line, type=SelfplayGame))
            except msgspec.DecodeError as error:
                raise UsageError(
                    f"{path}, line {number}: no game of self-play: delete the file to have its "
                    "games played again"
                ) from error
        return games

    def records(self) -> list[GenerationRecord]:
        """The finished generations, in order.

        Raises:
            UsageError: a line of the log is none.

        """
        path = self.path / LOG
        if not path.exists():
            return []
        records = []
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                records.append(msgspec.json.decode(line, type=GenerationRecord))
            except msgspec.DecodeError as error:
                raise UsageError(f"{path}, line {number}: no generation: {error}") from error
        return records

    def finish(self, record: GenerationRecord, weights: bytes) -> None:
        """Keep the weights of a generation, then note that it is finished."""
        _write(self.weights_file(record.generation), weights)
        _write(self.path / WEIGHTS, weights)
        records = [*self.records(), record]
        _write(self.path / LOG, b"".join(msgspec.json.encode(one) + b"\n" for one in records))

    def write_record(self, record: msgspec.Struct) -> None:
        """Keep the record of how the weights were made."""
        _write(self.path / RECORD, msgspec.json.format(msgspec.json.encode(record)) + b"\n")

    def write_page(self, page: str) -> None:
        """Keep the page of the training."""
        _write(self.path / PAGE, page.encode())


def spec_of(folder: Path) -> str:
    """The specification of the bot that a training has come to."""
    return f"builtin:{LEARNER}?weights={quote(str(folder / WEIGHTS))}"


def note_of(records: Sequence[GenerationRecord]) -> str:
    """A line about a training for the bot that comes of it."""
    last = records[-1]
    return (
        f"weights after {last.generation} generations of {last.games:,} games, held-out loss "
        f"{last.quality.held_out_loss:.4f}"
    )


def settings_in(folder: Path) -> LearningSettings | None:
    """The settings of the training that a folder holds, None for none.

    Raises:
        UsageError: there is a file of settings, and it cannot be read.

    """
    path = folder / SETTINGS
    try:
        return msgspec.json.decode(path.read_bytes(), type=LearningSettings)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"--output: {path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise UsageError(f"--output: {path} holds no settings of a training: {error}") from error


@contextmanager
def opened(folder: Path, settings: LearningSettings) -> Iterator[LearningFolder]:
    """The folder of a training, begun or resumed; kept to this process until the end of the block.

    Raises:
        UsageError: it cannot be written, or another process trains in it.

    """
    try:
        (folder / GAMES).mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UsageError(f"--output: {folder} cannot be written: {error.strerror}") from error
    try:
        hold(lock, folder)
        if settings_in(folder) is None:
            _write(folder / SETTINGS, msgspec.json.encode(settings) + b"\n")
        yield LearningFolder(folder, settings)
    finally:
        os.close(lock)


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written.

    """
    draft = path.with_suffix(".new")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"--output: {path} cannot be written: {error.strerror}") from error
