"""JSON documents for scripts, as those of the commands with ``--json``."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from db.store import Store
from ladder.queue.worker import list_jobs
from ladder.results.analysis.division import read_mistakes, read_truth
from ladder.results.conditions import find_game, search
from ladder.results.pages import measure_paces
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import (
    division_or_latest,
    read_division,
    standings_of_division,
)
from ladder.results.standings.standings import select_bots
from ladder.runs.history import past_runs
from ladder.web.parameters import InDivision, Nothing, OfBots, OfGames
from ladder.web.site import site_of
from reports.layout.format import to_json
from reports.lists import jobs_document, now_document, page_document
from reports.replay import game_document
from reports.report.comparison import comparison_document
from reports.report.standings import standings_document


async def standings(request: Request, given: InDivision) -> Response:
    """Answer with the document of `ladder report --json`."""

    def query(store: Store) -> Any:
        row = division_or_latest(store, given.division)
        return standings_document(
            select_bots(standings_of_division(store, read_division(store, row))),
            read_mistakes(store, row),
        )

    return await document(request, query)


async def runs(request: Request, _: Nothing) -> Response:
    """Answer with all runs, and the games per hour of running ones."""
    return await document(
        request, lambda store: now_document(measure_paces(store, past_runs(store)))
    )


async def games(request: Request, given: OfGames) -> Response:
    """Answer with a page of the games that match conditions, newest first."""
    conditions = given.filter

    def query(store: Store) -> Any:
        found = search(store, conditions.query(store, before=given.before), given.limit)
        return page_document(found.games, found.next)

    return await document(request, query)


async def game(request: Request, _: Nothing) -> Response:
    """Answer with the document of `ladder replay --json`."""
    word, reviews = request.path_params["game"], site_of(request).reviews

    def query(store: Store) -> dict[str, Any]:
        row = find_game(store, word)
        return game_document(row, reviews.truth(row, read_truth(store, row)))

    return await document(request, query)


async def comparison(request: Request, given: OfBots) -> Response:
    """Answer with the document of `ladder report --compare --json`."""
    names = given.names

    def query(store: Store) -> Any:
        row = division_or_latest(store, given.division)
        return comparison_document(
            compare(store, read_division(store, row), names), read_mistakes(store, row)
        )

    return await document(request, query)


async def jobs(request: Request, _: Nothing) -> Response:
    """Answer with the document of `ladder queue list --json`."""
    return await document(request, lambda store: jobs_document(list_jobs(store)))


async def document(request: Request, query: Callable[[Store], Any]) -> Response:
    """Answer with the JSON of what a query returns."""
    text = await site_of(request).read(lambda store: to_json(query(store)))
    return Response(text + "\n", media_type="application/json")
