"""Choices among bots, from the command line to the database."""

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query

SELECT = (
    "select", "random", "stupid", "--against", "steady", "--boards", "5x5", "--simulations", 1,
    "--concurrency", 1, "--seed", 1, "--indifference", 150,
)  # fmt: skip


@pytest.mark.slow
def test_a_choice_is_made_and_listed(ladder: Ladder) -> None:
    """The document must name the best and all others, the run its verdict, the page a chart."""
    done = ladder.stock()(*SELECT, "--json", "--note", "which?", "--html", "page.html")
    assert done.code == 0, done.err
    page = (ladder.folder / "page.html").read_text(encoding="utf-8")
    assert done.document["reason"].removeprefix("no other") in page
    assert "Bots by strength" in page
    document = done.document
    names = [player["name"] for player in document["players"]]
    assert set(names) == {"random", "stupid", "steady"}
    others = [player["name"] for player in document["dropped"]]
    assert sorted([*document["best"], *others]) == sorted(names)
    assert document["best"][0] == names[0]
    assert document["games"] <= query(ladder.folder, "select count(*) from games")[0][0]
    listed = ladder("runs", "--json").document["runs"]
    facts = [(run["kind"], run["status"], run["verdict"], run["note"]) for run in listed]
    assert facts == [("select", "finished", f"best: {names[0]}", "which?")]
    assert ladder("report", "--json").document["games"] == 0
