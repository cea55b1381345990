"""Damages of a database that `doctor` finds, and those it can repair."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.store import Store
from ladder.cli.main import run_command
from ladder.tools.doctor.database import examine_database
from ladder.tools.doctor.machine import Diagnosis, Level
from tests.end_to_end.conftest import new_database
from tests.end_to_end.traces import change
from tests.support.instant_workforce import InstantWorkforce
from tests.support.postgresql import shared_server
from tests.support.shared import made_once

DAMAGES = {
    # statement: (topic of the finding, words of the finding, whether --repair mends it)
    "update pairs set a_moves = a_moves + 1": ("derived", "its a_moves is", True),
    "update pairs set second_result = null": ("derived", "second_result is None", True),
    "update pairs set rated = not rated where id = 1": ("pairs", "rated is not that of", False),
    "update games set result = case result when 'win' then 'loss' else 'win' end where id = 1": (
        "games", "game 1: its moves do not end in", False,
    ),
    "update games set moves = moves || '0' where id = 2": ("games", "game 2", False),
    "update games set termination = 'board_full', result = 'draw' where id = 3": (
        "games", "game 3: its moves do not end in a draw by board_full", False,
    ),
    "update games set thoughts = x'ff' where id = 1": ("games", "thoughts cannot be read", False),
    "update games set thoughts = x'9191cd03e8' where id = 1": ("games", "1 thoughts", False),
    "update games set line_hash = 1 where id = 1": ("games", "game 1: its line_hash", False),
    "update games set plies = plies + 1 where id = 2": ("games", "its plies are", False),
    "update games set offender = 0 where id = 1": ("games", "its offender is 0", False),
    "update games set result = 'bogus' where id = 1": ("games", "unknown result 'bogus'", False),
    "update games set termination = 'x' where id = 1": ("games", "unknown termination 'x'", False),
    "update games set moves = 'zz' where id = 1": ("games", "game 1: ", False),
    "update games set first_moves = -1 where id = 1": ("games", "is negative", False),
    "update games set rated = not rated where id = 1": (
        "games", "rated is not that of its run", False,
    ),
    "update games set seed = 1 where id = 1": ("games", "seed is not that of its pair", False),
    "update games set first_revision_id = second_revision_id, second_revision_id = "
    "first_revision_id where id in (1, 2)": ("games", "are not those of its pair", False),
    "update pairs set a_revision_id = b_revision_id, b_revision_id = a_revision_id where id = 1": (
        "games", "are not those of its pair", False,
    ),
    "update pairs set opening = '0' where id = 1": ("games", "do not begin with", False),
    "update pairs set status = 'planned' where id = 1": ("pairs", "has 2 of 0", False),
    "update pairs set status = 'odd' where id = 1": ("pairs", "the unknown status 'odd'", False),
    "delete from games where id = 1": ("pairs", "has 1 of 2", False),
    "delete from games where id in (1, 2)": ("pairs", "has 0 of 2", False),
    "update pairs set content = 1 where id = 1": ("derived", "its content is 1", True),
    "update divisions set key = replace(key, 'thu', '6x7')": (
        "games", "the board_class thu is not in", False,
    ),
    "update divisions set key = replace(key, '_plies\":0', '_plies\":20')": (
        "games", "its division requires 20", False,
    ),
    "update divisions set key = replace(key, 'thu', 'bogus')": (
        "runs", "unknown board 'bogus'", False,
    ),
    "update divisions set key = '{}'": ("runs", "division is invalid", False),
    "update runs set kind = 'party'": ("runs", "unknown kind 'party'", False),
    "update runs set settings = '[]'": ("runs", "settings cannot be read", False),
    "update runs set stream = 'other'": ("pairs", "stream is not that of its run", False),
    "update pairs set number = -1 where id = 1": ("pairs", "number must be below", False),
    "update games set started_at = -1 where id = 1": ("games", "is not a date", False),
    "insert into last_words values (1, 'x', '')": ("games", "no bot failed", False),
}  # fmt: skip
OF_FILES = {
    "update pairs set number = 2147483648 where id = 1": ("pairs", "number must be below", False),
    "update games set moves = 7 where id = 1": ("games", "game 1: ", False),
    "update games set pair_id = 999 where id = 4": ("integrity", "refers to a missing row", False),
}  # fmt: skip
OF_SERVERS = {
    "update pg_index set indisvalid = false where indexrelid = 'ix_games_lines'::regclass": (
        "integrity", "ix_games_lines is invalid", False,
    ),
}  # fmt: skip
ONE_OF_EACH = (
    "update pairs set a_moves = a_moves + 1",
    "update games set thoughts = x'ff' where id = 1",
    "update games set result = 'bogus' where id = 1",
    "update pairs set status = 'odd' where id = 1",
    "delete from games where id = 1",
    "update runs set settings = '[]'",
)
"""Damages that are also tried on a server: one for each part of the examination."""
PLAYED = "played_for_the_doctor"
"""The database on a server of the same run as the file."""


def play(place: object) -> None:
    """Play a small run at random, with thoughts; its database must pass."""
    words = f"run --bots flat-mc,random --simulations 40 --games 8 --seed 1 --db {place}"
    assert run_command(words.split(), InstantWorkforce()) == 0
    sound = examine(str(place))
    sound.pop("settings", None)  # the tests' server survives no power cut
    assert {finding.level for finding in sound.values()} == {Level.OK}


def play_on_server(_: Path) -> None:
    with new_database() as url:
        play(url)
        shared_server().rename(url, PLAYED)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return a database with the games of `play`."""
    if request.param == "sqlite":
        played = (
            made_once("played-for-doctor", lambda folder: play(folder / "ladder.db")) / "ladder.db"
        )
        (tmp_path / "ladder.db").write_bytes(played.read_bytes())
        yield str(tmp_path / "ladder.db")
        return
    with new_database() as url:
        made_once("played-on-a-server", play_on_server)
        shared_server().replace(url, PLAYED)
        yield url


def examine(place: str, *, repair: bool = False) -> dict[str, Diagnosis]:
    with Store.open(place) as store:
        found = examine_database(store, repair=repair)
    return {finding.topic: finding for finding in found}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "statement"),
    [("sqlite", each) for each in (*DAMAGES, *OF_FILES)]
    + [("postgresql", each) for each in (*ONE_OF_EACH[:2], *OF_SERVERS)]
    + [pytest.param("postgresql", each, marks=pytest.mark.very_slow) for each in ONE_OF_EACH[2:]],
    indirect=["place"],
)
def test_each_damage_is_found(place: str, statement: str) -> None:
    """Damage of a sound database is reported, and repaired if it is in derived data."""
    topic, words, mended = (DAMAGES | OF_FILES | OF_SERVERS)[statement]
    change(place, translated(place, statement))
    found = examine(place)[topic]
    assert found.level is Level.FAULT
    assert words in found.text
    if mended:
        assert "--repair" in found.text
    examine(place, repair=True)
    assert (examine(place)[topic].level is Level.OK) is mended


def translated(place: str, statement: str) -> str:
    """Return a statement for the kind of database: PostgreSQL writes bytes differently."""
    return re.sub("x'([0-9a-f]+)'", r"'\\x\1'", statement) if "://" in place else statement
