"""Limits under which an honest bot cannot play are the user's mistake, and no bot's failure."""

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
from ladder.runs.settings import LIMIT_OPTIONS
from ladder.signals import pause

WATCHED_S = 0.6
"""Seconds within which the supervisor has looked at what a bot uses."""
SEED = 1


def refuse_tight_limits(
    entrants: Sequence[Entrant], board: Board, confinement: Confinement
) -> None:
    """Refuse limits within which built-in players cannot start.

    Tried with those among the entrants, or else with `random`.

    Raises:
        UsageError: one cannot; the message names the limits that were set.

    """
    limits = confinement.limits
    set_by_user = [
        f"{option} {getattr(limits, name)}"
        for name, option in LIMIT_OPTIONS.items()
        if getattr(limits, name) != getattr(DEFAULT_LIMITS, name)
    ]
    ours = tuple(entrant for entrant in entrants if not entrant.start.foreign)
    if not ours:
        budget = Budget(simulations=1)
        ours = (make_entrant(builtin_launch("random"), revision=0, name="random", budget=budget),)
    failure = _failure_under(replace(BUILT_IN_ONLY, limits=limits), board, ours)
    if failure:
        raise UsageError(
            f"{' '.join(set_by_user)}: every game would be forfeited, for not even the built-in "
            f"player {failure}"
        )


@lru_cache(maxsize=4)
def _failure_under(confinement: Confinement, board: Board, entrants: tuple[Entrant, ...]) -> str:
    """The first failure of a built-in player, in words; empty when all get ready."""
    pool = BotPool(confinement)
    try:
        # One process is all of them in turn; the last is asked again when the watcher has looked.
        for number, entrant in enumerate((*entrants, entrants[-1])):
            if number == len(entrants):
                pause(WATCHED_S)
            try:
                process = pool.acquire(entrant.start)
                question = make_new_game(entrant, board, game="probe", side=0, seed=SEED)
                process.ask(question, timeout_s=READY_S)
                pool.release(entrant.start, process, renew=False)
            except BotFailure as failure:
                return f"{entrant.name} could start: {failure}"
    finally:
        pool.close()
    return ""
