"""Mining: what is found is right by a plain search, and the same again."""

from functools import cache
from itertools import count, islice

import pytest

from engine.board import parse_board
from engine.board_class import parse_board_classes
from engine.position import Position
from engine.position_key import key_of
from ladder.experiments.suite.make import MAX_PER_GAME, Mining, careless_games, mine
from ladder.experiments.suite.puzzle import THEMES, Puzzle
from ladder.results.analysis.verdict import number_of, outcome_of
from tests.engine.solver.oracle import oracle_of

BOARDS = parse_board_classes("4x5")


@cache
def mined() -> tuple[list[Puzzle], Mining]:
    """Return ten puzzles, mined once for the tests that look at them."""
    state = Mining(10)
    games = islice(careless_games(BOARDS, 1), 120)
    return list(mine(games, state, nodes=1_000_000)), state


def test_careless_games_end_and_differ() -> None:
    """Every game ends on the board; a win at once is taken."""
    games = list(islice(careless_games(parse_board_classes("4x5,5x5@2,2"), 3), 20))
    assert all(game.is_over for game in games)
    assert len({game.moves for game in games}) > 15
    assert {str(game.board) for game in games} == {"4x5", "5x5@2,2"}
    for game in games:
        before = Position.from_moves(game.board, game.moves[:-3])
        wins = [c for c in before.legal_moves() if before.play(c).winner is not None]
        assert not wins


@pytest.mark.slow
def test_every_puzzle_has_one_right_move() -> None:
    """By brute force: the answer keeps the result and every other move loses it."""
    found, state = mined()
    assert 5 <= len(found) == state.found
    oracle = oracle_of(parse_board("4x5"))
    for puzzle in found:
        position = puzzle.position
        values = {c: oracle.value_of_move(position, c) for c in position.legal_moves()}
        best = max(values.values())
        assert str(best.outcome) == puzzle.value
        assert best.distance == puzzle.distance
        keeping = [c for c, value in values.items() if value.outcome is best.outcome]
        assert keeping == [puzzle.answer]
        assert outcome_of(number_of(best)) is best.outcome


@pytest.mark.slow
def test_themes_are_shared_out_and_positions_differ() -> None:
    """No theme takes the place of the others, no position comes twice, no game too often."""
    found, state = mined()
    assert set(state.themes) <= set(THEMES)
    assert max(state.themes.values()) <= 2
    assert len({key_of(puzzle.position)[0] for puzzle in found}) == len(found)
    starts = [puzzle.moves[:4] for puzzle in found]
    assert max(map(starts.count, starts)) <= 2 * MAX_PER_GAME


def test_a_stop_ends_a_long_search() -> None:
    """A position that would be searched for days is given up, and its game with it."""
    state, asked = Mining(100), count()
    games = careless_games(parse_board_classes("9x9"), 1)
    list(mine(games, state, nodes=1 << 50, is_stopped=lambda: next(asked) > 30))
    assert state.found < 100
