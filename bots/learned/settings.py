"""The settings in which versions with a learned evaluation can differ."""

from dataclasses import dataclass

from bots.learned.weights_file import SHIPPED
from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class LearnedSettings(Settings):
    """The settings of the versions with a learned evaluation."""

    mixed: int = 0
    """v22: parts of 256 of a new node's value that are a careful rollout's result."""
    weights: str = SHIPPED
    """A file of weights, `shipped`, or the hash of a file that was kept."""
