"""A database of the first stage: its games keep what they were.

`tests/data/first_stage` holds a database that the first stage wrote (six built-in players, one bot
with two revisions, 54 games under a work budget) beside what that program exported and reported.
"""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder

FOLDER = ROOT / "tests" / "data" / "first_stage"


@pytest.fixture
def old(ladder: Ladder) -> Ladder:
    """Return a folder with that database as its own."""
    packed = (FOLDER / "games.db.gz").read_bytes()
    Path(ladder.folder, "ladder.db").write_bytes(gzip.decompress(packed))
    return ladder


HASH = re.compile(r'(,"introduces":.*?)(?=}$)|(?<![0-9a-f])[0-9a-f]{16,64}(?![0-9a-f])', re.M)
"""What bots are made of: built-in players are identified by a behaviour number since."""


@pytest.mark.slow
def test_the_export_of_the_first_stage_is_the_same_but_for_its_bots(old: Ladder) -> None:
    """After all migrations an export must hold what the old program wrote."""
    done = old("export")
    assert done.code == 0, done.err
    before = gzip.decompress((FOLDER / "games.jsonl.gz").read_bytes()).decode()
    assert HASH.sub("HASH", done.out) == HASH.sub("HASH", before)


@pytest.mark.slow
def test_the_games_of_the_first_stage_keep_their_ratings(old: Ladder) -> None:
    """The players decide as before, so their old games must count as before."""
    before = json.loads((FOLDER / "report.json").read_text())
    now = old("report", "--json").document
    assert now["games"] == before["games"]
    assert {bot["name"]: bot["elo"] for bot in now["bots"]} == pytest.approx(
        {bot["name"]: bot["elo"] for bot in before["bots"]}, abs=0.1
    )
    assert [line["pentanomial"] for line in now["pairs_table"]] == [
        line["pentanomial"] for line in before["pairs_table"]
    ]
