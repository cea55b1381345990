"""Models of one game: the probabilities of loss, draw and win at an advantage.

An advantage z is in natural units (Elo / 173.7) and includes the difference in strength and the
first move. A model returns the log-likelihood of each outcome and its derivatives, from which the
fit and its errors are computed. Shapes: z (T,), results (T, 3).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ladder.stats.counts import FloatArray

POINTS = np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Terms:
    """The log-likelihood l(z, h) of each outcome (loss, draw, win), shape (T, 3)."""

    value: FloatArray
    slope: FloatArray
    """dl/dz."""
    bend: FloatArray
    """-d2l/dz2."""
    margin_slope: FloatArray
    """dl/dh, with h the draw margin."""
    margin_bend: FloatArray
    """-d2l/dh2."""
    cross_bend: FloatArray
    """-d2l/dz dh."""


class OutcomeModel(Protocol):
    """A model of one game."""

    has_margin: bool
    """Whether a draw margin h is fitted."""

    def terms(self, z: FloatArray, margin: float) -> Terms:
        """Return the log-likelihood and its derivatives by outcome."""


def logistic(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


class ExpectedScore:
    """The logistic model of the expected score, with a draw as half a win.

    Sources: Elo 1978; without draws Zermelo 1929, Bradley and Terry 1952.

    It is a quasi-likelihood (McCullagh and Nelder 1989): only the mean is modelled, and the spread
    is that of the results.
    """

    has_margin = False

    def terms(self, z: FloatArray, margin: float) -> Terms:
        """Return the log-likelihood and its derivatives by outcome; the margin is ignored."""
        z = z[:, None]
        p = logistic(z)
        value = -POINTS * np.logaddexp(0.0, -z) - (1.0 - POINTS) * np.logaddexp(0.0, z)
        nothing = np.zeros_like(value)
        bend = np.broadcast_to(p * (1.0 - p), value.shape)
        return Terms(value, POINTS - p, bend, nothing, nothing, nothing)


class RaoKupper:
    """The model of Rao and Kupper (1967): P(win) = logistic(z - h), P(loss) = logistic(-z - h).

    Then P(draw) = P(win) P(loss) (exp(2h) - 1), so every logarithm is concave in (z, h).
    """

    has_margin = True

    def terms(self, z: FloatArray, margin: float) -> Terms:
        """Return the log-likelihood and its derivatives by outcome; `margin` must be above 0."""
        up, down = logistic(z - margin), logistic(-z - margin)
        log_up, log_down = -np.logaddexp(0.0, margin - z), -np.logaddexp(0.0, margin + z)
        ratio = 1.0 / -np.expm1(-2.0 * margin)  # exp(2h) / (exp(2h) - 1)
        log_rest = 2.0 * margin - np.log(ratio)
        wave_up, wave_down = up * (1.0 - up), down * (1.0 - down)
        draw_bend = wave_up + wave_down
        return Terms(
            value=np.stack([log_down, log_up + log_down + log_rest, log_up], axis=1),
            slope=np.stack([down - 1.0, down - up, 1.0 - up], axis=1),
            bend=np.stack([wave_down, draw_bend, wave_up], axis=1),
            margin_slope=np.stack([down - 1.0, up + down - 2.0 + 2.0 * ratio, up - 1.0], axis=1),
            margin_bend=np.stack(
                [wave_down, draw_bend + 4.0 * ratio * (ratio - 1.0), wave_up], axis=1
            ),
            cross_bend=np.stack([wave_down, wave_down - wave_up, -wave_up], axis=1),
        )

    def expected_score(
        self, z: FloatArray, margin: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return P(win) + P(draw) / 2 and its derivatives by z and margin, shape (T,) each."""
        up, down = logistic(z - margin), logistic(-z - margin)
        wave_up, wave_down = up * (1.0 - up), down * (1.0 - down)
        return (
            0.5 * (1.0 + up - down),
            0.5 * (wave_up + wave_down),
            0.5 * (wave_down - wave_up),
        )
