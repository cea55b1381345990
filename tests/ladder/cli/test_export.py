"""`ladder export --ids`: the numbers of games, by which `ladder replay` finds them."""

import csv
import io
import json
import os
import re
import shutil
import threading
from pathlib import Path

import pytest

from db.store import Store
from tests.ladder.cli.conftest import Command
from tests.support.data.league import League
from tests.support.instant_workforce import InstantWorkforce
from tests.support.sql import execute_sql

STACKER = Path(__file__).parents[2] / "fake_bots" / "stacker.py"


@pytest.fixture
def league(tmp_path: Path) -> None:
    """Two pairs of the first run around one of the second: numbers and order of export differ."""
    with League(tmp_path / "ladder.db", "a", "b") as league:
        first, second = league.run(), league.run()
        league.pair(first, "a", "b", "1-0", "0-1")
        league.pair(second, "a", "b", "1/2", "1/2")
        league.pair(first, "a", "b", "1-0", "1/2")


def numbers(text: str, form: str) -> list[int]:
    if form == "jsonl":
        return [json.loads(line)["timing"]["id"] for line in text.splitlines()]
    if form == "csv":
        return [int(row["id"]) for row in csv.DictReader(io.StringIO(text))]
    return [int(found) for found in re.findall(r'^\[GameId "(\d+)"\]$', text, re.MULTILINE)]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv", "pgn"])
@pytest.mark.usefixtures("league")
def test_numbers_are_those_of_replay_and_stand_apart(
    ladder: Command, tmp_path: Path, form: str
) -> None:
    """Each number leads to its game, and without them an export is what it was."""
    plain = ladder("export", "--format", form).out
    done = ladder("export", "--format", form, "--ids", "-o", f"games.{form}")
    assert done.code == 0, done.err
    text = (tmp_path / f"games.{form}").read_text()
    assert numbers(text, form) == [1, 2, 5, 6, 3, 4]
    assert ladder("replay", 3, "--json").document["result"] == "draw"
    if form == "pgn":
        assert re.sub(r"\[GameId .*\]\n", "", text) == plain
    elif form == "csv":
        assert re.sub(r",(id|\d+)$", "", text, flags=re.MULTILINE) == plain
    else:
        assert re.sub(r',"id":\d+', "", text) == plain


@pytest.mark.slow
def test_an_import_gives_numbers_of_its_own(ladder: Command) -> None:
    """Games that were exported with numbers must be imported, and skipped if stored already."""
    words = ("--bots", "random,stupid", "--boards", "4x4", "--simulations", "1", "--games", "4")
    assert ladder("run", *words, workforce=InstantWorkforce()).code == 0
    done = ladder("export", "--ids", "-o", "games.jsonl")
    assert (done.code, done.out, done.err) == (0, "", "wrote 4 games to games.jsonl\n")
    again = ladder("import", "games.jsonl", "--json")
    assert again.document == {"games": 0, "skipped": 4, "names": {}}, again.err
    fresh = ladder("import", "games.jsonl", "--json", "--db", "fresh.db")
    assert fresh.document == {"games": 4, "skipped": 0, "names": {}}, fresh.err


@pytest.fixture
def exported(ladder: Command, tmp_path: Path) -> str:
    """Return the export of a match of a foreign bot, with its files."""
    shutil.copy(STACKER, tmp_path)
    for words in (
        ("bots", "add", "foreign", "exec:env X=1 python3 stacker.py"),
        ("match", "foreign", "random", "--games", 2, "--simulations", 1, "--boards", "6x7"),
        ("export", "--bots", "-o", "games.jsonl"),
    ):
        done = ladder(*words)
        assert done.code == 0, done.err
    return (tmp_path / "games.jsonl").read_text()


@pytest.mark.slow
def test_an_import_reads_a_pipe_once(ladder: Command, tmp_path: Path, exported: str) -> None:
    """A pipe is read to its end, with the files of bots behind a byte order mark."""
    os.mkfifo("pipe")
    writing = threading.Thread(target=(tmp_path / "pipe").write_text, args=("\ufeff" + exported,))
    writing.start()
    done = ladder("import", "pipe", "--json", "--db", "fresh.db")
    writing.join()
    assert (done.code, done.err) == (0, "")
    assert done.document == {"games": 2, "skipped": 0, "names": {}}
    assert ladder("bots", "unretire", "foreign", "--db", "fresh.db").code == 0
    assert ladder("bots", "extract", "foreign", "out", "--db", "fresh.db").code == 0
    assert (tmp_path / "out" / "stacker.py").read_text() == STACKER.read_text()


@pytest.mark.slow
def test_a_refused_import_leaves_nothing(ladder: Command, tmp_path: Path, exported: str) -> None:
    """Neither files of bots nor a database stay of a file that is refused."""
    last = exported.splitlines()[-1]
    bad = exported.replace(last, re.sub(r'"result":"\w+"', '"result":"draw"', last))
    (tmp_path / "bad.jsonl").write_text(bad)
    with Store.open("other.db"):
        pass
    before = {file.name for file in tmp_path.iterdir()}
    for db in ("fresh.db", "other.db"):
        refused = ladder("import", "bad.jsonl", "--db", db)
        assert (refused.code, "nothing was imported" in refused.err) == (2, True)
    assert {file.name for file in tmp_path.iterdir()} == before
    assert execute_sql(str(tmp_path / "other.db"), "SELECT * FROM bot_archives") == []
