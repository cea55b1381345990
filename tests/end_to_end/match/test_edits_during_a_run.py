"""Sources that are edited while a run plays: no two contents under one revision."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.support.hosted import BOT, LEGAL, write

SELF_EDIT = """
    games = 0

    def new_game(self, board, side, seed, budget):
        self.board = board
        type(self).games += 1
        if self.games == 7:
            open("rules.py", "a").write("# edited")
"""
SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")


@pytest.fixture
def edited(ladder: Ladder) -> Path:
    """Register a bot whose file changes in its seventh game, and return the file."""
    write(ladder.folder, rules=LEGAL, bot=BOT.format(module="rules"))
    done = ladder("bots", "add", "mine", "python:bot.py:Bot", "--files", "rules.py")
    assert done.code == 0, done.err
    write(
        ladder.folder,
        bot=BOT.format(module="rules").replace(
            "    def new_game(self, board, side, seed, budget):\n        self.board = board\n",
            SELF_EDIT,
        ),
    )
    done = ladder("bots", "add", "mine", "python:bot.py:Bot", "--replace")
    assert done.code == 0, done.err
    return ladder.folder / "rules.py"


@pytest.mark.slow
@pytest.mark.usefixtures("edited")
def test_an_edited_bot_is_paused_and_the_run_continues(ladder: Ladder) -> None:
    """The sentence names the bot; the pairs of the others must be played to the end."""
    assert ladder("bots", "add", "other", "builtin:random").code == 0
    words = ("run", "--bots", "mine,random,other", *SHORT, "--games", "30", "--json")
    done = ladder(*words)
    assert done.code == 0, done.err
    assert "mine is paused, because its files are no longer those that were registered" in done.err
    assert "(rules.py changed)" in done.err
    report = done.document["report"]
    games = {bot["name"]: bot["games"] for bot in report["bots"]}
    assert report["games"] == 30
    assert games["mine"] == 6


@pytest.mark.slow
def test_a_run_of_an_edited_bot_continues_with_the_old_file(ladder: Ladder, edited: Path) -> None:
    """Without it the run is invalid; with the old content back the same command completes it."""
    words = ("run", "--bots", "mine,random", *SHORT, "--games", "12", "--json")
    stopped = ladder(*words)
    assert stopped.code == 5
    assert (
        "too few bots can play: mine is not what was registered (rules.py changed)" in stopped.err
    )
    refused = ladder(*words)
    assert refused.code == 2
    assert "mine is not what was registered (rules.py changed)" in refused.err
    edited.write_text(LEGAL)
    assert ladder(*words).document["run"]["games"] == 12


@pytest.mark.very_slow
def test_an_edit_of_a_built_in_player_does_not_reach_a_run(
    ladder: Ladder, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """A run must play every game with the sources of its start, and not stop for the others."""
    tree = ladder.folder / "tree"
    for package in ("engine", "bots", "db", "ladder", "reports"):
        shutil.copytree(ROOT / package, tree / package)  # and what Python has compiled of it
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
