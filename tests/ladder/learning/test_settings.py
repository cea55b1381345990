"""Settings of a training that is begun with the defaults."""

from pathlib import Path

import msgspec

from bots.champion import CHAMPION
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
