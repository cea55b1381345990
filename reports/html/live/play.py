"""The state of a person's game against a bot, for its page."""

from collections.abc import Sequence
from typing import Any

from db.records.bots import HUMAN
from db.records.games import Thought
from engine.board import Board
from engine.position import Position
from ladder.results.overview.games import unstored_game
from ladder.tools.play.game import InteractiveGame
from reports.html.viewer import viewer_game
from reports.play import replay_line


def play_state(
    game: InteractiveGame | None,
    *,
    bot: str,
    board: Board,
    person: int,
    start: Sequence[int],
    is_free: bool,
) -> dict[str, Any]:
    """Return the board of the page, and what the person may do, as plain data.

    Args:
        game: the game; None before the bot has started and after it has ended.
        bot: the bot's name.
        board: the board.
        person: the person's side.
        start: the columns played before the game began.
        is_free: whether the person may act.

    """
    position = Position.from_moves(board, tuple(start)) if game is None else game.position
    thoughts = [Thought(0)] * len(start) if game is None else game.thoughts
    names = (bot, HUMAN) if person else (HUMAN, bot)
    shown = viewer_game(unstored_game(position, names, thoughts), "")
    is_mine = game is not None and game.is_persons_turn and is_free
    columns = list(position.legal_moves()) if is_mine else []
    return {
        "game": shown,
        "person": person,
        "start": len(start),
        "moves": list(position.moves),
        "line": "" if game is None or game.verdict is None else replay_line(position),
        "ended": game is not None and game.verdict is not None,
        "columns": columns,
        "landings": {column: position.landing_row(column) for column in columns},
        "can_undo": game is not None
        and is_free
        and any(ply % 2 == person for ply in range(len(start), position.ply)),
    }
