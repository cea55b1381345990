"""Playing against a bot: the form, a game's page and its stream, moves, and questions."""

import contextlib
import secrets
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from bots.champion import CHAMPION
from db.errors import DatabaseError
from db.store import FollowedStore
from engine.board import parse_board_class
from engine.position import Position
from engine.seeds import SplitMix, mix
from ladder.results.overview.bot_groups import bot_groups
from ladder.results.overview.one_game import find_game
from ladder.web.errors import Refused
from ladder.web.live_page import still_page, wants_stream
from ladder.web.play.open_game import GameRequest
from ladder.web.play.open_games import budgets_of
from ladder.web.security.parameters import Parameters
from ladder.web.site import site_of
from reports.html.live.parts import PageParts, fragment, framed

MOST_MS = 60_000
MOST_WORK = 10**9


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A wish as a page sends it."""

    bot: str
    kind: str = "time_ms"
    amount: int = 1000
    board: str = "standard"
    side: str = "first"
    """first, second, or mover: whoever is to move in a stored position."""
    game: str | None = None
    """A stored game to go on from."""
    ply: int | None = None
    save: bool = False


class Action(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A move, or what else a person asks for."""

    word: str
    column: int = -1
    bot: str = ""


async def play_page(request: Request) -> Response:
    """The form that begins a game; with ``game`` and ``ply`` it begins in a stored position."""
    given = Parameters(request)
    bot, game, ply = given.text("bot"), given.text("game"), given.number("ply", high=144)
    given.check()

    def look(store: FollowedStore) -> PageParts:
        groups = bot_groups(store.bots.all(), store.bots.played())
        row = None if game is None else find_game(store, game)
        at, to_move = None, None
        if row is not None:
            at = len(row.moves) if ply is None else min(ply, len(row.moves))
            to_move = (row.first, row.second)[at % 2]
        names = {name for group in groups.values() for name in group}
        proposed = next((each for each in (bot, to_move, CHAMPION) if each in names), None)
        form = fragment(
            "play_form.html.j2",
            groups=groups,
            chosen=proposed,
            game=game,
            ply=at,
            board=None if row is None else row.board,
        )
        return PageParts("Play", {"form": form})

    return await still_page(request, "play.html.j2", look, here="/play", key="")


async def begin(request: Request) -> Response:
    """Start a game; the answer names its page."""
    site = site_of(request)
    wish = await _wish(request)
    game = site.open_games.begin(wish)
    return JSONResponse({"address": f"/play/{game.key}"})


async def consult(request: Request) -> Response:
    """Return what a bot would play in a position."""
    return JSONResponse(await site_of(request).open_games.consult(await _wish(request)))


async def game_of_person(request: Request) -> Response:
    """Return a game's page, or the stream of what happens in it."""
    site = site_of(request)
    Parameters(request).check()
    game = site.open_games.get(request.path_params["key"])
    if wants_stream(request):
        return site.streams.open(request.state.browser, site.open_games.states(game))
    hints: dict[str, list[str]] = {}
    with contextlib.suppress(DatabaseError):  # the game goes on without the list of hints
        hints = await site.readers.read(
            lambda store: bot_groups(store.bots.all(), store.bots.played())
        )
    page = PageParts(f"You against {game.wish.bot}", {"form": ""})
    return HTMLResponse(
        framed(
            "play.html.j2",
            page,
            site.frame,
            here="/play",
            key=game.key,
            hints=hints,
            champion=CHAMPION,
        )
    )


async def act(request: Request) -> Response:
    """Return a move, undo, a hint, or the end of a game."""
    game = site_of(request).open_games.get(request.path_params["key"])
    action = _decoded(await request.body(), Action)
    match action.word:
        case "drop":
            if action.column not in game.state["columns"]:
                raise Refused("this column cannot be played now")
            game.ask("drop", action.column)
        case "undo":
            game.ask("undo", None)
        case "hint":
            game.ask("hint", action.bot or CHAMPION)
        case "end":
            game.end("you ended the game")
        case _:
            raise Refused("word is one of drop, undo, hint, end")
    return JSONResponse({})


async def _wish(request: Request) -> GameRequest:
    body = _decoded(await request.body(), Body)
    most = MOST_MS if body.kind == "time_ms" else MOST_WORK
    if not 1 <= body.amount <= most:
        raise Refused(f"the budget of a move is 1 to {most}")
    if body.side not in ("first", "second", "mover"):
        raise Refused("side is first, second or mover")
    budgets = budgets_of(body.kind, body.amount)
    if body.game is None:
        board = parse_board_class(body.board[:40]).draw(SplitMix(mix(_fresh())))
        start: tuple[int, ...] = ()
    else:
        word = body.game
        row = await site_of(request).readers.read(lambda store: find_game(store, word))
        board = parse_board_class(row.board).draw(SplitMix(0))
        ply = len(row.moves) if body.ply is None else body.ply
        if not 0 <= ply <= len(row.moves):
            raise Refused(f"ply is 0 to {len(row.moves)} for game {row.id}")
        start = row.moves[:ply]
        if Position.from_moves(board, start).is_over:
            raise Refused("the game is over at this ply: choose an earlier one")
    sides = {"first": 0, "second": 1, "mover": len(start) % 2}
    return GameRequest(
        bot=body.bot,
        board=board,
        person=sides[body.side],
        budgets=budgets,
        start=start,
        is_saved=body.save,
    )


def _fresh() -> int:
    return secrets.randbits(53)


def _decoded(body: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(f"the request is not understood: {error}") from error
