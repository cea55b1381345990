"""The interrupted runs of a database, and the command that goes on with each."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.protocol import MARGIN_MS, WATCHDOG_S
from db.records.budget import parts_of
from db.records.launch import DEFAULT_LIMITS
from db.records.runs import SELECT, RunKind, RunRow, RunStatus
from db.store import RunLock, Store
from ladder.runs.settings import DERIVATION, LIMIT_OPTIONS, identity_hash

TUNING = "tuning"
"""The key of a tuning's search among the settings of its run."""
CPU = "cpu_s"
"""The limit that is found from the budget when none is given."""
UNFINISHED = frozenset({RunStatus.INTERRUPTED, RunStatus.RUNNING, RunStatus.INVALID})
"""States of a run that can be gone on with when nobody plays it."""


def is_unfinished(run: RunRow) -> bool:
    """Whether a run that nobody plays can be gone on with.

    An invalid gate or choice cannot: its games would make the next one invalid, too.
    """
    return run.status in UNFINISHED and not (
        run.kind in (RunKind.GATE, RunKind.SELECT) and run.status is RunStatus.INVALID
    )


IDENTIFYING = ("kind", "rated", "bots", "pairing", "boards", "opening_plies", "budget")
"""The keys that `Settings.describe` gives of every run."""


@dataclass(frozen=True, slots=True)
class Resumable:
    """An interrupted run whose bots are still those that it began with."""

    run_id: int
    games: int
    """Finished ones."""
    command: str
    """Goes on with it."""


def resumable_runs(store: Store, lock: RunLock) -> tuple[Resumable, ...]:
    """The interrupted runs that a command can go on with, newest first."""
    hashes = {bot.name: bot.revision.content_hash for bot in store.bots.all()}
    games = {**store.games.count_by_run(), **store.tuning_steps.games_by_run()}
    return tuple(
        Resumable(run.id, games.get(run.id, 0), command_of(run))
        for run in store.runs.find()
        if is_unfinished(run)
        and not run.renamed  # its identity is made of the former names
        and run.kind is not RunKind.BISECT  # its command names a history
        and "boards" in run.settings  # an imported run may know nothing of its settings
        and run.settings["bots"].items() <= hashes.items()
        and not lock.is_alive(run.id)
    )


def command_of(run: RunRow) -> str:
    """The command line that starts or goes on with a run, without its number of games."""
    settings = run.settings
    words = ["ladder", "run" if run.kind is RunKind.LADDER else run.kind.value]
    if run.kind is RunKind.TUNE:
        words += _search(settings[TUNING])
    elif run.kind is RunKind.MATCH:
        words += settings["bots"]
    elif run.kind is RunKind.SELECT:
        against = settings.get(SELECT, {}).get("against")
        words += [name for name in settings["bots"] if name != against]
        words += [] if against is None else ["--against", against]
    elif run.kind is RunKind.GATE:
        _, candidate, against = settings["pairing"].split(":")
        words += [candidate, "--against", against]
    else:
        words += ["--bots", ",".join(settings["bots"]), "--pairing", settings["pairing"]]
    words += ["--boards", settings["boards"], *_budget(settings["budget"])]
    if settings.get("openings") is not None:
        words += ["--openings", settings["openings"]]
    elif settings["opening_plies"] is not None:
        words += ["--opening-plies", str(settings["opening_plies"])]
    if run.kind is not RunKind.LADDER and run.rated:
        words.append("--rated")
    for name, amount in _given_limits(run).items():
        words += [LIMIT_OPTIONS[name], str(amount)]
    patience = _given_patience(run)
    if "margin_ms" in patience:
        words += ["--margin", f"{patience['margin_ms']}ms"]
    if "watchdog_s" in patience:
        words += ["--watchdog", f"{patience['watchdog_s']:g}"]
    if settings.get("scale_time"):
        words.append("--scale-time")
    if settings["sandbox"]:
        words += ["--sandbox", shlex.join(settings["sandbox"])]
    return shlex.join([*words, "--seed", str(run.seed)])


def _search(search: Mapping[str, Any]) -> list[str]:
    words = [search["spec"]]
    for parameter in search["parameters"]:
        words += ["--param", parameter]
    words += ["--games", str(search["games"]), "--pairs", str(search["pairs"])]
    words += ["--python", search["python"]] if "python" in search else []
    return words + [word for each in search.get("files", ()) for word in ("--files", each)]


def _budget(amounts: Mapping[str, int]) -> list[str]:
    words, times = [], []
    for key, amount in amounts.items():
        kind, bot = parts_of(key)
        if kind != "time_ms":
            words += [f"--{kind}", str(amount)]
        elif bot is None:
            times.append(f"{amount}ms")
        else:
            times.insert(0, f"{bot}={amount}ms")
    return [*words, "--time", ",".join(times)] if times else words


def _given_limits(run: RunRow) -> dict[str, int]:
    """The limits that identify the run; the stored ones hold those found for it, too."""
    stored = run.settings["limits"]
    others = {
        name: stored[name]
        for name in LIMIT_OPTIONS
        if name != CPU and stored[name] != getattr(DEFAULT_LIMITS, name)
    }
    identity = {key: run.settings[key] for key in IDENTIFYING}
    for key in ("openings", DERIVATION, TUNING):
        if key in run.settings:
            identity[key] = run.settings[key]
    if others:
        identity["limits"] = others
    if run.settings["sandbox"]:
        identity["sandbox"] = run.settings["sandbox"]
    identity |= _given_patience(run)
    if run.settings.get("scale_time"):
        identity["scale_time"] = True
    return others if identity_hash(identity) == run.identity else {**others, CPU: stored[CPU]}


def _given_patience(run: RunRow) -> dict[str, object]:
    """The margin or the watchdog that identifies the run; empty where it is the default's."""
    by_the_clock = "time_ms" in run.settings["budget"]
    name, default = ("margin_ms", MARGIN_MS) if by_the_clock else ("watchdog_s", WATCHDOG_S)
    kept = run.settings.get(name, default)  # runs of before did not keep them
    return {} if kept == default else {name: kept}
