"""Games of people are separate from everything behind ratings."""

from pathlib import Path

import pytest

from db.store import Store
from tests.db.making import human_game, new_bot
from tests.db.migrations.versions import go_back

GAME = human_game(revision=1)


def test_a_saved_game_comes_back_as_it_was(store: Store) -> None:
    """Keys count from 1, and all fields are read back."""
    store.bots.add(new_bot("hero"))
    assert store.human_games.get(1) is None
    assert [store.human_games.add(GAME), store.human_games.add(GAME)] == [1, 2]
    row = store.human_games.get(2)
    assert row is not None
    assert (row.id, row.first, row.second) == ("p2", "person", "hero")
    for name in ("board", "seed", "moves", "result", "termination", "duration_us", "thoughts"):
        assert getattr(row, name) == getattr(GAME, name)
    assert row.budget == {"simulations": 50}
    assert store.human_games.count() == 2


def test_nothing_else_knows_of_saved_games(store: Store) -> None:
    """They add no game, run, division, rating or exported line, and nothing needs repair."""
    store.bots.add(new_bot("hero"))
    store.human_games.add(GAME)
    assert list(store.games.stream()) == []
    assert store.divisions.all() == []
    assert store.runs.find() == []
    assert list(store.exchange.export_lines()) == []
    assert store.aggregate.rebuild(lambda a, b, _: (a.elo, b.elo)) == []
    assert store.audit.integrity() == []


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_database_of_the_first_version_gets_the_table(place: str) -> None:
    """Opening it makes a copy and migrates it, keeping its content."""
    with Store.open(place) as store:
        store.bots.add(new_bot("hero"))
    go_back(place, "0001")
    with Store.open(place) as store:
        assert [bot.name for bot in store.bots.all()] == ["hero"]
        assert store.human_games.add(GAME) == 1
    assert Path(f"{place}.backup-0001").exists()
