"""Sources that are edited while a run plays: no two contents under one revision."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.support.waiting import eventually

SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")


@pytest.mark.very_slow
def test_an_edit_of_a_built_in_player_does_not_reach_a_run(ladder: Ladder) -> None:
    """A run must play every game with the sources of its start, and not stop for the others."""
    tree = ladder.folder / "tree"
    for package in ("engine", "bots", "db", "ladder", "reports"):
        shutil.copytree(ROOT / package, tree / package)  # and what Python has compiled of it
    shutil.copy(ROOT / "connect4_ladder_start.py", tree)
    ladder.environment["PYTHONPATH"] = str(tree)
    database = ladder.stock().folder / "ladder.db"
    shutil.copy(database, ladder.folder / "quiet.db")
    words = ("run", "--bots", "random,stupid,steady", *SHORT, "--games", "8", "--seed", "3")
    words = (*words, "--restart", "game", "--json")
    quiet = ladder.fresh(*words, "--db", "quiet.db")
    assert quiet.code == 0, quiet.err
    with ladder.slow():
        run = ladder.start_fresh(*words)
        eventually(lambda: len(games(database)) >= 2)
        assert len(games(database)) < 8
        player = tree / "bots" / "simple" / "players.py"
        player.write_text(player.read_text() + "\nraise SystemExit('edited')\n")
    done = ladder.finish(run)
    assert done.code == 0, done.err
    played = games(database)
    assert (len(played), played) == (8, games(ladder.folder / "quiet.db"))


def games(database: Path) -> list[tuple[str, str, str]]:
    """Boards, moves and endings of all games, in an order of their own."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        query = "select pair_id, moves, termination from games order by 1, 2"
        return connection.execute(query).fetchall()
