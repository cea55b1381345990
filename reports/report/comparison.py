"""Bots side by side, and one against each of its opponents, as plain data and as tables."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from db.records.record import Record, Wdl
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.against import OpponentResults
from ladder.results.standings.comparison import (
    ComparedBot,
    ComparedPair,
    Comparison,
)
from ladder.results.standings.head_to_head import Balance
from reports.layout.elo import difference_fields, pentanomial_fields, wdl_fields
from reports.layout.fields import Field, Medium, Table, plain_values, table_by_row
from reports.layout.format import rounded, wdl_text
from reports.layout.links import bot_link, compare_link, games_link
from reports.layout.terminal import Listing
from reports.report.mistakes import MISTAKES, analysed_bots, left_fields
from reports.report.rating_columns import COLUMNS
from reports.report.standings import note_text, standing_document


def comparison_document(made: Comparison, wrong: DivisionMistakes | None) -> dict[str, Any]:
    """Return the document of `ladder report --compare --json`.

    `wrong` has the mistakes of the bots, or is None if no game was analysed.
    """
    return {
        "division": made.label,
        "bots": [_side_document(side, wrong) for side in made.sides],
        "versus": [_versus_document(pair) for pair in made.versus],
        "common_opponents": list(made.common),
        "summary": [pair.sentence for pair in made.versus],
        "notes": [note_text(note) for note in made.notes],
    }


def _side_document(side: ComparedBot, wrong: DivisionMistakes | None) -> dict[str, Any]:
    return {
        **standing_document(side.standing, wrong),
        "by_board_class": {name: _share(share) for name, share in side.by_class.items()},
        "moving_first": _share(side.record.moving_first),
        "moving_second": _share(side.record.moving_second),
        "by_opponent": {name: _share(share) for name, share in side.opponents.items()},
    }


def _share(share: Record | Wdl) -> dict[str, Any]:
    return {"games": share.games, "score": rounded(share.score, 4)}


def _versus_document(pair: ComparedPair) -> dict[str, Any]:
    document = plain_values(VERSUS, pair)
    return {**document, "reason": pair.reason} if pair.reason else document


def comparison_listing(made: Comparison, wrong: DivisionMistakes | None) -> Listing:
    """Return the comparison as small tables with sentences below them."""
    difference, *others = comparison_tables(made, wrong)
    return Listing(
        document=comparison_document(made, wrong),
        csv=difference.csv(),
        headline=made.label,
        tables=[difference, *others],
        remarks=[
            *map(note_text, made.notes),
            *_losses(made),
            *(pair.sentence for pair in made.versus),
        ],
    )


def comparison_tables(made: Comparison, wrong: DivisionMistakes | None = None) -> list[Table]:
    """Return all tables of a comparison."""
    sides = made.sides
    names = [side.standing.name for side in sides]
    classes = sorted({name for side in sides for name in side.by_class})
    shares = {
        "by board class": [_share_field(name, partial(_of_class, name)) for name in classes],
        "by who moved first": [
            _share_field("moving first", lambda side: side.record.moving_first),
            _share_field("moving second", lambda side: side.record.moving_second),
        ],
        "common opponents": [_share_field(name, partial(_against, name)) for name in made.common],
    }
    standings = [side.standing for side in sides]
    listed = [
        field for field in COLUMNS if field.form and field.head and field.shown(standings, None)
    ]
    tables = [
        table_by_row(listed, names, standings, "bots"),
        *(table_by_row(fields, names, sides, title) for title, fields in shares.items()),
    ]
    if wrong is not None:
        rows = {row.name: row for row in analysed_bots(wrong)}
        counts = [field for field in MISTAKES if field.form and field.head]
        fields = [*counts, *left_fields(wrong, "with {}-{} plies left")]
        tables.append(table_by_row(fields, names, [rows.get(name) for name in names], "mistakes"))
    return [Table(VERSUS, made.versus, caption="difference"), *filter(attrgetter("rows"), tables)]


def _of_class(name: str, side: ComparedBot) -> Record | Wdl:
    return side.by_class.get(name, Wdl())


def _against(name: str, side: ComparedBot) -> Record | Wdl:
    return side.opponents[name]


def _share_field(head: str, share: Callable[[ComparedBot], Record | Wdl]) -> Field:
    """Return the field of a score of a compared bot, with its number of games."""

    def text(side: ComparedBot, _: object) -> str:
        found = share(side)
        return "-" if found.score is None else f"{found.score:.1%} of {found.games}"

    return Field(head=head, form=".1%", value=lambda side: share(side).score, text=text)


VERSUS = (
    Field(head="bots", text=lambda pair, _: f"{pair.met.a} - {pair.met.b}"),
    Field("a", value=lambda pair: pair.met.a),
    Field("b", value=lambda pair: pair.met.b),
    *difference_fields(lambda pair: pair.difference, level=1),
    Field("pairs_to_halve_error", value=lambda pair: pair.pairs_to_halve),
    Field("wdl", only=Medium.JSON, value=lambda pair: list(pair.met.record.wdl)),
    Field(
        head="won-drawn-lost",
        form="d",
        text=lambda pair, _: wdl_text(pair.met.record.wdl),
        level=4,
    ),
    *wdl_fields(lambda pair: pair.met.record.wdl, only=Medium.CSV),
    *pentanomial_fields(lambda pair: pair.met.record.pentanomial, level=5),
    Field("lost_by_a", only=Medium.JSON, value=lambda pair: list(pair.lost_by_a)),
    Field("lost_by_b", only=Medium.JSON, value=lambda pair: list(pair.lost_by_b)),
    Field("sentence", only=Medium.JSON),
)
"""The columns of the differences of every two bots."""


def _losses(made: Comparison) -> list[str]:
    """Return sentences that list the games each bot lost against another."""
    return [
        f"{loser} lost to {winner} in game {', '.join(map(str, games))}"
        for pair in made.versus
        for loser, winner, games in (
            (pair.met.a, pair.met.b, pair.lost_by_a),
            (pair.met.b, pair.met.a, pair.lost_by_b),
        )
        if games
    ]


def against_document(made: OpponentResults) -> dict[str, Any]:
    """Return the document of `ladder report --against NAME --json`."""
    return {
        "division": made.label,
        "bot": made.bot,
        "opponents": Table(OPPONENTS, made.opponents).documents(),
        "beats": made.count(Balance.BEATS),
        "even": made.count(Balance.EVEN),
        "loses": made.count(Balance.LOSES),
        "share": round(made.share, 4),
        "clearly_beats": made.count(Balance.BEATS, clear=True),
        "clearly_loses": made.count(Balance.LOSES, clear=True),
        "never_met": list(made.never_met),
        "summary": _summary(made),
        "notes": [note_text(note) for note in made.notes],
    }


def _summary(made: OpponentResults) -> str:
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
    table = Table(OPPONENTS, made.opponents)
    remarks = [note_text(note) for note in made.notes]
    if made.never_met:
        remarks.append(f"never met: {', '.join(made.never_met)}")
    if not all(one.is_clear for one in made.opponents):
        remarks.append("?: not significant, may be chance")
    return Listing(
        document=against_document(made),
        csv=table.csv(),
        tables=[table],
        remarks=[*remarks, f"{made.label}: {_summary(made)}"],
    )


OPPONENTS = (
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
