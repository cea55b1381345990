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

RATED_ANEW = 20_000
"""Games up to which a list of the run's own games is made: all of them are read for it."""


JUDGED_ANEW = 10_000
"""Games up to which a selection is judged anew: 0.4 ms of processor time each."""
JUDGED_OFTEN = 1000
"""The same while it is played, when every update of the page does it."""


async def run_page(request: Request) -> Response:
    """One run with its progress; of a gate also the course of its decision."""
    Parameters(request).check()
    word = request.path_params["run"]
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise NotFound("the number of a run is a whole number: the first page lists them")
    key = int(word)

    def look(store: FollowedStore) -> PageParts:
        run = past_run(store, key)
        (entry,) = measure_paces(store, [run])
        division = store.divisions.find(str(run.row.division_id))
        is_trial = run.row.kind in (RunKind.GATE, RunKind.MATCH)
        trials = [trial_of(store, run.row)] if is_trial and run.games else []
        standings = None
        if 0 < run.games <= RATED_ANEW and run.row.kind is not RunKind.TUNE:
            standings = standings_of_run(store, division, run.row)
        return run_parts(entry, trials, standings, _finding(site_of(request), store, run))

    return await live_page(request, "run.html.j2", key, look)


def _finding(site: Site, store: FollowedStore, run: PastRun) -> Finding | None:
    """Return the finding of an experiment; None of other runs and if it is not readable."""
    row = run.row
    if row.kind is RunKind.SELECT and run.games <= (
        JUDGED_OFTEN if run.status is RunStatus.RUNNING else JUDGED_ANEW
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
