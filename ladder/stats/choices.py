"""The options of the statistics, without heavy imports, as the command line's help lists them."""

from enum import StrEnum


class Model(StrEnum):
    """The Elo model of a test's hypotheses."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
