"""The list of games and the page of a game."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from db.store import Store
from ladder.match.registry.builtins import shown_first
from ladder.results.analysis.division import read_truth
from ladder.results.overview.bot_page import bot_groups
from ladder.results.overview.games import find_game, search
from ladder.web.pages import page
from ladder.web.security.parameters import CONDITIONS, Nothing, OfGames, read_query
from ladder.web.site import site_of
from reports.html.live.games import game_parts, games_parts
from reports.html.live.parts import PageParts

PAGE = 50


async def games_page(request: Request) -> Response:
    """Answer with a page of the games that match conditions, newest first."""
    given = read_query(request, OfGames)
    conditions, before = given.filter, given.before

    def render(store: Store) -> PageParts:
        found = search(store, conditions.query(store, before=before), PAGE)
        played = store.bots.names_with_games()
        return games_parts(
            found.games,
            {name: text for name in CONDITIONS if (text := request.query_params.get(name))},
            bot_groups(shown_first(store.bots.all(include_retired=True), played), played),
            found.next,
            before=before,
        )

    return await page(request, "games.html.j2", render, here="/games")


async def game_page(request: Request) -> Response:
    """Answer with a game in the replay viewer; the address may end with a ply after ``#``."""
    read_query(request, Nothing)
    word, reviews = request.path_params["game"], site_of(request).reviews

    def render(store: Store) -> PageParts:
        row = find_game(store, word)
        review = reviews.find(row)
        return game_parts(
            row,
            reviews.truth(row, read_truth(store, row)),
            may_analyse=reviews.is_allowed,
            is_analysed_now=review is not None and not review.is_over,
        )

    return await page(request, "game.html.j2", render, mark=reviews.mark(word))


async def review(request: Request) -> Response:
    """Start the analysis of a game; its page polls it at the same address."""
    word, site = request.path_params["game"], site_of(request)
    site.reviews.start(await site.readers.read(lambda store: find_game(store, word)))
    return JSONResponse({})


async def review_state(request: Request) -> Response:
    """Answer with the progress of an analysis."""
    read_query(request, Nothing)
    return JSONResponse(site_of(request).reviews.state(request.path_params["game"]))
