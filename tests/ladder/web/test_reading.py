"""Connections that follow a database are opened again when it changes under them."""

import pytest

from db.errors import Corrupt, Outdated
from ladder.web.live.reading import ReopenedStore
from tests.db.migrations.versions import go_back
from tests.support.data.league import League


def test_tables_of_another_version_are_not_called_damage(league: League) -> None:
    """A connection to a database that others migrate reports the versions, not a damaged file."""
    path = str(league.store.path)
    league.store.close()
    store = ReopenedStore(path)
    opened = store.get()
    assert opened.divisions.all() == []
    go_back(path, "0004")
    with pytest.raises(Corrupt) as damage:
        opened.divisions.all()
    assert isinstance(store.close_after(damage.value), Outdated)


def test_damage_stays_damage(league: League) -> None:
    """An error of a database of the current version is reported as it is."""
    store = ReopenedStore(str(league.store.path))
    damage = Corrupt("league.db is damaged")
    try:
        assert store.close_after(damage) is damage
    finally:
        store.close()
