"""The players without look-ahead: mcts1 to mcts3, uct-random, uct-middle, uct-seven."""

from collections.abc import Sequence
from typing import Any

from bots.options import read_options
from bots.player import Choice
from bots.uct.no_lookahead.search import NoLookaheadParameters, draw_tables, search_no_lookahead
from bots.uct.root import Candidate, best_central
from bots.uct.settings import NoLookaheadSettings
from bots.uct.tree.memory import ROOT, find_child, move_root
from bots.uct.tree.player import TreeBasedPlayer


class NoLookaheadPlayer(TreeBasedPlayer):
    """A tree search with rollouts without look-ahead; options: `NoLookaheadSettings`.

    With `reuse`, moving the root costs time that does not grow with the tree: `tidy` frees the
    nodes beside the own move after the answer, and those beside the opponent's move after the next
    answer.
    """

    _settings: NoLookaheadSettings
    _forced = False
    _distances = False
    _tidied = False
    _answered: int | None = None

    def _read(self, options: dict[str, Any]) -> None:
        self._settings = read_options(NoLookaheadSettings, options)
        self._solves, self._reuses = self._settings.solve, self._settings.reuse

    def _search(self, simulations: int, descents: int) -> None:
        search_no_lookahead(self._memory(), self._parameters, simulations, descents)

    def tidy(self) -> None:
        """Move the root along the own move and free all other nodes."""
        if not self._reuses or self._root is None or self._answered is None:
            return
        at, k = find_child(self._tree, ROOT, 1, self._answered)
        if at:
            self._compact(at, k)
            self._root = (*self._root, self._answered)
            self._tidied = True
        self._answered = None

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column by the rules of the version."""
        self._answered = None
        choice = super().choose(moves)
        self._answered = choice.column
        return choice

    def _allocate(self, simulations: int) -> None:
        super()._allocate(simulations)
        tables = draw_tables(self._settings.rollout, self._board.columns)
        self._parameters = NoLookaheadParameters(
            self._settings.flags, float(self._settings.c), 0, 0.0, *tables
        )

    def _run_every_kernel(self) -> None:
        super()._run_every_kernel()
        move_root(self._tree, ROOT, 1)

    def _best(self, candidates: list[Candidate]) -> Candidate:
        if self._settings.central:
            return best_central(candidates, self._board.columns)
        return super()._best(candidates)

    def _make_root(self, at: int, k: int) -> None:
        if self._tidied:
            # This runs on the clock: only the root is copied, other nodes are freed by `tidy`.
            move_root(self._tree, at, k)
            self._tidied = False
        else:
            self._compact(at, k)
