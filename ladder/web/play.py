"""Games against bots: the form, the page of a game with its state, and actions."""

import contextlib
import secrets
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from bots.champion import CHAMPION
from db.errors import DatabaseError
from db.store import Store
from engine.board_class import WORDS, parse_board_class
from engine.position import Position
from engine.seeds import SplitMix, mix
from ladder.errors import Refused
from ladder.registry.builtins import shown_first
from ladder.results.conditions import find_game
from ladder.results.pages import bot_groups
from ladder.runs.budgets import Budgets
from ladder.web.open_game import GameRequest
from ladder.web.parameters import Nothing, Plies, Text, read_body
from ladder.web.site import answer_once, page, site_of
from reports.html.live.site import Page, page_html

MAX_MS = 60_000


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request for a game."""

    bot: str
    kind: Literal["time_ms", "simulations", "nodes", "depth"] = "time_ms"
    amount: Annotated[int, Meta(ge=1, le=10**9)] = 1000
    board: str = "standard"
    side: Literal["first", "second", "mover"] = "first"
    """``mover`` is the side to move in a stored position."""
    game: str | None = None
    """A stored game to start from."""
    ply: Annotated[int, Meta(ge=0)] | None = None
    """The ply of the stored game to start from; None for its end."""
    save: bool = False


class Wanted(Nothing, frozen=True, kw_only=True):
    """The parameters of the form."""

    bot: Text | None = None
    game: Text | None = None
    ply: Plies | None = None


class Action(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request for a move, undo, a hint, values, an analysis or the end."""

    word: Literal["drop", "undo", "hint", "values", "analyse", "end"]
    column: int = -1
    bot: str = ""


async def show_form(request: Request, given: Wanted) -> Response:
    """Answer with the form for a game, which may start at a ``ply`` of a stored ``game``."""
    bot, game, ply = given.bot, given.game, given.ply

    def render(store: Store) -> Page:
        row = None if game is None else find_game(store, game)
        at, to_move = None, None
        if row is not None:
            at = len(row.moves) if ply is None else min(ply, len(row.moves))
            to_move = (row.first, row.second)[at % 2]
        shown = shown_first(store.bots.all(), (bot, to_move))
        groups = bot_groups(shown, store.bots.names_with_games())
        names = {each.name for each in shown}
        proposed = next((each for each in (bot, to_move, CHAMPION) if each in names), None)
        values = {
            "key": "",
            "groups": groups,
            "chosen": proposed,
            "game": game,
            "ply": at,
            "board": None if row is None else row.board,
            "boards": WORDS,
        }
        return Page("play.html.j2", "Play", values, here="/play")

    return await page(request, render)


async def start(request: Request, _: Nothing) -> Response:
    """Start a game and answer with the address of its page."""
    game = site_of(request).open_games.start(await _read_request(request))
    return JSONResponse({"address": f"/play/{game.key}"})


async def show_game(request: Request, _: Nothing) -> Response:
    """Answer with a game's page."""
    site = site_of(request)
    game = site.open_games.get(request.path_params["key"])
    hints: dict[str, list[str]] = {}
    with contextlib.suppress(DatabaseError):  # the game can be played without hints
        hints = await site.read(
            lambda store: bot_groups(shown_first(store.bots.all()), store.bots.names_with_games())
        )
    values = {"key": game.key, "hints": hints, "champion": CHAMPION}
    shown = Page("play.html.j2", f"You against {game.request.bot}", values, here="/play")
    return HTMLResponse(page_html(shown, site.frame))


async def show_state(request: Request, _: Nothing) -> Response:
    """Answer with the state of a game, whose page is open as long as it asks."""
    game = site_of(request).open_games.see(request.path_params["key"])
    return answer_once(
        request, msgspec.json.encode(game.state), f'"{game.version}"', "application/json"
    )


async def act(request: Request, _: Nothing) -> Response:
    """Submit a move, undo, a hint, values, or the end of a game."""
    game = site_of(request).open_games.get(request.path_params["key"])
    action = await read_body(request, Action)
    match action.word:
        case "drop":
            if action.column not in game.state["columns"]:
                raise Refused("this column cannot be played now: choose a free column on your turn")
            game.submit("drop", action.column)
        case "hint":
            game.submit("hint", action.bot or CHAMPION)
        case "end":
            game.end("you ended the game")
        case word:
            game.submit(word)
    return JSONResponse({})


async def _read_request(request: Request) -> GameRequest:
    body = await read_body(request, Body)
    if body.kind == "time_ms" and body.amount > MAX_MS:
        raise Refused(f"the time of a move must be at most {MAX_MS} ms, not {body.amount}")
    if body.game is None:
        board = parse_board_class(body.board[:40]).draw(SplitMix(mix(secrets.randbits(53))))
        start: tuple[int, ...] = ()
    else:
        word = body.game
        row = await site_of(request).read(lambda store: find_game(store, word))
        board = parse_board_class(row.board).draw(SplitMix(0))
        ply = len(row.moves) if body.ply is None else body.ply
        if ply > len(row.moves):
            raise Refused(f"the ply of game {row.id} must be from 0 to {len(row.moves)}")
        start = row.moves[:ply]
        if Position.from_moves(board, start).is_over:
            raise Refused("the game is over at this ply: choose an earlier one")
    sides = {"first": 0, "second": 1, "mover": len(start) % 2}
    return GameRequest(
        bot=body.bot,
        board=board,
        person=sides[body.side],
        budgets=Budgets({body.kind: body.amount}),
        start=start,
        is_saved=body.save,
    )
