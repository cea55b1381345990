"""The files that belong to a bot, by the kind of its specification."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from bots.errors import SpecError
from ladder.errors import UsageError
from ladder.registry.specs.spec import BotSource, read_spec
from reports.findings.finding import Finding, finding_junit, finding_markdown
from reports.html.page import GENERATOR, is_ours

ALL = {"main.py", "strategy.py", "weights/a.bin"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a bot of three files, among files that do not belong to it."""
    home = tmp_path / "bot"
    for name in ("weights", "__pycache__", ".git", "ladder.db.logs", "env/bin"):
        (home / name).mkdir(parents=True)
    (home / "main.py").write_text("import strategy\n")
    (home / "strategy.py").write_text("X = 1\n")
    (home / "weights" / "a.bin").write_bytes(b"\1\2")
    (home / "__pycache__" / "strategy.pyc").write_bytes(b"compiled")
    (home / ".git" / "HEAD").write_text("ref")
    (home / "env" / "pyvenv.cfg").write_text("")
    (home / "env" / "bin" / "python").symlink_to(shutil.which("python3") or "")
    sqlite3.connect(home / "ladder.db").execute("create table t (x)").connection.close()
    page = f'<!doctype html>\n<meta name="generator" content="{GENERATOR} 1.0">\n'
    assert is_ours(page)
    (home / "report.html").write_text(page)
    finding = Finding(kind="gate", question="", word="pass", sentence="it is", document={})
    (home / "gate.md").write_text(finding_markdown(finding))
    (home / "gate.xml").write_text(finding_junit(finding))
    (home / "ladder.db.logs" / "bot.log").write_text("words")
    shutil.copy("/bin/true", home / "prog")
    return home


def selected(spec: str, folder: Path, most_mb: int = 256, *patterns: str) -> set[str]:
    paths = read_spec(BotSource(spec, folder, patterns=patterns, most_mb=most_mb)).paths
    return {str(path.relative_to(folder)) for path in paths}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("exec:python3 main.py", {*ALL, "prog"}),
        ("exec:python3 -m main", {*ALL, "prog"}),
        ("saiblo:python3 -u main.py --fast", {*ALL, "prog"}),
        ("exec:env/bin/python main.py", {*ALL, "prog"}),
        ("kaggle:main.py", {*ALL, "prog"}),
        ("python:main.py:Bot", {*ALL, "prog"}),
        ("python:main:Bot", {*ALL, "prog"}),
        ("exec:./prog", {"prog"}),
        ("exec:./prog --data=weights/a.bin main.py", {"prog", "weights/a.bin", "main.py"}),
        ("exec:./prog {folder}/strategy.py", {"prog", "strategy.py"}),
        ("thu:prog", {"prog"}),
    ],
)
def test_what_belongs_to_a_bot(folder: Path, spec: str, expected: set[str]) -> None:
    """Scripts bring their folder, machine code what its command names; environments nothing."""
    bot = read_spec(BotSource(spec.format(folder=folder), folder))
    assert {str(path.relative_to(folder)) for path in bot.paths} == expected
    assert str(folder) not in " ".join(bot.launch.command)
    left = set() if "weights/a.bin" in expected else {"weights"}
    assert {".git", "env", *left} <= set(bot.left_out)
    assert not {"ladder.db", "ladder.db.logs", "__pycache__"} & set(bot.left_out)


def test_patterns_replace_the_folder(folder: Path) -> None:
    """The program, what it imports, and the chosen files are left."""
    assert selected("python:main.py:Bot", folder, 1, "weights/*") == ALL
    assert selected("exec:./prog", folder, 1, "weights") == {"prog", "weights/a.bin"}


def test_a_folder_that_is_too_large_is_left_for_its_imports(folder: Path) -> None:
    """Another interpreter's files are unknown then."""
    with (folder / "huge.bin").open("wb") as file:
        file.truncate(3 << 20)
    assert selected("python:main.py:Bot", folder, 2) == {"main.py", "strategy.py"}
    (folder / "main.sh").write_text("true")
    with pytest.raises(SpecError, match=r"holds too much to be one bot.*--files"):
        selected("exec:sh main.sh", folder, 2)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("exec:./missing", "there is no file ./missing"),
        ("exec:python3 -I missing.py --deep", r"there is no file missing\.py in /"),
        ("exec:prog", "did you mean ./prog"),
        ("exec:../other", r"\.\./other lies outside of"),
        ("exec:python3 {outside}", "other lies outside of"),
        ("exec:./prog --data={outside}", "other lies outside of"),
        ("exec:./prog", "selects no file"),
        ("kaggle:none.py", "there is no file none.py"),
    ],
)
def test_refusals(folder: Path, spec: str, words: str) -> None:
    (folder.parent / "other").write_text("")
    patterns = ("*.none",) if words == "selects no file" else ()
    with pytest.raises((SpecError, UsageError), match=words):
        selected(spec.format(outside=folder.parent / "other"), folder, 1, *patterns)
