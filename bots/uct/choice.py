"""The formula that all versions choose by, in single precision, the same in every kernel.

UCB1 (Auer, Cesa-Bianchi and Fischer, 2002; in trees: Kocsis and Szepesvari, 2006)::

    Q / N + c * sqrt(2 * ln(N_parent) / N)

With r = 1 / sqrt(N) this is (Q * r + explore) * r, one root and one division a child; `explore`
is the same for all siblings.
"""

import numpy as np

from engine.compiled import kernel


@kernel
def exploration(c: float, parent_visits: int | np.int64) -> np.float32:
    """The factor that all siblings share: c * sqrt(2 * ln(N_parent))."""
    return np.float32(c * np.sqrt(2.0 * np.log(np.float64(parent_visits))))


@kernel
def urgency(score: np.float32, visits: int, explore: np.float32) -> np.float32:
    """UCB of a child with a total score in 0 .. visits."""
    r = np.float32(1.0) / np.sqrt(np.float32(visits))
    return np.float32((score * r + explore) * r)
