"""Registered bots as tables and text."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rich.console import Console

from bots.catalogue import VERSIONS
from bots.golden import OPTION
from bots.version import Idea
from db.records.archives import Manifest
from db.records.bots import HUMAN, BotRow
from db.records.launch import Restart
from engine.result import Result
from ladder.match.process.answers import unusable_words
from ladder.names import counted, listed
from ladder.registry.add_all import Attempt
from ladder.registry.registration import ExaminedBot
from ladder.registry.same_bot import FolderChanges
from ladder.registry.specs.archive_diff import FileDiff
from ladder.registry.specs.board_support import describe_boards
from ladder.registry.trial import TrialResult
from ladder.visible import visible
from reports.layout.fields import FAINT, Field, Table, plain_values
from reports.layout.format import lines_of, text_of_lines, values_of
from reports.layout.terminal import print_tables

SHOWN_FILES = 8
"""Number of a new bot's files that are listed."""

_RESTARTS = {
    Restart.GAME: "for every game",
    Restart.PAIR: "for every pair of games",
    Restart.NEVER: "only after a failure",
}


def mark(row: BotRow) -> str:
    """Return why a bot does not play, to follow its name; "" if it does."""
    if row.retired_at is None:
        return ""
    return " (imported)" if row.is_imported else " (retired)"


