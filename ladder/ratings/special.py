"""The few special functions that come from scipy, typed, and imported when first called.

scipy publishes no type information and takes a while to load; this is the one door to it.
"""

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ladder.ratings.counts import FloatArray


def log_normal_cdf(z: ArrayLike) -> FloatArray:
    """Logarithm of the standard normal distribution function, elementwise; never overflows."""
    from scipy.special import log_ndtr  # type: ignore[import-untyped]

    return cast(FloatArray, np.asarray(log_ndtr(z), dtype=np.float64))


def normal_cdf(z: ArrayLike) -> FloatArray:
    """The standard normal distribution function, elementwise."""
    from scipy.special import ndtr

    return cast(FloatArray, np.asarray(ndtr(z), dtype=np.float64))


def chi_square_tail(*, value: float, freedom: float) -> float:
    """Probability that a chi-square of so many degrees of freedom is above `value`."""
    from scipy.special import chdtrc

    return float(chdtrc(freedom, value))
