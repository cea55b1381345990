"""The result of a selection as plain data and as text."""

from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.experiments.select.session import Choice, Player, SelectionOutcome
from reports.layout.format import number, values_of
from reports.layout.table import VERDICT_STYLES, Column, fit

HEADS = {
    Choice.CHOSEN: "CHOSEN",
    Choice.UNDECIDED: "NOT DECIDED",
    Choice.INVALID: "INVALID",
    Choice.STOPPED: "STOPPED",
}


def select_document(selected: SelectionOutcome) -> dict[str, Any]:
    """Return the document of `ladder select --json`."""
    question = selected.question
    return {
        "best": [player.name for player in selected.best],
        "dropped": [_player_document(player) for player in selected.dropped],
        **values_of(selected, "games", "choice", "exit_code", "reason"),
        "players": [_player_document(player) for player in selected.players],
        "against": selected.baseline,
        **values_of(question, "indifference", "confidence"),
        "max_games": question.games,
        "conditions": selected.conditions,
    }


def _player_document(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        **values_of(player, "elo", "error95", digits=2),
        **values_of(player, "games", "reason"),
    }


def print_select(console: Console, selected: SelectionOutcome) -> None:
    """Print the choice, the question, and all bots by strength."""
    question = selected.question
    console.print(Text(f"{HEADS[selected.choice]}: {selected.reason}"), soft_wrap=True)
    baseline = "" if selected.baseline is None else f", baseline {selected.baseline}"
    asked = (
        f"on {selected.conditions}{baseline}; indifference {question.indifference:g} Elo, "
        f"confidence {question.confidence:.4g}, at most {question.games} games"
    )
    console.print(Text(asked), soft_wrap=True)
    console.print()
    console.print(fit(player_columns(selected), console.width).table())


def player_columns(selected: SelectionOutcome) -> list[Column]:
    """Return the columns of a table with a row per bot."""
    players = selected.players
    outcomes = [
        Text(_state_of(selected, each), style=VERDICT_STYLES[verdict_on(selected, each)])
        for each in players
    ]
    return [
        Column("bot", [player.name for player in players], number=False),
        Column("Elo to the best", [number(player.elo, "+.1f") for player in players]),
        Column("±95", [number(player.error95, ".1f") for player in players]),
        Column("games", [f"{player.games:,}" for player in players], level=1),
        Column("outcome", outcomes, number=False),
    ]


def verdict_on(selected: SelectionOutcome, player: Player) -> str:
    """Return the verdict on a bot: gained, undecided or lost."""
    if not player.can_be_best and not player.is_alike:
        return "lost"
    return "gained" if selected.choice is Choice.CHOSEN else "undecided"


def _state_of(selected: SelectionOutcome, player: Player) -> str:
    if player.reason:
        return player.reason
    if selected.choice is not Choice.CHOSEN:
        return "can be the best" if player.can_be_best else ""
    if player is selected.players[0]:
        return "the choice"
    return "alike" if player.is_alike else "dropped"
