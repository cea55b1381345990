"""The pages, one function each: parameters in, core called, page out."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from db.records.runs import RunKind
from db.store import Store
from ladder.errors import UsageError
from ladder.match.registry.builtins import shown_first
from ladder.queue.worker import list_jobs
from ladder.results.analysis.division import read_truth
from ladder.results.overview.bot_page import bot_groups, read_bot_page
from ladder.results.overview.games import find_game, search
from ladder.results.overview.overview import measure_paces, read_overview
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import (
    current_tables,
    division_or_latest,
    standings_of_run,
)
from ladder.runs.history import past_run
from ladder.web.errors import Refused
from ladder.web.parameters import (
    CONDITIONS,
    LARGEST_KEY,
    InDivision,
    Nothing,
    OfBots,
    OfGames,
    read_query,
)
from ladder.web.site import answer_once, page, site_of
from reports.html.live.pages import (
    bot_parts,
    compare_parts,
    game_parts,
    games_parts,
    overview_parts,
    queue_parts,
    run_parts,
)
from reports.html.live.parts import PageParts

GAMES_SHOWN = 50
MAX_RATED = 20_000
"""Largest number of games for which a run's own rating list is computed, as all are read."""


async def overview_page(request: Request) -> Response:
    """Answer with the runs and the rating list of a division."""
    division, site = read_query(request, InDivision).division, site_of(request)

    def render(store: Store) -> PageParts:
        return overview_parts(read_overview(store, division, site.rate_without_run))

    return await page(request, render, "overview.html.j2", here="/", is_live=True)


async def boards(request: Request) -> Response:
    """Answer with the boards in play."""
    shown = site_of(request).boards
    document = shown.document()
    return answer_once(request, document, f'"{shown.version}"', "application/json")


async def bot_page(request: Request) -> Response:
    """Answer with the page of a bot."""
    given, name = read_query(request, InDivision), request.path_params["name"]
    return await page(
        request,
        lambda store: bot_parts(read_bot_page(store, name, given.division)),
        is_live=True,
    )


async def run_page(request: Request) -> Response:
    """Answer with the page of a run, a gate, a match or another experiment, and its result."""
    read_query(request, Nothing)
    word, site = request.path_params["run"], site_of(request)
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise Refused("the number of a run is a whole number: the overview lists the runs", 404)
    key = int(word)

    def render(store: Store) -> PageParts:
        run = past_run(store, key)
        (entry,) = measure_paces(store, [run])
        standings = None
        if run.row.kind is RunKind.LADDER and 0 < run.games <= MAX_RATED:
            division = store.divisions.find(str(run.row.division_id))
            standings = standings_of_run(store, division, run.row)
        return run_parts(entry, site.stored_run(store, run), standings, site.command_of(run.row))

    return await page(request, render, is_live=True)


async def games_page(request: Request) -> Response:
    """Answer with a page of the games that match conditions, newest first."""
    given = read_query(request, OfGames)
    conditions, before = given.filter, given.before

    def render(store: Store) -> PageParts:
        found = search(store, conditions.query(store, before=before), GAMES_SHOWN)
        played = store.bots.names_with_games()
        return games_parts(
            found.games,
            {name: text for name in CONDITIONS if (text := request.query_params.get(name))},
            bot_groups(shown_first(store.bots.all(include_retired=True), played), played),
            found.next,
            before=before,
        )

    return await page(request, render, here="/games")


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

    return await page(request, render, "game.html.j2", mark=reviews.mark(word))


async def review(request: Request) -> Response:
    """Start the analysis of a game; its page polls it at the same address."""
    word, site = request.path_params["game"], site_of(request)
    site.reviews.start(await site.readers.read(lambda store: find_game(store, word)))
    return JSONResponse({})


async def review_state(request: Request) -> Response:
    """Answer with the progress of an analysis."""
    return JSONResponse(site_of(request).reviews.state(request.path_params["game"]))


async def compare_page(request: Request) -> Response:
    """Answer with a comparison of the bots of ``bots=a,b,c``, or of ``one`` and ``other``."""
    given = read_query(request, OfBots)
    names, division = given.names, given.division

    def render(store: Store) -> PageParts:
        if store.runs.latest(kind=None) is None:
            return compare_parts(names)
        row = division_or_latest(store, division)
        rated_games = store.aggregate.count_games()
        divisions = [
            (each, each.id == row.id)
            for each in store.divisions.all()
            if each.id == row.id or each.id in rated_games
        ]
        tables, _ = current_tables(store, row, since=None)
        played = {name for table in tables for name in (table.a_name, table.b_name)}
        bots = [bot for bot in store.bots.all(include_retired=True) if bot.name in played]
        made, problem = None, ""
        try:
            made = compare(store, row, names) if names else None
        except UsageError as error:  # shown above the form, so that the user can choose again
            problem = str(error)
        groups = bot_groups(bots, played)
        return compare_parts(names, made, groups=groups, divisions=divisions, problem=problem)

    return await page(request, render, here="/compare")


async def queue_page(request: Request) -> Response:
    """Answer with the queue, which pages only show."""
    read_query(request, Nothing)
    return await page(
        request, lambda store: queue_parts(list_jobs(store)), here="/queue", is_live=True
    )
