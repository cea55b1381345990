"""A person's game against a bot as text."""

from bots.budget import BUDGETS
from bots.player import Info
from engine.position import Position, format_moves
from engine.result import Result
from ladder.match.game.asking import make_thought
from ladder.results.analysis.verdict import Columns
from ladder.tools.play.game import BotMove, BotResignation, InteractiveGame
from reports.layout.board import SIGNS
from reports.layout.format import labelled
from reports.replay import columns_by_value, thought_facts

HELP = (
    "a number   that column (on a terminal the arrows choose one, Enter drops)",
    "undo   u   take back your last move and the bot's reply",
    "hint   h   another bot's move; `hint NAME` asks the bot NAME",
    "values v   the true value of every column, as far as the solver proves it",
    "info   i   the bot's statistics about its last move",
    "quit   q   leave the game",
)


def heading(game: InteractiveGame) -> str:
    """Return the players, their stones and the board."""
    board, budget = game.position.board, game.bot.budget
    return (
        f"you ({SIGNS[game.person]}) against {game.bot.name} ({SIGNS[1 - game.person]}) "
        f"on {board}, {BUDGETS[budget.kind].phrase.format(f'{budget.amount:,}')} a move"
    )


def replay_line(position: Position) -> str:
    """Return the command that shows a game that is not stored."""
    return f"ladder replay {position.board} {format_moves(position.moves)}"


def prompt(game: InteractiveGame) -> str:
    """Return the question at the prompt, with what can be typed."""
    if game.verdict is not None:
        return "undo, info or quit"
    return f"your move ({SIGNS[game.person]}), 0 to {game.position.board.columns - 1}, or ?"


def played(game: InteractiveGame) -> str:
    """Return the bot's last move in a line; empty before its first move."""
    if game.last_reply is None:
        return ""
    return f"{game.last_reply.name} played {game.last_reply.column}"


def ending(game: InteractiveGame) -> str:
    """Return how the game ended; empty if it is not over."""
    verdict = game.verdict
    if verdict is None:
        return ""
    bot = game.bot.name
    if predicate := verdict.termination.predicate:
        cause = f": {verdict.detail}" if verdict.detail else ""
        return f"{bot} {predicate}, so you win{cause}"
    if verdict.result is Result.DRAW:
        return "a draw: the board is full"
    won = (verdict.result is Result.WIN) == (game.person == 0)
    return f"you won against {bot}: four in a row" if won else f"{bot} won: four in a row"


def advice(move: BotMove | BotResignation) -> list[str]:
    """Return a hint as lines: the column and its statistics."""
    if isinstance(move, BotResignation):
        return [f"{move.name} would resign"]
    lines = [f"{move.name} would play {move.column}"]
    return lines + [f"  {line}" for line in info_lines(move, "you")]


def values(columns: Columns) -> list[str]:
    """Return the true values of the columns as a line, the best columns first."""
    return [f"true values (plies to the end): {columns_by_value(columns)}"]


def info(game: InteractiveGame) -> list[str]:
    """Return the statistics that the bot reported about its last move, as lines."""
    move = game.last_reply
    if move is None:
        return [f"{game.bot.name} has not moved yet"]
    lines = [f"{move.name} about its last move:"]
    return lines + [f"  {line}" for line in info_lines(move, move.name)]


def info_lines(move: BotMove, mover: str) -> list[str]:
    """Return time, value, line and work of a move, as far as the bot reported them."""
    reported = move.info or Info()
    thought = make_thought(move.elapsed_us, move.info)
    facts = dict(thought_facts(thought))
    if "value" in facts:
        facts["value"] += f" for {mover} (-1 lost, 1 won)"
    if reported.pv:
        facts["line"] = " ".join(map(str, reported.pv))
    if reported.tree is not None:
        facts["tree"] = f"{reported.tree:,} nodes"
    lines = labelled(facts.items(), 10, indent="")
    if len(facts) == 1:
        lines.append("it reported nothing about its search")
    return lines
