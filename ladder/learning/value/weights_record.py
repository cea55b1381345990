"""The record of how weights were made, kept beside them and shipped with them."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from bots.catalogue import VERSIONS, parse_player
from bots.identity import sources
from engine.cache import ROOT
from ladder.harness_version import hash_of_sources, versions
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.settings import LEARNER, LearningSettings, command_of


class WeightsRecord(msgspec.Struct, frozen=True):
    """The making of a file of weights."""

    weights: str
    """SHA-256 of the file, 64 hex digits."""
    command: str
    """The command that makes it again."""
    seed: int
    games: int
    """Of self-play in all generations."""
    positions: int
    """Learned from in the last generation."""
    held_out_loss: float
    """Mean cross-entropy of the results of games that were not learned from, in nats."""
    seconds: float
    """Of the sessions in which the generations ended, on whatever machine."""
    revision: str
    """Hash of the sources of the session that ended the last generation, 16 hex digits: others may
    come to other weights."""
    versions: dict[str, str]
    """Of the ladder, Python, numba and numpy."""


def record_of(
    settings: LearningSettings, generations: Sequence[GenerationRecord], weights: bytes
) -> WeightsRecord:
    """The record of the weights after some finished generations, at least one."""
    return WeightsRecord(
        weights=hashlib.sha256(weights).hexdigest(),
        command=command_of(settings, len(generations)),
        seed=settings.seed,
        games=sum(one.games for one in generations),
        positions=generations[-1].positions,
        held_out_loss=generations[-1].quality.held_out_loss,
        seconds=round(sum(one.seconds for one in generations), 1),
        revision=generations[-1].revision,
        versions={**versions(), "numpy": np.__version__},
    )


def revision_of(player: str) -> str:
    """The hash of the sources of a training that begins with the games of a built-in player."""
    files = {
        *sources(parse_player(player)[0]),
        *sources(VERSIONS[LEARNER]),
        *(ROOT / "bots/learned").glob("*.py"),
        *(ROOT / "ladder/learning/value").glob("*.py"),
        ROOT / "engine/opening.py",
    }
    return hash_of_sources(sorted(files))
