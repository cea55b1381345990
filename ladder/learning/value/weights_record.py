"""The record of how weights were made, stored and shipped beside them."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from engine.cache import PACKAGES, ROOT
from ladder.harness_version import hash_of_sources, versions
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.settings import LearningSettings, format_command


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
