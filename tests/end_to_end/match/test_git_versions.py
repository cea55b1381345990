"""Versions from git: a branch against main, whatever happens to the working tree."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cache import cache_root
from tests.end_to_end.conftest import ROOT, Ladder
from tests.support.data.repositories import (
    commit,
    git,
    repository,
)
from tests.support.hosted import (
    BOT,
    LEGAL,
)

MAIN = {"rules.py": LEGAL, "bot.py": BOT.format(module="rules")}
BETTER = """
from rules import legal

class Bot:
    def new_game(self, board, side, seed, budget):
        self.board = board
    def choose(self, moves):
        columns = legal(self.board, moves)
        return min(columns, key=lambda c: (-moves[len(moves) % 2::2].count(c), abs(c - 3)))
"""
"""Stacks its own columns, which the leftmost column alone does only by chance."""
SPEC = "python:bot.py:Bot"
ALTERED = ("legal_moves()[0])", "legal_moves()[-1])")
"""Makes `stupid` play the rightmost column."""
QUICK = ("--simulations", 1, "--boards", "6x7", "--concurrency", 1)


def add(ladder: Ladder, name: str, spec: str, *options: str) -> str:
    done = ladder("bots", "add", name, spec, *options)
    assert done.code == 0, done.err
    return done.err


@pytest.mark.slow
def test_a_branch_is_gated_against_main(ladder: Ladder) -> None:
    """Both versions must play as committed, after the working tree was changed and even lost."""
    place = repository(ladder.folder, MAIN)
    git(place, "checkout", "--quiet", "-b", "better")
    head = commit(place, {"bot.py": BETTER})
    assert add(ladder, "mine@main", SPEC, "--git", "main") == ""
    assert add(ladder, "mine@better", SPEC, "--git", "better", "--based-on", "mine@main") == ""
    shown = ladder("bots", "show", "mine@better", "--json").document
    assert shown["git"]["commit"] == head
    assert (shown["git"]["revision"], shown["changes"]) == ("better", {})
    assert f"better, {head}" in ladder("bots", "show", "mine@better").out
    (place / "bot.py").write_text("raise SystemExit\n")
    (place / "rules.py").unlink()
    shutil.rmtree(place / ".git")
    gate = ("--min-gain", 100, "--max-games", 400, *QUICK)
    passed = ladder("gate", "mine@better", "--against", "mine@main", *gate, "--json")
    assert passed.code == 0, passed.out + passed.err
    assert ladder("games", "--forfeit", "--json").document["games"] == []


@pytest.mark.slow
def test_an_environment_stays_as_long_as_one_of_its_bots(ladder: Ladder) -> None:
    """One that fails beside others leaves them their common build; without any bot it leaves."""
    bot = (ROOT / "tests" / "fake_bots" / "bot.py").read_text()
    modes = {f"{mode}.mode": "" for mode in ("exits", "honest", "unsteady")}
    place = repository(ladder.folder, {"bot.py": bot, **modes})
    builds = f"builds/{git(place, 'rev-parse', 'HEAD')[:12]}-*"
    start = "exec:env/bin/python -I -S bot.py"
    words = ("--git", "main", "--build", "python3 -m venv --without-pip env")
    form = ("--spec", f"{start} {{stem}}", "--concurrency", 1)
    assert "nowhere is not a folder of main" in ladder("bots", "add-all", "nowhere", *words).err
    for pattern, kept in (("e*.mode", 0), ("*.mode", 1)):
        done = ladder("bots", "add-all", ".", "--pattern", pattern, *form, *words)
        assert (done.code, len(list(cache_root().glob(builds)))) == (2, kept), done.err
    for name, mode in (("honest", "honest"), ("bad", "exits")):
        assert ladder("bots", "add", name, f"{start} {mode}", *words).code == 2
    assert ladder("match", "honest", "random", "--games", 2, *QUICK).code == 0
    assert ladder("runs", "delete", 1, "--yes").code == 0
    for name, kept in (("honest", 1), ("unsteady", 0)):
        assert ladder("bots", "delete", name).code == 0
        assert len(list(cache_root().glob(builds))) == kept


@pytest.mark.slow
def test_a_program_beside_the_committed_files_starts_them(ladder: Ladder) -> None:
    """The interpreter of an environment in the working tree, which is not committed."""
    bot = (ROOT / "tests" / "fake_bots" / "bot.py").read_text()
    place = repository(ladder.folder, {"bot.py": bot})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / ".venv"], check=True)
    add(ladder, "mine", f"exec:{place}/.venv/bin/python -I -S bot.py honest", "--git", "HEAD")


@pytest.mark.slow
def test_uncommitted_changes_are_reported_as_left_out(ladder: Ladder) -> None:
    """The sentence goes to standard error, and the committed files are what is registered."""
    place = repository(ladder.folder, MAIN)
    (place / "bot.py").write_text("broken(\n")
    assert "uncommitted changes in" in add(ladder, "mine", SPEC, "--git", "HEAD")
    commit(place, {"bot.py": BETTER})
    assert add(ladder, "other", SPEC, "--git", "HEAD~1") == ""
    taken = ladder("bots", "add", "mine", SPEC, "--git", "HEAD~1")
    assert (taken.code, "with the same content" in taken.err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "options", "sentence"),
    [
        (SPEC, ("--git", "nothing"), "has no revision 'nothing'"),
        (SPEC, ("--build", "make"), "a build command needs a bot from git"),
        (SPEC, ("--git", "main", "--build", "true && cc no.c; make"), "no.c: No such"),
        (SPEC, ("--git", "main", "--build", "echo so >&2; exit 3"), "exit code 3; its last"),
        ("python:later.py:Bot", ("--git", "main"), "committed files only): python: there is no"),
        ("exec:python3 {}/bot.py", ("--git", "main"), "{}/bot.py lies in the working tree"),
        ("exec:python3 main.py --data={}", ("--git", "main"), "lies in the working tree"),
        (
            "python:{}/later.py:Bot",
            ("--git", "main"),
            "committed files only): {}/later.py lies out",
        ),
        ("exec:python3 bot.py --data={}/data", ("--git", "main"), "{}/data lies in the working"),
        (
            SPEC,
            ("--git", "main", "--build", "bot.py"),
            "--build: `bot.py` failed with exit code 127; did you mean ./bot.py?",
        ),
    ],
)
def test_a_version_that_cannot_be_registered_leaves_nothing(
    ladder: Ladder, spec: str, options: tuple[str, ...], sentence: str
) -> None:
    """Exit code 2, a sentence that says why, and neither a database nor a copy."""
    place = repository(ladder.folder, {**MAIN, "data/table": "1"})
    (place / "later.py").write_text(MAIN["bot.py"])
    before = sorted(place.iterdir())
    refused = ladder("bots", "add", "mine", spec.format(place), *options)
    assert (refused.code, sentence.format(place) in refused.err) == (2, True), refused.err
    assert sorted(place.iterdir()) == before


def test_a_folder_outside_of_every_repository_is_refused(ladder: Ladder) -> None:
    """The sentence must name the missing repository."""
    refused = ladder("bots", "add", "mine", SPEC, "--git", "main")
    assert (refused.code, "is not in a git repository" in refused.err) == (2, True)
    assert list(ladder.folder.iterdir()) == []


def own_repository(ladder: Ladder) -> Path:
    """Copy the project into a new repository, with `stupid` changed."""
    folder = ladder.folder
    # As with the installed command: the packages in the current folder are not what runs.
    ladder.environment["PYTHONSAFEPATH"] = "1"
    for package in ("engine", "bots"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    players = folder / "bots" / "simple" / "players.py"
    text = players.read_text()
    assert ALTERED[0] in text
    players.write_text(text.replace(*ALTERED))
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    commit(folder, {})
    return folder


@pytest.mark.very_slow
def test_a_player_of_this_project_is_hosted_from_its_revision(ladder: Ladder) -> None:
    """The altered player must play by its own sources, beside the current one of the same name."""
    own_repository(ladder)
    add(ladder, "stupid@main", "builtin:stupid", "--git", "main")
    shown = ladder("bots", "show", "stupid@main", "--json").document
    assert (shown["budgets"], shown["changes"]) == (["any", "clock", "overage"], {})
    shutil.rmtree(ladder.folder / "bots")
    words = ("match", "stupid@main", "stupid", "--games", 4, "--opening-plies", 0, *QUICK)
    done = ladder(*words, "--seed", 1)
    assert done.code == 0, done.err
    assert "has a new revision" not in done.err
    columns = {"stupid@main": set[int](), "stupid": set[int]()}
    for line in ladder("export").out.splitlines():
        game = json.loads(line)
        for ply, column in enumerate(game["moves"]):
            columns[game["second" if ply % 2 else "first"]].add(int(column))
    assert columns["stupid@main"] == {6}
    assert columns["stupid"] == {0}
    gated = ladder("gate", "stupid@main", "--against", "stupid", "--max-games", 8, *QUICK)
    assert gated.code in (0, 3, 4), gated.err
