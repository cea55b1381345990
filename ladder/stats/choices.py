"""The options of the statistics, without heavy imports, as the command line's help lists them."""

from enum import StrEnum


class Model(StrEnum):
    """The Elo model of a test's hypotheses."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
    BAYESIAN = "bayesian"


class Draws(StrEnum):
    """The ways to rate a draw."""

    HALF = "half"
    """Half a win and half a loss."""
    FIT = "fit"
    """An outcome with its own margin (Rao and Kupper 1967), converted to the same scale."""
