"""Results that runs keep: judged once, read later, with present names."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from db.records.exchange import GameLine
from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.gate.question import GateTest
from ladder.experiments.select.field import SelectQuestion
from ladder.experiments.stored import check_result, read_run, wrong_results
from ladder.experiments.tune.bots import Registration, gate_note
from ladder.experiments.tune.session import TuningEnd
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import open_games, write_jsonl
from ladder.runs.history import past_run
from ladder.tools.doctor.database import examine_database
from ladder.tools.doctor.machine import Level
from reports.findings.run import finding_of, run_document
from tests.fuzz.valid import exported
from tests.support.data.league import League
from tests.support.sql import execute_sql

GATE = {"pairing": "gate:anna:bert", **GateTest(max_drop=50).settings}
CHOICE = SelectQuestion(indifference=100.0, confidence=0.9).settings("bert")
OPTIONS = {"options": {"command": "match", "a": "bert", "b": "anna"}}
SETTINGS: Mapping[RunKind, Mapping[str, object]] = {
    RunKind.GATE: GATE,
    RunKind.MATCH: OPTIONS,
    RunKind.SELECT: CHOICE,
}


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Two bots and nothing played."""
    with League(tmp_path / "games.db", "anna", "bert") as made:
        yield made


def experiment(league: League, kind: RunKind, pairs: int = 12) -> RunRow:
    """Return an experiment of a kind in which anna wins everything."""
    run = league.run(kind=kind, settings=SETTINGS[kind])
    league.pairs(run, "anna", "bert", pairs, "1-0", "0-1")
    return run


def shown(store: Store, run: RunRow) -> str:
    """Return the text and document of a run's result."""
    stored = read_run(store, past_run(store, run.id))
    finding = finding_of(stored)
    assert finding is not None
    return f"{finding.word}: {finding.sentence}; {run_document(stored, None)['result']}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", SETTINGS)
def test_an_ended_experiment_is_judged_once(league: League, kind: RunKind) -> None:
    """Without some of its pairs it shows the same, under the names of now, and a second judgement
    names what differs."""
    store = league.store
    run = experiment(league, kind)
    before = shown(store, run)
    assert store.runs.result(run.id) is None, "it has not ended"
    league.end(run)
    with Store.follow(store.where) as follower:
        ended = shown(follower, run)
    assert store.runs.result(run.id) is None, "a follower does not write"
    assert shown(store, run) == ended
    if kind is RunKind.MATCH:
        assert ended == before
    kept = store.runs.result(run.id)
    assert kept is not None
    assert "anna" not in str(kept)
    assert list(wrong_results(store)) == []
    execute_sql(store.where, "DELETE FROM games WHERE pair_id > 3")
    execute_sql(store.where, "DELETE FROM pairs WHERE id > 3")
    store.bots.rename("anna", "zoe")
    assert shown(store, run) == ended.replace("anna", "zoe")
    past, fact, right = next(wrong_results(store))
    assert past.row.id == run.id
    assert fact.startswith("its ")
    store.runs.set_result(run.id, right)
    assert list(wrong_results(store)) == []


@pytest.mark.slow
def test_a_run_that_is_open_again_keeps_no_result(league: League) -> None:
    """What a gate kept leaves when it is resumed, and an unreadable result is judged again."""
    run = experiment(league, RunKind.GATE, 3)
    league.end(run)
    ended = shown(league.store, run)
    league.end(run, RunStatus.INTERRUPTED)
    assert league.store.runs.result(run.id) is None
    assert "it was stopped" in shown(league.store, run)
    league.end(run)
    league.store.runs.set_result(run.id, {"verdict": "splendid"})
    assert "it is not readable" in next(wrong_results(league.store))[1]
    assert shown(league.store, run) == ended
    assert list(wrong_results(league.store)) == []


