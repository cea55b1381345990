"""Runs and single pairs stored by tests and benchmarks."""

from db.records.pairs import PairPlan, PairRecord, StoredGames
from db.records.run_settings import StoredSettings
from db.records.runs import NewRun, RunRow
from db.store import Store
from ladder.runs.settings import RunSettings


def finish_pair(store: Store, plan: PairPlan, record: PairRecord) -> StoredGames:
    """Store a pair in a transaction of its own."""
    return store.pairs.finish_all([(plan, record)])[0]


def create_run(store: Store, settings: RunSettings) -> RunRow:
    """Create a run of these settings without starting it."""
    return store.runs.create(
        NewRun(
            kind=settings.kind,
            rated=settings.rated,
            stream="s",
            identity="i",
            settings=StoredSettings(),
            seed=1,
            division_id=store.divisions.ensure(settings.division()).id,
        )
    )
