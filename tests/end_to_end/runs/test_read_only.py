"""Commands that only read, on a database that cannot be written and without any."""

import os

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import QUICK_ALONE

LOOKING = [
    ["report", "--json"],
    ["report", "--compare", "steady", "random", "--json"],
    ["replay", "1", "--json"],
    ["export"],
    ["games", "--json"],
    ["bots", "list", "--json"],
    ["bots", "show", "v1", "--json"],
]


@pytest.mark.slow
def test_commands_that_only_read_work_on_a_database_that_cannot_be_written(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each must print what it prints where it may write."""
    run = ("run", *QUICK_ALONE, "--boards", "4x5", "--seed", "1", "--games", "8")
    assert ladder.stock().instant()(*run).code == 0
    expected = [ladder(*words) for words in LOOKING]
    database = ladder.folder / "ladder.db"
    database.chmod(0o444)
    ladder.folder.chmod(0o555)
    before = sorted(os.listdir(ladder.folder))
    try:
        ladder.heeds_permissions = True
        analysing = ("replay", "1", "--analyze", "--json")
        refused = ("bots", "retire", "v1")
        found = [ladder(*words) for words in (*LOOKING, analysing, refused)]
        ladder.environment["LADDER_CACHE"] = str(
            tmp_path_factory.mktemp("cache")
        )  # quick to measure
        found.append(ladder("doctor"))
    finally:
        ladder.folder.chmod(0o755)
    assert found[:-3] == expected
    assert (found[-3].code, found[-3].document["analysis"] is None) == (0, False)
    assert "the values are not stored" in found[-3].err
    assert all(done.code == 0 for done in expected)
    assert found[-2].code == 2
    assert "ladder.db cannot be written" in found[-2].err
    assert "the results and sums of pairs are those of their games" in found[-1].out
    assert sorted(os.listdir(ladder.folder)) == before
