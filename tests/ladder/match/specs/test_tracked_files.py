"""The files that count as a bot from outside, by the kind of its specification."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from bots.errors import SpecError
from ladder.errors import UsageError
from ladder.match.specs.fingerprint import describe_changes
from ladder.match.specs.folder_files import find_folder_files
from ladder.match.specs.spec import ResolvedBot, read_spec
from reports.html.page import GENERATOR, is_ours


def tracked(bot: ResolvedBot) -> set[str]:
    """Return the names of a bot's files, without programs."""
    return {name for name in bot.files if not name.startswith("/usr") and "/.pyenv" not in name}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a bot of three files, among files that do not belong to it."""
    home = tmp_path / "bot"
    home.mkdir()
    (home / "main.py").write_text("import strategy\n")
    (home / "strategy.py").write_text("X = 1\n")
    (home / "weights").mkdir()
    (home / "weights" / "a.bin").write_bytes(b"\1\2")
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "strategy.pyc").write_bytes(b"compiled")
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").write_text("ref")
    sqlite3.connect(home / "ladder.db").execute("create table t (x)").connection.close()
    page = f'<!doctype html>\n<meta name="generator" content="{GENERATOR} 1.0">\n'
    assert is_ours(page)
    (home / "report.html").write_text(page)
    (home / "ladder.db.logs").mkdir()
    (home / "ladder.db.logs" / "bot.log").write_text("words")
    return home


ALL = {"main.py", "strategy.py", "weights/a.bin"}


@pytest.mark.parametrize(
    "spec",
    [
        "exec:python3 main.py",
        "exec:python3 -m main",
        "exec:env python3 main.py",
        "saiblo:python3 -u main.py --fast",
    ],
)
def test_a_python_script_counts_with_its_imports(folder: Path, spec: str) -> None:
    """Notes, reports and other bots beside a script must not make it another bot."""
    before = read_spec(spec, folder)
    assert tracked(before) == {"main.py", "strategy.py"}
    assert "data that it opens, and installed packages" in before.not_tracked
    (folder / "rep.json").write_text("{}")
    (folder / "weights" / "a.bin").write_bytes(b"other")
    assert read_spec(spec, folder).content_hash == before.content_hash
    (folder / "strategy.py").write_text("X = 2\n")
    assert read_spec(spec, folder).content_hash != before.content_hash


def test_a_script_counts_with_the_files_that_its_command_names(folder: Path) -> None:
    """Weights that are an argument must count without --files."""
    bot = read_spec("exec:python3 main.py --weights weights/a.bin", folder)
    assert tracked(bot) == ALL


def test_a_package_that_is_run_counts_with_its_imports(folder: Path) -> None:
    """`python3 -m PACKAGE` runs two files of the package and what they import."""
    package = folder / "player"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("from player import search\nimport strategy\n")
    (package / "search.py").write_text("")
    (package / "notes.py").write_text("")
    names = {"__init__.py", "__main__.py", "search.py"}
    assert tracked(read_spec("exec:python3 -m player", folder)) == {
        "strategy.py",
        *(f"player/{name}" for name in names),
    }


SHELL = "sh run.sh"
"""A program whose imports are not known."""


@pytest.mark.parametrize("spec", [f"exec:{SHELL}", f"saiblo:{SHELL} --fast"])
def test_an_interpreter_s_program_counts_with_its_folder(folder: Path, spec: str) -> None:
    """Whatever a script starts or opens in its folder must count; databases and caches must not."""
    (folder / "run.sh").write_text("exec python3 main.py\n")
    before = read_spec(spec, folder)
    assert tracked(before) == {*ALL, "run.sh"}
    for name in ("strategy.py", "weights/a.bin"):
        old = (folder / name).read_bytes()
        (folder / name).write_bytes(b"# edited")
        assert read_spec(spec, folder).content_hash != before.content_hash
        (folder / name).write_bytes(old)
    (folder / "ladder.db").write_bytes((folder / "ladder.db").read_bytes() + b"more games")
    assert read_spec(spec, folder).content_hash == before.content_hash


def test_what_the_ladder_reads_and_writes_is_no_part_of_a_bot(folder: Path) -> None:
    """Its configuration and all that lies beside a database may come, change and go."""
    spec = f"exec:{SHELL}"
    (folder / "run.sh").write_text("exec python3 main.py\n")
    before = read_spec(spec, folder)
    (folder / "ladder.toml").write_text('time = "40ms"\n')
    (folder / "weights" / "ladder.toml").touch()
    for name in ("ladder.db.locks", "other.db.locks", "new.db", "ladder.db-wal"):
        (folder / name).touch()
    for name in ("ladder.logs", "ladder.bots", "gone.db.unsaved"):
        (folder / name).mkdir()
        (folder / name / "file").write_text("1\n")
    after = read_spec(spec, folder)
    assert tracked(after) == {*ALL, "run.sh"}
    assert after.content_hash == before.content_hash
    (folder / "tables.db").write_text("a table of the bot's own")
    assert tracked(read_spec(spec, folder)) == {*ALL, "run.sh", "tables.db"}


def test_a_bot_of_which_the_configuration_was_a_part_stays_that_bot(folder: Path) -> None:
    """Bots that were registered so must not change with the configuration or lose their games."""
    spec = "exec:python3 main.py"
    config = folder / "ladder.toml"
    config.write_text('time = "40ms"\n')
    with_config = read_spec(f"{spec} ladder.toml", folder)
    known = dict(with_config.files)
    then = read_spec(spec, folder, stored=known)
    config.write_text('time = "50ms"\n')
    assert read_spec(spec, folder, stored=known).content_hash == then.content_hash
    config.unlink()
    assert read_spec(spec, folder, stored=known).content_hash == then.content_hash
    (folder / "strategy.py").write_text("X = 2\n")
    assert read_spec(spec, folder, stored=known).content_hash != then.content_hash


def test_a_script_is_an_interpreter_s_program(folder: Path) -> None:
    """A first line that names an interpreter must make no difference."""
    script = folder / "run"
    script.write_text("#!/usr/bin/env python3\nimport strategy\n")
    script.chmod(0o755)
    assert tracked(read_spec("exec:./run", folder)) == {"strategy.py", "./run"}
    script.write_text("#!/bin/sh\nexec python3 main.py\n")
    assert tracked(read_spec("exec:./run", folder)) == {*ALL, "./run"}


def test_a_program_in_a_folder_below_counts_with_that_folder(folder: Path) -> None:
    """Bots side by side must not change with each other."""
    (folder / "other").mkdir()
    (folder / "other" / "bot.js").write_text("1\n")
    shutil.copy("/bin/true", folder / "node")
    assert tracked(read_spec("exec:./node other/bot.js", folder)) == {"./node", "other/bot.js"}


def test_machine_code_counts_alone_and_is_named(folder: Path) -> None:
    """A compiled program's folder holds its sources and more: they are named as not tracked."""
    shutil.copy("/bin/true", folder / "mybot")
    bot = read_spec("exec:./mybot weights/a.bin", folder)
    assert tracked(bot) == {"./mybot", "weights/a.bin"}
    assert "libraries and data that the program opens" in bot.not_tracked


