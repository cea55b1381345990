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
from tests.support.shared import made_once

DAMAGES = {
    # statement: (what finds it, words of the finding, whether --repair mends it)
    "update ratings set elo = elo + 1": ("derived", "ratings.elo", True),
    "delete from ratings": ("derived", "ratings.", True),
    "update pair_tables set a_moves = a_moves + 1": ("derived", "pair_tables.", True),
    "delete from pair_tables": ("derived", "pair_tables.", True),
    "update games set result = case result when 'win' then 'loss' else 'win' end where id = 1": (
        "games", "game 1: it is stored as", False,
    ),
    "update games set moves = moves || substr(moves, -1) where id = 2": ("games", "game 2", False),
    "update games set termination = 'board_full', result = 'draw' where id = 3": (
        "games", "game 3: it is stored as draw by board_full", False,
    ),
    "update games set thoughts = x'ff' where id = 1": ("games", "thoughts cannot be read", False),
    "update games set thoughts = x'9191cd03e8' where id = 1": ("games", "and 1 thoughts", False),
    "update games set line_hash = 1 where id = 1": ("games", "game 1: its line_hash", False),
    "update games set plies = plies + 1 where id = 2": ("games", "stored as its plies", False),
    "update games set offender = 0 where id = 1": ("games", "and its offender is 0", False),
    "update games set result = 'bogus' where id = 1": ("games", "unknown result 'bogus'", False),
    "update games set termination = 'x' where id = 1": ("games", "unknown termination 'x'", False),
    "update games set moves = 'zz' where id = 1": ("games", "game 1: ", False),
    "update games set first_moves = -1 where id = 1": ("games", "is negative", False),
    "update games set rated = 0 where id = 1": ("games", "rated is not that of its run", False),
    "update games set seed = 1 where id = 1": ("games", "seed is not that of its pair", False),
    "update games set first_revision_id = second_revision_id, second_revision_id = "
    "first_revision_id where id in (1, 2)": ("games", "are not those of its pair", False),
    "update pairs set a_revision_id = b_revision_id, b_revision_id = a_revision_id where id = 1": (
        "games", "are not those of its pair", False,
    ),
    "update pairs set opening = '0' where id = 1": ("games", "do not begin with", False),
    "update pairs set status = 'planned' where id = 1": ("pairs", "planned and has 2 of 0", False),
    "update pairs set status = 'odd' where id = 1": ("pairs", "the unknown status 'odd'", False),
    "delete from games where id = 1": ("pairs", "is finished and has 1 of 2", False),
    "delete from games where id in (1, 2)": ("pairs", "is finished and has 0 of 2", False),
    "create trigger t after insert on games begin delete from ratings; end": (
        "schema", "trigger t of games", False,
    ),
    "create view v as select 1": ("schema", "view v of v", False),
    "update games set repeat = 1 where id = 1": ("derived", "games.repeat", True),
    "update games set pair_id = 999 where id = 4": ("integrity", "points at nothing", False),
}  # fmt: skip


@pytest.fixture(scope="session")
def played() -> bytes:
    """The file of a small finished run."""

    def play(folder: Path) -> None:
        bots = ("--bots", "flat-mc,random", "--simulations", "40", "--concurrency", "1")
        done = Ladder(folder).stock()("run", *bots, "--games", "8", "--seed", "1")
        assert done.code == 0, done.err

    return (made_once("played-for-doctor", play) / "ladder.db").read_bytes()


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
        done = connection.execute(statement)
        assert done.rowcount > 0 or statement.startswith("create")
    found = look(place)[topic]
    assert found.level is Level.FAULT
    assert words in found.text
    if mended:
        assert "--repair" in found.text
    look(place, repair=True)
    assert (look(place)[topic].level is Level.OK) is mended
