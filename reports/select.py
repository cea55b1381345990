"""The result of a selection as plain data and as text."""

from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.experiments.select.session import Choice, Player, SelectionOutcome
from reports.layout.format import values_of
from reports.layout.table import Column, fit

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
    players = selected.players
    columns = [
        Column("bot", [player.name for player in players], number=False),
        Column("Elo to the best", [_elo(player) for player in players]),
        Column("games", [str(player.games) for player in players], level=1),
        Column("", [state_of(selected, player) for player in players], number=False),
    ]
    console.print(fit(columns, console.width).table())


def _elo(player: Player) -> str:
    if player.elo is None:
        return "-"
    if player.error95 is None:
        return f"{player.elo:+.1f}"
    return f"{player.elo:+.1f} ± {player.error95:.1f}"


def state_of(selected: SelectionOutcome, player: Player) -> str:
    """Return the state of a bot in a few words."""
    if player.reason:
        return player.reason
    if selected.choice is not Choice.CHOSEN:
        return "can be the best" if player.can_be_best else ""
    if player is selected.players[0]:
        return "the choice"
    return "alike" if player.is_alike else "dropped"
