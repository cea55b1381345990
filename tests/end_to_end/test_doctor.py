"""What the doctor finds in a damaged database, and what it can repair."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from db.store import Store
from ladder.doctor.database import examine_database
from ladder.doctor.machine import (
    Finding,
    Level,
)
from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import QUICK

DAMAGES = {
    # statement: (what finds it, words of the finding, whether --repair mends it)
    "update ratings set elo = elo + 1": ("derived", "ratings.elo", True),
    "delete from ratings": ("derived", "ratings.", True),
    "update pair_tables set a_moves = a_moves + 1": ("derived", "pair_tables.", True),
    "delete from pair_tables": ("derived", "pair_tables.", True),
    "update games set result = case result when 'win' then 'loss' else 'win' end where id = 1": (
        "games", "game 1 is stored as", False,
    ),
    "update games set moves = moves || substr(moves, -1) where id = 2": ("games", "game 2", False),
    "update games set termination = 'board_full', result = 'draw' where id = 3": (
        "games", "game 3 is stored as draw by board_full", False,
    ),
    "update games set pair_id = 999 where id = 4": ("integrity", "points at nothing", False),
}  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a small finished run."""
    ladder = Ladder(tmp_path_factory.mktemp("played"))
    done = ladder("run", *QUICK, "--games", "8", "--seed", "1")
    assert done.code == 0, done.err
    return (ladder.folder / "ladder.db").read_bytes()


def look(place: Path, *, repair: bool = False) -> dict[str, Finding]:
    with Store.open(str(place)) as store:
        found = examine_database(store, repair=repair)
    return {finding.topic: finding for finding in found}


@pytest.mark.slow
@pytest.mark.parametrize("statement", DAMAGES)
def test_each_damage_is_found(tmp_path: Path, played: bytes, statement: str) -> None:
    """A sound file must pass; each damage must be named, and repaired where games tell how."""
    topic, words, mended = DAMAGES[statement]
    place = tmp_path / "ladder.db"
    place.write_bytes(played)
    assert {finding.level for finding in look(place).values()} == {Level.OK}
    with closing(sqlite3.connect(place)) as connection, connection:
        assert connection.execute(statement).rowcount > 0
    found = look(place)[topic]
    assert found.level is Level.FAULT
    assert words in found.text
    if mended:
        assert "--repair" in found.text
    look(place, repair=True)
    assert (look(place)[topic].level is Level.OK) is mended
