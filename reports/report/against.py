"""One bot against each of its opponents."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import Console

from ladder.results.standings.against import Balance, Opponent, OpponentResults
from ladder.visible import visible
from reports.layout.cells import Cell
from reports.layout.elo import elo_words, interval_values, los_words
from reports.layout.fields import Field, columns_of, csv_of, plain_values
from reports.layout.format import markdown_text, rounded
from reports.layout.table import fit, to_markdown
from reports.report.notes import note_text


@dataclass(frozen=True, slots=True)
class OpponentLinks:
    """The addresses of a page about the opponents of a bot."""

    bot: Callable[[str], str]
    games: Callable[..., str]
    """Returns the address of the bot's games with conditions."""
    compare: Callable[[str], str]
    """Returns the address of the comparison with another bot."""


def against_document(made: OpponentResults) -> dict[str, Any]:
    """Return the document of `ladder report --against NAME --json`."""
    return {
        "division": made.label,
        "bot": made.bot,
        "opponents": [plain_values(FIELDS, one) for one in made.opponents],
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
    console.print(fit(columns_of(FIELDS, made.opponents), console.width).table())
    for line in _lines(made):
        console.print(visible(line))


def against_markdown(made: OpponentResults) -> str:
    """Return the opponents as a Markdown table, and the summary."""
    parts = [to_markdown(columns_of(FIELDS, made.opponents)), *map(markdown_text, _lines(made))]
    return "\n\n".join(parts) + "\n"


def against_csv(made: OpponentResults) -> str:
    """Return the opponents as comma-separated values; a missing value is empty."""
    return csv_of(FIELDS, [plain_values(FIELDS, one) for one in made.opponents])


def _lines(made: OpponentResults) -> list[str]:
    lines = [note_text(note) for note in made.notes]
    if made.never_met:
        lines.append(f"never met: {', '.join(made.never_met)}")
    if not all(one.is_clear for one in made.opponents):
        lines.append("?: not significant, may be chance")
    return [*lines, f"{made.label}: {summary(made)}"]


def _interval(key: str, one: Opponent) -> float | None:
    value: float | None = interval_values(one.estimate, digits=1)[key]
    return value


def _balance(one: Opponent, _: object) -> str:
    return one.balance.value if one.is_clear else f"{one.balance.value}?"


def _listed(count: int, view: OpponentLinks, **conditions: str) -> Cell:
    return Cell(f"{count:,}", float(count), href=view.games(**conditions))


FIELDS = (
    Field(
        "name",
        head="opponent",
        page="opponent",
        cell=lambda one, view: Cell(one.name, href=view.bot(one.name)),
        is_number=False,
    ),
    Field(
        "games",
        head="games",
        page="games",
        cell=lambda one, view: _listed(one.games, view, opponent=one.name),
        level=3,
    ),
    Field("wins", head="win", page="win", level=2),
    Field("draws", head="draw", page="draw", level=2),
    Field(
        "losses",
        head="loss",
        page="loss",
        cell=lambda one, view: _listed(one.losses, view, opponent=one.name, result="lost"),
        level=2,
    ),
    Field("score", digits=4, head="score", page="score", form=".1%"),
    Field("pentanomial", value=lambda one: list(one.pentanomial), csv=()),
    *(
        Field(key, value=partial(_interval, key))
        for key in ("elo", "error95", "elo_at_least", "elo_at_most")
    ),
    Field("los", value=lambda one: rounded(one.estimate.sure_los, 4)),
    Field(
        "balance",
        value=lambda one: one.balance.value,
        head="",
        text=_balance,
        is_number=False,
        level=1,
    ),
    Field("clear", value=lambda one: one.is_clear),
    Field(head="Elo", text=lambda one, _: elo_words(one.estimate), is_number=False, level=4),
    Field(
        head="chance to be better",
        text=lambda one, _: los_words(one.estimate),
        is_number=False,
        level=5,
    ),
    Field(
        page="side by side",
        cell=lambda one, view: Cell("compare", href=view.compare(one.name)),
        is_number=False,
    ),
)
"""The columns of a bot's opponents."""
