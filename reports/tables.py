"""Standings as tables for a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.standings import BotStanding, PairStanding, Standings

UNRELIABLE = "!"
OVER_BUDGET = "*"


def print_standings(console: Console, standings: Standings) -> None:
    """The rating list, the pair table and what a reader should know."""
    console.print(Text(headline(standings), style="bold"))
    console.print(rating_table(standings.bots))
    console.print(pair_table(standings.pairs_table))
    for note in remarks(standings):
        console.print(note, markup=False, highlight=False)


def headline(standings: Standings) -> str:
    """The conditions and the counts in a line."""
    parts = [standings.label, f"{standings.games} games"]
    if standings.first_mover_score is not None:
        parts.append(f"first mover scores {standings.first_mover_score:.1%}")
    if standings.draw_rate is not None:
        parts.append(f"draws {standings.draw_rate:.1%}")
    return ", ".join(parts)


def remarks(standings: Standings) -> list[str]:
    """The notes, and the meaning of the marks that the table bears."""
    lines = list(standings.notes)
    if any(bot.unreliable for bot in standings.bots):
        lines.append(f"{UNRELIABLE} forfeits more than 2 % of its games: do not trust its rating")
    if any(bot.over_budget for bot in standings.bots):
        lines.append(f"{OVER_BUDGET} takes more than its time per move in the mean")
    return lines


def marked_name(bot: BotStanding) -> str:
    """The name with the marks that its row bears."""
    marks = (UNRELIABLE if bot.unreliable else "") + (OVER_BUDGET if bot.over_budget else "")
    return f"{bot.name} {marks}" if marks else bot.name


def number(value: float | None, form: str = ".0f") -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else format(value, form)


def forfeit_text(bot: BotStanding) -> str:
    """The forfeits by kind, such as ``2 timeout, 1 crash``; a dot for none."""
    kinds = [f"{count} {kind}" for kind, count in bot.forfeits.items() if count]
    return ", ".join(kinds) or "."


RATING_COLUMNS = (
    "#", "bot", "elo", "+-95", "live", "games", "win", "draw", "loss", "win rate",
    "forfeits", "sims/s", "ms/move", "max ms",
)  # fmt: skip


def rating_cells(bot: BotStanding) -> tuple[str, ...]:
    """One row of the rating list as text, in the order of `RATING_COLUMNS`."""
    return (
        str(bot.rank),
        marked_name(bot),
        number(bot.elo),
        number(bot.error95),
        number(bot.elo_live),
        str(bot.games),
        str(bot.wins),
        str(bot.draws),
        str(bot.losses),
        f"{bot.win_rate:.1%}",
        forfeit_text(bot),
        number(bot.simulations_per_second, ",.0f"),
        number(bot.mean_move_ms, ".1f"),
        number(bot.max_move_ms, ".1f"),
    )


def rating_table(bots: Sequence[BotStanding]) -> Table:
    """The rating list, best first."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in RATING_COLUMNS:
        table.add_column(name, justify="left" if name in ("bot", "forfeits") else "right")
    for bot in bots:
        cells = [Text(cell) for cell in rating_cells(bot)]
        if bot.unreliable or bot.over_budget:
            cells[1].stylize("red")
        table.add_row(*cells)
    return table


def pair_cells(line: PairStanding) -> tuple[str, ...]:
    """One row of the pair table as text."""
    penta = " ".join(str(count) for count in line.pentanomial)
    return (line.a, line.b, str(line.wins), str(line.draws), str(line.losses), penta)


PAIR_COLUMNS = ("a", "b", "win", "draw", "loss", "pairs by points 0 1/2 1 3/2 2")


def pair_table(lines: Sequence[PairStanding]) -> Table:
    """Every two bots that met, from A's side."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, name in enumerate(PAIR_COLUMNS):
        table.add_column(name, justify="right" if 2 <= place <= 4 else "left")
    for line in lines:
        table.add_row(*(Text(cell) for cell in pair_cells(line)))
    return table
