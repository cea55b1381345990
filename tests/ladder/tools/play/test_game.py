"""A person's game: real bots in real processes."""

from pathlib import Path

import psutil
import pytest

from bots.protocol import Budget
from db.records import thought_blob
from db.records.pairs import Entrant
from engine.board import Board
from engine.result import Result, Termination
from ladder.errors import BotFailure
from ladder.match.game.endings import GameEnd
from ladder.registry.specs import start_command
from ladder.results.analysis.division import format_bounds
from ladder.results.analysis.verdict import Bounds
from ladder.tools.play.game import InteractiveGame
from reports.play import advice, ending
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED

STANDARD = Board(6, 7)


def fake(folder: Path, mode: str, *arguments: str, time_ms: int = 100) -> Entrant:
    """Return a fake bot as an opponent."""
    start = fake_start(mode, *arguments, folder=folder)
    return Entrant(revision=1, name=mode, start=start, budget=Budget(time_ms=time_ms))


def built_in(name: str, simulations: int = 60) -> Entrant:
    """Return a built-in player on a work budget, so that it repeats itself."""
    launch = start_command.builtin_launch(name)
    budget = Budget(simulations=simulations)
    return start_command.make_entrant(launch, revision=1, name=name, budget=budget)


def spar(bot: Entrant, *, person: int = 0, board: Board = STANDARD) -> InteractiveGame:
    """Set a game up."""
    return InteractiveGame(bot, UNCONFINED, board=board, person=person, seed=7)


def play_out(game: InteractiveGame) -> None:
    """Play to the end; the person always takes the last free column."""
    while game.verdict is None:
        if game.is_bots_turn:
            game.reply()
        else:
            game.drop(game.position.legal_moves()[-1])


@pytest.mark.parametrize("person", [0, 1])
@pytest.mark.parametrize("board", [STANDARD, Board(5, 4, (0, 0))])
def test_a_game_is_played_to_its_end(tmp_path: Path, person: int, board: Board) -> None:
    """Each side makes its own moves, whichever begins, and the record holds all moves."""
    with spar(fake(tmp_path, "honest"), person=person, board=board) as game:
        play_out(game)
        record = game.record()
    assert record.bot_side == 1 - person
    assert record.game.moves == game.position.moves
    assert len(thought_blob.decode(record.game.thoughts)) == len(record.game.moves)
    assert record.board == str(board)
    assert record.budget == {"time_ms": 100}
    assert record.game.termination in (Termination.FOUR_IN_A_ROW, Termination.BOARD_FULL)


@pytest.mark.slow
def test_a_bot_may_be_late_by_less_than_a_second(tmp_path: Path) -> None:
    """Games against a person are not rated, so a move after 600 ms of 100 ms counts."""
    with spar(fake(tmp_path, "late", "0.6")) as game:
        game.drop(3)
        game.reply()
        assert game.verdict is None


def test_undo_goes_back_to_the_persons_last_turn(tmp_path: Path) -> None:
    """Undo takes back the person's move and the reply, but not the bot's first move."""
    with spar(fake(tmp_path, "honest"), person=1) as game:
        assert not game.undo()
        game.reply()
        assert not game.undo()
        game.drop(6)
        game.reply()
        assert game.position.moves == (0, 6, 0)
        assert game.undo()
        assert game.position.moves == (0,)
        assert game.is_persons_turn
        assert game.last_reply is None
        assert len(game.thoughts) == 1


@pytest.mark.slow
def test_a_hint_comes_from_another_bot_and_changes_nothing(tmp_path: Path) -> None:
    """The hint is for the current position, and the game is not affected."""
    with spar(fake(tmp_path, "honest")) as game:
        for _ in range(3):
            game.drop(6)
            game.reply()
        before = game.position
        advised = game.hint(built_in("v4", 400))
        assert advised.column == 6
        assert advised.info is not None
        assert advised.info.simulations
        assert game.position is before
        with pytest.raises(BotFailure):
            game.hint(fake(tmp_path, "exits"))
        game.drop(6)
        assert game.verdict is not None
        assert game.verdict.result is Result.WIN


@pytest.mark.slow
def test_the_values_of_the_columns_are_the_solver_s(tmp_path: Path) -> None:
    """They are exact on the standard board, bounds on a large one, and change nothing."""
    with spar(fake(tmp_path, "honest")) as game:
        found = [bounds and format_bounds(bounds) for bounds in game.column_values()]
        assert found == ["loss 40", "loss 42", "draw", "win 41", "draw", "loss 42", "loss 40"]
        for _ in range(3):
            game.drop(6)
            game.reply()
        before = game.position
        assert game.column_values()[6] == Bounds(999, 999)
        assert game.position is before
    with spar(fake(tmp_path, "honest"), board=Board(12, 12, (0, 0))) as game:
        assert [bounds and bounds.outcome for bounds in game.column_values()] == [None] * 12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "arguments", "termination", "words"),
    [
        ("segfaults", (), Termination.CRASH, "SIGSEGV"),
        ("exits-at-once", (), Termination.CRASH, "cannot find my weights"),
        ("hangs-in-move", (), Termination.TIMEOUT, "no answer to move"),
        ("answers", ("9",), Termination.ILLEGAL_MOVE, "played column 9"),
        ("garbage", (), Termination.PROTOCOL_ERROR, "the middle looks nice"),
    ],
)
def test_a_bot_that_fails_loses_the_game(
    tmp_path: Path, mode: str, arguments: tuple[str, ...], termination: Termination, words: str
) -> None:
    """The game ends with its verdict, whichever side failed, and no process is left."""
    before = psutil.Process().children(recursive=True)
    for person in (0, 1):
        with spar(fake(tmp_path, mode, *arguments), person=person) as game:
            game.prepare()
            if game.is_persons_turn:
                game.drop(0)
            if game.verdict is None:
                game.reply()
            verdict = game.verdict
        assert verdict is not None
        assert verdict.termination is termination
        assert verdict.result is (Result.WIN if person == 0 else Result.LOSS)
        assert words in verdict.detail
        assert game.record().game.detail == verdict.detail
    assert psutil.Process().children(recursive=True) == before


def test_a_bot_that_resigns_loses_to_the_person(tmp_path: Path) -> None:
    """The game is over without a failure, and as a hint it says that it would resign."""
    with spar(fake(tmp_path, "resigns", "1", time_ms=60_000)) as game:
        game.drop(3)
        assert advice(game.hint(fake(tmp_path, "resigns", "1"))) == ["resigns would resign"]
        game.reply()
        assert game.verdict == GameEnd(Result.WIN, Termination.RESIGNED)
        assert ending(game) == "resigns resigned, so you win"
        assert game.record().game.moves == (3,)
