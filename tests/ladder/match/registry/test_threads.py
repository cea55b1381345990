"""Players with threads are refused where a pair has too few CPUs for them."""

import pytest

from bots.protocol import Budget
from db.records.pairs import Entrant
from ladder.errors import UsageError
from ladder.match.registry.registered import refuse_threads
from ladder.match.specs.start_command import builtin_launch, make_entrant


def side(player: str) -> Entrant:
    """Return a built-in player as a side of a pair."""
    budget = Budget(simulations=1)
    return make_entrant(builtin_launch(player), revision=1, name="bot", budget=budget)


def test_threads_need_a_pair_that_is_not_pinned() -> None:
    """A pinned pair has one CPU, whatever the machine has."""
    refuse_threads([side("v23"), side("random"), side("v23?threads=1")])
    with pytest.raises(UsageError, match="bot searches with 2 threads, but without") as refused:
        refuse_threads([side("v23"), side("v23?threads=2")])
    assert refused.value.option == "no_pin"


def test_threads_need_cpus() -> None:
    """Without pinning a player may have as many threads as there are CPUs."""
    refuse_threads([side("v23?threads=3")], cpus=3)
    with pytest.raises(UsageError, match="4 threads, but this process may use only 3 CPUs"):
        refuse_threads([side("v23?threads=4")], cpus=3)
