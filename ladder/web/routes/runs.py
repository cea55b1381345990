"""The page of a run, a gate or a match."""

from starlette.requests import Request
from starlette.responses import Response

from db.records.runs import RunKind
from db.store import FollowedStore
from ladder.experiments.gate.stored import trial_of
from ladder.results.overview.pace import runs_now
from ladder.results.standings.division import standings_of_run
from ladder.runs.history import past_run
from ladder.web.border.parameters import LARGEST_KEY, Parameters
from ladder.web.errors import NotFound
from ladder.web.live_page import live_page
from reports.html.live.parts import PageParts
from reports.html.live.run import run_parts

RATED_ANEW = 20_000
"""Games up to which a list of the run's own games is made: all of them are read for it."""


async def run_page(request: Request) -> Response:
    """One run with its progress; of a gate also the course of its decision."""
    Parameters(request).check()
    word = request.path_params["run"]
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise NotFound("the number of a run is a whole number: the first page lists them")
    key = int(word)

    def look(store: FollowedStore) -> PageParts:
        run = past_run(store, key)
        (entry,) = runs_now(store, [run])
        division = store.divisions.find(str(run.row.division_id))
        is_trial = run.row.kind in (RunKind.GATE, RunKind.MATCH)
        trials = [trial_of(store, run.row)] if is_trial and run.games else []
        standings = None
        if 0 < run.games <= RATED_ANEW and run.row.kind is not RunKind.TUNE:
            standings = standings_of_run(store, division, run.row)
        return run_parts(entry, trials, standings)

    return await live_page(request, "run.html.j2", key, look)
