"""Bots side by side, as plain data and as small tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.records.record import Record, Wdl
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.comparison import (
    ComparedBot,
    ComparedPair,
    Comparison,
)
from reports.layout.elo import measured
from reports.layout.fields import Field
from reports.layout.format import csv_text, rounded, values_of, wdl_text
from reports.layout.listing import Listing, Titled
from reports.layout.table import Column
from reports.report.mistakes import MISTAKES, left_columns, rate_before
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
    document = {
        "a": pair.met.a,
        "b": pair.met.b,
        **pair.difference.values(),
        "pairs_to_halve_error": pair.pairs_to_halve,
        **values_of(pair.met.record, "wdl", "pentanomial"),
        **values_of(pair, "lost_by_a", "lost_by_b", "sentence"),
    }
    return {**document, "reason": pair.reason} if pair.reason else document


def comparison_listing(made: Comparison, wrong: DivisionMistakes | None) -> Listing:
    """Return the comparison as small tables with sentences below them."""
    return Listing(
        document=comparison_document(made, wrong),
        csv=_csv(made),
        headline=made.label,
        tables=comparison_tables(made, wrong),
        remarks=[
            *map(note_text, made.notes),
            *_losses(made),
            *(pair.sentence for pair in made.versus),
        ],
    )


def comparison_tables(made: Comparison, wrong: DivisionMistakes | None = None) -> list[Titled]:
    """Return all tables of a comparison."""
    sides, versus = made.sides, made.versus
    cells = [pair.difference.cells() for pair in versus]
    classes = sorted({name for side in sides for name in side.by_class})
    shares: dict[str, dict[str, list[Record | Wdl]]] = {
        "by board class": {
            name: [side.by_class.get(name, Record()) for side in sides] for name in classes
        },
        "by who moved first": {
            "moving first": [side.record.moving_first for side in sides],
            "moving second": [side.record.moving_second for side in sides],
        },
        "common opponents": {
            name: [side.opponents[name] for side in sides] for name in made.common
        },
    }
    groups: dict[str, dict[str, list[str]]] = {
        "bots": _of_each(
            [field for field in COLUMNS if field.key and field.form],
            [side.standing for side in sides],
        ),
        **{
            title: {head: [*map(_percent, line)] for head, line in lines.items()}
            for title, lines in shares.items()
        },
    }
    names = [side.standing.name for side in sides]
    if wrong is not None:
        found = [wrong.bots.get(name) for name in names]
        groups["mistakes"] = _of_each(MISTAKES, found) | {
            f"with {column.head} plies left": [
                "-" if one is None else rate_before(one, int(column.head.partition("-")[0]))
                for one in found
            ]
            for column in left_columns(wrong)[1:]
        }
    records = [pair.met.record for pair in versus]
    penta = [" ".join(map(str, record.pentanomial)) for record in records]
    difference = [
        Column("bots", [f"{pair.met.a} - {pair.met.b}" for pair in versus], number=False),
        Column("Elo", [elo for elo, _, _ in cells], level=1),
        Column("95 %", [interval for _, interval, _ in cells], level=2),
        Column("chance", [chance for _, _, chance in cells], level=3),
        Column("won-drawn-lost", [wdl_text(record.wdl) for record in records], level=4),
        Column("pairs 0 1/2 1 3/2 2", penta, level=5),
    ]
    return [
        Titled("difference", difference),
        *(Titled(title, _by_bot(names, lines), True) for title, lines in groups.items() if lines),
    ]


def _by_bot(names: Sequence[str], lines: Mapping[str, Sequence[str]]) -> list[Column]:
    """Return a column of heads, and one for each bot."""
    heads = Column("", list(lines), number=False)
    cells = zip(*lines.values(), strict=True)
    return [heads, *(Column(name, own) for name, own in zip(names, cells, strict=True))]


def _of_each(fields: Sequence[Field], records: Sequence[Any]) -> dict[str, list[str]]:
    """Return the cells of each field, a line for each."""
    return {
        field.head or "": [
            "-" if one is None else str(field.terminal_cell(one, None)) for one in records
        ]
        for field in fields
    }


def _percent(share: Record | Wdl) -> str:
    return "-" if share.score is None else f"{share.score:.1%} of {share.games}"


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


def _csv(made: Comparison) -> str:
    """Return the pairs of bots as comma-separated values."""
    numbers = ("elo", "error95", "low", "high", "los", "verdict")
    columns = ("a", "b", *numbers, "pairs_to_halve_error", "wins", "draws", "losses")
    rows = []
    for pair in made.versus:
        met = pair.met
        (values,) = measured([pair.difference.values(digits=4)])
        facts = [*(values[name] for name in numbers), pair.pairs_to_halve]
        texts = ("" if fact is None else fact for fact in facts)
        rows.append((met.a, met.b, *texts, *met.record.wdl, *met.record.pentanomial))
    return csv_text((*columns, "p0", "p1", "p2", "p3", "p4"), rows)
