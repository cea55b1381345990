"""What is known about each kind of forfeit."""

from engine.result import FORFEITS, Termination
from ladder.errors import FORFEIT_KINDS


def test_every_forfeit_has_one_kind_of_failure() -> None:
    """A kind is added in `engine.result` and `ladder.errors`, and in neither alone."""
    assert set(FORFEIT_KINDS) == set(FORFEITS) - {Termination.PONDERING}  # in older games
    for termination, failure in FORFEIT_KINDS.items():
        assert failure.termination is termination
        assert failure.predicate
