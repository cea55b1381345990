"""Bisections of real repositories, from the command line to the database."""

import re
import shutil

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query
from tests.support.data.history import BROKEN, BUILD, COMMITS, SPEC, UNBUILDABLE, player_history
from tests.support.data.repositories import commit, git, repository
from tests.support.shared import made_once

KEYS = {"commit", "subject", "elo", "error95", "games", "tried"}
CONDITIONS = (
    "--simulations", 1, "--concurrency", 1, "--seed", 1, "--max-drop", 200,
)  # fmt: skip
FIRST, LAST = BROKEN - 2, COMMITS - 1
"""The good commit and the bad one of the search: it meets the broken one and the unbuildable."""
BISECT = (
    "bisect", SPEC, "--good", f"HEAD~{COMMITS - FIRST}", "--bad", f"HEAD~{COMMITS - LAST}",
    "--build", BUILD,
)  # fmt: skip


@pytest.fixture
def repo(ladder: Ladder) -> Ladder:
    """Return a copy of the repository, and a database with the built-in players."""
    made = made_once("player-history", lambda folder: player_history(folder / "repo"))
    shutil.copytree(made / "repo", ladder.folder, dirs_exist_ok=True)
    return ladder.stock()


@pytest.mark.slow
def test_the_commit_that_broke_the_look_ahead_is_found(repo: Ladder) -> None:
    """It must be named with its drop, the unbuildable one skipped; again, nothing is played.

    The boards are those that the good revision plays, and the first line must name them.
    """
    done = repo(*BISECT, *CONDITIONS, "--json", "--note", "who?")
    assert done.code == 0, done.err
    assert re.fullmatch(
        r"boards: 5x5, because built@\w{10} plays only 5x5", done.err.splitlines()[0]
    )
    document = done.document
    assert set(document) >= KEYS
    assert document["commit"] == git(repo.folder, "rev-parse", f"HEAD~{COMMITS - BROKEN}")
    assert document["subject"] == "Simplify the choice"
    assert document["elo"] + document["error95"] < -50
    assert document["games"] == sum(tried["games"] for tried in document["tried"])
    verdicts = {tried["subject"]: tried["verdict"] for tried in document["tried"]}
    assert verdicts[f"Step {UNBUILDABLE}"] == "skipped"
    assert verdicts[f"Step {LAST}"] == verdicts["Simplify the choice"] == "bad"
    assert verdicts[f"Step {BROKEN - 1}"] == "good"
    assert f"is skipped: build: `{BUILD}` failed" in done.err
    stored = query(repo.folder, "select count(*) from games")
    again = repo(*BISECT, *CONDITIONS, "--html", "page.html")
    assert again.code == 0
    page = (repo.folder / "page.html").read_text(encoding="utf-8")
    assert f"{document['commit'][:10]} lost rating" in page
    assert "Tried commits, oldest first" in page
    assert again.out.startswith(f"FOUND: {document['commit'][:10]} lost rating")
    assert "Simplify the choice" in again.out
    assert query(repo.folder, "select count(*) from games") == stored
    runs = repo("runs", "--json").document["runs"]
    assert {(run["kind"], run["status"], run["note"]) for run in runs} == {
        ("bisect", "finished", "who?")
    }
    assert {run["verdict"] for run in runs} == {"good", "bad"}
    listed = repo("bots", "list", "--json").document
    assert not [bot["name"] for bot in listed if "@" in bot["name"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--good", "v9", "--bad", "main"), "--good: "),
        (("--good", "HEAD~1", "--bad", "main", "--boards", "6x7"), "does not play 6x7, but 5x5"),
        (("--good", "HEAD~1", "--bad", "main", "--build", "false"), "--good: "),
        (("--good", "HEAD~1", "--bad", "main"), "cannot play"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    ladder: Ladder, words: tuple[str, ...], sentence: str
) -> None:
    """Each must exit with 2, and leave no database behind."""
    place = repository(ladder.folder, {"bot.py": "class Bot:\n    boards = ('5x5',)\n"})
    commit(place, {"more.py": ""})
    spec = "python:more.py:Bot" if "cannot" in sentence else "python:bot.py:Bot"
    if sentence == "does not play 6x7, but 5x5":
        made = made_once("player-history", lambda folder: player_history(folder / "repo"))
        commit(place, {"bot.py": (made / "repo" / "player.py").read_text()})
        commit(place, {"more.py": "1"})
    done = ladder("bisect", spec, *words, "--simulations", 1)
    assert done.code == 2, done.out + done.err
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert not (ladder.folder / "ladder.db").exists()
