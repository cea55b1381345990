"""Games against bots: the form, the page of a game with its state, and actions."""

import contextlib
import secrets
from typing import Literal

import msgspec
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
from ladder.web.open_game import GameForm, GameRequest, Side, StartPosition
from ladder.web.parameters import Nothing, Plies, Text, read_body
from ladder.web.site import answer_once, page, site_of
from reports.html.live.games import play_state
from reports.html.live.site import Page, page_html

MAX_MS = 60_000


class Wanted(Nothing, frozen=True, kw_only=True):
    """The parameters of the form."""

    bot: Text | None = None
    game: Text | None = None
    ply: Plies | None = None


class Beginning(Wanted, frozen=True, kw_only=True):
    """The fields of the form that decide which board is shown before the game."""

    board: Text = "standard"
    side: Side = "first"


class Action(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request for a move, undo, a hint, values, an analysis or the end."""

    word: Literal["drop", "undo", "hint", "values", "analyse", "end"]
    column: int = -1
    bot: str = ""


async def show_form(request: Request, given: Wanted) -> Response:
    """Answer with the board and the form of a game, perhaps at a ``ply`` of a stored ``game``."""

    def render(store: Store) -> Page:
        row = None if given.game is None else find_game(store, given.game)
        ply, to_move = None, None
        if row is not None:
            ply = len(row.moves) if given.ply is None else min(given.ply, len(row.moves))
            to_move = (row.first, row.second)[ply % 2]
        shown = shown_first(store.bots.all(), (given.bot, to_move))
        names = {each.name for each in shown}
        proposed = next((each for each in (given.bot, to_move, CHAMPION) if each in names), "")
        side: Side = "first" if ply is None or ply % 2 else "second"
        form = GameForm(bot=proposed, game=given.game, ply=ply, side=side)
        groups = bot_groups(shown, store.bots.names_with_games())
        return _page("Play", form, groups)

    return await page(request, render)


async def show_beginning(request: Request, given: Beginning) -> Response:
    """Answer with the state of a game before it begins; random boards are drawn now."""
    bot = given.bot or CHAMPION
    form = GameForm(bot=bot, board=given.board, side=given.side, game=given.game, ply=given.ply)
    start = await _start_position(request, form)
    state = play_state(
        None, bot=bot, board=start.board, person=start.person, start=start.columns, is_free=True
    )
    begin = "drop your first stone" if state["columns"] else "press Play, and it moves first"
    return JSONResponse({**state, "says": f"You against {bot}: {begin}."})


async def start(request: Request, _: Nothing) -> Response:
    """Start a game and answer with the address of its page."""
    form = await read_body(request, GameForm)
    if form.kind == "time_ms" and form.amount > MAX_MS:
        raise Refused(f"the time of a move must be at most {MAX_MS} ms, not {form.amount}")
    asked = GameRequest(form, await _start_position(request, form))
    return JSONResponse({"address": f"/play/{site_of(request).open_games.start(asked).key}"})


async def show_game(request: Request, _: Nothing) -> Response:
    """Answer with a game's page, and the form for the next one."""
    site = site_of(request)
    game = site.open_games.get(request.path_params["key"])
    groups: dict[str, list[str]] = {}
    with contextlib.suppress(DatabaseError):  # the game can be played without hints
        groups = await site.read(
            lambda store: bot_groups(shown_first(store.bots.all()), store.bots.names_with_games())
        )
    form, begun = game.request
    form = msgspec.structs.replace(form, board=str(begun.board), ply=len(begun.columns))
    shown = _page(f"You against {form.bot}", form, groups, key=game.key)
    return HTMLResponse(page_html(shown, site.frame))


def _page(title: str, form: GameForm, groups: dict[str, list[str]], *, key: str = "") -> Page:
    """Return the page of a game, or before one, with the form filled in."""
    values = {
        "key": key,
        "form": form,
        "groups": groups,
        "champion": CHAMPION,
        "boards": WORDS,
    }
    return Page("play.html.j2", title, values, here="/play")


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


async def _start_position(request: Request, form: GameForm) -> StartPosition:
    """Return where a game begins. Raises Refused."""
    columns: tuple[int, ...] = ()
    if form.game is None:
        board = parse_board_class(form.board[:40]).draw(SplitMix(mix(secrets.randbits(53))))
    else:
        word = form.game
        row = await site_of(request).read(lambda store: find_game(store, word))
        board = parse_board_class(row.board).draw(SplitMix(0))
        ply = len(row.moves) if form.ply is None else form.ply
        if ply > len(row.moves):
            raise Refused(f"the ply of game {row.id} must be from 0 to {len(row.moves)}")
        columns = row.moves[:ply]
    position = Position.from_moves(board, columns)
    if position.is_over:
        raise Refused("the game is over at this ply: choose an earlier one")
    person = {"first": 0, "second": 1, "mover": position.to_move}[form.side]
    if form.column is not None and (
        position.to_move != person or form.column not in position.legal_moves()
    ):
        raise Refused("this column cannot be played first: choose a free column on your turn")
    return StartPosition(board, columns, person)
