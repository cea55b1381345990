"""Time limits for pairs on other machines, from the limits on moves and starts."""

from bots.game_clock import GameClock
from bots.protocol import HELLO_S, READY_S, Budget
from db.records.pairs import PairPlan
from engine.board import parse_board
from ladder.match.game.refereed_game import CONTROL_S, MAX_STALLS, PAUSES_S
from ladder.runs.cluster.coordinator.assignments import Machine

SPARE_S = 60.0
"""Seconds for network transfer and the start of a slot."""


def longest_pair_s(plan: PairPlan) -> float:
    """Return the longest time of a pair in seconds, tolerated stalls included.

    Every move takes its limit, both bots restart in each game, and every retry is used.
    """
    board = parse_board(plan.board)
    plies = board.rows * board.columns
    thinking_s = max(_longest_s(side.budget, plan, plies) for side in (plan.a, plan.b))
    game_s = thinking_s + 2 * (HELLO_S + READY_S)
    return float((1 + MAX_STALLS) * 2 * game_s + sum(PAUSES_S) + (1 + MAX_STALLS) * CONTROL_S)


def _longest_s(budget: Budget, plan: PairPlan, plies: int) -> float:
    """Return the longest time in seconds if both sides have the budget."""
    clock = GameClock.of(budget)
    if clock is None:
        return plies * plan.watchdog_s
    return (2 * clock.longest_us((plies + 1) // 2) / 1000 + plies * plan.margin_ms) / 1000


def time_limit_s(plan: PairPlan, machine: Machine) -> float:
    """Return the seconds after which a pair that a machine gets now is overdue.

    The pair waits until the slots have played the machine's earlier pairs: with 2 slots and 4
    pairs, two rounds, and its own is the third.
    """
    turns = 1 + len(machine.playing) // machine.slots
    return turns * longest_pair_s(plan) + SPARE_S
