"""`ladder replay --analyze`: the turning point in text and JSON, limits, and bad input."""

from pathlib import Path

import pytest

from db.records.games import Thought
from db.store import Store
from tests.ladder.cli.conftest import Command
from tests.ladder.results.analysis.making import Games, random_moves
from tests.support.sql import execute_sql


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database with random games on 4x4: 1 and 2 are equal."""
    path = tmp_path / "ladder.db"
    with Store.open(str(path)) as store:
        moves = random_moves("4x4", 7)
        Games(store, "4x4").add(moves, thoughts=[Thought(1, 0.25)] * len(moves))
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("database")
def test_a_game_is_analysed_once(ladder: Command) -> None:
    """Text and JSON have the turning point, at once and in later replays."""
    assert ladder("replay", "1", "--json").document["analysis"] is None
    done = ladder("replay", "1", "--analyze", "--json")
    assert done.code == 0, done.err
    assert "positions solved" in done.err
    analysis = done.document["analysis"]
    plies = len(done.document["moves"])
    assert [move["ply"] for move in analysis["moves"]] == list(range(plies))
    assert all(move["value"] in ("win", "draw", "loss") for move in analysis["moves"])
    assert (analysis["estimated_by"], analysis["moves"][0]["estimate"]) == (None, None)
    mistakes = [move["ply"] for move in analysis["moves"] if move["mistake"]]
    assert analysis["turning_point"] == mistakes[-1]
    assert analysis["summary"].startswith(f"Turning point, ply {mistakes[-1] + 1}: ")
    assert ladder("replay", "1", "--json").document == done.document
    text = ladder("replay", "1").out
    assert analysis["summary"] in text
    assert ", the turning point" in text
    assert text.count("true      ") == plies


@pytest.mark.slow
@pytest.mark.usefixtures("database")
def test_undecided_positions_have_estimates(ladder: Command) -> None:
    """With too few nodes the champion's values stand beside the proven ones, and are not stored."""
    done = ladder("replay", "1", "--analyze", "--nodes", "1", "--json")
    analysis = done.document["analysis"]
    assert analysis["estimated_by"] == "v22"
    for move in analysis["moves"]:
        assert (move["value"] is None) == (move["estimate"] is not None)
    later = ladder("replay", "1", "--json").document["analysis"]
    assert later["estimated_by"] is None
    assert "by v22, not proven" in ladder("replay", "1", "--analyze", "--nodes", "1").out


@pytest.mark.usefixtures("database")
def test_bad_input_is_one_sentence(ladder: Command, database: Path) -> None:
    """Limits without an analysis, games without moves and damaged games end with exit code 2."""
    for words, sentence in (
        (("1", "--nodes", "5"), "--analyze"),
        (("1", "--time", "5s"), "--analyze"),
        (("1", "--analyze", "--time", "soon"), "soon"),
        (("1", "--analyze", "--nodes", "0"), "from 1"),
        (("9", "--analyze"), "no game 9"),
    ):
        done = ladder("replay", *words)
        assert (done.code, done.out) == (2, "")
        assert sentence in done.err
        assert len(done.err.splitlines()) == 1
    execute_sql(str(database), "UPDATE games SET moves = '0000000' WHERE id = 1")
    damaged = ladder("replay", "1", "--analyze")
    assert damaged.code == 2
    assert "column 0" in damaged.err
    assert "Traceback" not in damaged.err
