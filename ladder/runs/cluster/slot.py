"""The process of a slot, which plays pairs on a machine of a cluster, one at a time.

It dies with the process that started it, and its bots die with it.
"""

import os
from multiprocessing.util import Finalize
from typing import NamedTuple

import msgspec

from bots.errors import BotsError
from db.records.launch import Start
from db.records.pairs import PairPlan, PairRecord
from engine.board import parse_board_class
from ladder.errors import BotFailure, LadderError
from ladder.match.game.adjudicator import compile_solver
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.specs.archive import clean_cache
from ladder.match.specs.compile import compile_entrants
from ladder.match.specs.start_command import make_start
from ladder.runs.cluster.bundle import Bundle, lock_archives, with_start

SANDBOX_VARIABLE = "LADDER_SANDBOX"
"""The environment variable with this machine's own sandbox command, a JSON list of words; without
it the sandbox of the run is used."""


class _Run(NamedTuple):
    """The run whose pairs this process plays."""

    bundle: Bundle
    starts: dict[int, Start]
    """The starts of its bots on this machine, by revision."""
    pool: BotPool


_run: _Run | None = None


def prepare(bundle: Bundle) -> None:
    """Compile each bot and the solver, and start foreign bots once.

    Raises:
        LadderError: a bot cannot play on this machine.

    """
    clear_leftovers()
    lock_archives(bundle)
    clean_cache()
    pool = BotPool(_confinement(bundle))
    try:
        for bot in bundle.bots:
            try:
                side = with_start(bot.side, make_start(bot.launch))
                compile_entrants([side])
                if side.start.foreign or side.player is None:
                    pool.fetch_hello(side.start, side.name)
            except (BotFailure, BotsError, LadderError) as error:
                raise LadderError(f"it cannot host {bot.side.name}: {error}") from error
    finally:
        pool.close()
    if bundle.adjudicated:
        compile_solver(tuple(map(parse_board_class, bundle.adjudicated)))


def play(bundle: Bundle, plan: PairPlan) -> PairRecord:
    """Play one pair of a run for which this machine was prepared.

    Raises:
        OSError: the cache was emptied since.

    """
    global _run
    if _run is None:
        if bundle.pin:
            claim_cpu()
        Finalize(None, _end_run, exitpriority=10)
    if _run is None or _run.bundle != bundle:
        lock_archives(bundle)
        _end_run()
        _run = _Run(bundle, {}, BotPool(_confinement(bundle)))
    for bot in bundle.bots:
        if bot.side.revision in (plan.a.revision, plan.b.revision):
            _run.starts.setdefault(bot.side.revision, make_start(bot.launch))
    a, b = (with_start(side, _run.starts[side.revision]) for side in (plan.a, plan.b))
    return play_pair(msgspec.structs.replace(plan, a=a, b=b), _run.pool)


def _end_run() -> None:
    if _run is not None:
        _run.pool.close()


def _confinement(bundle: Bundle) -> Confinement:
    """Return the limits and sandbox of the run's bots on this machine.

    The sandbox that the owner of this machine chose replaces that of the run.
    """
    own = os.environ.get(SANDBOX_VARIABLE)
    sandbox = bundle.sandbox if own is None else msgspec.json.decode(own, type=tuple[str, ...])
    return Confinement(limits=bundle.limits, sandbox=sandbox)
