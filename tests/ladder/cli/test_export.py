"""`ladder export --ids`: the numbers of games, by which `ladder replay` finds them."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command
from tests.support.data.league import League
from tests.support.instant_workforce import InstantWorkforce


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
