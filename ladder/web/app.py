"""The web application: routes, and errors as pages or JSON."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from h11 import LocalProtocolError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from bots.errors import BotsError
from db.errors import DatabaseError, UnknownRow
from engine.errors import EngineError
from ladder.errors import LadderError, Refused, UnknownBot, UsageError
from ladder.web import api, pages, play
from ladder.web.parameters import InDivision, Nothing, OfBots, OfGames, read_query
from ladder.web.security import PasswordBackend
from ladder.web.site import Site, site_of
from reports.html.live.site import Page, page_html
from reports.html.page import STATIC, vega_bundle

_log = logging.getLogger("ladder.web")
Handler = Callable[[Request, Any], Awaitable[Response]]
"""Answers a request with these parameters."""


def routes() -> list[BaseRoute]:
    """Return the routes of all pages and documents."""
    return [
        route("/", pages.show_overview, InDivision),
        route("/boards", pages.show_boards),
        route("/bots/{name}", pages.show_bot, InDivision),
        route("/bots/{name}/diff", pages.show_changed_files),
        route("/commits/{name}", pages.show_commits),
        route("/runs/{run}", pages.show_run),
        route("/games", pages.show_games, OfGames),
        route("/games/{game}", pages.show_game),
        route("/games/{game}/review", pages.show_review),
        route("/games/{game}/review", pages.start_review, method="POST"),
        route("/compare", pages.show_comparison, OfBots),
        route("/play", play.show_form, play.Wanted),
        route("/play", play.start, method="POST"),
        route("/play/board", play.show_beginning, play.Beginning),
        route("/play/{key}", play.show_game),
        route("/play/{key}", play.act, method="POST"),
        route("/play/{key}/state", play.show_state),
        route("/queue", pages.show_queue),
        route("/api/queue", api.jobs),
        route("/api/standings", api.standings, InDivision),
        route("/api/runs", api.runs),
        route("/api/games", api.games, OfGames),
        route("/api/games/{game}", api.game),
        route("/api/compare", api.comparison, OfBots),
        Route("/static/{version}/vega.js", charts_library),
        Mount("/static/{version}", StaticFiles(directory=STATIC)),
    ]


def route(
    path: str, handler: Handler, parameters: type[Nothing] = Nothing, *, method: str = "GET"
) -> Route:
    """Return a route whose requests are checked, with only these parameters."""

    async def answer(request: Request) -> Response:
        site_of(request).access.check(request.method, request.headers)
        return await handler(request, read_query(request, parameters))

    return Route(path, answer, methods=[method])


def charts_library(_: Request) -> Response:
    """Answer with the library that draws charts, which is kept in the user's cache."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(vega_bundle(), headers=headers, media_type="text/javascript")


def application(site: Site) -> Starlette:
    """Return the application."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        ending = asyncio.create_task(site.open_games.end_abandoned())
        yield
        ending.cancel()

    async def on_error(request: Request, error: Exception) -> Response:
        return error_response(request, site, error)

    access = site.access
    checks = [Middleware(HostCheck, site=site)]
    if access.password is not None:
        checks.append(
            Middleware(
                AuthenticationMiddleware,
                backend=PasswordBackend(access.password),
                on_error=lambda connection, error: error_response(
                    Request(connection.scope), site, Refused(str(error), 401)
                ),
            )
        )
    known = (LadderError, DatabaseError, EngineError, BotsError, HTTPException, Exception)
    app = Starlette(
        routes=routes(),
        lifespan=lifespan,
        middleware=checks,
        exception_handlers=dict.fromkeys(known, on_error),
    )
    app.state.site = site
    return app


def error_response(request: Request, site: Site, error: Exception) -> Response:
    """Return an error as a page, or as JSON for scripts."""
    status, sentence = describe_error(error)
    if status == 500:
        _log.error("internal error at %s", request.url.path, exc_info=error)
    headers = {"WWW-Authenticate": 'Basic realm="ladder", charset="UTF-8"'} if status == 401 else {}
    is_document = request.method not in ("GET", "HEAD") or request.url.path.startswith("/api/")
    if is_document or request.url.path.endswith(("/state", "/review", "/boards")):
        return JSONResponse({"error": sentence}, status, headers)
    is_retried = isinstance(error, DatabaseError) and status == 503
    values = {"sentence": sentence, "failed": True}
    page = Page("error.html.j2", HTTPStatus(status).phrase, values, is_live=is_retried)
    return HTMLResponse(page_html(page, site.frame), status, headers)


class HostCheck:
    """Refuses requests to host names that a foreign name server can point at this machine."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one to a wrong host gets an error in the form of all others."""
        accepted = []

        async def accept(*_: object) -> None:
            accepted.append(True)

        async def drop(_: object) -> None:
            """Leave out the refusal of Starlette, which is plain text."""

        trusted = TrustedHostMiddleware(accept, self._site.access.hosts, www_redirect=False)
        await trusted(scope, receive, drop)
        if accepted:
            await self._app(scope, receive, send)
            return
        refused = Refused(
            "the request is to another host name: open the address that `ladder serve` printed"
        )
        await error_response(Request(scope), self._site, refused)(scope, receive, send)


def describe_error(error: Exception) -> tuple[int, str]:
    """Return the status and the sentence for an error."""
    match error:
        case Refused():
            return error.status, str(error)
        case HTTPException(status_code=404):
            return 404, "there is no such page: the overview links to all pages"
        case HTTPException():
            return error.status_code, f"{error.detail}."
        case UnknownRow() | UnknownBot():
            return 404, str(error)
        case UsageError() | EngineError() | BotsError():
            return 400, str(error)
        case DatabaseError() | LadderError():
            return 503, str(error)
        case ClientDisconnect():
            return 408, "the request was not completed"
        case LocalProtocolError():  # the server has answered a request that ended in no valid way
            return 400, "the request is malformed"
    return 500, "internal error: the terminal of `ladder serve` shows the details"
