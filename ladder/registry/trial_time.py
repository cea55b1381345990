"""What the moves of a trial show about a bot's time: its need, and whether it keeps a budget."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bots.protocol import Budget
from engine.board import Board
from engine.result import Result
from ladder.errors import UsageError

TRIAL_MS = 100
"""The time per move of a trial."""
FURTHER_PART = 4
"""A bot that exceeds its budget plays a further game with a quarter of its time per move."""
FIXED_SHARE = 0.75
"""A bot that still takes this share of its time in the further game ignores its budget."""
MARGIN_MS = 50
"""A bot that exceeds its budget by more than this needs a larger budget."""
QUICK_MS = 20
"""A bot that never takes longer fits any budget, thanks to the margin of every run."""


@dataclass(frozen=True, slots=True)
class TrialGame:
    """One game of a bot against `random`."""

    board: Board
    result: Result
    """The result for the bot."""
    times_us: tuple[int, ...]
    """Own time of each move of the bot."""
    plies: int
    side: int = 0
    """0 if the bot moved first, 1 if it moved second."""
    unusable: str = ""
    """An optional value in its moves that could not be used, or ""."""

    def slowest_ms(self, first: int = 0) -> float:
        """Return the own time of its slowest move, from a move on."""
        return max(self.times_us[first:], default=0) / 1000


PlayGame = Callable[[Budget, Board, int], TrialGame]
"""Plays a further game with a budget on a board, moving first (0) or second (1)."""


def judge_time(
    games: Sequence[TrialGame], budget: Budget, play: PlayGame, *, knows_budget: bool
) -> tuple[list[TrialGame], int | None, str]:
    """Return the time per move that a bot needs, and a sentence about its excess.

    Args:
        games: its games.
        budget: its budget in these.
        play: plays further games.
        knows_budget: whether its host passes on its budget.

    Returns:
        The games, slow ones repeated; the milliseconds that it takes under any budget, or None if
        it keeps to its budget; how it exceeds the budget, or "".

    """
    games = [_repeat_if_slow(game, budget, play) for game in games]
    given_ms, first = budget.time_ms, int(budget.overage_ms is not None)
    # With an overage, the first move may compile.
    slowest = max(games, key=lambda game: game.slowest_ms(first))
    longest_ms = slowest.slowest_ms(first)
    if not knows_budget:
        return games, int(longest_ms) if longest_ms >= QUICK_MS else None, ""
    if given_ms is None:
        return games, None, ""
    if longest_ms > min(given_ms, TRIAL_MS) + MARGIN_MS:
        part_ms = max(1, given_ms // FURTHER_PART)
        part = Budget(time_ms=part_ms, overage_ms=budget.overage_ms)
        try:
            other_ms = play(part, slowest.board, slowest.side).slowest_ms(first)
        except UsageError:  # it computes with its budget, and this one is too small
            return games, None, ""
        if other_ms > FIXED_SHARE * longest_ms:
            return games, int(longest_ms), ""
        if longest_ms > given_ms + MARGIN_MS:
            excess = (
                f"takes {longest_ms:.0f} ms per move when given {given_ms} ms, and "
                f"{other_ms:.0f} ms when given {part_ms} ms: it does not keep to its budget, and "
                "will lose games by timeout"
            )
            return games, None, excess
    first_ms = max(game.slowest_ms() for game in games)
    if first_ms > given_ms + MARGIN_MS:
        excess = (
            f"took {first_ms:.0f} ms for its first move, more than {given_ms} ms: give its runs "
            "an overage, as Kaggle does"
        )
        return games, None, excess
    return games, None, ""


def _repeat_if_slow(game: TrialGame, budget: Budget, play: PlayGame) -> TrialGame:
    """Play a game with a slow move again, and return the faster one.

    One slow move may be caused by the machine.
    """
    usual_ms = statistics.median(game.times_us or [0]) / 1000
    if game.slowest_ms() < max(QUICK_MS, 3 * usual_ms):
        return game
    return min(game, play(budget, game.board, game.side), key=TrialGame.slowest_ms)
