"""Runs that release 0.2.0 began are found and resumed by the same commands."""

from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest

from db.records.run_settings import TuneSettings
from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.cli.run_options import RunOptions
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import find_answer, gate_task
from ladder.experiments.tune.bots import TuningTask
from ladder.experiments.tune.parameters import template_of
from ladder.runs.pairings import GATE, Pairing, parse_pairing
from ladder.runs.resume import options_of, resume_or_create, runs_like
from ladder.runs.settings import RunSettings
from tests.support.former import write_former


def settings_of_command(run: RunRow) -> RunSettings:
    """Return what the command of a run asks for, read from its options as today."""
    options = options_of(run)
    assert options is not None
    given = {each.name: options[each.name] for each in fields(RunOptions) if each.name in options}
    rule, candidate, against = run.settings.pairing_words
    gated = Pairing(GATE, candidate, against)
    settings = RunOptions(**{**given, "seed": run.seed}).settings(
        db="none.db",
        kind=run.kind,
        bots=tuple(run.settings.bots),
        pairing=gated if rule == GATE.name else parse_pairing(run.settings.pairing),
        games=run.target_games,
        rated=run.rated,
    )
    if run.kind is not RunKind.TUNE:
        return settings
    assert isinstance(run.settings, TuneSettings)
    assert run.settings.tuning is not None
    task = TuningTask(
        template=template_of(options["spec"], options["param"]),
        settings=replace(settings, games=options["games"]),
        pairs=options["pairs"],
        test=GateTest(),
        folder=Path(),
    )
    return task.run_settings(run.settings.tuning.original)


@pytest.fixture
def former(tmp_path: Path) -> Store:
    """Return a migrated database of 0.2.0, in which ``mybot`` is called ``zed`` since."""
    place = str(tmp_path / "ladder.db")
    write_former(place)
    return Store.open(place)


@pytest.mark.slow
def test_interrupted_runs_of_every_kind_are_resumed(former: Store) -> None:
    """The identity of a run is what it was, also with bots that have other names now."""
    with closing(former) as store, closing(store.run_lock()) as lock:
        runs = [run for run in store.runs.find() if run.kind is not RunKind.PLAY]
        assert {run.kind for run in runs} == set(RunKind) - {RunKind.PLAY, RunKind.NIGHTLY}
        assert any(run.renamed for run in runs)
        for run in runs:
            store.runs.set_status(run.id, RunStatus.INTERRUPTED)
            settings, hashes = settings_of_command(run), dict(run.settings.bots)
            assert [each.id for each in runs_like(store, settings, hashes)] == [run.id]
            resumed = resume_or_create(store, lock, settings, hashes, {})
            assert resumed is not None
            assert (resumed.id, resumed.settings) == (run.id, run.settings)


@pytest.mark.slow
def test_gates_find_their_verdicts(former: Store) -> None:
    """The same gate with the same seed reads its verdict, also after its bots were renamed."""
    with closing(former) as store:
        store.bots.rename("tuned@c0.5", "before")
        for run in store.runs.find(kind=RunKind.GATE):
            test = GateTest.of(run.settings)
            assert test is not None
            for bot in run.settings.bots:
                store.bots.unretire(bot)
            answer = find_answer(store, gate_task(store, settings_of_command(run), test))
            assert answer is not None
            assert (answer.run_id, answer.result.verdict) == (run.id, run.verdict)
