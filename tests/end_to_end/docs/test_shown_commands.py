"""Every command that a page shows is run, or the page's source gives the reason why it is not."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.support.shared import made_once

GENERATED = ROOT / "docs" / "commands.md"
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page != GENERATED),
]
BLOCK = re.compile(r"(?:<!-- not run: (.+?) -->\n)?^```(sh|console)\n(.*?)^```", re.M | re.S)
FOLLOWED = "docs/first-bot.md"
"""A page with a test of its own."""
VERDICTS = {"gate": {0, 3, 4}, "select": {0, 4}, "tune": {0, 3, 4}}
"""Exit codes of commands that judge: after a few games any verdict will do."""
SHORTER = {
    "--hours": ("--games", "4"),
    "--games": ("--games", "4"),
    "--max-games": ("--max-games", "8"),
    "--time": ("--simulations", "20"),
    "--simulations": ("--simulations", "20"),
    "--nodes": ("--nodes", "5000"),
    "--count": ("--count", "2"),
    "--seconds": ("--seconds", "0.1"),
}
"""Fewer games, and work in place of time, which a loaded machine would disturb."""
DEFAULTS = {
    "gate": {"--max-games": "8"},
    "select": {"--max-games": "8"},
    "tune": {"--games": "4", "--pairs": "1", "--max-games": "4"},
}
"""Options that keep a command short where its line has none."""
BUDGETS = {"--simulations", "--depth"}
"""Options that say how much work a move is; without one it is a time."""


def shown_commands(page: Path) -> Iterator[list[str]]:
    """Yield the words of each command of the page's blocks that are to be run."""
    for reason, kind, text in BLOCK.findall(page.read_text()):
        if reason:
            continue
        for line in text.replace("\\\n", " ").splitlines():
            if kind == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            words = shlex.split(line, comments=True)
            if words:
                yield words


def shortened(words: list[str]) -> list[str]:
    """Return the command with fewer games and less work."""
    short = ["v[124]" if word == "v*" else word for word in words]
    for place, word in enumerate(words):
        if word in SHORTER:
            short[place : place + 2] = SHORTER[word]
    for option, value in DEFAULTS.get(words[0], {}).items():
        if option not in short:
            short += [option, value]
    if words[0] in ("run", "match", *DEFAULTS) and BUDGETS.isdisjoint(short):
        short += ["--simulations", "20"]
    if words[0] in ("run", "match") and any("exact" in word.split(",") for word in words):
        short += ["--nodes", "5000"]  # it counts no simulations
    return [*short, "--nodes", "5000"] if "--analyze" in short else short


def commands_by_page() -> dict[str, list[list[str]]]:
    """Return what is to be run of each page; what pages show word for word alike runs once.

    But for registrations, which other commands of a page need.
    """
    found: dict[str, list[list[str]]] = {}
    known: list[list[str]] = []
    for page in PAGES:
        for words in shown_commands(page):
            name = str(page.relative_to(ROOT))
            if name != FOLLOWED and (words not in known or words[1] == "bots"):
                found.setdefault(name, []).append(words)
                known.append(words)
    return found


COMMANDS = commands_by_page()


def make_folder(folder: Path) -> None:
    """Fill a folder with what the pages suppose: bots, their files, and a database with games."""
    first, better = re.findall(r"```python\n(.*?)```", (ROOT / FOLLOWED).read_text(), re.S)
    (folder / "mybot.py").write_text(first)
    (folder / "better.py").write_text(better)
    (folder / "deep.py").write_text("from mybot import MyBot as Deep\n")
    (folder / "weights").mkdir()
    (folder / "weights" / "first.npz").write_bytes(b"")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copy(ROOT / "examples" / "center_bot.py", folder)
    ladder = Ladder(folder)
    for words in (
        ("bots", "add", "mybot", "python:mybot.py:MyBot"),
        ("bots", "add", "mybot2", "python:better.py:MyBot", "--based-on", "mybot"),
        ("run", "--bots", "mybot,mybot2,v1,v2", "--simulations", "100", "--boards", "6x7",
         "--games", "24", "--pairing", "round-robin", "--seed", "1"),
    ):  # fmt: skip
        done = ladder(*words, timeout=300)
        assert done.code == 0, done.err


@pytest.mark.very_slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_of_a_page_run(ladder: Ladder, name: str) -> None:
    """Each must do its work, one after the other in a folder with the bots that pages suppose."""
    shutil.copytree(made_once("shown-commands", make_folder), ladder.folder, dirs_exist_ok=True)
    for words in COMMANDS[name]:
        assert words[0] == "ladder", f"only `ladder` is run here, not {words}"
        done = ladder(*shortened(words[1:]), timeout=300)
        expected = VERDICTS.get(words[1], {0})
        assert done.code in expected, f"{shlex.join(words)}: {done.code}\n{done.err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_commands_is_found_by_the_tests(page: Path) -> None:
    """Blocks of commands must be marked as `sh` or `console`, and reasons must stand before one."""
    text = page.read_text()
    assert not re.search(r"^ *```(bash|shell|zsh)", text, re.M)
    reasons = sum(bool(reason) for reason, *_ in BLOCK.findall(text))
    assert text.count("<!-- not run:") == reasons
    plain = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    assert not any(re.match(r"(\$ )?ladder ", block) for block in plain)
