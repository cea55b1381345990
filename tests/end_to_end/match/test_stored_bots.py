"""Bots play from the database as they were added, whatever happens to their folder."""

import json
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.data.repositories import commit, git, repository
from tests.support.hosted import write
from tests.support.waiting import eventually

CHOOSE = """
def choose(rows, columns, moves):
    room = [rows] * columns
    for column in moves:
        room[column] -= 1
    return [column for column in range(columns) if room[column]][SIDE]
"""
"""Plays the leftmost column if SIDE is 0, and the rightmost if it is -1."""
PYTHON = """
from rules import choose
class Bot:
    boards = ["6x7"]
    def new_game(self, board, side, seed, budget):
        self.board = board
    def choose(self, moves):
        return choose(self.board["rows"], self.board["columns"], moves)
"""
KAGGLE = """
from rules import choose
def agent(observation, configuration):
    cells, columns = observation.board, configuration.columns
    moves = [place % columns for place, cell in enumerate(cells) if cell]
    return choose(configuration.rows, columns, moves)
"""
SCRIPT = """
import json, sys
from rules import choose
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "name": "script", "budgets": ["any"], "boards": ["6x7"]}
    elif message["type"] == "new_game":
        game, answer = message, {"type": "ready"}
    elif message["type"] == "move":
        column = choose(game["rows"], game["columns"], message["moves"])
        answer = {"type": "move", "column": column}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""
PROGRAM = """
#include <unistd.h>
int main(void) {
    execlp("python3", "python3", "script.py", (char *)0);
    return 1;
}
"""
LIBRARY = """
struct Point { int x, y; };
extern "C" Point* getPoint(const int M, const int N, const int* top, const int*, const int,
                           const int, const int, const int) {
    int found = 0;
    for (int y = 0; y < N; y++)
        if (top[y] > 0 && (SIDE || top[found] <= 0)) found = y;
    return new Point{top[found] - 1, found};
}
extern "C" void clearPoint(Point* p) { delete p; }
"""
COURSE = """
import sys
from rules import SIDE
stream = (int(word) for line in sys.stdin for word in line.split())
rows, columns, _, _ = (next(stream) for _ in range(4))
while True:
    next(stream), next(stream)
    top = [next(stream) for _ in range(columns)]
    for _ in range(rows * columns):
        next(stream)
    y = [column for column in range(columns) if top[column] > 0][SIDE]
    text = f"{top[y] - 1} {y}".encode()
    sys.stdout.buffer.write(len(text).to_bytes(4, "big") + text)
    sys.stdout.buffer.flush()
