"""The table of players."""

import subprocess
import sys

import pytest

from bots.alphabeta.versions import ALPHABETA
from bots.budget import BUDGETS, Budget
from bots.c4ai.versions import C4AI
from bots.catalogue import VERSIONS, build, find, parse_player, with_options
from bots.errors import SpecError, UnknownPlayer
from bots.learned.versions import LEARNED
from bots.simple.versions import SIMPLE
from bots.uct.versions import ROWS, UCT
from engine.board import Board


def test_names_are_unique() -> None:
    """No two rows share a name."""
    rows = (*SIMPLE, *UCT, *LEARNED, *ALPHABETA, *C4AI)
    assert len({row.name for row in rows}) == len(rows)
    assert set(VERSIONS) >= {row.name for row in rows}


@pytest.mark.parametrize("name", list(VERSIONS))
def test_every_row_is_complete(name: str) -> None:
    """A row has an existing ancestor above it, a factory, a described change, known budgets."""
    version = VERSIONS[name]
    names = list(VERSIONS)
    assert version.based_on is None or names.index(version.based_on) < names.index(name)
    assert callable(version.load())
    assert version.change
    assert set(version.budgets) <= {*BUDGETS, "any"}


def test_each_uct_row_changes_something() -> None:
    """A version names at least one difference from the one it is based on."""
    assert all(row.differences for row in ROWS)


def test_an_unknown_name_suggests_near_ones() -> None:
    """A mistyped player is answered with the names it may have meant."""
    with pytest.raises(UnknownPlayer, match="v4"):
        find("v44")


def test_options_are_added_and_replaced() -> None:
    written = with_options("v21?c=0.3&weights=shipped", {"weights": "a b/c,d&e.npz"})
    assert written == "v21?c=0.3&weights=a+b/c,d%26e.npz"
    assert parse_player(written)[1] == {"c": "0.3", "weights": "a b/c,d&e.npz"}
    assert with_options("v4", {"c": 1}) == "v4?c=1"


def test_options_follow_the_name() -> None:
    """NAME?key=value is read, and nonsense is refused with the known options."""
    version, options = parse_player("v4?c=0.7")
    assert (version.name, options) == ("v4", {"c": "0.7"})
    board, budget = Board(6, 7), Budget(simulations=10)
    build("v4?c=0.7", board=board, side=0, seed=1, budget=budget)
    for text in ("v4?nothing=1", "v4?c=much", "random?x=1", "v4?c"):
        with pytest.raises(SpecError):
            build(text, board=board, side=0, seed=1, budget=budget)


def test_a_budget_must_suit_the_player() -> None:
    """A tree search refuses a depth."""
    with pytest.raises(SpecError, match="simulations"):
        build("v4", board=Board(6, 7), side=0, seed=1, budget=Budget(depth=3))


def test_the_table_needs_no_compiler() -> None:
    """Listing the players loads neither numba nor numpy."""
    code = "import bots.catalogue, sys; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
