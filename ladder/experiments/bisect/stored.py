"""Stored bisections: each run is a visit to a commit and stores the result so far."""

from collections.abc import Mapping
from typing import Any

import msgspec

from db.records.runs import RunKind, RunRow
from db.store import Store
from ladder.experiments.bisect.judge import SETTINGS
from ladder.experiments.bisect.result import BisectResult

RESULT = "bisect_result"
"""The settings key of a search's result."""


def search_of(run: RunRow) -> Mapping[str, Any]:
    """Return the stored description of the search of a run; empty if it is not readable."""
    kept = run.settings.get(SETTINGS)
    return kept if isinstance(kept, dict) else {}


def keep_result(store: Store, run_id: int, result: BisectResult) -> None:
    """Store the result of the search so far with the run of a visit."""
    store.runs.add_settings(run_id, {RESULT: msgspec.to_builtins(result)})


def bisection_of(store: Store, run: RunRow) -> BisectResult | None:
    """Return the latest result of the search of a run; None if there is no readable one."""
    search = search_of(run)
    found = [
        _result(each)
        for each in store.runs.find(kind=RunKind.BISECT)
        if RESULT in each.settings
        and all(search_of(each).get(key) == search.get(key) for key in ("key", "seed"))
    ]
    known = [each for each in found if each is not None]
    return max(known, key=lambda each: len(each.course), default=None)


def _result(run: RunRow) -> BisectResult | None:
    try:
        return msgspec.convert(run.settings[RESULT], BisectResult)
    except msgspec.ValidationError:
        return None
