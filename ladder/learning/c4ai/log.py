"""The folder of a training of c4ai: its log of generations, and the weights so far.

    generations.jsonl   the settings on the first line, then one generation per line
    weights.csv         the current weights

The log grows by one line at a time, so a killed training loses at most the generation in play; an
incomplete last line, as a power failure may leave it, is dropped.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from bots.catalogue import with_options
from ladder.errors import UsageError
from ladder.learning.c4ai.loop import Generation, TrainingState
from ladder.learning.c4ai.settings import TrainingSettings, parse_settings
from ladder.learning.training_folder import LOG, lock_folder, parse_line, write_file

WEIGHTS = "weights.csv"
_DAMAGED = "the log is damaged: choose another folder, or delete this line and all that follow"


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
        return state
    if parse_settings(lines[0], path) != settings:
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
