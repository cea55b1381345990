"""Storage of single pairs, for tests and benchmarks."""

from db.records.aggregate import Rate
from db.records.pairs import PairPlan, PairRecord, StoreResult
from db.store import Store


def finish_pair(store: Store, plan: PairPlan, record: PairRecord, rate: Rate) -> StoreResult:
    """Store a pair in a transaction of its own."""
    return store.pairs.finish_all([(plan, record)], rate)[0]
