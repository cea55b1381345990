"""The settings in which versions with a learned evaluation can differ."""

from dataclasses import dataclass

from bots.learned.weights_file import SHIPPED
from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class LearnedSettings(Settings):
    """The settings of the versions with a learned evaluation."""

    weights: str = SHIPPED
    """A file of weights, `shipped`, or the hash of a file that was kept."""
