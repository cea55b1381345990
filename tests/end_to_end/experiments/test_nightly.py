"""Nights over a real repository, from the command line to the page."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Done, Ladder
from tests.end_to_end.traces import faults_of, lines_of, query
from tests.support.data.nights import BUILD, SPEC, push, start
from tests.support.data.repositories import commit, git

NIGHT = (
    "nightly", SPEC, "--build", BUILD, "--branch", "main", "--boards", "5x5", "--simulations", 1,
    "--concurrency", 1, "--seed", 1, "--max-drop", 100, "--against", "random,stupid",
)  # fmt: skip


def outcomes(done: Done) -> Mapping[str, Any]:
    """Return the verdicts that a night has asked for by subject."""
    return {row["subject"]: row["outcome"] for row in done.document["commits"] if row["asked"]}


@pytest.mark.slow
def test_new_commits_are_stored_played_and_answered(ladder: Ladder) -> None:
    """The first night has HEAD, its parent and the tag; the same command then has nothing new."""
    repo = ladder.stock()
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
    repo = ladder.stock()
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
def test_three_nights_name_the_drop_in_the_night_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill in the second night changes no game, no answer and no exit code."""
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):  # both folders have equal commits
        monkeypatch.setenv(name, "2026-11-01T12:00:00Z")
    ends = []
    for is_killed in (False, True):
        folder = tmp_path / f"killed-{is_killed}"
        folder.mkdir()
        repo = Ladder(folder).stock()
        start(folder)
        codes, documents = [], []
        for night in range(3):
            push(folder, night)
            words = (*NIGHT, "--games", 600, "--html", "night.html", "--json")
            if is_killed and night == 1:
                kill_in_the_middle(repo, words)
            done = repo(*words, timeout=600)
            codes.append(done.code)
            documents.append(done.document)
        assert codes == [0, 3, 0]
        second = {row["subject"]: row["outcome"] for row in documents[1]["commits"]}
        assert second["Simplify the choice"] == "drop"
        skipped = [each["subject"] for each in documents[1]["skipped"]]
        assert skipped == ["Explain it", "Break the build"]
        assert [each["bot"] for each in documents[1]["bisect"]] == [
            row["bot"] for row in documents[1]["commits"] if row["outcome"] == "drop"
        ]
        tags = [row["tag"] for row in documents[2]["commits"]]
        assert [tag for tag in tags if tag] == ["v1.0", "v2.0"]
        assert faults_of(folder) == []
        assert "Elo over the commits" in (folder / "night.html").read_text()
        ends.append((lines_of(folder), [each["commits"] for each in documents]))
    assert ends[0] == ends[1]


def kill_in_the_middle(repo: Ladder, words: tuple[object, ...]) -> None:
    """Start a night and kill it and all its processes after forty games."""
    before = query(repo.folder, "select count(*) from games")[0][0]
    command = repo.start(*words)
    while query(repo.folder, "select count(*) from games")[0][0] < before + 40:
        assert command.poll() is None, command.communicate()
        time.sleep(0.02)
    os.killpg(command.pid, signal.SIGKILL)
    command.wait()
