"""Simulated nights: how often an equal commit is called a drop, and how often a drop is found.

    python -m benchmarks.nights [NIGHTS]

Plays NIGHTS (default 20) seeded nights in every row with the shipped judge and pairing: four new
commits, each based on the one before, two opponents 100 Elo above and below, an accepted drop of 20
Elo, at most 20,000 games. In each row the second commit loses that much Elo, and the
others are equal.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from db.records.bots import BotRow, RevisionRow
from db.records.launch import Launch
from db.records.night import Answer, Night, NightQuestion, NightVerdict
from db.records.pairs import PlayedPair
from engine.board_class import BoardClass
from engine.result import Result, Termination
from ladder.experiments.nightly.judge import NightJudge
from ladder.experiments.nightly.session import meetings_of
from ladder.runs.choosers import Contestants, choose_in_rounds, no_results
from tests.support.simulated_gates import pair_table

SEED = 20261128
COMMITS = 4
MOST_PAIRS = 10_000
BOARD = BoardClass("6x7")
RESULTS = (Result.LOSS, Result.DRAW, Result.WIN)
TERMINATIONS = (Termination.FOUR_IN_A_ROW,) * 2


def main(nights: int) -> None:
    """Print the table."""
    print(f"{nights} nights a row, seed {SEED}")
    print("loss | equal: drop, undecided | loser: drop, undecided, no drop | false nights | games")
    for loss in (0.0, 10.0, 20.0, 40.0, 60.0, 100.0):
        rng = np.random.default_rng(SEED)
        equal, loser, games, false = Counter[str](), Counter[str](), 0, 0
        for _ in range(nights):
            answers, pairs = play_night(rng, loss)
            others = [each for name, each in answers.items() if name != "c2"]
            equal.update(each.verdict for each in others)
            loser[answers["c2"].verdict] += 1
            false += any(each.verdict is NightVerdict.DROP for each in others)
            games += 2 * pairs
        print(
            f"{loss:g} | {equal['drop']}, {equal['undecided']} of {equal.total()} | "
            f"{loser['drop']}, {loser['undecided']}, {loser['no drop']} | {false} | "
            f"{games / nights:,.0f}"
        )


def play_night(rng: np.random.Generator, loss: float) -> tuple[Mapping[str, Answer], int]:
    """Play a night; return the answers, and the number of pairs."""
    names = [f"c{number}" for number in range(COMMITS + 1)]
    elo = {name: -loss if place > 1 else 0.0 for place, name in enumerate(names)}
    elo |= {"below": -100.0, "above": 100.0}
    steps = dict(zip(names[1:], names, strict=False))
    night = Night(
        name="c",
        branch="main",
        question=NightQuestion(),
        steps=steps,
        meetings=meetings_of(steps, ["below", "above"]),
    )
    bots = [bot(number, name) for number, name in enumerate(elo)]
    judge = NightJudge(night, bots, ())
    revisions = {row.name: row.revision.id for row in bots}
    field = Contestants(
        bots=dict(sorted(revisions.items())),
        meetings=night.meetings,
        shared=lambda *_: (BOARD,),
        seed=int(rng.integers(1 << 40)),
        results=no_results,
    )
    choose, played = choose_in_rounds(field), 0
    for number in range(1_000_000):
        if judge.decided or played == MOST_PAIRS:
            break
        a, b, _ = choose(number)
        if judge.is_wanted(a, b):
            played += 1
            judge.take(pair(rng, number, revisions[a], revisions[b], elo[a] - elo[b]))
    judge.judge()
    return judge.answers, played


def bot(number: int, name: str) -> BotRow:
    """Return a registered bot."""
    revision = RevisionRow(
        content_hash=name,
        launch=Launch((), ""),
        budgets=("any",),
        id=number,
        bot_id=number,
        number=1,
        created_at=0.0,
    )
    based_on = f"c{number - 1}" if name[1:].isdecimal() and number else None
    row = BotRow(
        name=name,
        family="",
        spec="",
        revision=revision,
        id=number,
        created_at=0.0,
        retired_at=None,
    )
    return replace(row, based_on=based_on)


def pair(rng: np.random.Generator, number: int, a: int, b: int, gap: float) -> PlayedPair:
    """Return a pair of new games with this difference in Elo, an advantage, and some draws."""
    table = pair_table(elo=gap, advantage=60.0, draws=0.05)
    first, second = divmod(int(rng.choice(9, p=table.ravel())), 3)
    return PlayedPair(
        number=number,
        a_revision=a,
        b_revision=b,
        board_class=str(BOARD),
        results=(RESULTS[first], RESULTS[second]),
        terminations=TERMINATIONS,
        setup=("6x7", "", number),
        content=number,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
