"""Opponents by results: chosen from finished batches alone."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from bots.protocol import Budget
from db.records.bots import (
    NewBot,
    NewRevision,
)
from db.records.games import GameRecord
from db.records.launch import Launch, Start
from db.records.pairs import (
    Entrant,
    PairPlan,
    PlannedPair,
)
from db.records.runs import (
    Conditions,
    NewRun,
    RunKind,
)
from db.store import Store
from engine.board import BoardClass, parse_board
from engine.result import Result
from engine.seeds import SplitMix
from ladder.runs.field import Chooser, Contestants, PairsPending, read_results
from ladder.runs.pairings import SWISS, UNCERTAIN, Pairing, PairingRule
from ladder.runs.results_pairing import match_neighbours
from ladder.stats.pool.pair_design import BATCH
from tests.support.data.random_games import random_record
from tests.support.storing import finish_pair

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return stored(tmp_path, NAMES)


def stored(folder: Path, names: Sequence[str]) -> Store:
    """Return a database with a run of some bots."""
    opened = Store.open(str(folder / "games.db"))
    for name in names:
        launch = Launch(command=(name,), folder="/")
        revision = NewRevision(content_hash=name, launch=launch, budgets=("any",))
        opened.bots.add(NewBot(name=name, family="fake", spec=name, revision=revision))
    division = opened.divisions.ensure(Conditions("4x4", 0, {"simulations": 1}))
    opened.runs.create(
        NewRun(
            kind=RunKind.LADDER,
            rated=True,
            stream="s",
            identity="s",
            settings={},
            seed=1,
            division_id=division.id,
        )
    )
    return opened


def chooser(store: Store, rule: PairingRule = UNCERTAIN) -> Chooser:
    names = {bot.name: bot.revision.id for bot in store.bots.all()}
    return rule.chooser(
        Contestants(
            bots=names,
            meetings=Pairing(rule).meetings(tuple(names)),
            shared=lambda *_: (BoardClass(parse_board("4x4")),),
            seed=1,
            results=partial(read_results, store, "s"),
        )
    )


def plan(store: Store, count: int, rule: PairingRule = UNCERTAIN) -> list[PlannedPair]:
    revisions = {bot.name: bot.revision.id for bot in store.bots.all()}
    choose = chooser(store, rule)

    def planned(number: int) -> PlannedPair:
        a, b, _ = choose(number)
        return PlannedPair(revisions[a], revisions[b], "4x4", "4x4", (), number)

    return store.pairs.plan(1, count, planned)


def with_result(game: GameRecord, result: Result) -> GameRecord:
    return replace(game, result=result)


def finish(store: Store, rows: list[PlannedPair], a_wins: bool | None = None) -> None:
    """Store games at random, or those that a bot wins."""
    for row in rows:
        start = Start(argv=("x",), folder="/")
        budget = Budget(simulations=1)
        pair = PairPlan(
            id=row.id,
            number=row.number,
            a=Entrant(row.a_revision, "a", start, budget),
            b=Entrant(row.b_revision, "b", start, budget),
            board=row.board,
            board_class=row.board_class,
            opening=(),
            seed=row.seed,
        )
        record = random_record(pair, SplitMix(row.number))
        if a_wins is not None:
            results = (Result.WIN, Result.LOSS) if a_wins else (Result.LOSS, Result.WIN)
            games = zip(record.games, results, strict=True)
            record = replace(
                record, games=tuple(replace(game, result=each) for game, each in games)
            )
        finish_pair(store, pair, record)


@pytest.mark.slow
def test_a_batch_waits_for_the_one_before_the_last(store: Store) -> None:
    """Two batches can be planned at once; the third needs the first to be finished, not more."""
    with store:
        rows = plan(store, 2 * BATCH)
        with pytest.raises(PairsPending):
            chooser(store)(2 * BATCH)
        finish(store, rows[: BATCH - 1])
        with pytest.raises(PairsPending):
            chooser(store)(2 * BATCH)
        finish(store, rows[BATCH - 1 : BATCH])
        assert chooser(store)(2 * BATCH)


@pytest.mark.slow
def test_a_dropped_pair_holds_nothing_up(store: Store) -> None:
    """A paused bot's pairs are never finished, and must not stop the rest."""
    with store:
        rows = plan(store, BATCH)
        finish(store, rows[1:])
        store.pairs.drop([rows[0].id])
        assert chooser(store)(2 * BATCH)


def play_round(store: Store, bots: int) -> list[tuple[str, str]]:
    """Play a Swiss round in which the better bot wins both games: the one with the later name."""
    rows = plan(store, bots // 2, SWISS)
    names = {bot.revision.id: bot.name for bot in store.bots.all()}
    duels = [(names[row.a_revision], names[row.b_revision]) for row in rows]
    for row, (a, b) in zip(rows, duels, strict=True):
        finish(store, [row], a > b)
    return duels


@pytest.mark.slow
def test_a_swiss_round_pairs_equal_scores_and_waits_for_the_round_before(tmp_path: Path) -> None:
    """Eight bots of which the better one always wins: all duels of three rounds are of equals."""
    with stored(tmp_path, "abcdefgh") as store:
        wins = dict.fromkeys("abcdefgh", 0)
        for _ in range(3):
            before = dict(wins)
            for duel in play_round(store, 8):
                assert before[duel[0]] == before[duel[1]]
                wins[max(duel)] += 1
        assert sorted(wins.values()) == [0, 1, 1, 1, 2, 2, 2, 3]
        assert wins["h"] == 3
        plan(store, 4, SWISS)
        with pytest.raises(PairsPending):
            chooser(store, SWISS)(16)


@pytest.mark.slow
@pytest.mark.parametrize("bots", [2, 3, 6, 7])
def test_swiss_rounds_play_everyone_and_repeat_no_duel_for_half_of_the_field(
    tmp_path: Path, bots: int
) -> None:
    """Of an odd number one pauses, another one in the next round."""
    names = "abcdefg"[:bots]
    with stored(tmp_path, names) as store:
        rounds = [play_round(store, bots) for _ in range(12)]
    playing = [{name for duel in each for name in duel} for each in rounds]
    assert {len(each) for each in playing} == {bots - bots % 2}
    for number in range(len(rounds)):
        near = rounds[max(0, number - (bots - 1) // 2) : number + 1]
        duels = [frozenset(duel) for each in near for duel in each]
        assert len(set(duels)) == len(duels)
    if bots % 2:
        assert all(one | two == set(names) for one, two in pairwise(playing))


def test_neighbours_swap_opponents_when_the_last_two_have_met() -> None:
    """The ranking is kept as far as the excluded duels allow."""
    assert match_neighbours([4, 2, 0, 1], set()) == [(4, 2), (0, 1)]
    assert match_neighbours([4, 2, 0, 1], {frozenset((0, 1))}) == [(1, 2), (0, 4)]
    assert match_neighbours([0, 1], {frozenset((0, 1))}) == [(0, 1)]
