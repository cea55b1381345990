"""A night with a drop and a commit that was not stored."""

from dataclasses import asdict

from db.records.bots import BotRow, RevisionRow
from db.records.launch import Launch, Origin
from db.records.night import Answer, Night, NightQuestion, NightVerdict, SkippedCommit
from ladder.experiments.nightly.session import CommitRow, NightOutcome
from ladder.stats.difference import difference_of
from ladder.stats.own_rating import Rating
from tests.support.records import record_of


def a_night() -> NightOutcome:
    """Return the outcome of a night with two stored commits."""
    record = record_of((8, 4, 5, 2, 1))
    answer = Answer(NightVerdict.DROP, True, asdict(difference_of(record.evidence)), record)
    night = Night(
        name="bot",
        branch="main",
        question=NightQuestion(),
        steps={"bot@2222222": "bot@1111111"},
        meetings=(("bot@2222222", "bot@1111111"), ("bot@2222222", "v4")),
        commits={"bot@2222222": 3},
        skipped=(SkippedCommit("3" * 40, "Break it", "build: `make` failed"),),
        answers={"bot@2222222": answer},
    )
    rows = [
        CommitRow(
            row=_bot(number, change),
            tag=tag,
            answer=found,
            rating=Rating(1000.0, 10.0),
            is_asked=found is not None,
        )
        for number, change, tag, found in ((1, "Begin", "v1.0", None), (2, "Simplify", "", answer))
    ]
    return NightOutcome(night=night, rows=rows, conditions="6x7+4/100ms", games=40, run_id=7)


def _bot(number: int, change: str) -> BotRow:
    origin = Origin("main", str(number) * 40, "", "", "make", 1.7e9 + number)
    revision = RevisionRow(
        content_hash=str(number),
        launch=Launch((), "", origin=origin),
        budgets=("time",),
        id=number,
        bot_id=number,
        number=1,
        created_at=1.7e9,
    )
    return BotRow(
        name=f"bot@{str(number) * 7}",
        family="foreign",
        spec="exec:./bot",
        based_on=None if number == 1 else f"bot@{str(number - 1) * 7}",
        change=change,
        revision=revision,
        id=number,
        created_at=1.7e9,
        retired_at=None,
    )
