"""Bots side by side, as plain data and as small tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.comparison import (
    BotDifference,
    ComparedBot,
    Comparison,
    Share,
)
from ladder.visible import visible
from reports.analyze import mistake_rows
from reports.layout.elo import interval_values
from reports.layout.format import (
    csv_text,
    markdown_table,
    markdown_text,
    number,
    rounded,
    values_of,
    wdl_text,
)
from reports.layout.table import ALWAYS, Column, blocks, fit
from reports.report.notes import note_text
from reports.report.rating_columns import forfeit_text, rating_words
from reports.report.standings import standing_document

INDENT = 2
"""Spaces before the small tables."""


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


@dataclass(frozen=True, slots=True)
class Section:
    """A small table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_difference: bool = False
    """Whether each row is a pair of bots; otherwise each column but the first is a bot."""


def sections(made: Comparison, wrong: DivisionMistakes | None = None) -> list[Section]:
    """Return all tables of a comparison."""
    names = tuple(side.standing.name for side in made.sides)
    found = [
        Section(
            "difference",
            ("bots", "Elo", "±95", "LOS", "won-drawn-lost", "pairs 0 1/2 1 3/2 2"),
            tuple(_versus_cells(pair) for pair in made.versus),
            is_difference=True,
        ),
        Section("bots", ("", *names), tuple(_facts(made.sides))),
    ]
    classes = sorted({name for side in made.sides for name in side.by_class})
    groups: list[tuple[str, list[str], list[list[Share]]]] = [
        (
            "by board class",
            classes,
            [[side.by_class.get(name, Share()) for side in made.sides] for name in classes],
        ),
        (
            "by who moved first",
            ["moving first", "moving second"],
            [[side.first for side in made.sides], [side.second for side in made.sides]],
        ),
        (
            "common opponents",
            list(made.common),
            [[side.opponents[name] for side in made.sides] for name in made.common],
        ),
    ]
    for title, heads, lines in groups:
        rows = tuple(
            (head, *(_percent(share) for share in line))
            for head, line in zip(heads, lines, strict=True)
        )
        if rows:
            found.append(Section(title, ("", *names), rows))
    if wrong is not None:
        found.append(Section("mistakes", ("", *names), mistake_rows(wrong, names)))
    return found


def _versus_cells(pair: BotDifference) -> tuple[str, ...]:
    return (
        f"{pair.a} - {pair.b}",
        *difference_cells(pair),
        number(pair.los, ".1%"),
        wdl_text(pair.wdl),
        " ".join(map(str, pair.pentanomial)),
    )


def difference_cells(pair: BotDifference) -> tuple[str, str]:
    """Return Elo and its error; a bound and no error if one bot won every game."""
    if pair.at_least is not None:
        return f"at least {pair.at_least:+.1f}", "-"
    if pair.at_most is not None:
        return f"at most {pair.at_most:+.1f}", "-"
    return number(pair.elo, "+.1f"), number(pair.error95, ".1f")


def _facts(sides: Sequence[ComparedBot]) -> Iterable[tuple[str, ...]]:
    bots = [side.standing for side in sides]
    yield ("Elo", *(rating_words(bot) for bot in bots))
    yield ("games", *(str(bot.games) for bot in bots))
    yield ("score", *(f"{bot.score:.1%}" for bot in bots))
    yield ("forfeits", *(forfeit_text(bot) for bot in bots))
    yield ("simulations/s", *(number(bot.simulations_per_second, ",.0f") for bot in bots))
    yield ("ms/move", *(number(bot.mean_move_ms, ".1f") for bot in bots))
    yield ("max ms", *(number(bot.max_move_ms, ".1f") for bot in bots))


def _percent(share: Share) -> str:
    return "-" if share.score is None else f"{share.score:.1%} of {share.games}"


def print_comparison(console: Console, made: Comparison, wrong: DivisionMistakes | None) -> None:
    """Print the small tables and the sentences below them."""
    console.print(Text(made.label, style="bold"))
    width = console.width - INDENT
    for section in sections(made, wrong):
        console.print(Text(f"\n{section.title}"))
        columns = [
            Column(head, cells, number=place > 0, level=place if section.is_difference else ALWAYS)
            for place, (head, *cells) in enumerate(zip(section.columns, *section.rows, strict=True))
        ]
        for block in [columns] if section.is_difference else blocks(columns, width):
            table = fit(block, width).table()
            console.print(Padding(table, (0, 0, 0, INDENT), expand=False))
    console.print()
    for line in _sentences(made):
        console.print(visible(line))


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


def comparison_csv(made: Comparison) -> str:
    """Return the pairs of bots as comma-separated values."""
    columns = ("a", "b", "elo", "error95", "los", "pairs_to_halve_error", "wins", "draws", "losses")
    rows = []
    for pair in made.versus:
        facts = (pair.elo, pair.error95, pair.los, pair.pairs_to_halve)
        numbers = ("" if fact is None else round(fact, 4) for fact in facts)
        rows.append((pair.a, pair.b, *numbers, *pair.wdl, *pair.pentanomial))
    return csv_text((*columns, "p0", "p1", "p2", "p3", "p4"), rows)


def comparison_markdown(made: Comparison, wrong: DivisionMistakes | None) -> str:
    """Return all tables and sentences as Markdown."""
    parts = [f"## {markdown_text(made.label)}"]
    for section in sections(made, wrong):
        parts += [f"### {section.title}", markdown_table(section.columns, section.rows)]
    sentences = _sentences(made)
    parts += map(markdown_text, sentences)
    return "\n\n".join(parts) + "\n"


def _sentences(made: Comparison) -> list[str]:
    notes = map(note_text, made.notes)
    return [*notes, *_losses(made), *(pair.sentence for pair in made.versus)]
