"""Comparisons of versions, from real games."""

import pytest

from tests.end_to_end.conftest import Ladder


@pytest.mark.slow
def test_a_comparison_names_the_stronger_bot(ladder: Ladder) -> None:
    """All parts must agree with the list and with each other, in every format."""
    words = ("--simulations", "30", "--boards", "5x5,6x7", "--concurrency", "1")
    done = ladder("run", "--bots", "v4,random,stupid", "--games", "72", "--seed", "4", *words)
    assert done.code == 0, done.err
    document = ladder("report", "--compare", "v4", "random", "--json").document
    listed = {bot["name"]: bot for bot in ladder("report", "--json").document["bots"]}
    versus = document["versus"][0]
    assert versus["elo"] == pytest.approx(listed["v4"]["elo"] - listed["random"]["elo"], abs=0.2)
    assert versus["error95"] > 0
    assert versus["los"] > 0.975
    assert versus["sentence"].startswith("v4 is stronger than random by ")
    assert "more pairs would halve the error" in versus["sentence"]
    assert document["common_opponents"] == ["stupid"]
    for bot in document["bots"]:
        games = listed[bot["name"]]["games"]
        for part in ("by_board_class", "by_opponent"):
            assert sum(share["games"] for share in bot[part].values()) == games
        assert bot["moving_first"]["games"] == bot["moving_second"]["games"] == games // 2
        points = sum(
            share["games"] * (share["score"] or 0) for share in bot["by_opponent"].values()
        )
        assert points == pytest.approx(listed[bot["name"]]["score"] * games, abs=0.05)
    head = document["bots"][0]["by_opponent"]["random"]["games"]
    assert sum(versus["wdl"]) == 2 * sum(versus["pentanomial"]) == head
    turned = ladder("report", "--compare", "random", "v4", "--json").document["versus"][0]
    assert turned["sentence"] == versus["sentence"]
    assert turned["elo"] == -versus["elo"]
    three = ladder("report", "--compare", "v4", "random", "stupid")
    assert three.out.count("would halve the error") == 3
    sentences = three.out.splitlines()[-3:]
    compared = [{"v4", "random", "stupid"} & set(line.split()) for line in sentences]
    assert compared == [{"v4", "random"}, {"v4", "stupid"}, {"random", "stupid"}]
    assert (
        "### by board class"
        in ladder("report", "--compare", "v4", "random", "--format", "markdown").out
    )
    rows = ladder("report", "--compare", "v4", "random", "--format", "csv").out.splitlines()
    assert [row.split(",")[0] for row in rows] == ["a", "v4"]
    for bad in (("--compare", "v4"), ("v4", "random"), ("--compare",), ("--compare", "v4", "v4")):
        refused = ladder("report", *bad)
        assert refused.code == 2, refused.out
        assert "--compare" in refused.err
    unknown = ladder("report", "--compare", "v4", "v2")
    assert unknown.code == 2
    assert "'v2' has no rated games" in unknown.err


@pytest.mark.very_slow
def test_bots_that_no_games_connect_have_no_difference(ladder: Ladder) -> None:
    """Without games between two groups there must be a reason instead of a number."""
    words = ("--simulations", "10", "--boards", "5x5", "--games", "4", "--concurrency", "1")
    assert ladder.stock()("bots", "add", "other", "builtin:random").code == 0
    for pair in ("steady,random", "stupid,other"):
        assert ladder("run", "--bots", pair, *words).code == 0
    document = ladder("report", "--compare", "steady", "stupid", "--json").document
    versus = document["versus"][0]
    assert versus["elo"] is versus["error95"] is versus["los"] is None
    assert versus["reason"] == "no games connect them"
    assert document["summary"] == ["steady and stupid cannot be compared: no games connect them"]
