"""The pages, one function each: parameters in, core called, page out."""

from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from db.records.runs import RunKind
from db.store import Store
from ladder.errors import Refused, UsageError
from ladder.experiments.nightly.commits import nights_of
from ladder.experiments.nightly.session import games_of_night, night_of
from ladder.queue.worker import list_jobs
from ladder.registry.builtins import shown_first
from ladder.results.analysis.division import read_truth
from ladder.results.conditions import find_game, search
from ladder.results.pages import (
    bot_groups,
    measure_paces,
    read_bot_page,
    read_changed_files,
    read_overview,
)
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import (
    division_or_latest,
    read_division,
    standings_of_run,
)
from ladder.runs.history import past_run
from ladder.web.parameters import CONDITIONS, LARGEST_KEY, InDivision, Nothing, OfBots, OfGames
from ladder.web.site import answer_once, page, site_of
from reports.html.live.pages import (
    bot_page,
    commits_page,
    compare_page,
    diff_page,
    game_page,
    games_page,
    overview_page,
    queue_page,
    run_page,
)
from reports.html.live.site import Page

GAMES_SHOWN = 50
MAX_RATED = 20_000
"""Largest number of games for which a run's own rating list is computed, as all are read."""


async def show_overview(request: Request, given: InDivision) -> Response:
    """Answer with the runs and the rating list of a division."""
    return await page(request, lambda store: overview_page(read_overview(store, given.division)))


async def show_boards(request: Request, _: Nothing) -> Response:
    """Answer with the boards in play."""
    shown = site_of(request).boards
    document = shown.document()
    return answer_once(request, document, f'"{shown.version}"', "application/json")


async def show_bot(request: Request, given: InDivision) -> Response:
    """Answer with the page of a bot."""
    name = request.path_params["name"]

    def render(store: Store) -> Page:
        commits = name.rpartition("@")[0]
        has_nights = bool(commits and nights_of(store, commits))
        return bot_page(read_bot_page(store, name, given.division), commits if has_nights else "")

    return await page(request, render)


async def show_commits(request: Request, _: Nothing) -> Response:
    """Answer with the page of a bot's commits, as the latest night has left them."""
    name = request.path_params["name"]

    def render(store: Store) -> Page:
        for run, _ in nights_of(store, name):
            outcome = night_of(store, past_run(store, run.id))
            if outcome is not None:
                games = games_of_night(store, outcome, GAMES_SHOWN)
                return commits_page(outcome, games, partial(site_of(request).command_of, run))
        raise Refused(f"no night has compared commits of {name}: `ladder nightly` does", 404)

    return await page(request, render)


async def show_changed_files(request: Request, _: Nothing) -> Response:
    """Answer with the page of how a bot's files differ from its parent's."""
    name = request.path_params["name"]
    return await page(request, lambda store: diff_page(*read_changed_files(store, name)))


async def show_run(request: Request, _: Nothing) -> Response:
    """Answer with the page of a run, a gate, a match or another experiment, and its result."""
    word, site = request.path_params["run"], site_of(request)
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise Refused("the number of a run is a whole number: the overview lists the runs", 404)
    key = int(word)

    def render(store: Store) -> Page:
        run = past_run(store, key)
        (entry,) = measure_paces(store, [run])
        standings = None
        if run.row.kind is RunKind.LADDER and 0 < run.games <= MAX_RATED:
            division = store.divisions.find(str(run.row.division_id))
            standings = standings_of_run(store, division, run.row)
        return run_page(entry, site.stored_run(store, run), standings, site.command_of(run.row))

    return await page(request, render)


async def show_games(request: Request, given: OfGames) -> Response:
    """Answer with a page of the games that match conditions, newest first."""
    conditions, before = given.filter, given.before

    def render(store: Store) -> Page:
        found = search(store, conditions.query(store, before=before), GAMES_SHOWN)
        played = store.bots.names_with_games()
        return games_page(
            found.games,
            {name: text for name in CONDITIONS if (text := request.query_params.get(name))},
            bot_groups(shown_first(store.bots.all(include_retired=True), played), played),
            found.next,
            before=before,
        )

    return await page(request, render)


async def show_game(request: Request, _: Nothing) -> Response:
    """Answer with a game in the replay viewer; the address may end with a ply after ``#``."""
    word, reviews = request.path_params["game"], site_of(request).reviews

    def render(store: Store) -> Page:
        row = find_game(store, word)
        review = reviews.find(row)
        return game_page(
            row,
            reviews.truth(row, read_truth(store, row)),
            may_analyse=reviews.is_allowed,
            is_analysed_now=review is not None and not review.is_over,
        )

    return await page(request, render, mark=reviews.mark(word))


async def start_review(request: Request, _: Nothing) -> Response:
    """Start the analysis of a game; its page polls it at the same address."""
    word, site = request.path_params["game"], site_of(request)
    site.reviews.start(await site.read(lambda store: find_game(store, word)))
    return JSONResponse({})


async def show_review(request: Request, _: Nothing) -> Response:
    """Answer with the progress of an analysis."""
    return JSONResponse(site_of(request).reviews.state(request.path_params["game"]))


async def show_comparison(request: Request, given: OfBots) -> Response:
    """Answer with a comparison of the bots of ``bots=a,b,c``, or of ``one`` and ``other``."""
    names = given.names

    def render(store: Store) -> Page:
        if store.runs.latest(kind=None) is None:
            return compare_page(names)
        row = division_or_latest(store, given.division)
        rated_games = store.aggregate.count_games()
        divisions = [
            (each, each.id == row.id)
            for each in store.divisions.all()
            if each.id == row.id or each.id in rated_games
        ]
        games = read_division(store, row)
        played = {name for table in games.tables for name in (table.a_name, table.b_name)}
        bots = [bot for name, bot in games.bots.items() if name in played]
        made, problem = None, ""
        try:
            made = compare(store, games, names) if names else None
        except UsageError as error:  # shown above the form, so that the user can choose again
            problem = str(error)
        groups = bot_groups(bots, played)
        return compare_page(names, made, groups=groups, divisions=divisions, problem=problem)

    return await page(request, render)


async def show_queue(request: Request, _: Nothing) -> Response:
    """Answer with the queue, which pages only show."""
    return await page(request, lambda store: queue_page(list_jobs(store)))