"""
KINDS = {
    "python": ("python:bot.py:Bot",),
    "module": ("python:package.bot:Bot",),
    "kaggle": ("kaggle:submission.py",),
    "tar": ("kaggle:submission.tar.gz",),
    "script": ("exec:python3 script.py",),
    "program": ("exec:./program", "--files", "script.py", "--files", "rules.py"),
    "thu": ("thu:strategy.so",),
    "saiblo": ("saiblo:python3 course.py",),
    "git": ("python:bot.py:Bot", "--git", "HEAD"),
    "built": ("python:made.py:Bot", "--git", "HEAD", "--build", "cp bot.py made.py"),
}
PLAY = ("--boards", "6x7", "--opening-plies", 0, "--simulations", 1, "--concurrency", 1)


def make_bots(folder: Path, side: int) -> None:
    """Write one version of all kinds of bots into one folder, and commit it."""
    rules = CHOOSE.replace("SIDE", str(side)) + f"SIDE = {side}\n"
    write(folder, rules=rules, bot=PYTHON, submission=KAGGLE, script=SCRIPT, course=COURSE)
    inner = PYTHON.replace("rules", "package.rules")
    write(folder, **{"package/__init__": "", "package/bot": inner, "package/rules": rules})
    write(folder, main=KAGGLE)
    with tarfile.open(folder / "submission.tar.gz", "w:gz") as archive:
        for name in ("main.py", "rules.py"):
            archive.add(folder / name, name)
    for command, text in (
        (("gcc", "-x", "c", "-", "-o", "program"), PROGRAM),
        (("g++", "-x", "c++", "-", "-shared", "-fPIC", f"-DSIDE={-side}", "-o", "strategy.so"),
         LIBRARY),
    ):  # fmt: skip
        (folder / command[-1]).unlink(missing_ok=True)
        subprocess.run(command, cwd=folder, input=text, text=True, check=True)


def first_moves(ladder: Ladder, *players: str) -> set[tuple[str, str]]:
    """Play a match and return each bot with the column of its first move as first player."""
    done = ladder("match", *players, "--games", 2, *PLAY)
    assert done.code == 0, done.err
    lines = ladder("export").out.splitlines()
    games = [json.loads(line) for line in lines]
    return {(game["first"], game["moves"][0]) for game in games if {*players} >= {game["first"]}}


@pytest.mark.very_slow
@pytest.mark.timeout(900)  # twenty bots are added
@pytest.mark.both_databases
def test_two_versions_from_one_folder_play_as_they_were_added(ladder: Ladder) -> None:
    """Of each kind, while the folder is edited in mid-run, and after it is gone."""
    home = ladder.folder
    project = home / "project"
    repository(project, {"README": "x"})
    ladder.environment["LADDER_DB"] = ladder.db
    ladder.folder = project
    for name, side in (("left", 0), ("right", -1)):
        make_bots(project, side)
        git(project, "add", "--all")
        commit(project, {"version": name})
        for kind, words in KINDS.items():
            added = ladder("bots", "add", f"{kind}-{name}", *words)
            assert added.code == 0, (kind, added.err)
    names = [f"{kind}-{name}" for kind in KINDS for name in ("left", "right")]
    run = ladder.start("run", "--bots", ",".join(names), *PLAY, "--games", 60, "--seed", 5)
    eventually(lambda: len(ladder("games", "--json").document["games"]) > 4)
    make_bots(project, 0)
    (project / "rules.py").write_text("raise SystemExit")
    ladder.folder = home
    shutil.rmtree(project, ignore_errors=True)  # logs of the run may come into it
    done = ladder.finish(run)
    shutil.rmtree(project, ignore_errors=True)
    assert done.code == 0, done.err
    assert ladder("games", "--forfeit", "--json").document["games"] == []
    for kind in KINDS:
        pair = (f"{kind}-left", f"{kind}-right")
        assert first_moves(ladder, *pair) == {(pair[0], "0"), (pair[1], "6")}, kind
    assert ladder("bots", "show", "program-left", "--json").document["origin_changed"] is None


@pytest.mark.slow
def test_a_specification_in_place_of_a_name(ladder: Ladder) -> None:
    """It is stored once per content under a number, and follows its own line."""
    place = ladder.instant().folder
    write(place, rules=CHOOSE.replace("SIDE", "0"), bot=PYTHON)
    name = f"{place.name}-1"
    spec = "python:bot.py:Bot"
    done = ladder("match", spec, "random", "--games", 2, *PLAY, "--json")
    assert f"{spec} is stored as {name}" in done.err, done.err
    again = ladder("gate", spec, "--against", "random", "--max-games", 4, *PLAY, "--json")
    assert f"{spec} is {name}" in again.err
    assert again.document["candidate"] == name
    write(place, rules=CHOOSE.replace("SIDE", "-1"))
    newer = f"{place.name}-2"
    refused = ladder("gate", name, "--against", "random", "--max-games", 4, *PLAY)
    assert refused.code == 2
    assert f"{name} is not what its files are now (rules.py changed)" in refused.err
    stored = ("gate", name, "--as-stored", "--against", "random", "--max-games", 4, *PLAY)
    passed = ladder(*stored)
    assert passed.code != 2
    assert f"the stored versions play: {name} (rules.py changed)" in passed.err
    done = ladder("match", spec, name, "--games", 2, *PLAY)
    assert f"{spec} is stored as {newer}, based on {name} (rules.py changed)" in done.err, done.err
    shown = ladder("bots", "show", name, "--json").document
    assert shown["origin_changed"] is True
    assert shown["archive"]["used"] == ["bot.py", "rules.py"]
    assert set(shown["archive"]["files"]) == {"bot.py", "rules.py"}
    assert ladder("bots", "extract", name, "out").code == 0
    assert "[0]" in (place / "out" / "rules.py").read_text()
    assert ladder("bots", "extract", name, "out").code == 2


@pytest.mark.slow
def test_the_same_bot_tomorrow(ladder: Ladder) -> None:
    """Output, notes and an unread book make no version, and every version says what it changes."""
    place, spec = ladder.instant().folder, "exec:python3 script.py"
    rules = CHOOSE.replace("SIDE", "0")
    write(place, rules=rules + "open('read.txt')\n", script=SCRIPT)
    (place / "read.txt").touch()
    (place / "book.bin").touch()
    entry = "from tests.support.instant_workforce import main_with_instant_workers as main; main()"
    words = [sys.executable, "-c", entry, "match", spec]
    words += ["random", "--games", "2", *map(str, PLAY)]
    for written in (">> out.log 2>&1", "2>&1 | cat | tee -a out.log"):
        line = ("sh", "-c", f"{shlex.join(words)} {written}")
        subprocess.run(line, cwd=place, env=ladder.environment, check=True)
    assert f"{spec} is script-1\n" in (place / "out.log").read_text()
    shown = ladder("bots", "show", "script-1", "--json").document
    assert shown["archive"]["used"] == ["read.txt", "rules.py", "script.py"]
    assert set(shown["archive"]["files"]) == {*shown["archive"]["used"], "book.bin"}
    (place / "book.bin").write_text("x")
    unused = "(book.bin changed and not used; out.log is new and not used)"
    done = ladder("match", spec, "random", "--games", 2, *PLAY)
    assert f"{spec} is script-1 {unused}" in done.err
    again = ("bots", "add", "script-1", spec)
    assert f"with the same content {unused}" in ladder(*again).err
    noted = ladder(*again, "--note", "the first one")
    assert (noted.code, noted.out.splitlines()[-1]) == (
        0,
        "script-1 is registered with the same content: its note is stored",
    )
    refused = ladder("gate", "script-1", "--against", "random", "--max-games", 4, *PLAY)
    assert "(book.bin changed and not used)" in refused.err
    stored = ladder("match", spec, "random", "--games", 2, *PLAY, "--new-version")
    assert f"{spec} is stored as script-2, based on script-1" in stored.err
    (place / "read.txt").write_text("one\ntwo\n")
    stored = ladder("gate", spec, "--against", "random", "--max-games", 4, *PLAY)
    assert f"{spec} is stored as script-3, based on script-2 (read.txt changed)" in stored.err
    assert ladder("bots", "note", "script-2", "reads", "a book").code == 2
    assert ladder("bots", "note", "script-2", "has a book").code == 0
    line = ladder("report", "--history", "script-3", "--json").document["line"]
    assert [each["change"] for each in line] == ["the first one", "has a book", "read.txt +2"]
    assert "+two\n" in ladder("bots", "diff", "script-2", "script-3").out
    assert "no files of random" in ladder("bots", "diff", "random", "script-3").err
    replaced = ladder(*again, "--replace")
    assert replaced.code == 0, replaced.err
    assert ladder("bots", "show", "script-1", "--json").document["revision"] == 2


@pytest.mark.slow
def test_files_that_a_bot_lacks_are_named(ladder: Ladder) -> None:
    """With the command that stores them; also a path of the original folder, which only works."""
    place = ladder.folder
    subprocess.run(("gcc", "-x", "c", "-", "-o", "program"), cwd=place, input=PROGRAM, text=True,
                   check=True)  # fmt: skip
    write(place, rules=CHOOSE.replace("SIDE", "0"), script=SCRIPT)
    refused = ladder("bots", "add", "lacking", "exec:./program")
    assert refused.code == 2
    assert "it opened script.py, rules.py" in refused.err
    assert "`ladder bots add lacking exec:./program --files script.py --files rules.py`" in (
        refused.err
    )
    write(place / "broken", bot=PYTHON.replace("class", "1 / 0\nclass"))
    write(place / "broken", rules=CHOOSE)
    refused = ladder("bots", "add", "broken", "python:broken/bot.py:Bot")
    assert '"broken/bot.py", line' in refused.err  # a path that its author knows
    outside = PYTHON.replace("class", f"open({str(place / 'extra.txt')!r})\nclass")
    write(place / "other", rules=CHOOSE.replace("SIDE", "0"), bot=outside)
    (place / "extra.txt").write_text("x")
    done = ladder("bots", "add", "outside", "python:other/bot.py:Bot")
    assert done.code == 0, done.err
    assert f"other/bot.py names {place}, whose files are not stored under that path" in done.out


@pytest.mark.slow
def test_a_bot_that_writes_gets_copies_of_its_own(ladder: Ladder) -> None:
    """Found by its trial; what it writes reaches neither the archive nor its folder."""
    place = ladder.folder
    writing = PYTHON.replace(
        "        self.board = board\n",
        "        self.board = board\n        open('state', 'a').write('x')\n",
    )
    write(place, rules=CHOOSE.replace("SIDE", "0"), bot=writing)
    done = ladder("bots", "add", "writer", "python:bot.py:Bot")
    assert "each of its processes gets a copy of its own" in done.out
    done = ladder("match", "writer", "random", "--games", 6, *PLAY)
    assert done.code == 0, done.err
    assert not (place / "state").exists()
    assert ladder("games", "--forfeit", "--json").document["games"] == []


@pytest.mark.slow
def test_exported_bots_play_elsewhere(ladder: Ladder, other: str) -> None:
    """Without their files they are known by name, and the message says that they cannot play."""
    place = ladder.folder
    write(place, rules=CHOOSE.replace("SIDE", "0"), bot=PYTHON)
    assert ladder("bots", "add", "mine", "python:bot.py:Bot").code == 0
    away = Ladder(place)
    assert ladder.instant()("match", "mine", "random", "--games", 2, *PLAY).code == 0
    for options, plays in (((), False), (("--bots",), True)):
        assert ladder("export", "-o", "games.jsonl", *options).code == 0
        assert ladder("import", "games.jsonl", "--db", other).code == 0
        listed = ladder("bots", "list", "--retired", "--db", other).out
        assert "mine (imported)" in listed
        refused = ladder("match", "mine", "random", "--games", 2, *PLAY, "--db", other)
        assert "mine is retired: `ladder bots unretire mine`" in refused.err
        done = ladder("bots", "unretire", "mine", "--db", other)
        assert ("this database does not hold its files" in done.err) is not plays
    (place / "rules.py").unlink()
    assert away("match", "mine", "stupid", "--games", 2, *PLAY, "--db", other).code == 0


@pytest.mark.slow
def test_missing_programs_are_named(ladder: Ladder) -> None:
    """A changed PATH stops nothing; a lost interpreter is named with what to do."""
    place = ladder.folder
    program = place.parent / "bin" / "runs"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    path = ladder.environment["PATH"]
    ladder.environment["PATH"] = f"{program.parent}:{path}"
    write(place, rules=CHOOSE.replace("SIDE", "0"), script=SCRIPT)
    assert ladder("bots", "add", "mine", "exec:runs script.py").code == 0
    ladder.environment["PATH"] = path
    words = ("match", "mine", "random", "--games", 2, *PLAY)
    assert ladder(*words).code == 0
    program.unlink()
    refused = ladder(*words)
    assert refused.code == 2
    assert f"mine: its program {program} is missing: install it" in refused.err
