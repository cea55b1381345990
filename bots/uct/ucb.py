"""The selection formula in single precision, the same in all kernels.

UCB1 (Auer, Cesa-Bianchi and Fischer, 2002; in trees: Kocsis and Szepesvari, 2006)::

    Q / N + c * sqrt(2 * ln(N_parent) / N)

With r = 1 / sqrt(N) this is (Q * r + explore) * r, one root and one division per child; `explore`
is the same for all siblings.
"""

import math

import numpy as np

from engine.bits import leading_zeros64
from engine.compiled import kernel

_KNOWN_BITS = 12
_LOG = np.array([0.0] + [math.log(n) for n in range(1, 1 << _KNOWN_BITS)])
_LOG_2 = math.log(2.0)
_SPARE = np.uint64(64 - _KNOWN_BITS)


@kernel
def exploration(c: float, parent_visits: int | np.int64) -> np.float32:
    """Return the factor that all siblings share: c * sqrt(2 * ln(N_parent)).

    The logarithm is from a table, because computing it took a tenth of a search. The table covers
    numbers up to 4095; for larger ones the twelve highest bits give an error below 0.0005.
    """
    visits = np.uint64(parent_visits)
    zeros = leading_zeros64(visits)
    shift = _SPARE - zeros if zeros < _SPARE else np.uint64(0)
    log = _LOG[visits >> shift] + _LOG_2 * np.float64(shift)
    return np.float32(c * np.sqrt(2.0 * log))


@kernel
def ucb(score: np.float32, visits: int, explore: np.float32) -> np.float32:
    """Return the UCB of a child with a total score in 0 .. visits."""
    r = np.float32(1.0) / np.sqrt(np.float32(visits))
    return np.float32((score * r + explore) * r)
