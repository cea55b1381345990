"""Detection of limits so tight that not even a built-in player can start."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from bots.protocol import READY_S, Budget
from db.records.launch import DEFAULT_LIMITS
from db.records.pairs import Entrant
from engine.board import Board
from ladder.errors import BotFailure, UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.new_game import make_new_game
from ladder.match.process.confinement import BUILT_IN_ONLY, Confinement
from ladder.match.specs.start_command import builtin_launch, make_entrant
from ladder.runs.settings import LIMIT_NAMES
from ladder.signals import current_stop

WATCHED_S = 0.6
"""Seconds within which the supervisor measures the resources of a bot at least once."""
SEED = 1


def refuse_tight_limits(
    entrants: Sequence[Entrant], board: Board, confinement: Confinement
) -> None:
    """Refuse limits under which built-in players cannot start.

    The built-in players among the entrants are tried, or `random` if there are none.

    Raises:
        UsageError: one cannot start.

    """
    limits = confinement.limits
    given = [
        f"{name.replace('_', ' ')} {getattr(limits, field)}"
        for field, name in LIMIT_NAMES.items()
        if getattr(limits, field) != getattr(DEFAULT_LIMITS, field)
    ]
    built_ins = tuple(entrant for entrant in entrants if not entrant.start.foreign)
    if not built_ins:
        budget = Budget(simulations=1)
        built_ins = (
            make_entrant(builtin_launch("random"), revision=0, name="random", budget=budget),
        )
    failure = _find_failure(replace(BUILT_IN_ONLY, limits=limits), board, built_ins)
    if failure is not None:
        name, cause = failure
        raise UsageError(
            f"every game would be forfeited under {' and '.join(given)}: raise what is too low; "
            f"not even the built-in player {name} could start: {cause}"
        )


@lru_cache(maxsize=4)
def _find_failure(
    confinement: Confinement, board: Board, entrants: tuple[Entrant, ...]
) -> tuple[str, str] | None:
    """Return the first built-in player that fails, and its failure; None if all become ready."""
    pool = BotPool(confinement)
    try:
        # One process hosts all of them in turn; the last one plays again after a measurement.
        for number, entrant in enumerate((*entrants, entrants[-1])):
            if number == len(entrants):
                current_stop().pause(WATCHED_S)
            try:
                process = pool.acquire(entrant.start)
                question = make_new_game(entrant, board, game="probe", side=0, seed=SEED)
                process.ask(question, timeout_s=READY_S)
                pool.release(entrant.start, process, renew=False)
            except BotFailure as failure:
                return entrant.name, str(failure)
    finally:
        pool.close()
    return None
