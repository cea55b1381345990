"""Pickling plans and records of pairs, for workers."""

import pickle

import pytest

from bots.budget import Budget
from db.records import thought_blob
from db.records.games import GameRecord, SideSums, Thought
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.restart import Restart
from engine.result import Result, Termination


def plan_in(folder: str) -> PairPlan:
    start = Start(("python3", "bot.py"), folder, (("KEY", "a b"),), 512, True, folder)
    a = Entrant(3, "ä b", start, Budget(time_ms=100), restart=Restart.GAME)
    b = Entrant(4, "v18", start, Budget(nodes=2**53 - 1), player="v18?c=0.5")
    return PairPlan(2**40, 5, a, b, "10x11@3,4", "thu", (5, 10), 2**53 - 1, watchdog_s=0.5)


def record_with(detail: str) -> PairRecord:
    thought = Thought(17, -0.3333333333333333, 2**62, 9, "win", 12, "0123456789ab", 7, 5)
    thoughts = thought_blob.encode((thought, Thought(2**40)))
    sides = (SideSums(1, 17, 17, 2**52, 17), SideSums(1, 2**40, 2**40))
    game = GameRecord(
        False, (5, 10, 3, 4), Result.WIN, Termination.CRASH, sides, thoughts, 1.5e9, 3, detail
    )
    return PairRecord(2**40, 5, (game, game), 2, "stalled", (3,))


@pytest.mark.parametrize("text", ["/a", "/ä🆕\n\x00", "/not\udcffutf8"])
def test_a_pickle_keeps_all_of_a_plan_or_record(text: str) -> None:
    """It gives an equal one of equal types, with any file name."""
    for sent in (plan_in(text), record_with(text)):
        came = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own
        assert came == sent
        assert repr(came) == repr(sent)  # numbers and enums of equal types, too


def test_a_pickled_record_is_one_byte_string() -> None:
    """A pickle holds one byte string instead of many objects."""
    assert b"SideSums" not in pickle.dumps(record_with("it ended"))
