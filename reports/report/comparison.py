"""Bots side by side, as plain data and as small tables."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from db.records.record import Record, Wdl
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.comparison import (
    ComparedBot,
    ComparedPair,
    Comparison,
)
from reports.layout.elo import difference_fields, pentanomial_fields, wdl_fields
from reports.layout.fields import Field, Medium, Table, plain_values, table_by_row
from reports.layout.format import rounded, wdl_text
from reports.layout.listing import Listing
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
    listed = [field for field in COLUMNS if field.key and field.form and field.head]
    tables = [
        table_by_row(listed, names, [side.standing for side in sides], "bots"),
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
