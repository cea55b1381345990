"""A bot's page."""

from starlette.requests import Request
from starlette.responses import Response

from ladder.results.overview.bot_page import read_bot_page
from ladder.web.pages import page
from ladder.web.security.parameters import InDivision, read_query
from reports.html.live.bots import bot_parts


async def bot_page(request: Request) -> Response:
    """Answer with the page of a bot."""
    given, name = read_query(request, InDivision), request.path_params["name"]
    return await page(
        request,
        "bot.html.j2",
        lambda store: bot_parts(read_bot_page(store, name, given.division)),
        is_live=True,
    )
