"""Connections that follow a database are opened again when it changes under them."""

import pytest

from db.errors import Corrupt, Outdated
from ladder.web.live.reading import ReopenedStore
from tests.support.data.league import League
from tests.support.former import call_version
from tests.support.sql import execute_sql


def test_tables_of_another_version_are_not_called_damage(league: League) -> None:
    """A connection to a database that others migrate reports the versions, not a damaged file."""
    path = str(league.store.path)
    league.store.close()
    store = ReopenedStore(path)
    opened = store.get()
    assert opened.divisions.all() == []
    call_version(path, "0004")
    execute_sql(path, "ALTER TABLE divisions RENAME TO d")
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
