"""Analyses with a value under every key."""

from db.records.analysis import JudgedGame
from db.records.games import GameRow, SideSums, Thought
from engine.result import Result, Termination
from engine.solver.value import Outcome
from ladder.results.analysis.division import DivisionMistakes, FalseProof, GameTruth
from ladder.results.analysis.mistakes import mistakes_by_revision
from ladder.results.analysis.session import Progress
from ladder.results.analysis.verdict import (
    FAR,
    UNBOUNDED,
    Bounds,
    Claim,
    Decision,
    MoveVerdict,
    judge_move,
)

LOST = MoveVerdict(Outcome.DRAW, Outcome.LOSS, Decision.YES, 0, 0.5, Claim.FALSE)


def an_analysis() -> tuple[Progress, DivisionMistakes]:
    """Return an analysis of a bot that claimed a win for a losing first move."""
    game = JudgedGame(
        game_id=7,
        pair_id=1,
        first_revision=1,
        second_revision=2,
        board="6x7",
        opening_plies=0,
        result="loss",
        termination="four_in_a_row",
        moves=LOST.pack(),
    )
    made = DivisionMistakes(
        label="6x7/100ms",
        games=1,
        positions=1,
        decided=1,
        bots={"a": mistakes_by_revision([game])[1]},
        false_proofs=[FalseProof("a", 7, 0, "win 5", "draw")],
    )
    return Progress(made.label, 1, 1, 1000), made


def an_analysed_game() -> tuple[GameRow, GameTruth]:
    """Return a game of two moves after its opening, one losing and one winning."""
    game = GameRow(
        id=7, pair_id=1, run_id=1, division_id=1, rated=True, game=0, first="v1", second="v4",
        first_revision=1, second_revision=2, board="6x7", board_class="6x7", opening_plies=5,
        seed=1, moves=(6, 0, 6, 0, 6, 0, 6), result=Result.WIN,
        termination=Termination.FOUR_IN_A_ROW, detail="", offender=None, started_at=0.0,
        duration_us=1, thoughts=(Thought(1), Thought(1)), sides=(SideSums(), SideSums()),
    )  # fmt: skip
    loss, win = Bounds(2 - FAR, 2 - FAR), Bounds(FAR - 1, FAR - 1)
    before = [(loss,) * 6 + (Bounds(0, 0),), (UNBOUNDED, None, *[loss] * 4, win)]
    verdicts = [judge_move(before[0], 0, Thought(1)), judge_move(before[1], 6, Thought(1))]
    return game, GameTruth(before, verdicts, estimates=(None, 0.5))
