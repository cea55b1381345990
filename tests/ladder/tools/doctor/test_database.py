"""Checks of games that real bots lost by failing."""

from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.bots import NewBot, NewRevision
from db.records.launch import Launch
from db.records.pairs import Entrant, PairPlan, PlannedPair
from db.records.run_settings import StoredSettings
from db.records.runs import Conditions, NewRun, RunKind
from db.store import Store
from engine.result import Termination
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.tools.doctor.database import examine_database
from ladder.tools.doctor.machine import Level
from tests.support.fakes import fake_start
from tests.support.storing import finish_pair
from tests.support.unconfined import UNCONFINED

FAILING = {
    "answers": Termination.ILLEGAL_MOVE,
    "segfaults": Termination.CRASH,
    "garbage": Termination.PROTOCOL_ERROR,
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", FAILING)
def test_games_lost_by_failing_are_sound(tmp_path: Path, mode: str) -> None:
    """However a bot fails, its stored games pass every check, each in a row of its own."""
    with Store.open(str(tmp_path / "ladder.db")) as store:
        launch = Launch(command=("fake",), folder=str(tmp_path))
        sides = []
        for name in (mode, "honest"):
            revision = NewRevision(content_hash=name, launch=launch, budgets=("any",))
            bot = store.bots.add(NewBot(name=name, family="fake", spec=name, revision=revision))
            start = fake_start(name, folder=tmp_path)
            sides.append(Entrant(bot.revision.id, name, start, Budget(simulations=1)))
        division = store.divisions.ensure(Conditions("4x4", 0, {"simulations": 1}))
        run = store.runs.create(
            NewRun(RunKind.LADDER, True, "s", "i", StoredSettings(), 1, division.id)
        )
        a, b = sides
        (pair,) = store.pairs.plan(
            run.id, 1, lambda _: PlannedPair(a.revision, b.revision, "4x4", "4x4", (), 1)
        )
        plan = PairPlan(pair, a, b)
        pool = BotPool(UNCONFINED)
        try:
            record = play_pair(plan, pool)
        finally:
            pool.close()
        assert {game.termination for game in record.games} == {FAILING[mode]}
        finish_pair(store, plan, record)
        findings = examine_database(store)
        assert {finding.level for finding in findings} == {Level.OK}
        topics = {finding.topic for finding in findings}
        assert len(topics) == len(findings)
        assert {"bots", "bot-files"} <= topics
