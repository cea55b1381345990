"""The page of a run, a gate, a match or another experiment."""

from starlette.requests import Request
from starlette.responses import Response

from db.records.runs import RunKind
from db.store import Store
from ladder.results.overview.overview import measure_paces
from ladder.results.standings.division import standings_of_run
from ladder.runs.history import past_run
from ladder.web.errors import NotFound
from ladder.web.pages import page
from ladder.web.security.parameters import LARGEST_KEY, Nothing, read_query
from ladder.web.site import site_of
from reports.html.live.parts import PageParts
from reports.html.live.run import run_parts

MAX_RATED = 20_000
"""Largest number of games for which a run's own rating list is computed, as all are read."""


async def run_page(request: Request) -> Response:
    """Answer with the page of a run and its result."""
    read_query(request, Nothing)
    word, site = request.path_params["run"], site_of(request)
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise NotFound("the number of a run is a whole number: the overview lists the runs")
    key = int(word)

    def render(store: Store) -> PageParts:
        run = past_run(store, key)
        (entry,) = measure_paces(store, [run])
        standings = None
        if run.row.kind is RunKind.LADDER and 0 < run.games <= MAX_RATED:
            division = store.divisions.find(str(run.row.division_id))
            standings = standings_of_run(store, division, run.row)
        return run_parts(entry, site.stored_run(store, run), standings, site.command_of(run.row))

    return await page(request, "run.html.j2", render, is_live=True)
