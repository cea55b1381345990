"""The page of a run, a gate, a match or another experiment."""

from starlette.requests import Request
from starlette.responses import Response

from db.records.runs import RunKind, RunStatus
from db.store import FollowedStore
from ladder.experiments.bisect.stored import bisection_of
from ladder.experiments.gate.stored import trial_of
from ladder.experiments.tune.stored import tuning_of
from ladder.results.overview.pace import measure_paces
from ladder.results.standings.division import standings_of_run
from ladder.runs.history import PastRun, past_run
from ladder.web.errors import NotFound
from ladder.web.live_page import live_page
from ladder.web.security.parameters import LARGEST_KEY, Parameters
from ladder.web.site import Site, site_of
from reports.html.findings import (
    Finding,
    bisection_finding,
    selection_finding,
    tuning_finding,
)
from reports.html.live.parts import PageParts
from reports.html.live.run import run_parts

MAX_RATED = 20_000
"""Largest number of games for which a run's own rating list is computed, as all are read."""
MAX_JUDGED = 10_000
"""Largest number of games for which a selection is judged, at 0.4 ms of processor time each."""
MAX_JUDGED_LIVE = 1000
"""The same for a running selection, which is judged at every update of the page."""


async def run_page(request: Request) -> Response:
    """Answer with the page of a run, with the LLR history of a gate."""
    Parameters(request).check()
    word = request.path_params["run"]
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise NotFound("the number of a run is a whole number: the overview lists the runs")
    key = int(word)

    def render(store: FollowedStore) -> PageParts:
        run = past_run(store, key)
        (entry,) = measure_paces(store, [run])
        division = store.divisions.find(str(run.row.division_id))
        is_trial = run.row.kind in (RunKind.GATE, RunKind.MATCH)
        trials = [trial_of(store, run.row)] if is_trial and run.games else []
        standings = None
        if 0 < run.games <= MAX_RATED and run.row.kind is not RunKind.TUNE:
            standings = standings_of_run(store, division, run.row)
        return run_parts(entry, trials, standings, _finding(site_of(request), store, run))

    return await live_page(request, "run.html.j2", key, render)


def _finding(site: Site, store: FollowedStore, run: PastRun) -> Finding | None:
    """Return the finding of an experiment, or None if the run has no readable finding."""
    row = run.row
    if row.kind is RunKind.SELECT and run.games <= (
        MAX_JUDGED_LIVE if run.status is RunStatus.RUNNING else MAX_JUDGED
    ):
        selection = site.selection(store, run)
        return None if selection is None else selection_finding(selection)
    if row.kind is RunKind.BISECT:
        bisection = bisection_of(store, row)
        return None if bisection is None else bisection_finding(bisection)
    if row.kind is RunKind.TUNE:
        tuning = tuning_of(store, row)
        return None if tuning is None else tuning_finding(tuning, run.verdict)
    return None
