"""The state of a person's game against a bot, for its page."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.records.bots import HUMAN
from db.records.games import Thought
from engine.board import Board
from engine.position import Position
from ladder.results.overview.games import unstored_game
from ladder.tools.play.game import InteractiveGame
from reports.html.viewer import viewer_game
from reports.html.words import as_sentence
from reports.play import replay_line


def play_state(
    game: InteractiveGame | None,
    *,
    bot: str,
    board: Board,
    person: int,
    start: Sequence[int],
    status: str,
    hint: Mapping[str, Any] | None,
    shows_values: bool,
    values: Sequence[str | None] | None,
    saved: int | None,
    is_busy: bool,
    is_over: bool,
    shares_cpu: bool,
) -> dict[str, Any]:
    """Return the state of the page as plain data.

    Args:
        game: the game; None before the bot has started and after it has ended.
        bot: the bot's name.
        board: the board.
        person: the person's side.
        start: the columns played before the game began.
        status: the status line.
        hint: another bot's move.
        shows_values: whether the true values of the columns are wanted.
        values: the true value of each column, such as ``win 5``, as far as known; None if they are
            not wanted, or not before this move.
        saved: the id of the stored game; None if it is not stored.
        is_busy: whether the person has to wait.
        is_over: whether the bot has ended and no more requests are possible.
        shares_cpu: whether the bot shares its CPU with a run.

    """
    position = Position.from_moves(board, tuple(start)) if game is None else game.position
    thoughts = [Thought(0)] * len(start) if game is None else game.thoughts
    names = (bot, HUMAN) if person else (HUMAN, bot)
    shown = viewer_game(unstored_game(position, names, thoughts), "")
    is_mine = game is not None and game.is_persons_turn and not is_over and not is_busy
    columns = list(position.legal_moves()) if is_mine else []
    return {
        "game": shown,
        "person": person,
        "start": len(start),
        "moves": list(position.moves),
        "says": as_sentence(status, (bot,)),
        "hint": hint,
        "shows_values": shows_values,
        "values": values,
        "saved": saved,
        "line": "" if game is None or game.verdict is None else replay_line(position),
        "busy": is_busy,
        "over": is_over,
        "ended": game is not None and game.verdict is not None,
        "shares_cpu": shares_cpu,
        "columns": columns,
        "landings": {column: position.landing_row(column) for column in columns},
        "can_undo": game is not None
        and not is_busy
        and any(ply % 2 == person for ply in range(len(start), position.ply)),
    }
