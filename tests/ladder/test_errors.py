"""What is known about each way for a game to end."""

from engine.result import FORFEITS, Loser, Termination
from ladder.errors import BotFailure


def test_every_forfeit_has_one_kind_of_failure() -> None:
    """A kind is added in `engine.result` and `ladder.errors`, and in neither alone."""
    kinds = [kind.termination for kind in BotFailure.__subclasses__()]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == set(FORFEITS)


def test_a_side_that_ends_a_game_has_done_something() -> None:
    """Messages need a predicate for it, and lists a noun for every end."""
    for end in Termination:
        assert end.noun
        assert bool(end.predicate) is (end.loser in (Loser.OFFENDER, Loser.TO_MOVE))
