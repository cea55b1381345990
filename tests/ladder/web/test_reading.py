"""Connections that follow a database are opened again when it changes under them."""

import pytest

from db.errors import Outdated
from ladder.web.views import StoreThread
from tests.support.data.league import League
from tests.support.former import call_version
from tests.support.sql import execute_sql


def test_tables_of_another_version_are_not_called_damage(league: League) -> None:
    """A connection to a database that others migrate reports the versions, not a damaged file."""
    path = str(league.store.path)
    league.store.close()
    thread = StoreThread(path)
    assert thread.run(lambda store: store.divisions.all()) == []
    call_version(path, "0004")
    execute_sql(path, "ALTER TABLE divisions RENAME TO d")
    with pytest.raises(Outdated):
        thread.run(lambda store: store.divisions.all())
