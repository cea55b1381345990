"""The settings of versions with a learned evaluation."""

from dataclasses import dataclass

from bots.learned.weights_file import SHIPPED
from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class LearnedSettings(Settings):
    """The settings of one version with a learned evaluation."""

    mixed: int = 0
    """v22: share of a careful rollout in a new node's value, of 256."""
    weights: str = SHIPPED
    """A file of weights, `shipped`, or the SHA-256 of a stored file."""
