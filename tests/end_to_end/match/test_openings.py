"""Runs, matches and gates that play openings from a file."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.opening_set import parse_opening_set
from tests.end_to_end.conftest import Done, Ladder

TEXT = "5x5 01\n5x5 02\n5x5 03\n5x5 1234\n"
PLAY = ("--simulations", "1", "--boards", "5x5", "--concurrency", "1")


def query(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / "ladder.db")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def match(ladder: Ladder, *words: object, games: int = 8) -> Done:
    """Play a rated match of the two bots that answer at once."""
    bots = ("match", "random", "stupid", "--rated", "--games", games)
    return ladder(*bots, "--openings", "some/lines.txt", *PLAY, *words)


@pytest.fixture
def openings(ladder: Ladder) -> Path:
    """Write a file of four openings."""
    file = ladder.folder / "some" / "lines.txt"
    file.parent.mkdir()
    file.write_text(TEXT)
    return file


@pytest.mark.very_slow
def test_a_file_of_openings_is_played_exported_and_imported(ladder: Ladder, openings: Path) -> None:
    """Each opening is played once by both sides, in a division that goes wherever the games go."""
    known = parse_opening_set(TEXT)
    done = match(ladder, "--seed", 3)
    assert done.code == 0, done.err
    played = query(ladder.folder, "select board || ' ' || opening from pairs order by number")
    assert sorted(line for (line,) in played) == known.text.splitlines()
    label = f"5x5+openings:{known.content_hash[:12]}/1sims"
    report = ladder("report", "--json").document
    assert report["division"] == {
        "label": label,
        "boards": "5x5",
        "fixed_opening": None,
        "opening_plies": None,
        "openings": known.content_hash,
        "budget": {"simulations": 1},
        "adjudicate": None,
    }
    openings.unlink()
    more = match(ladder, "--seed", 3, games=4)
    assert more.code == 0, more.err
    assert query(ladder.folder, "select count(distinct stream), count(*) from runs") == [(1, 1)]
    assert ladder("export", "-o", "games.jsonl").code == 0
    ladder("bots", "list", "--db", "jsonl.db")
    imported = ladder("import", "games.jsonl", "--db", "jsonl.db")
    assert imported.code == 0, imported.err
    again = ladder("report", "--json", "--db", "jsonl.db")
    assert again.document["division"]["label"] == label
    copied = match(ladder, "--db", "jsonl.db", "--seed", 9, games=2)
    assert copied.code == 0, copied.err
    refused = match(ladder, "--db", "other.db")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "cannot be read" in refused.err


@pytest.mark.slow
def test_a_gate_decides_from_games_on_the_same_openings(ladder: Ladder, openings: Path) -> None:
    """Games on other openings, or on random ones, are none of its division."""
    words = ("gate", "random", "--against", "stupid", *PLAY, "--max-games", "4", "--json")
    gate = ladder.instant()(*words, "--openings", openings)
    assert gate.document["games"] == 4
    stored = [*words, "--stored"]
    assert ladder(*stored, "--openings", openings).document["games"] == 4
    assert ladder(*stored).document["games"] == 0
    openings.write_text(TEXT + "5x5 04\n")
    assert ladder(*stored, "--openings", openings).document["games"] == 0
    first = parse_opening_set(TEXT).content_hash
    assert ladder(*stored, "--openings", first[:12]).document["games"] == 4
