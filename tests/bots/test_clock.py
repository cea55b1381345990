"""No compilation on a bot's clock: a ready player has compiled every kernel that it uses."""

import sys

import pytest
from numba.core.dispatcher import Dispatcher

from bots.catalogue import VERSIONS, build
from bots.protocol import Budget
from engine.board import Board


def compiled_signatures() -> set[tuple[str, str]]:
    """Return all kernels of this project with the signatures compiled in this process."""
    return {
        (dispatcher.py_func.__qualname__, str(signature))
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in ("engine", "bots")
        for dispatcher in vars(module).values()
        if isinstance(dispatcher, Dispatcher)
        for signature in dispatcher.signatures
    }


@pytest.mark.parametrize("name", [n for n, version in VERSIONS.items() if not version.hidden])
def test_the_first_move_compiles_nothing(name: str) -> None:
    """Building a player must load or compile all; its first moves must add no signature."""
    version = VERSIONS[name]
    kind = "simulations" if "any" in version.budgets else version.budgets[-1]
    budget = Budget.of(kind, 3 if kind == "depth" else 50)
    for board in (Board(6, 7), Board(12, 9, (11, 3))):
        player = build(name, board=board, side=0, seed=3, budget=budget)
        before = compiled_signatures()
        column = player.choose(()).column
        other = 0 if column else 1
        player.choose((column, other))
        assert compiled_signatures() == before
