"""The interrupted runs of a database, and the options of the command that resumes each."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.protocol import MARGIN_MS, WATCHDOG_S
from db.records.budget import (
    CLOCK,
    OVERAGE,
    TIME,
    bots_with_odds,
    budget_key,
    budget_of,
    format_clock,
    main_fields,
)
from db.records.runs import OPTIONS, SELECT, RunKind, RunRow, RunStatus
from db.store import ProcessLocks, Store
from ladder.runs.settings import LIMIT_NAMES

TUNING = "tuning"
"""The settings key of a tuning's search."""
UNFINISHED = frozenset({RunStatus.INTERRUPTED, RunStatus.RUNNING, RunStatus.INVALID})
"""States of a run that can be resumed if no process plays it."""
MULTI_RUN_COMMANDS = ("bisect", "tune")
"""Commands that play several runs each."""


def is_unfinished(run: RunRow) -> bool:
    """Return whether a run that no process plays can be resumed.

    An invalid gate or selection cannot: its games would make the resumed one invalid, too.
    """
    return run.status in UNFINISHED and not (
        run.kind in (RunKind.GATE, RunKind.SELECT) and run.status is RunStatus.INVALID
    )


@dataclass(frozen=True, slots=True)
class Resumable:
    """A run, or a bisection or tuning of several runs, that a command can resume."""

    run_id: int
    games: int
    """Finished games."""
    options: Mapping[str, object]
    """The command that resumes it, and its options, as `ladder.cli.resume` stores them."""


def resumable_runs(store: Store, lock: ProcessLocks) -> tuple[Resumable, ...]:
    """Return the interrupted runs that a command can resume, newest first.

    A command that plays several runs is listed once, with the first of them.
    """
    hashes = {bot.name: bot.revision.content_hash for bot in store.bots.all()}
    counts = {**store.games.count_by_run(), **store.tuning_steps.games_by_run()}
    found: dict[str, Resumable] = {}
    for run in store.runs.find():
        options = options_of(run)
        if options is None or run.renamed or not is_unfinished(run) or lock.is_alive(run.id):
            continue  # a run with renamed bots has an identity of the former names
        is_part = options["command"] in MULTI_RUN_COMMANDS
        if not is_part and not run.settings["bots"].items() <= hashes.items():
            continue
        key = repr(sorted(options.items())) if is_part else str(run.id)
        games = counts.get(run.id, 0) + (found[key].games if key in found else 0)
        found[key] = Resumable(run.id, games, options)
    return tuple(found.values())


def options_of(run: RunRow) -> dict[str, Any] | None:
    """Return the command of a run and its options; None if they are unknown.

    The options of older runs, which are stored without them, are derived from their settings. An
    older bisection has none: its history is not stored.
    """
    options = run.settings.get(OPTIONS)
    if options is None and run.kind is not RunKind.BISECT and "boards" in run.settings:
        options = _derive_options(run)
    if not options:
        return None
    if options.get("seed") is None and not options.get("stages"):  # each stage has its own seed
        return {**options, "seed": run.seed}
    return dict(options)


def _derive_options(run: RunRow) -> dict[str, object]:
    settings = run.settings
    against: str | None = None
    margin_ms = settings.get("margin_ms", MARGIN_MS)
    watchdog_s = float(settings.get("watchdog_s", WATCHDOG_S))
    limits = {option: settings["limits"][field] for field, option in LIMIT_NAMES.items()}
    search = settings.get(TUNING, {})
    players: dict[str, object] = {}
    if run.kind is RunKind.MATCH:
        players = dict(zip("ab", settings["bots"], strict=True))
    elif run.kind is RunKind.SELECT:
        against = settings.get(SELECT, {}).get("against")
        players = {"candidates": [name for name in settings["bots"] if name != against]}
    elif run.kind is RunKind.GATE:
        _, candidate, against = settings["pairing"].split(":")
        players = {"candidate": candidate}
    elif run.kind is RunKind.LADDER:
        players = {"bots": ",".join(settings["bots"]), "pairing": settings["pairing"]}
    return {
        "command": "run" if run.kind is RunKind.LADDER else run.kind.value,
        **players,
        "against": against,
        "param": search.get("parameters"),
        **{key: search.get(key) for key in ("spec", "games", "pairs", "python", "files")},
        "boards": settings["boards"],
        **_budget(settings["budget"]),
        "openings": settings.get("openings"),
        "opening_plies": None if settings.get("openings") else settings["opening_plies"],
        "adjudicate": settings.get("adjudicate"),
        "rated": run.rated,
        **limits,
        "margin": f"{margin_ms}ms",
        "watchdog": watchdog_s,
        "scale_time": settings.get("scale_time", False),
        "sandbox": shlex.join(settings["sandbox"]) or None,
    }


def _budget(amounts: Mapping[str, int]) -> dict[str, object]:
    """Return the options of a run's budgets; those of single bots come first: ``v4=2s,1s``."""
    options: dict[str, object] = {
        field: amounts[field] for field in main_fields(amounts) if field not in (TIME, CLOCK)
    }
    for option, field in (("time", TIME), ("overage", OVERAGE), ("clock", CLOCK)):
        words = []
        for bot in (*bots_with_odds(amounts), None):
            if budget_key(field, bot) in amounts:
                clock = budget_of(amounts, CLOCK, bot).clock if field == CLOCK else None
                amount = amounts[budget_key(field, bot)]
                word = f"{amount}ms" if clock is None else format_clock(clock)
                words.append(word if bot is None else f"{bot}={word}")
        options[option] = ",".join(words) or None
    return options
