"""The players without look-ahead: mcts1 to mcts3, uct-random, uct-middle, uct-seven."""

from collections.abc import Sequence
from typing import Any

from bots.errors import SpecError
from bots.options import read_options
from bots.player import Choice
from bots.uct.no_lookahead.column_weights import draws
from bots.uct.no_lookahead.search import (
    BlindDials,
    search_blind,
)
from bots.uct.no_lookahead.settings import BlindSettings
from bots.uct.player import SURPLUS_DESCENTS
from bots.uct.root_choice import (
    Candidate,
    best_central,
)
from bots.uct.switches import LEAVE, flags_of
from bots.uct.tree.layout import ROOT
from bots.uct.tree.player import TreePlayer
from bots.uct.tree.reuse import (
    find_child,
    move_root,
)


class BlindPlayer(TreePlayer):
    """A tree search whose rollouts look at nothing. Its options are the fields of `BlindSettings`.

    With `reuse` the step to the node that the game has reached costs the clock nothing that grows
    with the tree: what the own move left behind is freed by `tidy`, after the answer, and what the
    opponent's move left behind then too, at the next one.
    """

    def _read(self, options: dict[str, Any]) -> BlindSettings:
        self._blind = read_options(BlindSettings, options)
        if self._blind.leave and not self._blind.solve:
            raise SpecError("option 'leave' needs solve=yes: only decided nodes are left alone")
        self._tidied = False
        self._answered: int | None = None
        return self._blind

    def advance(self, simulations: int) -> bool:
        """Make that many new simulations; False when the root is solved."""
        search_blind(
            self._stones,
            self._words,
            self._tree,
            self._path,
            self._counters,
            flags_of(self._blind) | LEAVE * self._blind.leave,
            self._dials,
            self._order,
            simulations,
            SURPLUS_DESCENTS * simulations,
        )
        return not self._solved()

    def tidy(self) -> None:
        """Move the root to the own move just made and free all the rest."""
        if not self._blind.reuse or self._root is None or self._answered is None:
            return
        at, k = find_child(self._tree, ROOT, 1, self._answered)
        if at:
            self._free_but(at, k)
            self._root = (*self._root, self._answered)
            self._tidied = True
        self._answered = None

    def choose(self, moves: Sequence[int]) -> Choice:
        """The best column by the rules of the version."""
        self._answered = None
        choice = super().choose(moves)
        self._answered = choice.column
        return choice

    def _allocate(self, simulations: int) -> None:
        super()._allocate(simulations)
        tables = draws(self._blind.rollout, self._board.columns)
        self._dials = BlindDials(float(self._blind.c), 0, 0.0, *tables)

    def _rehearse(self) -> None:
        super()._rehearse()
        move_root(self._tree, ROOT, 1)

    def _best(self, candidates: list[Candidate]) -> Candidate:
        if self._blind.central:
            return best_central(candidates, self._board.columns)
        return super()._best(candidates)

    def _go_to(self, at: int, k: int) -> None:
        if self._tidied:
            # On the clock: a few words are copied, what lies beside waits for `tidy`.
            move_root(self._tree, at, k)
            self._tidied = False
        else:
            self._free_but(at, k)
