"""Bots side by side, as plain data and as small tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.comparison import (
    BotDifference,
    ComparedBot,
    Comparison,
    Share,
)
from reports.layout.elo import chance_words, interval_values
from reports.layout.fields import Field
from reports.layout.format import csv_text, number, rounded, values_of, wdl_text
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
        "moving_first": _share(side.first),
        "moving_second": _share(side.second),
        "by_opponent": {name: _share(share) for name, share in side.opponents.items()},
    }


def _share(share: Share) -> dict[str, Any]:
    return {"games": share.games, "score": rounded(share.score, 4)}


def _versus_document(pair: BotDifference) -> dict[str, Any]:
    document = {
        "a": pair.a,
        "b": pair.b,
        **interval_values(pair),
        "los": rounded(pair.los, 4),
        "pairs_to_halve_error": pair.pairs_to_halve,
        **values_of(pair, "wdl", "pentanomial", "lost_by_a", "lost_by_b", "sentence"),
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
    cells = [difference_cells(pair) for pair in versus]
    classes = sorted({name for side in sides for name in side.by_class})
    shares = {
        "by board class": {
            name: [side.by_class.get(name, Share()) for side in sides] for name in classes
        },
        "by who moved first": {
            "moving first": [side.first for side in sides],
            "moving second": [side.second for side in sides],
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
    penta = [" ".join(map(str, pair.pentanomial)) for pair in versus]
    difference = [
        Column("bots", [f"{pair.a} - {pair.b}" for pair in versus], number=False),
        Column("Elo", [elo for elo, _ in cells], level=1),
        Column("±95", [error for _, error in cells], level=2),
        Column("LOS", [chance_words(pair.los) for pair in versus], level=3),
        Column("won-drawn-lost", [wdl_text(pair.wdl) for pair in versus], level=4),
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


def difference_cells(pair: BotDifference) -> tuple[str, str]:
    """Return Elo and its error; a bound and no error if one bot won every game."""
    if pair.at_least is not None:
        return f"at least {pair.at_least:+.1f}", "-"
    if pair.at_most is not None:
        return f"at most {pair.at_most:+.1f}", "-"
    return number(pair.elo, "+.1f"), number(pair.error95, ".1f")


def _percent(share: Share) -> str:
    return "-" if share.score is None else f"{share.score:.1%} of {share.games}"


def _losses(made: Comparison) -> list[str]:
    """Return sentences that list the games each bot lost against another."""
    return [
        f"{loser} lost to {winner} in game {', '.join(map(str, games))}"
        for pair in made.versus
        for loser, winner, games in (
            (pair.a, pair.b, pair.lost_by_a),
            (pair.b, pair.a, pair.lost_by_b),
        )
        if games
    ]


def _csv(made: Comparison) -> str:
    """Return the pairs of bots as comma-separated values."""
    columns = ("a", "b", "elo", "error95", "los", "pairs_to_halve_error", "wins", "draws", "losses")
    rows = []
    for pair in made.versus:
        facts = (pair.elo, pair.error95, pair.los, pair.pairs_to_halve)
        numbers = ("" if fact is None else round(fact, 4) for fact in facts)
        rows.append((pair.a, pair.b, *numbers, *pair.wdl, *pair.pentanomial))
    return csv_text((*columns, "p0", "p1", "p2", "p3", "p4"), rows)
