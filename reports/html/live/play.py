"""A game of a person against a bot, as its page draws it."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.records.games import HumanGameRow, Thought
from engine.board import Board
from engine.position import Position
from engine.result import Result, Termination
from ladder.tools.play.game import InteractiveGame
from reports.html.viewer import viewer_game


def play_state(
    game: InteractiveGame | None,
    *,
    bot: str,
    board: Board,
    person: int,
    start: Sequence[int],
    says: str,
    hint: Mapping[str, Any] | None,
    saved: str,
    is_busy: bool,
    is_over: bool,
    shares_cpu: bool,
) -> dict[str, Any]:
    """Everything that the page shows, as plain data.

    Args:
        game: None: its bot is not there yet, or is gone.
        bot: its name.
        board: where it is played.
        person: the person's side.
        start: the columns that it began with.
        says: what is going on, in words.
        hint: what another bot would play.
        saved: the name of the stored game; empty: it is not stored.
        is_busy: whether nothing can be asked for now.
        is_over: whether nothing can be asked for any more.
        shares_cpu: whether the bot thinks on a CPU on which a run plays.

    """
    position = Position.from_moves(board, tuple(start)) if game is None else game.position
    thoughts = [Thought(0)] * len(start) if game is None else game.thoughts
    shown = viewer_game(_as_stored(position, bot, person, thoughts), "")
    is_mine = game is not None and game.is_persons_turn and not is_over and not is_busy
    columns = list(position.legal_moves()) if is_mine else []
    return {
        "game": shown,
        "person": person,
        "start": len(start),
        "moves": list(position.moves),
        "says": _sentence(says, bot),
        "hint": hint,
        "saved": saved,
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


def _sentence(words: str, bot: str) -> str:
    """Words as a sentence; a bot's name at their beginning stays as it is."""
    begun = words if words.startswith(bot) else words[:1].upper() + words[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def _as_stored(
    position: Position, bot: str, person: int, thoughts: Sequence[Thought]
) -> HumanGameRow:
    """Return the game so far in the shape of a stored one."""
    return HumanGameRow(
        key=0,
        bot=bot,
        bot_side=1 - person,
        board=str(position.board),
        budget={},
        seed=0,
        moves=position.moves,
        result=Result.DRAW,
        termination=Termination.ABORTED,
        detail="",
        started_at=0.0,
        duration_us=0,
        thoughts=tuple(thoughts),
    )
