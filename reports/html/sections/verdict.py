"""The verdict in words, and the conditions under which the games were played."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from itertools import pairwise

from ladder.standings.report_data import ReportData
from ladder.standings.standings import BotStanding, Standings
from reports.html.words import day, listed


def verdict(rated: Sequence[BotStanding]) -> str:
    """The best bot, and how sure that is."""
    if not rated:
        return "There are no rated games yet."
    best = rated[0]
    if len(rated) == 1:
        return f"{best.name} is the only rated bot."
    said = f"{best.name} leads with {best.elo:.0f} +- {best.error95:.0f} Elo"
    close = [bot.name for bot in rated[1:] if _overlap(best, bot)]
    if not close:
        return f"{said}, clear of {rated[1].name} and all others."
    return f"{said}; these games cannot tell it from {listed(close)}."


def alike(rated: Sequence[BotStanding]) -> str:
    """Neighbours in the list that these games cannot tell apart; empty for none."""
    pairs = [
        f"{one.name} and {other.name}" for one, other in pairwise(rated) if _overlap(one, other)
    ]
    return f"Not told apart by these games: {'; '.join(pairs)}." if pairs else ""


def facts(data: ReportData) -> list[tuple[str, str]]:
    """The conditions, as names and values."""
    standings = data.standings
    found = [
        ("Division", standings.label),
        ("Boards", standings.boards),
        ("Openings", _openings(standings)),
        ("Games", f"{standings.games:,} ({standings.distinct_games:,} distinct)"),
        ("Pairs", f"{standings.pairs:,}"),
    ]
    if standings.first_mover_score is not None:
        found.append(("First mover scores", f"{standings.first_mover_score:.1%}"))
    if standings.draw_rate is not None:
        found.append(("Draws", f"{standings.draw_rate:.1%}"))
    if data.first_game is not None and data.last_game is not None:
        found.append(("Played", f"{day(data.first_game)} to {day(data.last_game)}"))
    return found + machine_facts()


def machine_facts() -> list[tuple[str, str]]:
    """The machine and the programs that write the page."""
    return [
        ("Machine", f"{platform.machine()}, {os.cpu_count()} CPUs, {_processor()}"),
        ("Versions", f"ladder {version('connect4-ladder')}, Python {platform.python_version()}, "
                     f"numba {version('numba')}"),
    ]  # fmt: skip


def _overlap(one: BotStanding, other: BotStanding) -> bool:
    """Whether two ratings are closer than the errors of both allow to tell."""
    if one.elo is None or other.elo is None or one.error95 is None or other.error95 is None:
        return True
    gap: float = abs(one.elo - other.elo)
    return bool(gap < (one.error95**2 + other.error95**2) ** 0.5)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [
                line.partition(":")[2].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        lines = []
    return lines[0] if lines else "unknown processor"


def _openings(standings: Standings) -> str:
    if standings.openings is not None:
        return f"a set with the hash {standings.openings}"
    plies = standings.opening_plies
    return "by board class" if plies is None else f"{plies} random plies"
