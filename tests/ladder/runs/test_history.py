"""The descriptions of past runs."""

import pytest

from db.records.run_settings import settings_of
from ladder.runs.history import run_title


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({"a": "v10", "b": "v1"}, "v10 against v1"),
        ({}, "v1 against v10"),
        ({"a": "v10", "b": "./v1"}, "v1 against v10"),
    ],
)
def test_a_match_is_titled_with_its_bots_as_the_command_named_them(options, players) -> None:
    """The order of the command counts; without it, or with other names, the stored order does."""
    settings = settings_of("match", {"bots": {"v1": "hash", "v10": "hash"}, "options": options})
    assert run_title(settings, "6x7/20ms", {}) == f"{players}, 6x7/20ms"


@pytest.mark.parametrize(
    ("kinds", "budget"),
    [
        ({"v1": ("simulations",), "ab1": ("nodes",)}, "500 nodes (ab1), 100 simulations (v1)"),
        ({"v1": ("any",), "ab1": ("nodes",)}, "500 nodes 100 simulations"),
        ({f"v{n}": ("simulations",) for n in range(4)} | {"ab1": ("nodes",)},
         "500 nodes (ab1), 100 simulations (4 bots)"),
        ({}, "500 nodes 100 simulations"),
    ],
)  # fmt: skip
def test_a_title_says_which_bots_use_which_work(kinds, budget) -> None:
    """Each kind of work is followed by its bots, unless all use the same."""
    names = sorted(kinds)
    work = {"nodes": 500, "simulations": 100}
    conditions = {"boards": "6x7", "opening_plies": 0, "budget": work}
    settings = settings_of("ladder", {"bots": dict.fromkeys(names, "hash"), **conditions})
    assert run_title(settings, "", kinds).endswith(f"6x7, {budget} a move")
