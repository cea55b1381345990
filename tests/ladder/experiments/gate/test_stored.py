"""Gates and matches as a report finds them in the database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.records.runs import RunKind, RunRow
from engine.result import Termination
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.gate.session import games_of_gate, gate_of
from ladder.experiments.stored import trials_of
from ladder.results.standings.report_data import Reason
from ladder.runs.history import past_run
from tests.support.data.league import Game, League


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Two bots and nothing played."""
    with League(tmp_path / "games.db", "old", "new") as made:
        yield made


def result_of(league: League, run: RunRow) -> GateResult:
    """Return the result of a stored gate."""
    found = gate_of(league.store, past_run(league.store, run.id))
    assert found is not None
    return found.result


def a_gate(league: League, stream: str = "", max_drop: float = 50) -> RunRow:
    """Return a gate of new against old, with its question."""
    hashes = {bot.name: bot.revision.content_hash for bot in league.store.bots.all()}
    bots = {name: hashes[name] for name in ("old", "new")}
    settings = {"pairing": "gate:new:old", "bots": bots, **GateTest(max_drop=max_drop).settings}
    return league.run(kind=RunKind.GATE, settings=settings, stream=stream)


@pytest.mark.slow
def test_a_stored_gate_comes_to_its_verdict_again(league: League) -> None:
    """With its question the counts, the ratio and the decision follow from its pairs in order."""
    gate = a_gate(league)
    for _ in range(40):
        league.pair(gate, "old", "new", "1-0", "0-1")
    league.store.runs.set_verdict(gate.id, "regression")
    (trial,) = trials_of(league.store, league.store.divisions.all()[0])
    assert (trial.past.verdict, trial.past.games) == ("regression", 80)
    assert trial.past.title.startswith("new against old")
    result = result_of(league, gate)
    assert result.verdict is Verdict.REGRESSION
    assert result.games < 80
    assert result.test == GateTest(max_drop=50)


@pytest.mark.slow
def test_a_repeated_gate_is_judged_by_its_own_pairs(league: League) -> None:
    """Gates that continue one stream have the ratio and the games of their own pairs each."""
    games = [("0-1", "1-0"), ("1-0", "0-1"), ("1-0", "1/2")]
    gates: list[RunRow] = []
    for scores in games:
        gates.append(a_gate(league, gates[0].stream if gates else ""))
        league.pairs(gates[-1], "new", "old", 3, *scores)
    judged = [result_of(league, gate) for gate in gates]
    assert [result.games for result in judged] == [6, 6, 6]
    assert [result.deciding.record.pentanomial for result in judged] == [
        (3, 0, 0, 0, 0),
        (0, 0, 0, 0, 3),
        (0, 0, 0, 3, 0),
    ]


@pytest.mark.slow
def test_a_stored_gate_survives_new_names(league: League) -> None:
    """Candidate and baseline keep their sides, counts and ratio when both have other names."""
    gate = a_gate(league)
    league.pairs(gate, "new", "old", 49, "1-0", "0-1")
    league.pairs(gate, "new", "old", 10, "1/2", "1/2")
    before = result_of(league, gate)
    for name, new_name in (("new", "x"), ("old", "new"), ("x", "old")):
        league.store.bots.rename(name, new_name)
    after = result_of(league, gate)
    assert (after.candidate, after.deciding.name) == ("old", "new")
    assert after.deciding.record == before.deciding.record
    assert after.deciding.llr_history == before.deciding.llr_history
    assert past_run(league.store, gate.id).title.startswith("old against new")


@pytest.mark.slow
def test_the_games_of_a_gate_are_those_that_were_lost(league: League) -> None:
    """Forfeits first, then the shortest; none that it won or that are another run's."""
    gate = a_gate(league)
    for plies in range(8, 40):
        lost = Game("0-1", plies=plies)
        if plies == 20:
            lost = Game("0-1", Termination.CRASH, plies)
        league.pair(gate, "new", "old", lost, "0-1")
    result, label = result_of(league, gate), league.store.divisions.all()[0].label
    shown = games_of_gate(league.store, label, result, 12)
    assert len(shown) == 9
    assert [(each.reason, len(each.game.moves)) for each in shown[:3]] == [
        (Reason.FORFEIT, 20),
        (Reason.SHORT, 8),
        (Reason.SHORT, 9),
    ]
    assert shown[0].game.last_output is not None
    assert {each.game.first for each in shown} == {"new"}
    assert games_of_gate(league.store, label, result, 0) == []
    again = a_gate(league)
    (lost, _) = league.pair(again, "new", "old", Game("0-1", plies=9), "1/2")
    shown = games_of_gate(league.store, label, result, 12, run_id=again.id)
    assert [each.game.id for each in shown] == [lost]
