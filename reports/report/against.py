"""One bot against each of its opponents."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from ladder.results.standings.against import Balance, Opponent, OpponentResults
from ladder.visible import visible
from reports.layout.elo import elo_words, interval_values, los_words
from reports.layout.format import csv_text, markdown_text, rounded, values_of
from reports.layout.table import Column, fit, to_markdown
from reports.report.notes import note_text


def against_document(made: OpponentResults) -> dict[str, Any]:
    """Return the document of `ladder report --against NAME --json`."""
    return {
        "division": made.label,
        "bot": made.bot,
        "opponents": [_opponent_document(one) for one in made.opponents],
        "beats": made.count(Balance.BEATS),
        "even": made.count(Balance.EVEN),
        "loses": made.count(Balance.LOSES),
        "share": round(made.share, 4),
        "clearly_beats": made.count(Balance.BEATS, clear=True),
        "clearly_loses": made.count(Balance.LOSES, clear=True),
        "never_met": list(made.never_met),
        "summary": summary(made),
        "notes": [note_text(note) for note in made.notes],
    }


def _opponent_document(one: Opponent) -> dict[str, Any]:
    elo = one.estimate
    return {
        **values_of(one, "name", "games", "wins", "draws", "losses"),
        "score": round(one.score, 4),
        "pentanomial": list(one.pentanomial),
        **interval_values(elo, digits=1),
        "los": rounded(elo.sure_los, 4),
        "balance": one.balance.value,
        "clear": one.is_clear,
    }


def summary(made: OpponentResults) -> str:
    """Return a sentence about the share of opponents that the bot beats."""
    beats, met = made.count(Balance.BEATS), len(made.opponents)
    sure = made.count(Balance.BEATS, clear=True)
    return (
        f"{made.bot} beats {beats} of {met} opponents ({made.share:.1%}), {sure} of them beyond "
        f"chance (95 %); even with {made.count(Balance.EVEN)}, loses to "
        f"{made.count(Balance.LOSES)}"
    )


def print_against(console: Console, made: OpponentResults) -> None:
    """Print the opponents from the best score to the worst, and the summary."""
    console.print(fit(_columns(made.opponents), console.width).table())
    for line in _lines(made):
        console.print(visible(line))


def against_markdown(made: OpponentResults) -> str:
    """Return the opponents as a Markdown table, and the summary."""
    parts = [to_markdown(_columns(made.opponents)), *map(markdown_text, _lines(made))]
    return "\n\n".join(parts) + "\n"


def against_csv(made: OpponentResults) -> str:
    """Return the opponents as comma-separated values; a missing value is empty."""
    rows = [_opponent_document(one) for one in made.opponents]
    names = [name for name in rows[0] if name != "pentanomial"]
    return csv_text(names, ([row[name] for name in names] for row in rows))


def _lines(made: OpponentResults) -> list[str]:
    lines = [note_text(note) for note in made.notes]
    if made.never_met:
        lines.append(f"never met: {', '.join(made.never_met)}")
    if not all(one.is_clear for one in made.opponents):
        lines.append("?: not significant, may be chance")
    return [*lines, f"{made.label}: {summary(made)}"]


def _columns(opponents: Sequence[Opponent]) -> list[Column]:
    return [
        Column("opponent", [one.name for one in opponents], number=False),
        Column("games", [str(one.games) for one in opponents], level=3),
        Column("win", [str(one.wins) for one in opponents], level=2),
        Column("draw", [str(one.draws) for one in opponents], level=2),
        Column("loss", [str(one.losses) for one in opponents], level=2),
        Column("score", [f"{one.score:.1%}" for one in opponents]),
        Column("", [_balance(one) for one in opponents], number=False, level=1),
        Column("Elo", [elo_words(one.estimate) for one in opponents], number=False, level=4),
        Column(
            "chance to be better",
            [los_words(one.estimate) for one in opponents],
            number=False,
            level=5,
        ),
    ]


def _balance(one: Opponent) -> str:
    return one.balance.value if one.is_clear else f"{one.balance.value}?"
