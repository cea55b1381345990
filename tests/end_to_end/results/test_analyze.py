"""`ladder analyze` and the mistakes in reports, on games that were played."""

import shutil
from pathlib import Path

import pytest

from ladder.cli.main import run_command
from tests.end_to_end.conftest import Ladder
from tests.support.instant_workforce import InstantWorkforce
from tests.support.shared import made_once

PLAY = ("--simulations", "1", "--boards", "4x5", "--concurrency", "1", "--seed", "5")


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """Return a database of 20 rated games, played once for all tests."""

    def make(folder: Path) -> None:
        words = ("match", "random", "stupid", "--rated", "--games", "20", *PLAY)
        assert run_command([*words, "--db", f"{folder}/ladder.db"], InstantWorkforce()) == 0

    shutil.copy(made_once("to-analyze", make) / "ladder.db", ladder.folder)
    return ladder


@pytest.mark.slow
def test_games_are_analysed_and_reported(played: Ladder) -> None:
    """`analyze` and `report` must agree; a second call has nothing to do."""
    assert "mistakes" not in played("report", "--json").document["bots"][0]
    none = played("report", "--mistakes")
    assert (none.code, none.out) == (
        0,
        "no game of this division was analysed yet: run `ladder analyze`\n",
    )
    done = played("analyze", "--json", "--games", "12")
    assert done.code == 0, done.err
    assert done.document["session"]["games"] == done.document["games"] == 12
    done = played("analyze", "--json")
    assert done.document["session"]["games"] == 8
    found = done.document
    assert found["games"] == 20
    assert found["positions"] == found["decided"] > 0
    bots = {bot["name"]: bot for bot in found["bots"]}
    assert set(bots) == {"random", "stupid"}
    for bot in bots.values():
        assert sum(bot["mistakes"].values()) > 0
        assert bot["unknown_share"] == 0
        assert bot["per_100"]["error95"] > 0
        assert bot["false_proofs"] == 0
        assert bot["lost_games"] >= len(bot["losing_moves"]) > 0
    reported = {bot["name"]: bot["mistakes"] for bot in played("report", "--json").document["bots"]}
    for name, bot in bots.items():
        assert {"name": name, **reported[name]} == bot
    mistakes = played("report", "--mistakes", "--json").document
    assert mistakes["bots"] == found["bots"]
    again = played("analyze")
    assert "0 of 20 games to analyse, 20 are done" in again.err
    newest = reported["random"]["losing_moves"][-1]
    shown = played("replay", str(newest["game"]), "--json").document["analysis"]
    assert shown["turning_point"] >= newest["ply"]  # the last losing move, not the first
    assert next(move for move in shown["moves"] if move["ply"] == newest["ply"])["mistake"]
    table = played("report", "--mistakes").out
    assert "mistakes/100" in table
    assert "unknown" in table
    assert table in again.out or again.out == table
    assert played("report", "--mistakes", "--format", "csv").out.startswith("name,games,moves")
    assert "| mistakes/100 |" in played("report", "--mistakes", "--format", "markdown").out
    forgot = played("analyze", "--forget")
    assert "the analysis of 20 games" in forgot.err
    assert played("report", "--mistakes", "--json").document["bots"] == []
