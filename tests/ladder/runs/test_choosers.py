"""Opponents by results: chosen from finished batches alone."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from db.records.pairs import PlayedPair
from engine.board import parse_board
from engine.board_class import BoardClass
from engine.seeds import SplitMix
from ladder.runs.choosers import Contestants, PairsPending, match_neighbours
from ladder.runs.pairings import SWISS, UNCERTAIN, Pairing, PairingRule
from ladder.stats.pool.pair_design import BATCH
from tests.support.data.pairs import pair_of

A_WON, B_WON = 8, 0
"""Cells of the table of results in which one bot won both games."""


class Stream:
    """A stream of pairs in memory."""

    def __init__(self, names: str, rule: PairingRule) -> None:
        self.unfinished: set[int] = set()
        self.finished: dict[int, PlayedPair] = {}
        self.revisions = {name: number for number, name in enumerate(names, start=1)}
        self._rule = rule

    def choose(self, number: int) -> tuple[str, str]:
        """Return the bots of a pair, from a new chooser as after a kill."""
        chooser = self._rule.chooser(
            Contestants(
                bots=self.revisions,
                meetings=Pairing(self._rule).meetings(tuple(self.revisions)),
                shared=lambda *_: (BoardClass(parse_board("4x4")),),
                seed=1,
                results=self._results,
            )
        )
        return chooser(number)[:2]

    def plan(self, count: int) -> list[tuple[str, str]]:
        first = len(self.finished) + len(self.unfinished)
        duels = [self.choose(number) for number in range(first, first + count)]
        self.unfinished |= {*range(first, first + count)}
        return duels

    def finish(self, number: int, a: str, b: str, cell: int) -> None:
        self.unfinished.remove(number)
        self.finished[number] = pair_of(number, self.revisions[a], self.revisions[b], cell)

    def _results(self, start: int, stop: int) -> Sequence[PlayedPair]:
        if any(number < stop for number in self.unfinished):
            raise PairsPending
        return [self.finished[each] for each in range(start, stop) if each in self.finished]

    def play_round(self) -> list[tuple[str, str]]:
        """Play a Swiss round in which the better bot wins: the one with the later name."""
        first = len(self.finished)
        duels = self.plan(len(self.revisions) // 2)
        for number, (a, b) in enumerate(duels, start=first):
            self.finish(number, a, b, A_WON if a > b else B_WON)
        return duels


@pytest.mark.slow
def test_a_batch_waits_for_the_one_before_the_last() -> None:
    """Two batches can be planned at once; the third needs the first, but no dropped pair of it."""
    stream, draw = Stream("abcd", UNCERTAIN), SplitMix(1)
    duels = stream.plan(2 * BATCH)
    for number in range(1, BATCH):
        with pytest.raises(PairsPending):
            stream.choose(2 * BATCH)
        stream.finish(number, *duels[number], draw.below(9))
    stream.unfinished.remove(0)
    assert stream.choose(2 * BATCH)


def test_a_swiss_round_pairs_equal_scores_and_waits_for_the_round_before() -> None:
    """Eight bots of which the better one always wins: all duels of three rounds are of equals."""
    stream = Stream("abcdefgh", SWISS)
    wins = dict.fromkeys("abcdefgh", 0)
    for _ in range(3):
        before = dict(wins)
        for duel in stream.play_round():
            assert before[duel[0]] == before[duel[1]]
            wins[max(duel)] += 1
    assert sorted(wins.values()) == [0, 1, 1, 1, 2, 2, 2, 3]
    assert wins["h"] == 3
    stream.plan(4)
    with pytest.raises(PairsPending):
        stream.choose(16)


@pytest.mark.parametrize("bots", [2, 3, 6, 7])
def test_swiss_rounds_play_everyone_and_repeat_no_duel_for_half_of_the_field(bots: int) -> None:
    """Of an odd number one pauses, another one in the next round."""
    stream = Stream("abcdefg"[:bots], SWISS)
    rounds = [stream.play_round() for _ in range(12)]
    playing = [{name for duel in each for name in duel} for each in rounds]
    assert {len(each) for each in playing} == {bots - bots % 2}
    for number in range(len(rounds)):
        near = rounds[max(0, number - (bots - 1) // 2) : number + 1]
        duels = [frozenset(duel) for each in near for duel in each]
        assert len(set(duels)) == len(duels)
    if bots % 2:
        assert all(one | two == {*stream.revisions} for one, two in pairwise(playing))


def test_neighbours_swap_opponents_when_the_last_two_have_met() -> None:
    """The ranking is kept as far as the excluded duels allow."""
    assert match_neighbours([4, 2, 0, 1], set()) == [(4, 2), (0, 1)]
    assert match_neighbours([4, 2, 0, 1], {frozenset((0, 1))}) == [(1, 2), (0, 4)]
    assert match_neighbours([0, 1], {frozenset((0, 1))}) == [(0, 1)]
