"""Settings of a training that is begun with the defaults."""

from pathlib import Path
from types import ModuleType

import pytest

from engine.board import parse_board_classes
from ladder.learning.c4ai import settings as c4ai
from ladder.learning.value import settings as value


@pytest.mark.parametrize("training", [c4ai, value], ids=["c4ai", "value"])
def test_the_default_boards_are_the_same_when_they_are_given(
    training: ModuleType, tmp_path: Path
) -> None:
    """A training that was begun without boards is resumed by a command that names the default."""
    boards = parse_board_classes(training.DEFAULT_BOARDS)
    given = training.settings_for(tmp_path, seed=1, boards=boards)
    assert given == training.settings_for(tmp_path, seed=1)
