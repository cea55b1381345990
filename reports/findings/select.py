"""The finding of a selection."""

from typing import Any

from ladder.experiments.select.session import RankedBot, SelectionEnd, SelectionOutcome
from reports.findings.finding import Case, Finding
from reports.layout.elo import difference_fields
from reports.layout.fields import GAINED, LOST, UNDECIDED, Field, Table
from reports.layout.format import join_names, values_of

WORDS = {SelectionEnd.UNDECIDED: "not decided"}
"""The words for choices that do not name themselves."""


def select_document(selected: SelectionOutcome) -> dict[str, Any]:
    """Return the document of `ladder select --json`."""
    question = selected.question
    return {
        "best": [player.name for player in selected.best],
        "dropped": Table(PLAYERS, selected.dropped).documents(),
        **values_of(selected, "games", "choice", "exit_code", "reason"),
        "players": Table(PLAYERS, selected.players).documents(),
        "against": selected.baseline,
        **values_of(question, "indifference", "confidence"),
        "max_games": question.games,
        "conditions": selected.conditions,
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
        tables=[Table(PLAYERS, selected.players, selected, "Bots by strength")],
        names=names,
        document=select_document(selected),
        cases=[Case(question_text, problem)],
    )


def _verdict_on(selected: SelectionOutcome, player: RankedBot) -> str:
    """Return the verdict on a bot: gained, undecided or lost."""
    if not player.can_be_best and not player.is_alike:
        return LOST
    return GAINED if selected.choice is SelectionEnd.CHOSEN else UNDECIDED


def _state_of(selected: SelectionOutcome, player: RankedBot) -> str:
    if player.reason:
        return player.reason
    if selected.choice is not SelectionEnd.CHOSEN:
        return "can be the best" if player.can_be_best else ""
    if player is selected.players[0]:
        return "the choice"
    return "alike" if player.is_alike else "dropped"


PLAYERS = (
    Field("name", "bot"),
    *difference_fields(lambda each: each.difference, head="Elo to the best", level=1),
    Field("games", "games", form=",d", level=1),
    Field("reason"),
    Field(
        head="outcome",
        text=lambda each, made: _state_of(made, each),
        verdict=lambda each, made: _verdict_on(made, each),
    ),
)
"""The columns of the bots; the view is the selection."""
