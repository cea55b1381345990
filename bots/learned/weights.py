"""The content of a file of weights: compressed integers."""

import functools
import io
import zipfile
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.errors import SpecError
from bots.learned.network import HIDDEN, LOGIT_ONE, ONE, Evaluation, values_of_logits
from bots.learned.patterns import NOTHING, ROWS
from bots.learned.weights_file import LARGEST_FILE, find_weights
from bots.options import read_weights_file

OUT_ONE: Final = LOGIT_ONE // ONE
"""Scale of the weights of hidden numbers: 1.0 as an integer."""
_MOST: Final = 2**15 - 1


class LearnedWeights(NamedTuple):
    """The content of a file."""

    table: NDArray[np.int16]
    """Shape (ROWS, HIDDEN)."""
    out: NDArray[np.int16]
    """Shape (HIDDEN,)."""
    bias: NDArray[np.int64]
    """Shape (1,)."""


def quantize(
    table: NDArray[np.float32], out: NDArray[np.float32], bias: NDArray[np.float32]
) -> LearnedWeights:
    """Convert trained numbers to 16-bit integers, clipping those that are too large."""

    def whole(values: NDArray[np.float32], one: int) -> NDArray[np.int16]:
        return np.clip(np.rint(values * one), -_MOST, _MOST).astype(np.int16)

    return LearnedWeights(
        whole(table, ONE), whole(out, OUT_ONE), np.rint(bias * LOGIT_ONE).astype(np.int64)
    )


def pack_weights(weights: LearnedWeights) -> bytes:
    """Return the content of a file; equal weights give equal bytes."""
    file = io.BytesIO()
    np.savez_compressed(file, **weights._asdict())
    return file.getvalue()


def read_weights(path: Path) -> LearnedWeights:
    """Read the weights in a file; callers share the arrays and must not change them.

    Raises:
        SpecError: the file cannot be read, or does not contain weights.

    """
    content = read_weights_file(path, LARGEST_FILE)
    try:
        weights = _unpacked(content)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise SpecError(f"{path} holds no weights: make some with `ladder train value`") from error
    shapes = {"table": (ROWS, HIDDEN), "out": (HIDDEN,), "bias": (1,)}
    for name, part in weights._asdict().items():
        kind = np.int64 if name == "bias" else np.int16
        if part.shape != shapes[name] or part.dtype != kind:
            raise SpecError(
                f"{path}: {name} has {part.dtype} numbers of shape {part.shape}, where "
                f"{np.dtype(kind)} of shape {shapes[name]} are needed: train the weights again"
            )
    if weights.table[NOTHING].any():
        raise SpecError(f"{path}: the weights of absent columns must be 0: train the weights again")
    return weights


# Cached, because every game builds one or two players.
@functools.lru_cache(maxsize=2)
def _unpacked(content: bytes) -> LearnedWeights:
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return LearnedWeights(*(found[name] for name in LearnedWeights._fields))


@functools.cache
def _values() -> NDArray[np.int32]:
    return values_of_logits()


def read_evaluation(text: str) -> Evaluation:
    """Return the evaluation that an option names; callers must not change its arrays.

    Raises:
        SpecError: the weights do not exist.

    """
    table, out, bias = read_weights(find_weights(text))
    return Evaluation(table.reshape(-1), out, int(bias[0]), _values())
