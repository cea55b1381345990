"""The verdict on a division, warnings, and the conditions of its games."""

from collections.abc import Mapping, Sequence

from db.records.runs import SHIPPED_OPENINGS, RunRow
from ladder.names import counted
from ladder.results.standings.lineage import Step, StepVerdict
from ladder.results.standings.report_data import ReportData
from ladder.results.standings.standings import BotStanding, Standings
from reports.layout.format import as_sentence, day, join_names
from reports.report.notes import is_warning, note_text
from reports.report.rating_columns import rating_words

PROGRAMS = ("ladder", "python", "numba", "processor")
"""The harness that played the games, for the page."""
LOST_BY_CHANCE = 0.025
"""Share of 95 % intervals that lie below zero although both versions are equal."""


def verdict(rated: Sequence[BotStanding]) -> str:
    """Return a sentence about the best bot."""
    if not rated:
        return "There are no rated games yet."
    best = rated[0]
    if len(rated) == 1:
        return f"{best.name} is the only rated bot."
    leads = f"{best.name} leads with {rating_words(best)} Elo"
    close = [bot.name for bot in rated[1:] if _overlap(best, bot)]
    if not close:
        others = " and all others" if len(rated) > 2 else ""
        return f"{leads}, significantly ahead of {rated[1].name}{others}."
    return f"{leads}, but not significantly ahead of {join_names(close)}."


def warnings(data: ReportData) -> list[str]:
    """Return sentences about regressions and about reasons not to trust the numbers."""
    standings = data.standings
    failing = sorted(standings.bots, key=lambda bot: -bot.all_forfeits)
    found = _lost(data.steps)
    found += [
        f"{bot.name} forfeited {bot.all_forfeits} of {counted(bot.games, 'game')} ({_kinds(bot)})"
        + (": do not trust its rating." if bot.unreliable else ".")
        for bot in failing
        if bot.all_forfeits
    ]
    found += [
        f"{bot.name} uses {bot.mean_move_ms:,.0f} ms a move on average, more than its budget."
        for bot in standings.bots
        if bot.over_budget
    ]
    names = {bot.name for bot in standings.bots}
    found += [as_sentence(note_text(note), names) for note in standings.notes if is_warning(note)]
    return found


def notes_of(standings: Standings) -> list[str]:
    """Return the notes about which a reader need not do anything, as sentences."""
    names = {bot.name for bot in standings.bots}
    return [as_sentence(note_text(note), names) for note in standings.notes if not is_warning(note)]


def _lost(steps: Sequence[Step]) -> list[str]:
    """Return a sentence about the versions that lost against their predecessor, if any did."""
    lost = [step for step in steps if step.verdict is StepVerdict.LOST]
    if not lost:
        return []
    losses = "; ".join(
        f"{step.bot} lost {-step.elo:.0f} ± {step.error95:.0f} Elo against {step.based_on}"
        for step in lost
    )
    chance = "This may be chance"
    if len(steps) > 1:
        chance = (
            f"Of {len(steps)} versions, {LOST_BY_CHANCE * len(steps):.1f} would appear here by "
            "chance"
        )
    worst = min(lost, key=lambda step: step.elo)
    gate = f"`ladder gate {worst.bot} --against {worst.based_on}`"
    return [f"{losses}. {chance}; run {gate} to decide."]


def _kinds(bot: BotStanding) -> str:
    return ", ".join(
        f"{count} {kind.replace('_', ' ')}" for kind, count in bot.forfeits.items() if count
    )


def facts(data: ReportData) -> list[tuple[str, str]]:
    """Return the conditions as labels and values."""
    standings = data.standings
    found = [
        ("Division", standings.label),
        ("Boards", standings.boards),
        ("Openings", _openings(standings)),
        ("Games", f"{standings.games:,} ({standings.distinct_games:,} distinct)"),
        ("Pairs", f"{standings.pairs:,}"),
    ]
    if standings.adjudicate is not None:
        found.append(
            ("Adjudicated", f"within {counted(standings.adjudicate, 'ply')} of a proven end")
        )
    if standings.first_mover_score is not None:
        found.append(("First mover scores", f"{standings.first_mover_score:.1%}"))
    if standings.draw_rate is not None:
        found.append(("Draws", f"{standings.draw_rate:.1%}"))
    if data.first_game is not None and data.last_game is not None:
        found.append(("Played", f"{day(data.first_game)} to {day(data.last_game)}"))
    played = _played_by(data.runs)
    return [*found, ("Played by", played)] if played else found


def _played_by(runs: Sequence[RunRow]) -> str:
    """Return the programs and processors that played the games, latest first."""
    stored = [run.settings.get("harness") for run in runs]
    played = [
        ", ".join(f"{name} {each[name]}" for name in PROGRAMS if name in each)
        for each in stored
        if isinstance(each, Mapping)
    ]
    return "; ".join(dict.fromkeys(played))


def _overlap(one: BotStanding, other: BotStanding) -> bool:
    """Return whether the difference of two ratings is not significant."""
    if one.elo is None or other.elo is None or one.error95 is None or other.error95 is None:
        return True
    gap: float = abs(one.elo - other.elo)
    return bool(gap < (one.error95**2 + other.error95**2) ** 0.5)


def _openings(standings: Standings) -> str:
    if standings.openings is not None:
        name = SHIPPED_OPENINGS.get(standings.openings)
        return name or f"a set with the hash {standings.openings}"
    if standings.opening_plies is None:
        return "random plies, by board class"
    return f"{standings.opening_plies} random plies" if standings.opening_plies else "none"
