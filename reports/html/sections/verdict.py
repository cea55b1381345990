"""The verdict in words, and the conditions under which the games were played."""

import os
import platform
from collections.abc import Mapping, Sequence
from itertools import pairwise

from db.records.runs import RunRow
from ladder.harness_version import harness_version
from ladder.results.standings.lineage import Step, StepVerdict
from ladder.results.standings.move_times import MoveTimes, shared_note, waited
from ladder.results.standings.report_data import ReportData
from ladder.results.standings.standings import BotStanding, Standings
from reports.html.words import day, listed
from reports.report.notes import note_text
from reports.report.rating_columns import rating_words

LATE_SHARE = 0.01
"""Fewer late moves than this share are no warning."""
LOST_BY_CHANCE = 0.025
"""The share of 95 % intervals of equally good versions that lie wholly below zero."""


def verdict(rated: Sequence[BotStanding]) -> str:
    """Return the best bot, and how sure that is."""
    if not rated:
        return "There are no rated games yet."
    best = rated[0]
    if len(rated) == 1:
        return f"{best.name} is the only rated bot."
    said = f"{best.name} leads with {rating_words(best)} Elo"
    close = [bot.name for bot in rated[1:] if _overlap(best, bot)]
    if not close:
        return f"{said}, clear of {rated[1].name} and all others."
    return f"{said}; these games cannot tell it from {listed(close)}."


def warnings(data: ReportData) -> list[str]:
    """Lost steps, then reasons not to trust the numbers, the gravest first."""
    standings = data.standings
    failing = sorted(standings.bots, key=lambda bot: -bot.all_forfeits)
    found = _lost(data.steps)
    found += [
        f"{bot.name} forfeited {bot.all_forfeits} of {bot.games} games ({_kinds(bot)})"
        + (": do not trust its rating." if bot.unreliable else ".")
        for bot in failing
        if bot.all_forfeits
    ]
    found += [
        f"{bot.name} takes {bot.mean_move_ms:,.0f} ms a move in the mean, more than its budget."
        for bot in standings.bots
        if bot.over_budget
    ]
    late = [entry for entry in data.move_times if entry.late > LATE_SHARE * entry.moves]
    stalled = standings.stalled_games > 0
    own = [entry for entry in late if not waited(entry, data.move_times, stalled=stalled)]
    found += _late(own)
    notes = list(standings.notes)
    # Once for all bots, and not again where the list says it already.
    if len(own) < len(late) and not standings.is_shared:
        notes.append(shared_note(data.move_times))
    return [*found, *(_sentence(note_text(note)) for note in notes)]


def _lost(steps: Sequence[Step]) -> list[str]:
    """Versions that lost against what they are based on, in one sentence; none for none."""
    lost = [step for step in steps if step.verdict is StepVerdict.LOST]
    if not lost:
        return []
    said = "; ".join(
        f"{step.bot} lost {-step.elo:.0f} ± {step.error95:.0f} Elo against {step.based_on}"
        for step in lost
    )
    chance = f"{LOST_BY_CHANCE * len(steps):.1f} of {len(steps)} steps would seem lost by chance"
    worst = min(lost, key=lambda step: step.elo)
    gate = f"ladder gate {worst.bot} --against {worst.based_on}"
    return [f"{said}. {chance if len(steps) > 1 else 'It may be chance'}; {gate} settles it."]


def _late(times: Sequence[MoveTimes]) -> list[str]:
    """Return a sentence about bots that were late by themselves, or nothing if there are none."""
    late = sorted(times, key=lambda entry: -entry.late / entry.moves)
    if not late:
        return []
    if len(late) == 1:
        (bot,) = late
        return [
            f"{bot.bot} was late with {bot.late:,} of its latest {bot.moves:,} moves: within the "
            "margin, but beyond its budget."
        ]
    shares = [entry.late / entry.moves for entry in late]
    return [
        f"{len(late)} bots were late with {min(shares):.1%} to {max(shares):.1%} of their latest "
        f"moves, within the margin, but beyond the budget: {listed([bot.bot for bot in late])}."
    ]


def _kinds(bot: BotStanding) -> str:
    return ", ".join(
        f"{count} {kind.replace('_', ' ')}" for kind, count in bot.forfeits.items() if count
    )


def _sentence(note: str) -> str:
    """Return a note of the list as a sentence."""
    return note + ("" if note.endswith(".") else ".")


def alike(rated: Sequence[BotStanding]) -> str:
    """Neighbours in the list that these games cannot tell apart; empty for none."""
    pairs = [
        f"{one.name} and {other.name}" for one, other in pairwise(rated) if _overlap(one, other)
    ]
    return f"Not told apart by these games: {'; '.join(pairs)}." if pairs else ""


def facts(data: ReportData) -> list[tuple[str, str]]:
    """Return the conditions, as names and values."""
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
    played = _played_by(data.runs)
    return [*found, *([("Played by", played)] if played else []), *machine_facts()]


def machine_facts() -> list[tuple[str, str]]:
    """Return the machine and the programs that write the page."""
    return [
        ("Machine", f"{platform.machine()}, {os.cpu_count()} CPUs, {_processor()}"),
        ("Written by", _programs(harness_version())),
    ]


def _played_by(runs: Sequence[RunRow]) -> str:
    """Return the programs that played the games, latest first."""
    kept = [run.settings.get("harness") for run in runs]
    told = [_programs(each) for each in kept if isinstance(each, Mapping)]
    return "; ".join(dict.fromkeys(told))


def _programs(harness: Mapping[str, object]) -> str:
    names = {"ladder": "ladder", "python": "Python", "numba": "numba"}
    return ", ".join(f"{word} {harness[key]}" for key, word in names.items() if key in harness)


def _overlap(one: BotStanding, other: BotStanding) -> bool:
    """Return whether two ratings are closer than the errors of both allow to tell."""
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
    if standings.opening_plies is None:
        return "random plies, by board class"
    return f"{standings.opening_plies} random plies" if standings.opening_plies else "none"
