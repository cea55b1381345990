"""The table of players."""

import subprocess
import sys

import pytest

from bots.budget import BUDGETS, Budget
from bots.catalogue import VERSIONS, build, find, parse_player, with_options
from bots.errors import SpecError, UnknownPlayer
from engine.board import Board


@pytest.mark.parametrize("name", list(VERSIONS))
def test_every_row_is_complete(name: str) -> None:
    """A row has an existing ancestor above it, a factory, a described change, known budgets."""
    version = VERSIONS[name]
    names = list(VERSIONS)
    assert version.based_on is None or names.index(version.based_on) < names.index(name)
    assert callable(version.load())
    assert version.change
    base = VERSIONS.get(version.based_on or "")
    assert base is None or (version.factory, version.options) != (base.factory, base.options)
    assert set(version.budgets) <= {*BUDGETS, "any"}


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


def test_a_host_loads_little_before_its_player() -> None:
    """Its start is paid by every bot: the table of players needs neither compiler nor versions."""
    code = "import bots.host, sys; print(' '.join(sys.modules))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert not {"numba", "numpy", "importlib.metadata"} & {*loaded.split()}
