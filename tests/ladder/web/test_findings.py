"""The findings of selections, bisections and tunings on the pages of their runs."""

import re
from collections.abc import Callable

import msgspec
import pytest

from db.records.runs import RunKind, RunRow, TuningStepRow
from ladder.experiments.bisect.result import result_of
from ladder.experiments.bisect.search import BisectQuestion, CommitSearch
from ladder.experiments.bisect.session import bisection_of
from ladder.experiments.gate.question import GateTest
from ladder.experiments.select.judge import SelectQuestion
from ladder.experiments.tune.session import gate_note
from ladder.runs.history import past_run
from tests.ladder.web.conftest import Running, Start
from tests.support.browser import Opened, until
from tests.support.data.bisected import history, played
from tests.support.data.league import Game, League

Visit = Callable[..., Opened]
BOTH, LOST = (Game("1-0"), Game("0-1")), (Game("0-1"), Game("1-0"))


def selection(league: League, rounds: int) -> RunRow:
    """Return a selection in which alpha wins most, beta some and gamma few pairs."""
    question = SelectQuestion(indifference=100.0, confidence=0.9)
    run = league.run(kind=RunKind.SELECT, settings=dict(question.settings(None)))
    for number in range(rounds):
        for one, other, bad in (("alpha", "beta", 4), ("alpha", "gamma", 8), ("beta", "gamma", 5)):
            league.pair(run, one, other, *(LOST if number % bad == 0 else BOTH))
    return run


def bisection(league: League) -> RunRow:
    """Store two runs of a search, of which the second has the answer; return the first."""
    part = dict.fromkeys(("spec", "commit", "good", "bad"), "")
    kept = {"bisect": {"key": "k", "seed": 1, **part}}
    first, last = (league.run(kind=RunKind.BISECT, settings=kept) for _ in range(2))
    search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
    for run in (first, last):
        found = result_of(search, conditions="6x7", seed=1)
        league.store.runs.change_settings(run.id, bisect_result=msgspec.to_builtins(found))
        if run is first:
            played(search, 9)
    return first


def tuning(league: League, steps: int) -> RunRow:
    """Return a tuning of one number with a gate that has begun."""
    search = {"spec": "exec:./bot --c {c}", "parameters": ["c=0.5..1..2"], "games": 64}
    search |= {"original": "", "pairs": 8}
    run = league.run(kind=RunKind.TUNE, settings={"tuning": search})
    for step in range(1, steps + 1):
        at, low, high = ({"c": 1 + (step + each) / 100} for each in (0, -9, 9))
        league.store.tuning_steps.add(
            run.id,
            TuningStepRow(
                step=step,
                a=low,
                b=high,
                pentanomial=(0, 1, 2, 1, 0),
                forfeits=0,
                estimate=at,
                duration_us=1000,
            ),
        )
    gate = league.run(
        kind=RunKind.GATE,
        bots=("alpha", "beta"),
        note=gate_note(run.id),
        settings={"pairing": "gate:alpha:beta", **GateTest(max_drop=20).settings},
    )
    league.pairs(gate, "alpha", "beta", 4, *BOTH)
    return run


def words_of(server: Running, run: RunRow) -> str:
    """Return the text of a run's page, without markup."""
    answer = server.ask(f"/runs/{run.id}")
    assert answer.status == 200, answer.text
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text.split("<footer>")[0]).split())


@pytest.mark.slow
def test_a_selection_shows_its_choice(league: League, server: Running) -> None:
    """Before the end the page shows how many bots can be the best, at the end the choice."""
    run = selection(league, 4)
    words = words_of(server, run)
    assert "3 can still be the best, and it was stopped" in words
    run = selection(league, 40)
    league.end(run)
    words = words_of(server, run)
    assert "chosen Which of alpha, beta and gamma is the best?" in words
    assert "No other is better than alpha by 100 Elo or more, with 90 % confidence, after" in words
    assert "alpha +0 +0 .. +0 50.0%" in words


@pytest.mark.slow
def test_each_run_of_a_bisection_shows_its_latest_answer(league: League, server: Running) -> None:
    """The pages of all runs of a bisection show the latest answer."""
    run = bisection(league)
    words = words_of(server, run)
    assert "found Which commit after" in words
    assert "lost rating (" in words
    assert "Confidence 0.95" in words
    result = bisection_of(league.store, past_run(league.store, run.id))
    assert result is not None
    assert result.culprit is not None
    assert result.culprit.subject == "Step 9"


@pytest.mark.slow
def test_a_tuning_shows_its_values_and_its_gate(league: League, server: Running) -> None:
    """The page shows each value before and after, the progress, and the gate's decision."""
    words = words_of(server, tuning(league, 8))
    assert "no verdict Is exec:./bot --c {c} better with other numbers?" in words
    assert "Search run 1, 64 of 64 games" in words
    assert "c 1 1.08 0.5 2" in words
    assert (
        "alpha against each baseline against games won-drawn-lost score Elo 95 % "
        "chance to be better beta 8" in words
    )


@pytest.mark.very_slow
def test_findings_are_accessible_and_fit(league: League, start_server: Start, visit: Visit) -> None:
    """axe-core finds no violation, charts are drawn, and no page scrolls sideways."""
    server = start_server(league.store.path)
    for run in (selection(league, 20), bisection(league), tuning(league, 8)):
        opened = visit(f"{server.address}runs/{run.id}", width=390, scheme="dark")
        until(opened.page, "document.body.dataset.charts === 'drawn'")
        assert opened.violations() == "", run.kind
        sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert opened.page.evaluate(sideways) <= 0, run.kind
        assert opened.errors == [], run.kind
        opened.page.close()
