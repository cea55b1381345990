"""Machines of a stored division, compared with its rating list."""

from pathlib import Path
from random import Random

import pytest

from db.records.runs import DivisionRow, RunRow
from ladder.results.standings.division import standings_of_division
from ladder.results.standings.machines import Agreement
from ladder.results.standings.notes import MachineDisagrees
from reports.layout.format import to_json
from reports.report.notes import note_text
from reports.report.standings import remarks, standings_document, standings_markdown
from tests.support.data.league import League

NAMES = ("fast", "slow", "even")


def play(league: League, run: RunRow, machine: int | None, *, share: float, pairs: int) -> None:
    """Store pairs of every two bots; `fast` wins this share of its games, the rest is even."""
    random = Random(f"{machine} {share}")

    def score(name: str) -> str:
        chance = share if name == "fast" else 0.5
        return "1-0" if random.random() < chance else "0-1"

    def other(score: str) -> str:
        return score[::-1]

    for a, b in (("fast", "slow"), ("fast", "even"), ("even", "slow")):
        for _ in range(pairs):
            league.pair(run, a, b, score(a), other(score(a)), machine=machine)


def division_of(league: League, run: RunRow) -> DivisionRow:
    return next(row for row in league.store.divisions.all() if row.id == run.division_id)


def of(league: League, run: RunRow) -> Agreement:
    found = standings_of_division(league.store, division_of(league, run)).machines
    assert found is not None
    return found


@pytest.mark.slow
def test_a_machine_that_disagrees_is_named(tmp_path: Path) -> None:
    """A bot that loses on one machine what it wins elsewhere: text, JSON and notes name it."""
    with League(tmp_path / "ladder.db", *NAMES) as league:
        run = league.run()
        for name, share in (("lab1", 0.75), ("lab2", 0.75), ("attic", 0.35)):
            play(league, run, league.machine(name), share=share, pairs=40)
        standings = standings_of_division(league.store, division_of(league, run))
    assert standings.machines is not None
    worst = standings.machines.machines[0]
    assert worst.name == "attic"
    assert worst.fit.p is not None
    assert worst.fit.p < 1e-6
    assert worst.fit.surprise is not None
    assert worst.fit.surprise.player == "fast"
    assert worst.fit.freedom == 2
    notes = [note for note in standings.notes if isinstance(note, MachineDisagrees)]
    assert "the games of attic do not agree" in note_text(notes[0])
    assert "fast has" in note_text(notes[0])
    assert any("the machines do not agree" in line for line in remarks(standings))
    document = standings_document(standings)["machines"]
    assert document["list"][0]["machine"] == "attic"
    assert [row["pairs"] for row in document["list"]] == [120] * 3
    assert "NaN" not in to_json(document)
    assert "attic" in standings_markdown(standings)


@pytest.mark.slow
def test_machines_that_agree_are_not_doubted(tmp_path: Path) -> None:
    """Equal results everywhere, also on the coordinator's own machine, raise no note."""
    with League(tmp_path / "ladder.db", *NAMES) as league:
        run = league.run()
        for machine in (league.machine("lab1"), league.machine("lab2"), None):
            play(league, run, machine, share=0.7, pairs=30)
        found = of(league, run)
    assert found.doubts == []
    assert found.p is not None
    assert found.p > 0.05
    assert {(each.name, each.label) for each in found.machines} == {
        ("lab1", "lab1"), ("lab2", "lab2"), (None, "no cluster"),
    }  # fmt: skip
    assert sum(each.fit.pairs for each in found.machines) == 270


@pytest.mark.parametrize("machines", [(), ("lab1",)])
def test_games_of_one_machine_show_no_machines(tmp_path: Path, machines: tuple[str, ...]) -> None:
    """Games of one machine, of a cluster or not, show no machines at all."""
    with League(tmp_path / "ladder.db", *NAMES) as league:
        run = league.run()
        for machine in machines or (None,):
            key = None if machine is None else league.machine(machine)
            play(league, run, key, share=0.7, pairs=5)
        standings = standings_of_division(league.store, division_of(league, run))
    assert standings.machines is None
    assert standings_document(standings)["machines"] is None


@pytest.mark.slow
def test_pairs_count_whichever_bot_moved_first(tmp_path: Path) -> None:
    """A pair stored from B's side is the same pair; one that began too early is left out."""
    with League(tmp_path / "ladder.db", "a", "b") as league:
        run = league.run()
        lab = league.machine("lab1")
        first = league.pair(run, "a", "b", "1-0", "1/2", machine=lab)
        league.pair(run, "b", "a", "1/2", "1-0", machine=lab)
        (row,) = league.store.machines.tables(run.division_id)
        assert (row.machine, row.counts) == ("lab1", (0, 0, 0, 0, 0, 0, 0, 2, 0))
        game = league.store.games.get(first[1])
        assert game is not None
        (later,) = league.store.machines.tables(run.division_id, since=game.started_at)
        assert sum(later.counts) == 1
