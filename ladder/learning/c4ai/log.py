"""A training's folder: its log of generations, and the weights that it has come to.

    generations.jsonl   the settings on the first line, then a generation a line
    weights.csv         the present weights, always whole

A log is written line by line, so that a killed training lacks the generation in play at most; the
half line that a cut power cord leaves is dropped.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

import msgspec

from ladder.errors import UsageError
from ladder.learning.c4ai.loop import (
    Generation,
    TrainingState,
)
from ladder.learning.c4ai.settings import TrainingSettings
from ladder.learning.training_folder import hold

LOG, WEIGHTS = "generations.jsonl", "weights.csv"


class TrainingLog:
    """The open log of one training."""

    def __init__(self, folder: Path, file: BinaryIO, state: TrainingState) -> None:
        self._file = file
        self._weights = folder / WEIGHTS
        self.state = state

    def add(self, one: Generation) -> None:
        """Write a generation and note it in the state."""
        self._file.write(msgspec.json.encode(one) + b"\n")
        self.state.take(one)
        if one.replaced:
            self.write_weights()

    def write_weights(self) -> None:
        """Write the present weights; a reader finds the former ones or these."""
        draft = self._weights.with_suffix(".new")
        draft.write_text(f"{self.state.weights}\n", encoding="ascii")
        draft.replace(self._weights)


def settings_in(folder: Path) -> TrainingSettings | None:
    """The settings of the training that a folder holds, None for none.

    Raises:
        UsageError: there is a log, and it is not one of a training.

    """
    path = folder / LOG
    try:
        with path.open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"--output: {path} cannot be read: {error.strerror}") from error
    return _settings(path, line) if line.endswith(b"\n") else None


@contextmanager
def opened(folder: Path, settings: TrainingSettings, target: int) -> Iterator[TrainingLog]:
    """The log of a training, begun or resumed; kept to this process until the end of the block.

    Args:
        folder: made when it is missing.
        settings: those of the log, where there is one, see `settings_in`.
        target: generations wanted in all.

    Raises:
        UsageError: the folder cannot be written, another process trains in it, or a line of its
            log is none.

    """
    path = folder / LOG
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+b", buffering=0)  # noqa: SIM115 - closed below
    except OSError as error:
        raise UsageError(f"--output: {path} cannot be written: {error.strerror}") from error
    try:
        hold(file.fileno(), folder)
        log = TrainingLog(folder, file, _state(path, file, settings, target))
        log.write_weights()
        yield log
        os.fsync(file.fileno())
    finally:
        file.close()


def _state(path: Path, file: BinaryIO, settings: TrainingSettings, target: int) -> TrainingState:
    state = TrainingState(settings, settings.start, target)
    file.seek(0)
    content = file.read()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        file.truncate(whole)
    lines = content[:whole].splitlines()
    if not lines:
        file.write(msgspec.json.encode(settings) + b"\n")
        return state
    if _settings(path, lines[0]) != settings:
        raise UsageError(f"--output: {path} is the log of another training")
    for number, line in enumerate(lines[1:], start=2):
        try:
            one = msgspec.json.decode(line, type=Generation)
        except msgspec.DecodeError as error:
            raise UsageError(f"{path}, line {number}: no generation: {error}") from error
        if one.generation != number - 1:
            raise UsageError(
                f"{path}, line {number}: generation {one.generation} where {number - 1} should be"
            )
        state.take(one)
    state.generations_before = state.generation
    return state


def _settings(path: Path, line: bytes) -> TrainingSettings:
    try:
        return msgspec.json.decode(line, type=TrainingSettings)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}, line 1: no settings of a training: {error}") from error


def spec_of(folder: Path) -> str:
    """The specification of the bot that a training has come to."""
    return f"builtin:c4ai?weights={quote(str(weights_of(folder)))}"


def weights_of(folder: Path) -> Path:
    """The file of a training's weights."""
    return folder / WEIGHTS
