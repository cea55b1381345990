"""The list of games and the page of a game."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from db.store import FollowedStore
from ladder.results.analysis.division import read_truth
from ladder.results.overview.bot_groups import bot_groups
from ladder.results.overview.find_game import find_game
from ladder.results.overview.search import search
from ladder.web.live_page import still_page
from ladder.web.security.game_filters import NAMES, game_filter
from ladder.web.security.parameters import Parameters
from ladder.web.site import site_of
from reports.html.live.games import game_parts, games_parts
from reports.html.live.parts import PageParts

PAGE = 50


async def games_page(request: Request) -> Response:
    """Answer with a page of the games that match conditions, newest first."""
    given = Parameters(request)
    conditions = game_filter(given)
    before = given.number("before")
    given.check()

    def render(store: FollowedStore) -> PageParts:
        found = search(store, conditions.query(store, before=before), PAGE)
        return games_parts(
            found.games,
            given.given(NAMES),
            bot_groups(store.bots.all(include_retired=True), store.bots.names_with_games()),
            found.next,
            before=before,
            is_cut=found.is_cut,
        )

    return await still_page(request, "games.html.j2", render, here="/games")


async def game_page(request: Request) -> Response:
    """Answer with a game in the replay viewer; the address may end with a ply after ``#``."""
    Parameters(request).check()
    word, reviews = request.path_params["game"], site_of(request).reviews

    def render(store: FollowedStore) -> PageParts:
        row = find_game(store, word)
        review = reviews.find(row)
        return game_parts(
            row,
            reviews.truth(row, read_truth(store, row)),
            may_analyse=reviews.is_allowed,
            is_analysed_now=review is not None and not review.is_over,
        )

    return await still_page(request, "game.html.j2", render, mark=reviews.mark(word))


async def review(request: Request) -> Response:
    """Start the analysis of a game; its page follows it in the stream at the same address."""
    word, site = request.path_params["game"], site_of(request)
    site.reviews.start(await site.readers.read(lambda store: find_game(store, word)))
    return JSONResponse({})


async def review_stream(request: Request) -> Response:
    """Answer with the stream of an analysis."""
    Parameters(request).check()
    site = site_of(request)
    events = site.reviews.follow(request.path_params["game"])
    return site.streams.open(request.state.browser, events)