def _age(seconds: float) -> str:
    """Return a time as its largest unit, such as ``3 days``."""
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return counted(int(seconds // size), unit)
    return "now"


def git_values(row: BotRow) -> dict[str, Any] | None:
    """Return where a bot from git comes from; None for other bots."""
    origin = row.revision.launch.origin
    return None if origin is None else values_of(origin, "revision", "commit", "tree", "build")


BOTS = (
    Field(
        "name",
        "bot",
        text=lambda row, _: row.name + mark(row),
        emphasis=lambda row, _: "" if row.retired_at is None else FAINT,
    ),
    Field("family", "family", level=3),
    Field("based_on", "based on", text=lambda row, _: row.based_on or "-", level=1),
    Field(
        "budgets",
        "plays on",
        value=lambda row: list(row.revision.budgets),
        text=lambda row, _: ", ".join(row.revision.budgets),
        level=2,
    ),
    Field("revision", "rev", value=lambda row: row.revision.number, form="d", level=4),
    Field(head="age", text=lambda row, _: _age(time.time() - row.revision.created_at), level=4),
    Field("change", "the change", is_prose=True),
    Field("spec"),
    Field("boards", value=lambda row: row.revision.boards and list(row.revision.boards)),
    Field("min_time_ms", value=lambda row: row.revision.launch.min_time_ms),
    Field("restart", value=lambda row: row.revision.launch.restart.value),
    Field("python", value=lambda row: row.revision.launch.python),
    Field("folder", value=lambda row: row.revision.launch.folder or None),
    Field("git", value=git_values),
    Field("created_at", value=lambda row: row.revision.created_at),
    Field("content_hash", value=lambda row: row.revision.content_hash),
    Field("files", value=lambda row: dict(row.revision.files)),
    Field("retired", value=lambda row: row.retired_at is not None),
)
"""The columns of the list of bots."""


def bots_document(rows: Sequence[BotRow]) -> list[dict[str, Any]]:
    """Return the document of `ladder bots list --json`."""
    return Table(BOTS, rows).documents()


def print_bots(console: Console, rows: Sequence[BotRow]) -> None:
    """Print a line for each bot."""
    print_tables(console, [Table(BOTS, rows)])


def bot_text(row: BotRow, manifest: Manifest | None, changes: FolderChanges | None) -> str:
    """Return the text of `bots show`.

    Args:
        row: the bot.
        manifest: its files; None for a built-in player.
        changes: how its original files differ; None if that is unknown.

    """
    revision = row.revision
    launch = revision.launch
    boards = "every board" if revision.boards is None else ", ".join(revision.boards)
    least = "" if launch.min_time_ms is None else f"; needs {launch.min_time_ms} ms a move"
    since = datetime.fromtimestamp(revision.created_at).astimezone()
    lines = [
        f"{row.name} ({row.family}){mark(row)}",
        f"  spec        {row.spec}",
        f"  based on    {row.based_on or '-'}",
        f"  the change  {row.change or '-'}",
        f"  plays on    {', '.join(revision.budgets)}; {boards}{least}",
        f"  restarted   {_RESTARTS[launch.restart]}",
        f"  revision    {revision.number}, {revision.content_hash[:12]}, "
        f"since {since:%Y-%m-%d %H:%M}",
    ]
    if (idea := _idea_of(row)) is not None:
        told = (("function", idea.function), ("Elo gained", idea.gain), ("costs", idea.cost))
        lines[4:4] = [f"  {head:<12}{text}" for head, text in told if text]
    if launch.origin is not None:
        built = f", built by `{launch.origin.build}`" if launch.origin.build else ""
        lines.insert(2, f"  from git    {launch.origin.revision}, {launch.origin.commit}{built}")
    if launch.folder:
        lines.insert(2, f"  from        {launch.folder}")
    if revision.content_hash == HUMAN:
        lines.insert(2, "  program     none: it stands for people")
    elif not launch.can_play:
        lines.insert(2, "  no files    it cannot play until `ladder bots add` stores them")
    if manifest is not None:
        lines.append(
            f"  stored      {counted(len(manifest.files), 'file')}, {manifest.bytes:,} bytes, "
            f"{manifest.sha256[:12]}"
        )
        used = launch.used
        lines += [
            f"    {file.path}" + ("" if used is None or file.path in used else "  (not used)")
            for file in manifest.files
        ]
    if revision.files:
        lines.append("  needs" if manifest is not None else "  made of")
        lines += [
            f"    {name} {value}" if _is_fact(name) else f"    {value}  {name}"
            for name, value in revision.files.items()
        ]
    if changes is not None and changes.words:
        lines.append("  the original files have changed since then; the stored ones play:")
        lines.append(f"    {changes.words}")
    return text_of_lines(lines)


def _idea_of(row: BotRow) -> Idea | None:
    """Return where a built-in version's idea is found; None for other bots."""
    version = VERSIONS.get((row.revision.launch.player or "").partition("?")[0])
    return None if version is None else version.idea


def shown_document(
    row: BotRow, manifest: Manifest | None, changes: FolderChanges | None
) -> dict[str, Any]:
    """Return the JSON document of `bots show`. The arguments are those of `bot_text`."""
    archive = None
    if manifest is not None:
        archive = {
            "sha256": manifest.sha256,
            "bytes": manifest.bytes,
            "files": [file.path for file in manifest.files],
            "used": values_of(row.revision.launch, "used")["used"],
        }
    return {
        **plain_values(BOTS, row),
        "idea": None if (idea := _idea_of(row)) is None else idea._asdict(),
        "archive": archive,
        "origin_changed": None if changes is None else bool(changes.changed),
        "changes": {} if changes is None else dict(changes.changed),
    }


def diff_lines(found: Sequence[FileDiff]) -> list[str]:
    """Return the lines that show how the files of two bots differ."""
    return [line for each in found for line in each.text]


def trial_text(examined: ExaminedBot) -> list[str]:
    """Return the lines about a bot's trial and about its files."""
    lines = found_text(examined.found)
    packed = examined.new.revision.packed
    if packed is not None:
        names = [file.path for file in packed.manifest.files]
        lines.append(f"stored: {visible(listed(names, SHOWN_FILES))}")
    return [*lines, *map(visible, examined.warnings)]


AGAINST_RANDOM = {Result.WIN: "beat", Result.DRAW: "drew with", Result.LOSS: "lost to"}


def found_text(found: TrialResult) -> list[str]:
    """Return the lines about a bot's trial."""
    hello = f"name {found.name} {found.version}".rstrip()
    lines = [
        *([hello] if found.trials else []),
        f"plays on {', '.join(found.budgets)}; {describe_boards(found.boards)}",
    ]
    lines += [
        f"{trial.board}{('', ', moving second')[trial.side]}: "
        f"{AGAINST_RANDOM[trial.result]} random in "
        f"{counted(trial.plies, 'ply')}"
        for trial in found.trials
    ]
    lines += [unusable_words(trial.unusable) for trial in found.trials if trial.unusable][:1]
    if found.left_out:
        lines.append(found.left_out)
    if found.trials:
        lines.append(_time_text(found))
    return [visible(line) for line in lines]


def _time_text(found: TrialResult) -> str:
    """Return the sentence about the time that a bot took or needs."""
    if found.over_budget:
        return found.over_budget
    if found.min_time_ms is not None:
        return f"needs {found.min_time_ms} ms a move: runs with less time refuse it"
    longest = max(trial.slowest_ms() for trial in found.trials)
    return f"took {longest:.1f} ms for its slowest move"


def _is_fact(name: str) -> bool:
    """Return whether a part of a built-in player is no file with its hash."""
    return name in ("behaviour", "sources") or name.startswith(OPTION)


def attempt_line(attempt: Attempt) -> str:
    """Return a line about one bot of `bots add-all`."""
    name = attempt.request.name
    if attempt.problem:
        return f"{name}: FAILED: {attempt.problem}"
    if attempt.examined is None:
        return f"{name}: already registered with the same content"
    found = attempt.examined.found
    least = "" if found.min_time_ms is None else f", needs {found.min_time_ms} ms a move"
    return f"{name}: registered{least}"


def attempts_text(attempts: Sequence[Attempt]) -> str:
    """Return the numbers of registered bots, and which failed and why."""
    failed = [attempt for attempt in attempts if attempt.problem]
    already = sum(not attempt.problem and attempt.examined is None for attempt in attempts)
    counts = [f"{len(attempts) - len(failed) - already} registered"]
    counts += [f"{already} registered before"] * bool(already)
    counts += [f"{len(failed)} failed:"] * bool(failed)
    slowest = _slowest(attempts)
    return text_of_lines(
        (
            ", ".join(counts),
            *(line for each in failed for line in _failure_lines(each)),
            *([f"a run with all of them needs {slowest} ms or more a move"] if slowest else []),
        )
    )


def _slowest(attempts: Sequence[Attempt]) -> int:
    """Return the time per move that the slowest bot needs, in ms; 0 if none needs any."""
    needs = [each.examined.found.min_time_ms or 0 for each in attempts if each.examined]
    return max(needs, default=0)


def _failure_lines(attempt: Attempt) -> list[str]:
    """Return the reason of a failure, with the bot's output as further lines."""
    text = f"{attempt.request.name} ({attempt.request.source.spec}): {attempt.problem}"
    return [f"  {line}" for line in lines_of(text)]


def attempts_document(attempts: Sequence[Attempt]) -> dict[str, Any]:
    """Return the JSON document of `bots add-all`."""
    return {
        "registered": [each.request.name for each in attempts if each.examined is not None],
        "registered_before": [
            each.request.name for each in attempts if each.examined is None and not each.problem
        ],
        "failed": [
            {"name": each.request.name, "spec": each.request.source.spec, "reason": each.problem}
            for each in attempts
            if each.problem
        ],
        "min_time_ms": _slowest(attempts) or None,
    }
