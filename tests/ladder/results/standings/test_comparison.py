"""Comparisons, from a stored database."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from db.records.games import GameRecord
from db.records.pairs import PairRecord, PlannedPair
from db.records.runs import DivisionRow
from db.store import Store
from engine.result import Result, Termination
from ladder.results.standings.comparison import ComparedPair, compare
from ladder.results.standings.division import read_division
from ladder.results.standings.head_to_head import HeadToHead
from ladder.stats.difference import difference_of
from ladder.stats.elo import score_to_elo
from tests.db.making import add_bots, game, new_run, play_all, to_plan
from tests.support.storing import finish_pair


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "ladder.db")) as opened:
        yield opened


def lost_pair(random: Random, key: int, number: int) -> PairRecord:
    """Two games, both won by the pair's A."""
    games = []
    for swapped, result in ((False, Result.WIN), (True, Result.LOSS)):
        made = game(random, swapped, 20, 10)
        games.append(
            GameRecord(
                swapped, made.moves, result, Termination.FOUR_IN_A_ROW, made.sides, made.thoughts,
                made.started, made.duration_us,
            )
        )  # fmt: skip
    return PairRecord(key, number, tuple(games))


def division_with(
    store: Store, *, mixed: Sequence[tuple[int, int]], won: Sequence[tuple[int, int, int]]
) -> DivisionRow:
    """Bots v1 .. v4 with pairs of random results, and (winner, loser, pairs) of shutouts."""
    bots = add_bots(store)
    run = new_run(store)
    for a, b in mixed:
        play_all(store, run, (bots[a], bots[b]), 12, seed=a + 7 * b)
    random = Random(3)
    for winner, loser, pairs in won:
        planned = PlannedPair(bots[winner], bots[loser], "9x10@3,4", "thu", (), winner)
        for row in store.pairs.plan(run.id, pairs, lambda _, plan=planned: plan):  # type: ignore[misc]
            finish_pair(store, to_plan(row), lost_pair(random, row.id, row.number))
    return store.divisions.all()[0]


@pytest.mark.slow
def test_a_shutout_is_compared_by_its_bound(store: Store) -> None:
    """A bot that won everything is ahead by a bound; two that won everything are not compared."""
    division = division_with(store, mixed=[(2, 3)], won=[(0, 2, 9), (1, 2, 2)])
    versus = {
        (v.met.a, v.met.b): v
        for v in compare(store, read_division(store, division), ["v1", "v2", "v3"]).versus
    }
    bound = score_to_elo(score=0.025 ** (1 / 9))
    clear = versus["v1", "v3"]
    # A first-mover advantage, however these games came to show it, needs more of a winner.
    assert clear.difference.low is not None
    assert bound <= clear.difference.low < bound + 120
    assert clear.difference.high is None
    low = f"{clear.difference.low:.0f}"
    assert clear.sentence.startswith(f"v1 is stronger than v3 by at least {low} Elo (99.")
    assert versus["v1", "v2"].difference.elo is None
    assert "both won every game" in versus["v1", "v2"].sentence
    (unclear,) = compare(store, read_division(store, division), ["v3", "v2"]).versus
    assert unclear.difference.low is None
    assert unclear.difference.high is not None
    assert 0 < unclear.difference.high < 500  # two pairs do not show who is the stronger
    assert unclear.sentence.startswith("v2 is at most ")
    assert "no clear difference, by all games of the list" in unclear.sentence


def test_the_sentence_begins_with_the_stronger_bot() -> None:
    """Its chance is that of the stronger bot, too."""
    met = HeadToHead("a", "b")
    for counts, start in (
        ((5, 9, 3, 0, 0), "b is stronger than a by "),
        ((2, 3, 9, 1, 0), "b is probably stronger than a (9"),
        ((1, 0, 0, 0, 0), "b is at most 636 Elo weaker than a: no clear difference"),
    ):
        assert ComparedPair(met, difference_of(counts)).sentence.startswith(start)