def test_patterns_select_the_files_that_count(folder: Path) -> None:
    """--files must replace the whole folder for a program, and add data to what Python runs."""
    (folder / "run.sh").write_text("exec python3 main.py\n")
    shell = read_spec(f"exec:{SHELL}", folder, patterns=("strategy.py",))
    assert tracked(shell) == {"run.sh", "strategy.py"}
    (folder / "bot.py").write_text("import strategy\nclass Bot: pass\n")
    program = read_spec("exec:python3 main.py", folder, patterns=("weights/*",))
    assert tracked(program) == ALL
    hosted = read_spec("python:bot.py:Bot", folder, patterns=("weights/**/*.bin",))
    assert tracked(hosted) == {"bot.py", "strategy.py", "weights/a.bin"}
    assert "--files" in read_spec("python:bot.py:Bot", folder).not_tracked


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("*.npz", "selects no file"), ("/etc/*", "is not a pattern"), ("", "is not a pattern")],
)
def test_a_pattern_that_selects_nothing_is_refused(
    folder: Path, pattern: str, message: str
) -> None:
    """A misspelled pattern does not silently leave the weights out."""
    with pytest.raises(UsageError, match=message):
        read_spec("exec:python3 main.py", folder, patterns=(pattern,))


def test_a_folder_that_is_too_large_is_refused(folder: Path) -> None:
    """A bot in a home folder does not include the home; the message names the remedy."""
    assert len(find_folder_files(folder, most_files=3)) == 3
    with pytest.raises(SpecError, match=r"more than 2 files.*a folder of its own.*--files"):
        find_folder_files(folder, most_files=2)


def test_new_files_beside_a_bot_do_not_count(folder: Path) -> None:
    """A log that the bot writes beside itself must not make it another bot; an edit must."""
    before = read_spec("exec:python3 main.py", folder, patterns=("**/*.bin",))
    (folder / "bot.log").write_text("I won\n")
    again = read_spec("exec:python3 main.py", folder, stored=before.files)
    assert (again.content_hash, again.states) == (before.content_hash, again.states)
    assert again.files == before.files
    (folder / "weights" / "a.bin").write_bytes(b"\3")
    assert read_spec("exec:python3 main.py", folder, stored=before.files) != before


@pytest.mark.parametrize("patterns", [(), ("**/*",)])
def test_a_bot_registered_by_another_rule_stays_that_bot(
    folder: Path, patterns: tuple[str, ...]
) -> None:
    """Bots of former releases, which noted main.py alone or the whole folder, must not change."""
    spec = "exec:python3 main.py"
    noted = read_spec(spec, folder, stored={})
    assert tracked(noted) == {"main.py"}
    if patterns:
        noted = read_spec(spec, folder, patterns=patterns)
        assert len(noted.files) > len(ALL)
    (folder / "rep.json").write_text("{}")
    again = read_spec(spec, folder, stored=noted.files)
    assert (again.content_hash, again.files) == (noted.content_hash, noted.files)


def test_changes_of_programs_and_files_are_described() -> None:
    """A program found elsewhere is one difference and not two, and no change of files."""
    then = {"/venv/bin/python3": "Python 3.11.7", "bot.py": "0" * 16, "a.txt": "1" * 16}
    now = {"/usr/bin/python3": "Python 3.11.7", "bot.py": "2" * 16, "a.txt": "1" * 16}
    moved = "python3 is /usr/bin/python3 here, and was /venv/bin/python3 when it was registered"
    assert describe_changes(then, now) == f"{moved}, bot.py changed"
    newer = {**then, "/venv/bin/python3": "Python 3.12.1"}
    assert describe_changes(then, newer) == "/venv/bin/python3 is Python 3.12.1, not Python 3.11.7"
    many = {f"{number}.py": "0" * 16 for number in range(7)}
    assert describe_changes({}, many).endswith("4.py new, and 2 more")
