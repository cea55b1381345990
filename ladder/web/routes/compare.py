"""The page that compares bots."""

from starlette.requests import Request
from starlette.responses import Response

from db.store import Store
from ladder.errors import UsageError
from ladder.results.overview.bot_page import bot_groups
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import current_tables, division_or_latest
from ladder.web.pages import page
from ladder.web.security.parameters import OfBots, read_query
from reports.html.live.compare import compare_parts
from reports.html.live.parts import PageParts


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
        return compare_parts(
            names,
            made,
            groups=bot_groups(bots, played),
            divisions=divisions,
            problem=problem,
        )

    return await page(request, "compare.html.j2", render, here="/compare")
