"""A stored run: its bots, its result, and the command that repeats it."""

from typing import Any

from rich.console import Console

from ladder.experiments.bisect.result import BisectResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.nightly.session import NightOutcome
from ladder.experiments.select.session import SelectionOutcome
from ladder.experiments.stored import StoredRun
from ladder.experiments.tune.session import TuningOutcome
from ladder.names import counted
from reports.findings.bisect import bisect_finding
from reports.findings.finding import Finding, print_finding
from reports.findings.gate import gate_finding, match_finding
from reports.findings.nightly import nightly_finding
from reports.findings.select import select_finding
from reports.findings.tune import tune_finding
from reports.layout.elo import wdl_fields
from reports.layout.fields import Field, Medium, Table
from reports.layout.format import iso_time, moment, values_of, wdl_text
from reports.layout.terminal import print_lines, print_tables


def finding_of(run: StoredRun) -> Finding | None:
    """Return the finding of a run; None if it has none."""
    result = run.result
    if result is None:
        return None
    if isinstance(result, GateOutcome):
        return gate_finding(result)
    if isinstance(result, SelectionOutcome):
        return select_finding(result)
    if isinstance(result, BisectResult):
        return bisect_finding(result)
    if isinstance(result, TuningOutcome):
        return tune_finding(result)
    if isinstance(result, NightOutcome):
        return nightly_finding(result)
    return match_finding(result, run.past.division)


def run_document(run: StoredRun, command: str | None) -> dict[str, Any]:
    """Return the document of `ladder runs show --json`.

    Args:
        run: the run.
        command: the command line that repeats it; None if it is not stored.

    """
    row, finding = run.past.row, finding_of(run)
    return {
        "run": row.id,
        "kind": row.kind.value,
        **values_of(run.past, "status", "verdict", "title", "division", "games"),
        **{key: iso_time(getattr(row, key)) for key in ("started_at", "ended_at")},
        **values_of(row, "target_games", "rated", "seed", "note"),
        "command": command,
        "bots": Table(BOTS, run.bots).documents(),
        "forfeits": [
            {"bot": name, "kind": each.termination.value, **values_of(each, "games", "game")}
            for name, each in run.forfeits
        ],
        "result": None if finding is None else finding.document,
    }


def print_run(
    console: Console, run: StoredRun, command: str | None, *, verbose: bool = False
) -> None:
    """Print what was played, the result, the bots, and how to repeat the run."""
    past, row = run.past, run.past.row
    games = f"{past.games:,}" + ("" if row.target_games is None else f" of {row.target_games:,}")
    started = f"started {moment(row.started_at)}, seed {row.seed}"
    lines = [
        f"run {row.id} ({row.kind.value}): {past.title}",
        f"{past.status.value}, {games} games, {started}",
        *([f"note: {row.note}"] if row.note else []),
        "",
    ]
    print_lines(console, lines)
    finding = finding_of(run)
    if finding is not None:
        print_finding(console, finding, verbose=verbose)
        console.print()
    if finding is None or run.forfeits or paused_lines(run):
        print_tables(console, [Table(BOTS, run.bots)])
        console.print()
    print_lines(console, [*forfeit_lines(run), *paused_lines(run)])
    print_lines(console, [f"repeat it: {command}" if command else "its command is not stored"])


def forfeit_lines(run: StoredRun) -> list[str]:
    """Return a line for each bot and kind of forfeit, with the first game and its cause."""
    return [
        f"{name} forfeited {counted(each.games, 'game')} by "
        f"{each.termination.value.replace('_', ' ')}, first game {each.game}: {each.detail}"
        for name, each in run.forfeits
    ]


def paused_lines(run: StoredRun) -> list[str]:
    """Return a line for each bot that was paused."""
    return [
        f"{bot.name} {bot.paused.reason} and was paused after {counted(bot.paused.games, 'game')}"
        for bot in run.bots
        if bot.paused is not None
    ]


BOTS = (
    Field("name", "bot"),
    Field("games", "games", form=",d", value=lambda bot: bot.results.games),
    Field(head="won-drawn-lost", form="d", text=lambda bot, _: wdl_text(bot.results)),
    *wdl_fields(lambda bot: bot.results, only=Medium.DATA),
    Field(head="score", form=".1%", value=lambda bot: bot.results.score),
    Field(head="forfeits", form="d", value=lambda bot: bot.forfeits, level=1),
    Field(
        "paused_after",
        "paused",
        value=lambda bot: bot.paused and bot.paused.games,
        text=lambda bot, _: "" if bot.paused is None else f"after {bot.paused.games}",
        shown=lambda bots, _: any(bot.paused for bot in bots),
    ),
    Field("reason", value=lambda bot: bot.paused and bot.paused.reason),
)
"""The columns of the bots of a run."""
