"""Settings of a training that is begun with the defaults."""

from pathlib import Path

import msgspec
import pytest

from bots.champion import CHAMPION
from bots.errors import SpecError
from ladder.errors import UsageError
from ladder.learning.value import settings as value


def test_weights_are_trained_further_by_games_of_the_champion(tmp_path: Path) -> None:
    """Its defaults hold for a new training; one that is resumed keeps its own player."""
    begun = value.settings_for(tmp_path, seed=1, start="shipped")
    assert (begun.player, begun.learner, begun.orders) == (CHAMPION, CHAMPION, 6)
    assert value.format_command(begun, 1).endswith("--seed 1 --start shipped")
    other = value.settings_for(tmp_path, seed=1, start="shipped", player="v21?c=0.3")
    (tmp_path / value.SETTINGS).write_bytes(msgspec.json.encode(other))
    assert value.settings_for(tmp_path, start="shipped") == other
    assert "--player 'v21?c=0.3' " in value.format_command(other, 1)


def test_first_weights_that_cannot_be_trained_further_are_refused(tmp_path: Path) -> None:
    """Before any game: a player without weights, no file, another training's folder."""
    with pytest.raises(UsageError, match="v18 uses no weights: choose a player that does"):
        value.settings_for(tmp_path, start="shipped", player="v18")
    with pytest.raises(SpecError, match=r"none\.npz cannot be read"):
        value.settings_for(tmp_path, start=str(tmp_path / "none.npz"))
    begun = value.settings_for(tmp_path, seed=1)
    (tmp_path / value.SETTINGS).write_bytes(msgspec.json.encode(begun))
    with pytest.raises(UsageError, match="has new weights, not "):
        value.settings_for(tmp_path, start="shipped")
