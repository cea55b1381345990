"""The finding of a selection."""

from typing import Any

from rich.text import Text

from ladder.experiments.select.session import RankedBot, SelectionEnd, SelectionOutcome
from reports.findings.finding import Case, Finding
from reports.layout.format import join_names, number, values_of
from reports.layout.listing import Titled
from reports.layout.table import VERDICT_STYLES, Column

WORDS = {SelectionEnd.UNDECIDED: "not decided"}
"""The words for choices that do not name themselves."""


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


def _player_document(player: RankedBot) -> dict[str, Any]:
    return {
        "name": player.name,
        **values_of(player, "elo", "error95", digits=2),
        **values_of(player, "games", "reason"),
    }


def select_finding(selected: SelectionOutcome) -> Finding:
    """Return the finding of a selection: the choice, and all bots by strength."""
    question = selected.question
    facts = [
        ("Division", selected.conditions),
        ("Indifference", f"{question.indifference:g} Elo"),
        ("Confidence", f"{question.confidence:.4g}"),
        ("Games counted", f"{selected.games:,} of at most {question.games:,}"),
    ]
    if selected.baseline is not None:
        facts.append(("Baseline", selected.baseline))
    names = sorted(each.name for each in selected.players)
    question_text = f"Which of {join_names(names)} is the best?"
    problem = "" if selected.choice is SelectionEnd.CHOSEN else "error"
    return Finding(
        kind="select",
        question=question_text,
        word=WORDS.get(selected.choice, selected.choice.value),
        sentence=selected.reason,
        facts=facts,
        tables=[Titled("Bots by strength", player_columns(selected))],
        names=names,
        document=select_document(selected),
        cases=[Case(question_text, problem)],
    )


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


def verdict_on(selected: SelectionOutcome, player: RankedBot) -> str:
    """Return the verdict on a bot: gained, undecided or lost."""
    if not player.can_be_best and not player.is_alike:
        return "lost"
    return "gained" if selected.choice is SelectionEnd.CHOSEN else "undecided"


def _state_of(selected: SelectionOutcome, player: RankedBot) -> str:
    if player.reason:
        return player.reason
    if selected.choice is not SelectionEnd.CHOSEN:
        return "can be the best" if player.can_be_best else ""
    if player is selected.players[0]:
        return "the choice"
    return "alike" if player.is_alike else "dropped"
