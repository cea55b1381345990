"""The players whose search asks the learned evaluation."""

from typing import Any

from bots.learned import search as kernel
from bots.learned.network import WHOLE
from bots.learned.settings import LearnedSettings
from bots.learned.weights import read_evaluation
from bots.options import read_options
from bots.uct.meta import DISTANCE, OUTCOME
from bots.uct.outcome import DRAWN, LOST, WON
from bots.uct.player import DESCENTS_PER_SIMULATION
from bots.uct.root_choice import Candidate
from bots.uct.settings import Settings
from bots.uct.tree.layout import ROOT
from bots.uct.tree.player import TreePlayer

_HALF = WHOLE / 2
"""`bots.uct.ucb_vector.best_child` halves scores, so its means are 0 .. WHOLE / 2."""


class LearnedPlayer(TreePlayer):
    """A tree search with the learned evaluation."""

    _settings: LearnedSettings

    def _read(self, options: dict[str, Any]) -> Settings:
        settings = read_options(LearnedSettings, options)
        self._evaluation = read_evaluation(settings.weights)
        return settings

    def advance(self, simulations: int) -> bool:
        """Expand nodes; False when the root is solved, or its scores would outgrow their words."""
        kernel.search(
            self._stones,
            self._words,
            self._tree,
            self._path,
            self._counters,
            float(self._settings.c) * _HALF,
            self._evaluation,
            int(self._settings.mixed),
            simulations,
            DESCENTS_PER_SIMULATION * simulations,
        )
        return not self._solved() and bool(self._tree[ROOT] < kernel.MOST_VISITS)

    def _candidate(self, at: int, k: int) -> Candidate:
        visits, score, meta = (int(self._tree[at + field * k]) for field in (0, 1, 3))
        outcome = meta >> OUTCOME & 3
        mean = {WON: 1.0, DRAWN: 0.5, LOST: 0.0}.get(outcome)
        if mean is None:
            mean = score / (WHOLE * visits) if visits else 0.5
        return Candidate(meta >> 12 & 15, mean, visits, outcome, meta >> DISTANCE & 255)
