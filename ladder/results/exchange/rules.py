"""The rules that a game of another database keeps before it is stored here.

The bounds of single fields belong to their types (`db.records.exchange`). Here stands the rest:
names, and what fields say of each other, of the board and of the game that is played on it.
"""

import re

from db.records.exchange import BotLine, GameLine, MoveTiming, OpeningsLine
from engine.board import (
    format_board_classes,
    parse_board,
    parse_board_class,
    parse_board_classes,
)
from engine.opening_set import is_of_class, parse_opening_set
from engine.position import Position, format_moves, parse_moves
from ladder.endings import check_ending
from ladder.names import check_line, check_name, check_text

_PROVEN = re.compile(r"(win|loss|draw)( -?[0-9]{1,20})?")
_TIME_LIMIT = 1 << 53
SAME = (
    "kind", "board", "seed", "opening_plies", "board_class", "rated", "run_seed", "identity",
    "division",
)  # fmt: skip
"""Fields that are equal in both games of a pair."""


def check_game(game: GameLine) -> None:
    """Hold a game against the rules.

    Raises:
        ValueError: it breaks one; the message says which.
        EngineError: it breaks one of the board's.
        UsageError: a name or a text in it is none.

    """
    check_name(game.first)
    check_name(game.second)
    for bot in game.introduces.bots if game.introduces else ():
        check_bot(bot)
    if game.introduces is not None and game.introduces.openings is not None:
        check_openings(game.introduces.openings, game.division.openings)
    _require(not (game.rated and game.first == game.second), "a bot cannot be rated against itself")
    boards = game.division.boards
    kept = format_board_classes(parse_board_classes(boards))
    _require(boards == kept, f"write the boards of the division as {kept}")
    board, kind = parse_board(game.board), parse_board_class(game.board_class)
    _require(str(board) == game.board, f"write the board as {board}")
    _require(str(kind) == game.board_class, f"write the board_class as {kind}")
    _require(is_of_class(board, kind), f"the board {board} is none of the board_class {kind}")
    moves = parse_moves(game.moves)
    _require(game.moves == format_moves(moves), "moves must be written as 0..9, a, b")
    position = Position.from_moves(board, moves)
    _require(game.opening_plies <= len(moves), "opening_plies must be 0 up to the number of moves")
    check_ending(position, game.result, game.termination)
    timing = game.timing
    _require(
        not timing.lines or len(timing.lines) == len(timing.thoughts),
        "there must be as many expected lines as thoughts, or none",
    )
    for thought in timing.thoughts:
        _check_thought(thought)


def check_bot(bot: BotLine) -> None:
    """Hold the description of a bot against the rule for names and texts.

    Raises:
        UsageError: a name or a text in it is none.

    """
    check_name(bot.name)
    check_name(bot.family, "a bot's family")
    if bot.based_on is not None:
        check_name(bot.based_on, "the bot that another is based on")
    bot.change = check_line(bot.change, "what a bot changes")
    check_text(bot.spec, "a bot's specification")
    for budget in bot.budgets:
        check_name(budget, "a kind of budget")
    for board in bot.boards or ():
        check_text(board, "a board")
    for file, digest in bot.files.items():
        check_text(file, "a file of a bot")
        check_text(digest, "the hash of a file")


def check_openings(told: OpeningsLine, wanted: str | None) -> None:
    """Refuse a set of openings other than the one that a division names.

    Raises:
        ValueError: its text is none, or another one.
        UsageError: its name is none.

    """
    check_line(told.name, "the name of a set of openings")
    known = parse_opening_set(told.text)
    _require(known.text == told.text, "write the openings sorted, one a line")
    _require(known.content_hash == wanted, "the openings are not those of the division")


def _check_thought(thought: MoveTiming) -> None:
    times = (thought.time_us, thought.cpu_us or 0)
    _require(
        all(0 <= time_us < _TIME_LIMIT for time_us in times),
        "the times of a thought must not be negative, nor too great to be stored",
    )
    _require(
        thought.proven is None or _PROVEN.fullmatch(thought.proven) is not None,
        f"proven is win, loss or draw and a distance in plies, got {thought.proven!r}",
    )


def check_pair(one: GameLine, two: GameLine) -> None:
    """Refuse two games that are no pair.

    Raises:
        ValueError: they are not; the message says why.

    """
    swapped = (two.second, two.second_hash, two.first, two.first_hash)
    _require(
        (one.first, one.first_hash, one.second, one.second_hash) == swapped,
        "the second game of a pair has the colours swapped",
    )
    for name in SAME:
        _require(
            getattr(one, name) == getattr(two, name), f"both games of a pair have the same {name}"
        )
    opening = one.opening_plies
    _require(one.moves[:opening] == two.moves[:opening], "both games have the same opening")


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise ValueError(otherwise)
