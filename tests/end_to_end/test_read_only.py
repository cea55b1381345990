"""Commands that only look, on a database that cannot be written, and with none at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Done, Ladder
from tests.end_to_end.test_database_faults import heed_permissions
from tests.end_to_end.traces import QUICK

SEVERAL = """
import json, os, sys
from ladder.cli.main import main
from tests.support.command_server import load_program
load_program()
for number, words in enumerate(json.loads(sys.argv[2])):
    if not os.fork():
        for target, ending in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{sys.argv[1]}/{number}.{ending}", os.O_WRONLY | os.O_CREAT), target)
        sys.argv = ["ladder", *words]
        main()
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
"""Runs commands one after the other in one interpreter: folder for what they print, the words."""


def run_without_rights(ladder: Ladder, folder: Path, commands: list[list[str]]) -> list[Done]:
    """The commands as a user who may write only what permissions allow."""
    codes = subprocess.run(
        [sys.executable, "-c", SEVERAL, str(folder), json.dumps(commands)],
        cwd=ladder.folder, env=ladder.environment, capture_output=True, text=True, check=True,
        preexec_fn=heed_permissions,
    ).stdout.split()  # fmt: skip
    return [
        Done(int(code), *((folder / f"{n}.{end}").read_text() for end in ("out", "err")))
        for n, code in enumerate(codes)
    ]


LOOKING = [
    ["report", "--json"],
    ["report", "--compare", "steady", "random", "--json"],
    ["replay", "1", "--json"],
    ["export"],
    ["games", "--json"],
    ["bots", "list", "--json"],
    ["bots", "show", "v1", "--json"],
]


def test_looking_at_what_cannot_be_written(ladder: Ladder, tmp_path: Path) -> None:
    """Every command that only looks must print what it prints where it may write."""
    assert ladder.stock()("run", *QUICK, "--seed", "1", "--games", "8").code == 0
    expected = [ladder(*words) for words in LOOKING]
    database = ladder.folder / "ladder.db"
    database.chmod(0o444)
    ladder.folder.chmod(0o555)
    printed = tmp_path / "printed"
    printed.mkdir()
    before = sorted(os.listdir(ladder.folder))
    try:
        found = run_without_rights(
            ladder, printed, [*LOOKING, ["bots", "retire", "v1"], ["doctor"]]
        )
    finally:
        ladder.folder.chmod(0o755)
    assert found[:-2] == expected
    assert all(done.code == 0 for done in expected)
    assert found[-2].code == 2
    assert "ladder.db cannot be written" in found[-2].err
    assert "equal those computed from the games" in found[-1].out
    assert sorted(os.listdir(ladder.folder)) == before


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--bots", "nosuch,v1", "--games", "2"),
        ("match", "nosuch", "v1", "--games", "2"),
        ("gate", "nosuch", "--against", "v1"),
        ("gate", "v1", "--against", "nosuch"),
        ("gate", "nosuch", "--against", "v1", "--stored"),
        ("play", "nosuch"),
        ("compete", "nosuch", "v1", "results.txt", "1"),
        ("bots", "show", "nosuch"),
        ("bots", "check", "nosuch"),
        ("bots", "retire", "nosuch"),
        ("bots", "add", "new", "exec:true", "--based-on", "nosuch"),
        ("report", "--compare", "nosuch", "v1"),
        ("replay", "1"),
        ("export",),
        ("games", "--bot", "nosuch"),
    ],
    ids=" ".join,
)
def test_a_missing_database_is_said_before_a_missing_bot(
    ladder: Ladder, words: tuple[str, ...]
) -> None:
    """A mistyped --db must not look like a mistyped name, and leaves no file behind."""
    done = ladder(*words, "--db", "mistyped.db")
    assert done.code == 2
    (sentence,) = (line for line in done.err.splitlines() if line.startswith("ladder: "))
    assert "there is no database" in sentence
    if "nosuch" in sentence:
        assert sentence.index("there is no database") < sentence.index("nosuch")
    assert not list(ladder.folder.glob("*.db*"))
