"""Every version plays the games that were recorded of it."""

import json

import pytest

from tests.bots import golden

RECORDED = json.loads(golden.FILE.read_text(encoding="utf-8"))


def test_every_version_is_recorded() -> None:
    """A new version comes with its golden games."""
    assert list(RECORDED) == golden.NAMES


@pytest.mark.slow
@pytest.mark.parametrize("board", golden.BOARDS)
@pytest.mark.parametrize("name", golden.NAMES)
def test_moves_and_statistics_are_the_recorded_ones(name: str, board: str) -> None:
    """Moves, simulations and nodes are the recorded ones, on this machine as on any other."""
    assert golden.play(name, board) == RECORDED[name][board]
