"""Documents for scripts, equal to those of the commands' ``--json``."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from db.store import FollowedStore
from ladder.results.analysis.division import mistakes_of_division, truth_of_game
from ladder.results.overview.one_game import find_game
from ladder.results.overview.pace import runs_now
from ladder.results.overview.search import search
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import division_or_latest, standings_of_division
from ladder.results.standings.selection import listed
from ladder.runs.history import history
from ladder.web.security.game_filters import game_filter
from ladder.web.security.parameters import Parameters
from ladder.web.site import site_of
from reports.games import page_document
from reports.layout.format import to_json
from reports.replay import game_document
from reports.report.comparison import comparison_document
from reports.report.standings import standings_document
from reports.runs import now_document

MOST_GAMES = 1000


async def standings(request: Request) -> Response:
    """Return the document of `ladder report --json`."""
    given = Parameters(request)
    division = given.text("division")
    given.check()

    def look(store: FollowedStore) -> Any:
        row = division_or_latest(store, division)
        return standings_document(
            listed(standings_of_division(store, row)), mistakes_of_division(store, row)
        )

    return await _document(request, look)


async def runs(request: Request) -> Response:
    """All runs, those that are played now with their pace."""
    Parameters(request).check()
    return await _document(request, lambda store: now_document(runs_now(store, history(store))))


async def games(request: Request) -> Response:
    """Games that fit conditions, newest first, page by page."""
    given = Parameters(request)
    conditions = game_filter(given)
    limit = given.number("limit", low=1, high=MOST_GAMES) or 100
    before = given.number("before")
    given.check()

    def look(store: FollowedStore) -> Any:
        found = search(store, conditions.query(store, before=before), limit)
        return page_document(found.games, found.next)

    return await _document(request, look)


async def game(request: Request) -> Response:
    """Return the document of `ladder replay --json`."""
    Parameters(request).check()
    word = request.path_params["game"]

    def look(store: FollowedStore) -> dict[str, Any]:
        row = find_game(store, word)
        return game_document(row, truth_of_game(store, row))

    return await _document(request, look)


async def comparison(request: Request) -> Response:
    """Return the document of `ladder report --compare --json`."""
    given = Parameters(request)
    names = given.names("bots")
    division = given.text("division")
    given.check()

    def look(store: FollowedStore) -> Any:
        row = division_or_latest(store, division)
        return comparison_document(compare(store, row, names), mistakes_of_division(store, row))

    return await _document(request, look)


async def _document(request: Request, look: Callable[[FollowedStore], Any]) -> Response:
    text = await site_of(request).readers.read(lambda store: to_json(look(store)))
    return Response(text + "\n", media_type="application/json")
