"""The BayesElo model of one game: a win, a draw or a loss from a strength and a draw margin.

BayesElo's points are not the Elo of the rest of this project: with draws they are stretched.
"""

import math

from ladder.errors import UsageError


def probabilities(*, bayeselo: float, drawelo: float) -> tuple[float, float, float]:
    """Return P(loss), P(draw) and P(win) of a BayesElo difference and draw margin (Coulom 2005)."""
    win = 1.0 / (1.0 + 10.0 ** ((drawelo - bayeselo) / 400.0))
    loss = 1.0 / (1.0 + 10.0 ** ((drawelo + bayeselo) / 400.0))
    return loss, 1.0 - win - loss, win


def from_probabilities(*, loss: float, win: float) -> tuple[float, float]:
    """Return (bayeselo, drawelo) for these probabilities: the inverse of `probabilities`.

    Raises UsageError unless both lie strictly between 0 and 1.
    """
    if not (0.0 < loss < 1.0 and 0.0 < win < 1.0):
        raise UsageError("BayesElo needs wins and losses, each a share between 0 and 1")
    bayeselo = 200.0 * math.log10(win / loss * (1.0 - loss) / (1.0 - win))
    drawelo = 200.0 * math.log10((1.0 - loss) / loss * (1.0 - win) / win)
    return bayeselo, drawelo


def to_elo(*, bayeselo: float, drawelo: float) -> float:
    """Convert a BayesElo difference at a draw margin to logistic Elo."""
    loss, draw, win = probabilities(bayeselo=bayeselo, drawelo=drawelo)
    return 400.0 * math.log10((win + 0.5 * draw) / (loss + 0.5 * draw))
