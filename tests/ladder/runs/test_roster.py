"""The bots of a run: what is said of them, and who is paused."""

import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.runs.progress import LiveBot
from ladder.runs.roster import Roster

BUDGET = Budget(time_ms=100)


def plan(a: int, b: int) -> PairPlan:
    def entrant(revision: int) -> Entrant:
        return Entrant(revision, f"bot{revision}", Start((f"./bot{revision}",), "/"), BUDGET)

    return PairPlan(1, 0, entrant(a), entrant(b), "6x7", "6x7", (), 1)


def roster(*revisions: int) -> Roster:
    return Roster({f"bot{each}": LiveBot(f"bot{each}", 1000, 1000) for each in revisions})


def test_a_bot_that_ponders_is_named_once() -> None:
    """Every later pair of it tells the same, and the opponent has nothing to do with it."""
    bots = roster(1, 2, 3)
    record = PairRecord(1, 0, (), pondering=(2,))
    (sentence,) = bots.note_pondering(plan(1, 2), record)
    assert sentence.startswith("bot2 computes while its opponent is asked")
    assert list(bots.note_pondering(plan(2, 3), record)) == []
    (sentence,) = bots.note_pondering(plan(2, 3), PairRecord(1, 0, (), pondering=(2, 3)))
    assert sentence.startswith("bot3 ")


def test_a_bot_that_the_stalls_belong_to_is_paused() -> None:
    """The others go on, until too few are left."""
    bots = roster(1, 2, 3)
    (sentence,) = bots.pause_stalling(["bot2"])
    assert sentence.startswith("bot2 is paused: its games stall")
    assert not bots.can_play(plan(1, 2))
    assert bots.can_play(plan(1, 3))
    bots.check_enough()
    list(bots.pause_stalling(["bot3"]))
    with pytest.raises(InvalidRun, match="bot2 stalled, bot3 stalled"):
        bots.check_enough()
