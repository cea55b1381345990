"""The process of a slot, which plays pairs on a machine of a cluster, one at a time.

It dies with the process that started it, and its bots die with it.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.util import Finalize

import msgspec

from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.board import parse_board_class
from ladder.errors import BotFailure, UsageError
from ladder.match.game.adjudicator import compile_solver
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.failures import to_one_line
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.specs.archive import clean_cache, use
from ladder.match.specs.compile import compile_entrants
from ladder.runs.cluster.shipping import RunManifest, start_here, with_start

SANDBOX_VARIABLE = "LADDER_SANDBOX"
"""The environment variable with this machine's own sandbox command, a JSON list of words; without
it the sandbox of the run is used."""


@dataclass(slots=True)
class _Run:
    """The run whose pairs this process plays."""

    manifest: RunManifest
    starts: Mapping[int, Start]
    pool: BotPool


_run: _Run | None = None


def prepare(manifest: RunManifest, sides: Sequence[Entrant]) -> dict[int, str]:
    """Compile each bot and the solver, and start foreign bots once.

    Args:
        manifest: The bots.
        sides: The same bots as sides of pairs, without starts.

    Returns:
        The reasons of the bots that cannot play on this machine, by revision.

    Raises:
        LadderError: the built-in players cannot be compiled.

    """
    clear_leftovers()
    _lock_archives(manifest)
    clean_cache()
    starts, refused = _find_starts(manifest)
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
    if manifest.adjudicated:
        compile_solver(tuple(map(parse_board_class, manifest.adjudicated)))
    return refused


def play(manifest: RunManifest, plan: PairPlan) -> PairRecord:
    """Play one pair of a run for which this machine was prepared.

    Raises:
        OSError: the cache was emptied since.

    """
    run = _current_run(manifest)
    here = msgspec.structs.replace(
        plan,
        a=with_start(plan.a, run.starts[plan.a.revision]),
        b=with_start(plan.b, run.starts[plan.b.revision]),
    )
    return play_pair(here, run.pool)


def _current_run(manifest: RunManifest) -> _Run:
    """Return the run of a manifest, opened if this process played another one."""
    global _run
    if _run is not None and _run.manifest == manifest:
        return _run
    _lock_archives(manifest)
    starts, _ = _find_starts(manifest)
    if manifest.pin and _run is None:
        claim_cpu()
    if _run is not None:
        _end_run()
    else:
        Finalize(None, _end_run, exitpriority=10)
    _run = _Run(manifest, starts, BotPool(_confinement(manifest)))
    return _run


def _end_run() -> None:
    if _run is not None:
        _run.pool.close()


def _find_starts(manifest: RunManifest) -> tuple[dict[int, Start], dict[int, str]]:
    """Return the starts of the bots by revision, and why others have none."""
    starts: dict[int, Start] = {}
    refused: dict[int, str] = {}
    for bot in manifest.bots:
        try:
            starts[bot.revision] = start_here(bot)
        except UsageError as error:
            refused[bot.revision] = to_one_line(str(error))
    return starts, refused


def _lock_archives(manifest: RunManifest) -> None:
    """Lock the unpacked archives of a manifest. Raises OSError if one is missing."""
    for archive in {bot.archive for bot in manifest.bots if bot.archive}:
        use(archive)


def _confinement(manifest: RunManifest) -> Confinement:
    """Return the limits and sandbox of the run's bots on this machine.

    The sandbox that the owner of this machine chose replaces that of the run.
    """
    own = os.environ.get(SANDBOX_VARIABLE)
    sandbox = manifest.sandbox if own is None else msgspec.json.decode(own, type=tuple[str, ...])
    return Confinement(limits=manifest.limits, sandbox=sandbox)
