"""A bot's page."""

from starlette.requests import Request
from starlette.responses import Response

from ladder.results.overview.bot_page import read_bot_page
from ladder.web.live_page import live_page
from ladder.web.security.parameters import Parameters
from reports.html.live.bots import bot_parts


async def bot_page(request: Request) -> Response:
    """Answer with the page of a bot."""
    given = Parameters(request)
    division = given.text("division")
    given.check()
    name = request.path_params["name"]
    return await live_page(
        request,
        "bot.html.j2",
        (name, division),
        lambda store: bot_parts(read_bot_page(store, name, division)),
    )
