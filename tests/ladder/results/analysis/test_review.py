"""Review of one game: turning point, limits, estimates, and what is stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.champion import CHAMPION
from db.records.analysis import SolvedPosition
from db.records.games import Thought
from db.store import Store
from engine.board import parse_board
from engine.position import Position
from ladder.openings.draw import search_value
from ladder.results.analysis.division import GameTruth, read_truth
from ladder.results.analysis.game import Effort, ReplayedGame, Solvers, analyse_game
from ladder.results.analysis.review import (
    Review,
    ReviewLimits,
    ReviewProgress,
    review_game,
    save_review,
)
from ladder.results.analysis.session import analyse
from ladder.results.analysis.verdict import (
    UNBOUNDED,
    Bounds,
    best_bounds,
    judge_move,
    solve_columns,
    unpack_columns,
)
from tests.ladder.results.analysis.making import Games, random_moves
from tests.ladder.results.analysis.test_session import Silent, count_rows
from tests.support.calls import calls_of

BOARD = "4x4"
WIN, DRAW, LOSS = Bounds(990, 990), Bounds(0, 0), Bounds(-990, -990)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield an empty database."""
    with Store.open(str(tmp_path / "ladder.db")) as opened:
        yield opened


def truth_of(*moves: tuple[Bounds, Bounds]) -> GameTruth:
    """Return the truth of a game from the best column's value and that of the played column 0."""
    columns = [(played, best) for best, played in moves]
    return GameTruth(columns, [judge_move(each, 0, Thought(1)) for each in columns])


def stored_game(store: Store, seed: int = 3) -> int:
    return Games(store, BOARD).add(random_moves(BOARD, seed))[0]


def reviewed(store: Store, game: int, limits: ReviewLimits | None = None) -> Review:
    row = store.games.get(game)
    assert row is not None
    made = review_game(store, row, limits or ReviewLimits())
    assert made is not None
    save_review(store, row, made.analysed)
    return made


def test_the_turning_point_is_the_last_mistake() -> None:
    """Of several mistakes the last one decides; a game without a mistake has no turning point."""
    assert truth_of((WIN, DRAW), (DRAW, DRAW), (DRAW, LOSS), (WIN, WIN)).turning_point == 2
    assert truth_of((WIN, WIN), (LOSS, LOSS)).turning_point is None
    assert truth_of((DRAW, LOSS), (WIN, LOSS), (WIN, WIN)).turning_point == 1


def test_a_hidden_mistake_leaves_no_turning_point() -> None:
    """If the result differs after unknown positions, the move that changed it is unknown."""
    hidden = truth_of((WIN, LOSS), (UNBOUNDED, UNBOUNDED), (WIN, WIN))
    assert hidden.verdicts[0].is_mistake
    assert hidden.turning_point is None
    same = truth_of((WIN, LOSS), (UNBOUNDED, UNBOUNDED), (LOSS, LOSS))
    assert same.turning_point == 0


def test_a_review_stores_what_an_analysis_of_the_game_stores(store: Store) -> None:
    """Its verdicts are those of `ladder analyze`, and neither command repeats the other's work."""
    game = stored_game(store)
    made = reviewed(store, game)
    row = store.games.get(game)
    assert row is not None
    assert read_truth(store, row) == GameTruth(made.truth.columns, made.truth.verdicts)
    assert set(made.truth.estimates) == {None}
    division = store.divisions.all()[0]
    verdicts = store.analysis.judged(division.id)
    assert [one.game_id for one in verdicts] == [game]
    with calls_of(solve_columns) as solved:
        assert reviewed(store, game).truth == made.truth
        state = analyse(store, division, games=2, watcher=Silent())
    assert solved == []
    assert (state.waiting, state.games) == (1, 1)  # the other game of the pair, with equal moves
    assert store.analysis.judged(division.id, games=[game]) == verdicts


def test_without_time_for_the_solver_the_champion_estimates(store: Store) -> None:
    """Positions that the solver has no time for get the champion's value, within known bounds."""
    game = stored_game(store)
    made = reviewed(store, game, ReviewLimits(seconds=0))
    row = store.games.get(game)
    assert row is not None
    decided = [best_bounds(columns).outcome is not None for columns in made.truth.columns]
    assert [each is None for each in made.truth.estimates] == decided
    assert (decided[0], decided[-1]) == (False, True)
    start = Position(parse_board(BOARD))
    value = search_value(start, player=CHAMPION, simulations=30_000)
    assert made.truth.estimates[0] == value
    again = reviewed(store, game)
    assert all(best_bounds(columns).outcome is not None for columns in again.truth.columns)
    assert read_truth(store, row) == GameTruth(again.truth.columns, again.truth.verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("is_stop", [False, True])
def test_a_search_ends_within_a_position(store: Store, is_stop: bool) -> None:
    """A limit or a stop ends a search of days; what it found is not kept as that of all nodes."""
    game = store.games.get(Games(store, "9x9").add(random_moves("9x9", 3))[0])
    assert game is not None
    polls, solved = 0, 0

    def is_over() -> bool:
        nonlocal polls
        polls += 1
        return polls > 8  # in one position, and then for good

    def on_position(_: bool) -> None:
        nonlocal polls, solved
        solved += 1
        polls = polls if polls > 8 else 0

    made = analyse_game(
        ReplayedGame.of(game),
        dict[bytes, SolvedPosition]().get,
        Solvers(1),
        Effort(10**15),
        is_stopped=is_over if is_stop else lambda: False,
        on_position=on_position,
        is_late=(lambda: False) if is_stop else is_over,
    )
    assert (made.is_complete, solved < len(game.moves)) == (not is_stop, is_stop)
    assert made.nodes == (10**15 if is_stop else 0)
    for position in made.solved:
        columns = unpack_columns(position.bounds, is_image=False)
        is_open = any(column is not None and column.outcome is None for column in columns)
        assert position.nodes == 10**15 or not is_stop
        assert position.nodes == 1 or not is_open


def test_a_stopped_review_stores_nothing(store: Store) -> None:
    """A stop is noticed between positions, by the solver and by the champion."""
    row = store.games.get(stored_game(store))
    assert row is not None
    seen: list[ReviewProgress] = []
    for limits in (ReviewLimits(), ReviewLimits(seconds=0)):
        stops_after = 3 if limits.seconds else len(row.moves) + 3
        made = review_game(
            store,
            row,
            limits,
            is_stopped=lambda: bool(seen) and seen[-1].solved + seen[-1].estimated >= stops_after,  # noqa: B023 - called in the loop
            on_progress=seen.append,
        )
        assert made is None
        assert seen[-1].solved + seen[-1].estimated == stops_after
        seen.clear()
    assert count_rows(store, "solved_positions") == 0
