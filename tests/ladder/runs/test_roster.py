"""The bots of a run: what is reported of them, and which are paused."""

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.progress import LiveBot
from ladder.runs.roster import Roster

BUDGET = Budget(time_ms=100)


def plan(a: int, b: int) -> PairPlan:
    def entrant(revision: int) -> Entrant:
        return Entrant(revision, f"bot{revision}", Start((f"./bot{revision}",), "/"), BUDGET)

    return PairPlan(1, 0, entrant(a), entrant(b), "6x7", "6x7", (), 1)


def roster(*revisions: int) -> Roster:
    return Roster(
        {f"bot{each}": LiveBot(f"bot{each}", 1000, 1000) for each in revisions},
        meetings=Pairing(RANDOM).meetings,
    )


def test_a_bot_that_alone_needs_excuses_is_charged_from_then_on() -> None:
    """Its plans say so, and no bot is paused for it."""
    bots = roster(1, 2, 3)
    assert bots.with_unexcused_bots(plan(1, 2)) == plan(1, 2)
    (sentence,) = bots.stop_excusing(["bot2"])
    assert sentence.startswith("late moves of bot2 are no longer excused")
    assert bots.can_play(plan(1, 2))
    assert bots.with_unexcused_bots(plan(1, 2)).unexcused == (2,)
    assert bots.with_unexcused_bots(plan(1, 3)).unexcused == ()
    bots.check_enough()