@pytest.mark.slow
def test_a_tuning_keeps_its_gate_and_what_it_registered(league: League) -> None:
    """The gate is found by its number, whatever its note says, and the bot has its present name."""
    store = league.store
    search = {"spec": "exec:./bot --c {c}", "parameters": ["c=0.5..1..2"], "games": 64}
    search |= {"original": "", "pairs": 8}
    run = league.run(kind=RunKind.TUNE, settings={"tuning": search})
    gate = league.run(kind=RunKind.GATE, settings=GATE, note=gate_note(run.id))
    league.pairs(gate, "anna", "bert", 12, "1-0", "0-1")
    for each in (gate, run):
        league.end(each)
    assert "{'candidate': 'anna'" in shown(store, run)
    revision = store.bots.get("anna").revision.id
    end = TuningEnd(gate.id, Registration(f"{{{revision}}}", True, "it won the gate"))
    store.runs.set_result(run.id, msgspec.to_builtins(end))
    store.runs.set_note(gate.id, "mine")
    store.bots.rename("anna", "zoe")
    assert "{'candidate': 'zoe'" in shown(store, run)
    assert "'registered': 'zoe'" in shown(store, run)


def match_lines() -> list[GameLine]:
    """Return the two games of the valid file as a match."""
    lines = [msgspec.json.decode(text, type=GameLine) for text in exported().splitlines()]
    for line in lines:
        line.kind, line.rated = RunKind.MATCH, False
    return lines


def take_in(store: Store, path: Path, lines: list[GameLine]) -> int:
    path.write_text("".join(write_jsonl(lines)))
    with open_games(path) as games:
        return import_games(store, path.name, games, check_result=check_result).games


@pytest.mark.slow
def test_the_doctor_compares_results_with_pairs(tmp_path: Path) -> None:
    """One sentence names the run and the fact, and a repair stores the right result."""
    with Store.open(str(tmp_path / "one.db")) as store:
        take_in(store, tmp_path / "games.jsonl", match_lines())
        (run,) = store.runs.find()
        right = shown(store, run)
        kept = store.runs.result(run.id)
        assert kept is not None
        assert diagnosis(store) == (Level.OK, "the results of experiments are those of their pairs")
        grid = [0] * 8 + [9]
        store.runs.set_result(run.id, {**kept, "record": {"grid": grid, "distinct": 9}})
        level, text = diagnosis(store)
        assert level is Level.FAULT
        assert text.startswith(f"1 result is wrong: run {run.id}: its record ")
        assert text.endswith("; run `ladder doctor --repair`")
        assert diagnosis(store, repair=True)[1].startswith("1 result repaired: run 1: its record")
        assert shown(store, run) == right


def diagnosis(store: Store, *, repair: bool = False) -> tuple[Level, str]:
    """Return what the doctor finds about results."""
    (found,) = [each for each in examine_database(store, repair=repair) if each.topic == "results"]
    return found.level, found.text


@pytest.mark.slow
def test_results_are_exported_and_imported(tmp_path: Path) -> None:
    """The result of a run comes with its first game, and calls a bot as the database here does."""
    path = tmp_path / "games.jsonl"
    with Store.open(str(tmp_path / "one.db")) as store:
        assert take_in(store, path, match_lines()) == 2
        (run,) = store.runs.find()
        first = shown(store, run)
        exported = list(store.exchange.export_lines())
    assert [line.timing.result is None for line in exported] == [False, True]
    one = exported[0].timing.result
    assert one is not None
    name = one.bots[0][0]
    with League(tmp_path / "two.db", name) as league:  # of another content
        assert take_in(league.store, path, exported) == 2
        (run,) = league.store.runs.find()
        assert league.store.runs.result(run.id) is not None
        known = league.store.bots.contents().values()
        (here,) = [each for each, content in known if content == one.bots[0][1]]
        assert shown(league.store, run) == first.replace(name, here)
        assert list(wrong_results(league.store)) == []
        league.store.runs.delete(run.id)
        one.facts = {"a": "{0}", "b": "{7}", "record": {"grid": [0] * 9}}
        with pytest.raises(UsageError, match="refers to bots that it lacks; nothing was imported"):
            take_in(league.store, path, exported)
        one.facts = {"winner": "{0}"}
        with pytest.raises(UsageError, match="line 1: the result of its run is not readable"):
            take_in(league.store, path, exported)
        one.facts = {"a": "\x1b[31m", "b": "{0}"}
        with pytest.raises(UsageError, match="the result of a run must be printable"):
            take_in(league.store, path, exported)
        for line in exported:
            line.timing.result = None
        assert take_in(league.store, path, exported) == 2
        (run,) = league.store.runs.find()
        assert league.store.runs.result(run.id) is None
