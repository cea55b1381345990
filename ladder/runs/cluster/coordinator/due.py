"""When a pair must be back: what the limits on moves and starts allow, and not a second more."""

from bots.protocol import HELLO_S, READY_S
from db.records.pairs import PairPlan
from engine.board import parse_board
from ladder.match.game.refereed_game import CONTROL_S, MAX_STALLS, PAUSES_S
from ladder.runs.cluster.coordinator.machines import Machine

SPARE_S = 60.0
"""For the way there and back, and for a slot to begin."""


def longest_s(plan: PairPlan) -> float:
    """The longest that a pair can take in seconds, if the machine keeps its clock.

    Every move takes its whole time, both bots start anew in each game, and the pair is begun again
    after as many stalls as it survives.
    """
    board = parse_board(plan.board)
    plies = board.rows * board.columns
    move_s = max(
        plan.watchdog_s
        if side.budget.time_ms is None
        else (side.budget.time_ms + plan.margin_ms) / 1000
        for side in (plan.a, plan.b)
    )
    game_s = plies * move_s + 2 * (HELLO_S + READY_S)
    return float((1 + MAX_STALLS) * 2 * game_s + sum(PAUSES_S) + (1 + MAX_STALLS) * CONTROL_S)


def allowed_s(plan: PairPlan, machine: Machine) -> float:
    """How long a pair may stay away that a machine is given now, in seconds.

    As many turns as the pairs that it has make for its slots, and one for this one.
    """
    turns = 1 + len(machine.playing) // machine.slots
    return turns * longest_s(plan) + SPARE_S
