"""The process of a slot, which plays pairs on a machine of a cluster, one at a time.

It dies with the process that started it, and its bots die with it. What it needs of a run is in the
machine's cache, so that a new slot can replace a killed one without the coordinator.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path

import msgspec

from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.board import parse_board, parse_board_class
from ladder.errors import BotFailure, LadderError, UsageError
from ladder.match.game.adjudicator import compile_solver
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.failures import to_one_line
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.specs.compile import compile_entrants
from ladder.runs.cluster.shipped_cache import (
    CacheLock,
    archives_folder,
    clean_cache,
    manifests_folder,
)
from ladder.runs.cluster.shipping import RunManifest, start_here, with_start

REFERENCE = ("6x7", 9)
"""The reference search: compiled code counts all positions of a board down to a depth."""
REFERENCE_S = 0.5
"""Processor seconds for which the search is repeated."""
SANDBOX_VARIABLE = "LADDER_SANDBOX"
"""The environment variable with this machine's own sandbox command, a JSON list of words; without
it the sandbox of the run is used."""


class Prepared(msgspec.Struct, frozen=True):
    """The result of preparing a machine for a run."""

    speed: float
    """Speed in the reference search, in million positions per second of processor time."""
    refused: dict[int, str]
    """The reasons of the bots that cannot play on it, by revision."""


@dataclass(slots=True)
class _Run:
    """The run whose pairs this process plays."""

    key: str
    starts: Mapping[int, Start]
    pool: BotPool
    lock: CacheLock
    """The lock on its manifest and archives in the cache."""


_run: _Run | None = None


def store_manifest(manifest: RunManifest) -> None:
    """Store a manifest for the slots of this machine. Raises OSError."""
    place = _manifest_file(manifest.key)
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(prefix=".new-", dir=place.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.msgpack.encode(manifest))
    os.replace(new, place)


def prepare(manifest: RunManifest, sides: tuple[Entrant, ...], *, measure: bool) -> Prepared:
    """Resolve and compile each bot and the solver, start foreign bots once, measure the machine.

    Args:
        manifest: The bots.
        sides: The same bots as sides of pairs, without starts.
        measure: Whether to measure the speed.

    Raises:
        LadderError: the built-in players cannot be compiled.

    """
    clear_leftovers()
    store_manifest(manifest)
    lock = _lock_entries(manifest)
    clean_cache()
    refused: dict[int, str] = {}
    starts: dict[int, Start] = {}
    for bot in manifest.bots:
        try:
            starts[bot.revision] = start_here(bot, archives_folder())
        except UsageError as error:
            refused[bot.revision] = to_one_line(str(error))
    pool = BotPool(_confinement(manifest))
    try:
        for side in sides:
            if side.revision not in starts:
                continue
            here = with_start(side, starts[side.revision])
            try:
                compile_entrants([here])
                if here.start.foreign or side.player is None:
                    pool.fetch_hello(here.start, side.name)
            except (BotFailure, UsageError) as error:
                refused[side.revision] = to_one_line(f"{side.name} does not start there: {error}")
    finally:
        pool.close()
        lock.close()
    if manifest.adjudicated:
        compile_solver(tuple(map(parse_board_class, manifest.adjudicated)))
    return Prepared(measure_speed() if measure else 0.0, refused)


def play(key: str, plan: PairPlan) -> PairRecord:
    """Play one pair of a run that this machine was prepared for.

    Raises:
        LadderError: the machine was not prepared, or its cache was emptied since.

    """
    run = _current_run(key)
    try:
        here = msgspec.structs.replace(
            plan,
            a=with_start(plan.a, run.starts[plan.a.revision]),
            b=with_start(plan.b, run.starts[plan.b.revision]),
        )
    except KeyError as error:
        raise LadderError(f"the machine has no bot of revision {error} for this run") from error
    run.lock.mark_used()
    return play_pair(here, run.pool)


def _current_run(key: str) -> _Run:
    """Return the run of a key, opened from the cache if this process played another one."""
    global _run
    if _run is not None and _run.key == key:
        return _run
    try:
        manifest = msgspec.msgpack.decode(_manifest_file(key).read_bytes(), type=RunManifest)
        lock = _lock_entries(manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise LadderError(f"the machine has not been prepared for this run: {error}") from error
    starts = {}
    for bot in manifest.bots:
        try:
            starts[bot.revision] = start_here(bot, archives_folder())
        except UsageError:
            continue  # refused when the machine was prepared, so it gets no pair of this bot
    if manifest.pin and _run is None:
        claim_cpu()
    if _run is not None:
        _end_run()
    else:
        Finalize(None, _end_run, exitpriority=10)
    _run = _Run(key, starts, BotPool(_confinement(manifest)), lock)
    return _run


def _end_run() -> None:
    if _run is not None:
        _run.pool.close()
        _run.lock.close()


def _lock_entries(manifest: RunManifest) -> CacheLock:
    """Lock the cache entries of a manifest. Raises OSError if one is missing."""
    archives = {archives_folder() / bot.archive for bot in manifest.bots if bot.archive}
    return CacheLock([_manifest_file(manifest.key), *sorted(archives)])


def _confinement(manifest: RunManifest) -> Confinement:
    """Return the limits and sandbox of the run's bots on this machine.

    The sandbox that the owner of this machine chose replaces that of the run.
    """
    own = os.environ.get(SANDBOX_VARIABLE)
    sandbox = manifest.sandbox if own is None else msgspec.json.decode(own, type=tuple[str, ...])
    return Confinement(limits=manifest.limits, sandbox=sandbox)


def _manifest_file(key: str) -> Path:
    return manifests_folder() / f"{key}.msgpack"


def measure_speed() -> float:
    """Return the speed of the fastest repetition of the reference search."""
    from engine.perft import perft  # loads the compiler, which no pair needs

    board, depth = parse_board(REFERENCE[0]), REFERENCE[1]
    positions = sum(perft(board, depth).counts)  # also compiles the search, which is not measured
    best, begun = 0.0, time.process_time()
    while True:
        before = time.process_time()
        perft(board, depth)
        now = time.process_time()
        best = max(best, positions / max(now - before, 1e-9) / 1e6)
        if now > begun + REFERENCE_S:
            return best
