"""Gates and matches as a report finds them in the database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.records.runs import DivisionRow, RunKind
from engine.result import Termination
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.stored import games_of_gate, trial_of, trials_of
from ladder.results.standings.report_data import Reason
from ladder.runs.history import past_run
from tests.support.data.league import Game, League


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Two bots and nothing played."""
    with League(tmp_path / "games.db", "old", "new") as made:
        yield made


@pytest.mark.slow
def test_a_stored_gate_comes_to_its_verdict_again(league: League) -> None:
    """With its question the counts, the ratio and the decision follow from its pairs in order."""
    test = GateTest(max_drop=50)
    gate = league.run(kind=RunKind.GATE, settings={"pairing": "gate:new:old", **test.settings})
    for _ in range(40):
        league.pair(gate, "old", "new", "1-0", "0-1")
    league.store.runs.set_verdict(gate.id, "regression")
    (trial,) = trials_of(league.store, league.store.divisions.all()[0])
    assert (trial.bot, list(trial.against), trial.verdict) == ("new", ["old"], "regression")
    assert trial.standing.wdl == (0, 0, 80)
    assert trial.standing.pentanomial == (40, 0, 0, 0, 0)
    assert trial.result is not None
    assert trial.result.verdict is Verdict.REGRESSION
    assert trial.result.games < 80
    assert trial.result.test == test


@pytest.mark.slow
def test_a_repeated_gate_is_judged_by_its_own_pairs(league: League) -> None:
    """Gates that continue one stream have the ratio and the games of their own pairs each."""
    settings = {"pairing": "gate:new:old", **GateTest(max_drop=50).settings}
    games = [("0-1", "1-0"), ("1-0", "0-1"), ("1-0", "1/2")]
    stream = ""
    for scores in games:
        gate = league.run(kind=RunKind.GATE, settings=settings, stream=stream)
        stream = gate.stream
        league.pairs(gate, "new", "old", 3, *scores)
    found = [trial.result for trial in reversed(trials_of(league.store, the_division(league)))]
    judged = [result for result in found if result is not None]
    assert [result.games for result in judged] == [6, 6, 6]
    assert [result.deciding.pentanomial for result in judged] == [
        (3, 0, 0, 0, 0),
        (0, 0, 0, 0, 3),
        (0, 0, 0, 3, 0),
    ]
    assert [
        trial_of(league.store, gate).standing.pentanomial for gate in league.store.runs.find()
    ] == [result.deciding.pentanomial for result in reversed(judged)]


@pytest.mark.slow
def test_a_stored_gate_survives_new_names(league: League) -> None:
    """Candidate and baseline keep their sides, counts and ratio when both have other names."""
    settings = {"pairing": "gate:new:old", **GateTest(max_drop=50).settings}
    gate = league.run(kind=RunKind.GATE, settings=settings)
    league.pairs(gate, "new", "old", 49, "1-0", "0-1")
    league.pairs(gate, "new", "old", 10, "1/2", "1/2")
    before = trial_of(league.store, gate)
    assert before.result is not None
    for name, new_name in (("new", "x"), ("old", "new"), ("x", "old")):
        league.store.bots.rename(name, new_name)
    run = league.store.runs.get(gate.id)
    after = trial_of(league.store, run)
    assert (after.bot, after.against) == ("old", ["new"])
    assert after.result is not None
    assert after.standing.wdl == (98, 20, 0)
    assert after.standing.pentanomial == before.standing.pentanomial
    assert after.result.deciding.llr_history == before.result.deciding.llr_history
    assert past_run(league.store, gate.id).title.startswith("old against new")


@pytest.mark.slow
def test_the_games_of_a_gate_are_those_that_were_lost(league: League) -> None:
    """Forfeits first, then the shortest; none that it won or that are another run's."""
    test = GateTest(max_drop=50)
    gate = league.run(kind=RunKind.GATE, settings={"pairing": "gate:new:old", **test.settings})
    for plies in range(8, 40):
        lost = Game("0-1", plies=plies)
        if plies == 20:
            lost = Game("0-1", Termination.CRASH, plies)
        league.pair(gate, "new", "old", lost, "0-1")
    (trial,) = trials_of(league.store, league.store.divisions.all()[0])
    assert trial.result is not None
    shown = games_of_gate(league.store, gate_label(league), trial.result, 12)
    assert len(shown) == 9
    assert [(each.reason, len(each.game.moves)) for each in shown[:3]] == [
        (Reason.FORFEIT, 20),
        (Reason.SHORT, 8),
        (Reason.SHORT, 9),
    ]
    assert shown[0].game.last_output is not None
    assert {each.game.first for each in shown} == {"new"}
    assert games_of_gate(league.store, gate_label(league), trial.result, 0) == []
    again = league.run(kind=RunKind.GATE, settings={"pairing": "gate:new:old", **test.settings})
    (lost, _) = league.pair(again, "new", "old", Game("0-1", plies=9), "1/2")
    shown = games_of_gate(league.store, gate_label(league), trial.result, 12, run_id=again.id)
    assert [each.game.id for each in shown] == [lost]


def the_division(league: League) -> DivisionRow:
    return league.store.divisions.all()[0]


def gate_label(league: League) -> str:
    return the_division(league).label
