"""The players that search with the learned evaluation."""

from typing import Any

from bots.budget import Budget, RemainingTime
from bots.game_clock import GameClock
from bots.learned import search as kernel
from bots.learned.network import WHOLE
from bots.learned.versions import EvaluationSettings, LearnedSettings
from bots.learned.weights import read_evaluation
from bots.options import read_options
from bots.uct.tree.memory import ROOT
from bots.uct.tree.player import TreeBasedPlayer

LEAST_MOVES = 3
"""Least number of own moves for which `LearnedPlayer` keeps time."""
_HALF = WHOLE / 2
"""`bots.uct.ucb.best_child` halves scores, so its means are 0 .. WHOLE / 2."""


class LearnedPlayer(TreeBasedPlayer):
    """A tree search with the learned evaluation."""

    _settings: EvaluationSettings
    _win = WHOLE

    def _read(self, options: dict[str, Any]) -> None:
        settings = read_options(LearnedSettings, options)
        self._endgame = settings.endgame
        self._use(settings)

    def _use(self, settings: EvaluationSettings) -> None:
        self._settings = settings
        self._reuses = settings.reuse
        self._parameters = kernel.Parameters(
            float(settings.c) * _HALF,
            read_evaluation(settings.weights),
            int(settings.mixed),
            bool(settings.keeping),
            bool(settings.fourth_root),
        )

    def set_clock(self, clock: RemainingTime, ply: int) -> None:
        """Divide the remaining time by the number of own moves that are expected.

        This is the rule EXP of H. Baier and M. H. M. Winands, Time Management for Monte Carlo Tree
        Search, IEEE Transactions on Computational Intelligence and AI in Games 8 (2016), with a
        number of moves that is proportional to the empty cells.
        """
        moves = (self._board.cells - ply) // max(1, self._settings.cells_per_move)
        left = GameClock.remaining(clock)
        self._budget = Budget(time_ms=left.share_ms(max(LEAST_MOVES, moves)))

    def advance(self, simulations: int) -> bool:
        """Expand nodes; return False if the root is solved or has `MOST_VISITS`."""
        return super().advance(simulations) and bool(self._tree[ROOT] < kernel.MOST_VISITS)

    def _search(self, simulations: int, descents: int) -> None:
        kernel.search(self._memory(), self._parameters, simulations, descents)
