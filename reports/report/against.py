"""One bot against each of its opponents."""

from typing import Any

from ladder.names import counted
from ladder.results.standings.against import OpponentResults
from ladder.results.standings.head_to_head import Balance
from reports.layout.elo import difference_fields, wdl_fields
from reports.layout.fields import Field, Medium, Table
from reports.layout.links import bot_link, compare_link, games_link
from reports.layout.listing import Listing
from reports.report.standings import note_text


def against_document(made: OpponentResults) -> dict[str, Any]:
    """Return the document of `ladder report --against NAME --json`."""
    return {
        "division": made.label,
        "bot": made.bot,
        "opponents": Table(FIELDS, made.opponents).documents(),
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
    beats, sure = made.count(Balance.BEATS), made.count(Balance.BEATS, clear=True)
    met = counted(len(made.opponents), "opponent")
    text = f"{made.bot} beats {beats or 'none'} of {met}"
    if beats:
        text += f" ({made.share:.1%}), {sure or 'none'} of them beyond chance (95 %)"
    others = {"is even with": Balance.EVEN, "loses to": Balance.LOSES}
    rest = [f"{does} {count}" for does, each in others.items() if (count := made.count(each))]
    return "; ".join([text, *([f"it {' and '.join(rest)}"] if rest else [])])


def against_listing(made: OpponentResults) -> Listing:
    """Return the opponents from the best score to the worst, and the summary."""
    table = Table(FIELDS, made.opponents)
    remarks = [note_text(note) for note in made.notes]
    if made.never_met:
        remarks.append(f"never met: {', '.join(made.never_met)}")
    if not all(one.is_clear for one in made.opponents):
        remarks.append("?: not significant, may be chance")
    return Listing(
        document=against_document(made),
        csv=table.csv(),
        tables=[table],
        remarks=[*remarks, f"{made.label}: {summary(made)}"],
    )


FIELDS = (
    Field("name", "opponent", value=lambda one: one.b, link=lambda one, _: bot_link(one.b)),
    Field(
        "games",
        "games",
        form=",d",
        value=lambda one: one.record.games,
        link=lambda one, bot: games_link(bot=bot, opponent=one.b),
        level=3,
    ),
    *wdl_fields(
        lambda one: one.record.wdl,
        level=2,
        lost=lambda one, bot: games_link(bot=bot, opponent=one.b, result="lost"),
    ),
    Field("score", "score", digits=4, form=".1%", value=lambda one: one.record.score),
    Field("pentanomial", only=Medium.JSON, value=lambda one: list(one.record.pentanomial)),
    *difference_fields(lambda one: one.difference, digits=1),
    Field(
        "balance",
        "",
        only=Medium.TEXT | Medium.DATA,
        value=lambda one: one.balance.value,
        text=lambda one, _: one.balance.value + ("" if one.is_clear else "?"),
        level=1,
    ),
    Field("clear", value=lambda one: one.is_clear),
    Field(
        head="side by side",
        only=Medium.PAGE,
        text=lambda *_: "compare",
        link=lambda one, bot: compare_link([bot, one.b]),
    ),
)
"""The columns of a bot's opponents; the view of a page is the bot's name."""
