"""The players that search with the learned evaluation."""

from typing import Any

from bots.learned import search as kernel
from bots.learned.network import WHOLE
from bots.learned.settings import LearnedSettings
from bots.learned.weights import read_evaluation
from bots.options import read_options
from bots.uct.player import DESCENTS_PER_SIMULATION
from bots.uct.settings import Settings
from bots.uct.tree.layout import ROOT
from bots.uct.tree.player import TreePlayer

_HALF = WHOLE / 2
"""`bots.uct.ucb_vector.best_child` halves scores, so its means are 0 .. WHOLE / 2."""


class LearnedPlayer(TreePlayer):
    """A tree search with the learned evaluation."""

    _settings: LearnedSettings
    _win = WHOLE

    def _read(self, options: dict[str, Any]) -> Settings:
        settings = read_options(LearnedSettings, options)
        self._evaluation = read_evaluation(settings.weights)
        return settings

    def advance(self, simulations: int) -> bool:
        """Expand nodes; return False if the root is solved or has `MOST_VISITS`."""
        kernel.search(
            self._memory(),
            float(self._settings.c) * _HALF,
            self._evaluation,
            int(self._settings.mixed),
            simulations,
            DESCENTS_PER_SIMULATION * simulations,
        )
        return not self._solved() and bool(self._tree[ROOT] < kernel.MOST_VISITS)
