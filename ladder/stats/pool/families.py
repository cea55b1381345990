"""The model of one game: the logistic expected score, with a draw as half a win.

Sources: Elo 1978; without draws Zermelo 1929, Bradley and Terry 1952. It is a quasi-likelihood
(McCullagh and Nelder 1989): only the mean is modelled, and the spread is that of the results.

An advantage z is in natural units (Elo / 173.7) and includes the difference in strength and the
first move. Shapes: z (T,), results (T, 3).
"""

from dataclasses import dataclass

import numpy as np

from ladder.stats.counts import FloatArray

POINTS = np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Terms:
    """The log-likelihood l(z) of each outcome (loss, draw, win), shape (T, 3)."""

    value: FloatArray
    slope: FloatArray
    """dl/dz."""
    bend: FloatArray
    """-d2l/dz2."""


def logistic(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def terms(z: FloatArray) -> Terms:
    """Return the log-likelihood and its derivatives by outcome."""
    z = z[:, None]
    p = logistic(z)
    value = -POINTS * np.logaddexp(0.0, -z) - (1.0 - POINTS) * np.logaddexp(0.0, z)
    return Terms(value, POINTS - p, np.broadcast_to(p * (1.0 - p), value.shape))
