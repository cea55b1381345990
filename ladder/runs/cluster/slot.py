"""A slot: the process that plays pairs on a machine of a cluster, one at a time.

It has its main thread to itself, dies with the process that started it, and its bots die with it.
What it needs of a run lies in the machine's cache, so that a slot that takes the place of a killed
one asks nobody.
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
from engine.board import parse_board
from ladder.errors import BotFailure, LadderError, UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.failures import to_one_line
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.specs.compile import compile_entrants
from ladder.runs.cluster.shipped_cache import Hold, archives_folder, clean_cache, kits_folder
from ladder.runs.cluster.shipping import RunManifest, start_here, with_start

REFERENCE = ("6x7", 9)
"""The reference search: all positions of a board down to a depth, counted by compiled code."""
REFERENCE_S = 0.5
"""Processor time over which it is repeated."""


SANDBOX = "LADDER_SANDBOX"
"""The variable that holds this machine's own sandbox, words as JSON; without it that of the run is
used."""


class Prepared(msgspec.Struct, frozen=True):
    """A machine that has a run's bots."""

    speed: float
    """Positions of the reference search in a second of processor time, in millions."""
    refused: dict[int, str]
    """Why a bot cannot play here, by its revision."""


@dataclass(slots=True)
class _Run:
    """A run whose pairs this process plays."""

    key: str
    starts: Mapping[int, Start]
    pool: BotPool
    held: Hold
    """Everything in the machine's cache that it needs."""


_run: _Run | None = None


def keep_manifest(manifest: RunManifest) -> None:
    """Keep a manifest for the slots of this machine. Raises OSError."""
    place = _manifest_file(manifest.key)
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(prefix=".new-", dir=place.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.msgpack.encode(manifest))
    os.replace(new, place)


def prepare(manifest: RunManifest, sides: tuple[Entrant, ...], *, measure: bool) -> Prepared:
    """Resolve, compile and greet a run's bots, and measure the machine.

    Args:
        manifest: the bots.
        sides: the same bots as sides of pairs, whose starts are still to be made.
        measure: whether to have the reference search made.

    Raises:
        LadderError: the players of this installation cannot be compiled.

    """
    clear_leftovers()
    keep_manifest(manifest)
    held = _hold(manifest)
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
        held.close()
    return Prepared(measure_speed() if measure else 0.0, refused)


def play(key: str, plan: PairPlan) -> PairRecord:
    """Play one pair of a run that this machine was prepared for.

    Raises:
        LadderError: it was not prepared, or its cache was emptied since.

    """
    run = _take_up(key)
    try:
        here = msgspec.structs.replace(
            plan,
            a=with_start(plan.a, run.starts[plan.a.revision]),
            b=with_start(plan.b, run.starts[plan.b.revision]),
        )
    except KeyError as error:
        raise LadderError(f"the machine has no bot of revision {error} for this run") from error
    run.held.use()
    return play_pair(here, run.pool)


def _take_up(key: str) -> _Run:
    global _run
    if _run is not None and _run.key == key:
        return _run
    try:
        manifest = msgspec.msgpack.decode(_manifest_file(key).read_bytes(), type=RunManifest)
        held = _hold(manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise LadderError(f"the machine has not been prepared for this run: {error}") from error
    starts = {}
    for bot in manifest.bots:
        try:
            starts[bot.revision] = start_here(bot, archives_folder())
        except UsageError:
            continue  # refused when the machine was prepared: no pair of it comes here
    if manifest.pin and _run is None:
        claim_cpu()
    if _run is not None:
        _end()
    else:
        Finalize(None, _end, exitpriority=10)
    _run = _Run(key, starts, BotPool(_confinement(manifest)), held)
    return _run


def _end() -> None:
    if _run is not None:
        _run.pool.close()
        _run.held.close()


def _hold(manifest: RunManifest) -> Hold:
    """Keep a manifest and its archives from being removed. Raises OSError when one is not there."""
    archives = {archives_folder() / bot.archive for bot in manifest.bots if bot.archive}
    return Hold([_manifest_file(manifest.key), *sorted(archives)])


def _confinement(manifest: RunManifest) -> Confinement:
    """Return the bounds of the run's bots; their stderr is kept in records of their failures only.

    The owner of this machine decides what protects it: a sandbox of its own replaces the run's.
    """
    own = os.environ.get(SANDBOX)
    sandbox = manifest.sandbox if own is None else msgspec.json.decode(own, type=tuple[str, ...])
    return Confinement(limits=manifest.limits, sandbox=sandbox)


def _manifest_file(key: str) -> Path:
    return kits_folder() / f"{key}.msgpack"


def measure_speed() -> float:
    """The speed of the reference search: the best repetition, of those that fit its time."""
    from engine.perft import perft  # loads the compiler, which no pair needs

    board, depth = parse_board(REFERENCE[0]), REFERENCE[1]
    positions = sum(perft(board, depth).counts)  # compiled by now
    best, begun = 0.0, time.process_time()
    while True:
        before = time.process_time()
        perft(board, depth)
        now = time.process_time()
        best = max(best, positions / max(now - before, 1e-9) / 1e6)
        if now > begun + REFERENCE_S:
            return best
