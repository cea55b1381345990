"""A person's game as it stands: heading, what the bot thought, how it ended, and what to type."""

from bots.budget import BUDGETS
from bots.player import Info
from db.records.pairs import Entrant
from engine.result import Result
from ladder.errors import FORFEIT_KINDS
from ladder.match.game.answers import make_thought
from ladder.tools.play.game import (
    InteractiveGame,
    Opinion,
)
from reports.layout.board import SIGNS
from reports.layout.format import labelled
from reports.replay import thought_facts

HELP = (
    "a number   that column (on a terminal the arrows choose one, Enter drops)",
    "undo   u   take back your last move and the answer to it",
    "hint   h   what another bot would play; `hint NAME` asks that one",
    "info   i   what the bot thought of its last move",
    "quit   q   leave the game",
)


def heading(game: InteractiveGame) -> str:
    """The players, their stones and the board."""
    board = game.position.board
    return (
        f"you ({SIGNS[game.person]}) against {game.bot.name} ({SIGNS[1 - game.person]}) "
        f"on {board}, {budget_text(game.bot)}"
    )


def budget_text(bot: Entrant) -> str:
    """The bot's budget of a move."""
    return BUDGETS[bot.budget.kind].phrase.format(f"{bot.budget.amount:,}") + " a move"


def prompt(game: InteractiveGame) -> str:
    """Whose turn it is and what can be typed."""
    if game.verdict is not None:
        return "undo, info or quit"
    return f"your move ({SIGNS[game.person]}), 0 to {game.position.board.columns - 1}, or ?"


def played(game: InteractiveGame) -> str:
    """The bot's last move in a line; empty before the first."""
    if game.opinion is None:
        return ""
    return f"{game.opinion.name} played {game.opinion.column}"


def ending(game: InteractiveGame) -> str:
    """How the game ended; empty while it goes on."""
    verdict = game.verdict
    if verdict is None:
        return ""
    bot = game.bot.name
    if verdict.termination.is_forfeit:
        return f"{bot} {FORFEIT_KINDS[verdict.termination].words}, so you win: {verdict.detail}"
    if verdict.result is Result.DRAW:
        return "a draw: the board is full"
    won = (verdict.result is Result.WIN) == (game.person == 0)
    return f"you won against {bot}: four in a row" if won else f"{bot} won: four in a row"


def advice(opinion: Opinion) -> list[str]:
    """A hint: the column and why."""
    lines = [f"{opinion.name} would play {opinion.column}"]
    return lines + [f"  {line}" for line in info_lines(opinion, "you")]


def info(game: InteractiveGame) -> list[str]:
    """The bot's own words about its last move."""
    opinion = game.opinion
    if opinion is None:
        return [f"{game.bot.name} has not answered in this position yet"]
    lines = [f"what {opinion.name} thought of it:"]
    return lines + [f"  {line}" for line in info_lines(opinion, opinion.name)]


def info_lines(opinion: Opinion, mover: str) -> list[str]:
    """Time, value, line and work of one answer, where the bot told them."""
    told = opinion.info or Info()
    thought = make_thought(opinion.elapsed_us, opinion.info)
    facts = dict(thought_facts(thought, unit="simulations"))
    if "value" in facts:
        facts["value"] += f" for {mover} (-1 lost, 1 won)"
    if told.pv:
        facts["line"] = " ".join(map(str, told.pv))
    if told.tree is not None:
        facts["tree"] = f"{told.tree:,} nodes"
    lines = labelled(facts.items(), 10, indent="")
    if len(facts) == 1:
        lines.append("it reported nothing about its search")
    return lines
