"""Nights over a real repository, from the command line to the page."""

import os
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.end_to_end.conftest import Done, Ladder
from tests.end_to_end.traces import faults_of, query
from tests.support.data.nights import BUILD, SPEC, push, start
from tests.support.data.repositories import commit, git

NIGHT = (
    "nightly", SPEC, "--build", BUILD, "--branch", "main", "--boards", "5x5", "--simulations", 1,
    "--concurrency", 1, "--seed", 1, "--max-drop", 100, "--against", "random,stupid",
)  # fmt: skip


GAMES = (
    "select p.run_id, p.number, g.game, p.a_revision_id, p.b_revision_id, g.moves, g.seed "
    "from games g join pairs p on p.id = g.pair_id"
)
"""The games of a database: run, number of the pair, game, bots, moves."""


def outcomes(done: Done) -> Mapping[str, Any]:
    """Return the verdicts that a night has asked for by subject."""
    return {row["subject"]: row["outcome"] for row in done.document["commits"] if row["asked"]}


@pytest.mark.slow
def test_new_commits_are_stored_played_and_answered(ladder: Ladder) -> None:
    """The first night has HEAD, its parent and the tag; the same command then has nothing new, also
    after a commit was renamed."""
    repo = ladder.stock().instant()
    start(repo.folder)
    push(repo.folder, 0)
    first = repo(*NIGHT, "--games", 24, "--json")
    assert first.code == 4, first.err
    document = first.document
    assert [row["subject"] for row in document["commits"]] == ["A step", "Step 3", "Step 4"]
    assert [row["tag"] for row in document["commits"]] == ["v1.0", "", ""]
    head = document["commits"][-1]
    assert head["bot"] == f"built@{git(repo.folder, 'rev-parse', 'HEAD')[:7]}"
    assert head["based_on"] == document["commits"][1]["bot"]
    assert set(outcomes(first).values()) == {"undecided"}
    again = repo(*NIGHT, "--until-error", 900, "--html", "n.html", "--junit", "n.xml")
    assert again.code in (0, 4)
    assert "Elo over the commits" in (repo.folder / "n.html").read_text()
    assert 'tests="2"' in (repo.folder / "n.xml").read_text()
    last = repo(*NIGHT, "--until-error", 900)
    assert last.code == 0
    assert last.out.startswith("NOTHING NEW: main has nothing new since built@")
    assert len(last.out.splitlines()) == 1
    line = repo("report", "--history", "built", "--json").document["line"]
    assert [row["change"] for row in line] == ["A step", "Step 3", "Step 4"]
    shown = repo("runs", "show", 1, "--json").document
    assert (shown["kind"], shown["verdict"]) == ("nightly", "undecided")
    assert shown["result"]["commits"][0]["subject"] == "A step"
    site, address = repo.serve()
    with urlopen(f"{address}commits/built", timeout=60) as answer:  # noqa: S310
        page = answer.read().decode()
    assert "Elo over the commits" in page
    assert f'href="/bots/{quote(head["bot"], safe="")}"' in page
    site.send_signal(signal.SIGINT)
    repo.finish(site)
    assert repo("bots", "rename", head["bot"], "champion").code == 0
    last = repo(*NIGHT, "--until-error", 900)
    assert last.out.startswith("NOTHING NEW: main has nothing new since champion")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("none", "is not in a git repository"),
        ("branch", "has no revision 'nope'"),
        ("build", "no commit of main can play: "),
        ("shallow", "is a shallow clone, whose history ends too early"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(ladder: Ladder, name: str, sentence: str) -> None:
    """Each must exit with 2, and leave no database behind."""
    words = {"branch": ("--branch", "nope"), "build": ("--build", "false")}.get(name, ())
    if name != "none":
        start(ladder.folder)
        push(ladder.folder, 0)
    if name == "shallow":
        git(ladder.folder, "clone", "--quiet", "--depth", "1", f"file://{ladder.folder}", "copy")
        words = ("--repository", "copy")
    done = ladder(*NIGHT, *words)
    assert done.code == 2, done.out + done.err
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert not (ladder.folder / "ladder.db").exists()


@pytest.mark.slow
def test_a_rewritten_branch_begins_a_new_line(ladder: Ladder) -> None:
    """The commits that left the history are named in a sentence, once."""
    repo = ladder.stock().instant()
    start(repo.folder)
    push(repo.folder, 0)
    assert repo(*NIGHT, "--games", 8).code == 4
    git(repo.folder, "reset", "--quiet", "--hard", "HEAD~3")
    for text in "12":
        commit(repo.folder, {"player.py": (repo.folder / "player.py").read_text() + f"# {text}\n"})
    done = repo(*NIGHT, "--games", 8)
    assert done.code == 4
    assert "main was rewritten: built@" in done.out
    assert "left its history, and a new line begins with built@" in done.out
    assert "was rewritten" not in repo(*NIGHT, "--games", 8).out


@pytest.mark.very_slow
@pytest.mark.slow
def test_three_nights_name_the_drop_in_the_night_it_came(tmp_path: Path) -> None:
    """A kill in the second night changes no game that counts, no answer and no exit code."""
    words = (*NIGHT, "--games", 3000, "--html", "night.html", "--json")
    repo, twin = Ladder(tmp_path / "one"), Ladder(tmp_path / "twin")
    repo.folder.mkdir()
    start(repo.stock().folder)
    push(repo.folder, 0)
    first = repo(*words, timeout=600)
    assert (first.code, first.document["verdict"]) == (0, "no drop")
    push(repo.folder, 1)
    shutil.copytree(repo.folder, twin.folder)
    kill_in_the_middle(twin, words)
    second, again = repo(*words, timeout=600), twin(*words, timeout=600)
    assert (second.code, again.code) == (3, 3)
    assert outcomes(second) == {"Step 5": "no drop", "Simplify the choice": "drop"}
    assert answers(second) == answers(again)
    skipped = [each["subject"] for each in again.document["skipped"]]
    assert skipped == ["Explain it", "Break the build"]
    (wide,) = again.document["bisect"]
    assert wide["command"].startswith("ladder bisect python:built.py:Bot --good ")
    one, other = ({line[:3]: line for line in query(each.folder, GAMES)} for each in (repo, twin))
    common = one.keys() & other.keys()  # the rest was in play at the decision
    assert [one[key] for key in common] == [other[key] for key in common]
    assert len(common) > 0.9 * len(one)
    push(twin.folder, 2)
    third = twin(*words, timeout=600)
    assert third.code == 0
    assert outcomes(third)["Step 12"] == "no drop"
    tags = [row["tag"] for row in third.document["commits"]]
    assert [tag for tag in tags if tag] == ["v1.0", "v2.0"]
    assert faults_of(twin.folder) == []
    assert "Elo over the commits" in (twin.folder / "night.html").read_text()


def answers(done: Done) -> list[dict[str, Any]]:
    """Return the rows of a night without the ratings, which count pairs after the decision too."""
    return [{**row, "rating": None} for row in done.document["commits"]]


def kill_in_the_middle(repo: Ladder, words: tuple[object, ...]) -> None:
    """Start a night and kill it and all its processes after forty games."""
    before = query(repo.folder, "select count(*) from games")[0][0]
    command = repo.start(*words)
    while query(repo.folder, "select count(*) from games")[0][0] < before + 40:
        assert command.poll() is None, command.communicate()
        time.sleep(0.02)
    os.killpg(command.pid, signal.SIGKILL)
    command.communicate()
