"""Choices that a user of the statistics has. Imports nothing heavy: help names them."""

from enum import StrEnum


class Model(StrEnum):
    """The Elo in which the hypotheses of a test are given."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
    BAYESIAN = "bayesian"


class Draws(StrEnum):
    """The two readings of a draw."""

    HALF = "half"
    """Half a win and half a loss."""
    FIT = "fit"
    """An outcome with a margin of its own (Rao and Kupper 1967), converted to the same scale."""
