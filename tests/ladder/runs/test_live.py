"""The state of a run for its watcher: counts and ratings of its games."""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from db.records.pairs import PairPlan, PairRecord, PlayedPair, StoredGames
from db.store import Store
from ladder.results.standings.pool import rate_tables
from ladder.runs.live import REFIT_S, LiveBot, LiveRun, count_pair, refit
from tests.db.making import add_bots, maker, new_run, played, to_plan
from tests.support.records import record_of

NAMES = ("v1", "v2", "v3", "v4")


def live_run(*, is_rated: bool = True) -> LiveRun:
    bots = {name: LiveBot(name) for name in NAMES}
    return LiveRun(1, 1, "", None, 0, bots, is_rated=is_rated)


def count(live: LiveRun, plan: PairPlan, record: PairRecord, games: StoredGames) -> None:
    pair = PlayedPair.of(plan.pair, record)
    list(count_pair(live, plan, pair, record, games or ()))


@pytest.mark.slow
def test_the_live_rating_is_the_list_rating_of_the_runs_games(tmp_path: Path) -> None:
    """Counted pair by pair, the fit is that of the stored tables, at most twice a second."""
    store = Store.open(str(tmp_path / "ladder.db"))
    run, revisions = new_run(store), add_bots(store)
    live, random = live_run(), Random(2)
    pairs: list[tuple[PairPlan, PairRecord]] = []
    for row in store.pairs.plan(run.id, 40, maker(revisions)):
        plan = to_plan(row)
        a, b = (replace(each, name=f"v{each.revision}") for each in (plan.a, plan.b))
        pairs.append((replace(plan, a=a, b=b), played(row, random)))
    results = store.pairs.finish_all(pairs)
    for (plan, record), result in zip(pairs[:20], results, strict=False):
        count(live, plan, record, result)
    refit(live)
    early = {name: bot.elo for name, bot in live.bots.items()}
    assert None not in early.values()
    for (plan, record), result in zip(pairs[20:], results[20:], strict=True):
        count(live, plan, record, result)
    refit(live)
    assert {name: bot.elo for name, bot in live.bots.items()} == early
    live.fitted_at -= REFIT_S
    refit(live)
    pool = rate_tables(store.aggregate.of_run(run.id))
    store.close()
    assert pool is not None
    assert {name: bot.elo for name, bot in live.bots.items()} == pytest.approx(dict(pool.elo))


def test_an_unrated_run_has_no_ratings() -> None:
    """A match or gate is shown by scores."""
    live = live_run(is_rated=False)
    live.records["v1", "v2", "thu"] = record_of((0, 0, 1, 0, 3))
    refit(live)
    assert {bot.elo for bot in live.bots.values()} == {None}
