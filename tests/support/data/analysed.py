"""An analysis in which something stands under every key."""

from db.records.analysis import JudgedGame
from engine.solver.value import Outcome
from ladder.results.analysis.division import DivisionMistakes, FalseProof
from ladder.results.analysis.mistakes import mistakes_by_revision
from ladder.results.analysis.session import Progress
from ladder.results.analysis.verdict import Claim, Decision, MoveVerdict

LOST = MoveVerdict(Outcome.DRAW, Outcome.LOSS, Decision.YES, 0, 0.5, Claim.FALSE)


def an_analysis() -> tuple[Progress, DivisionMistakes]:
    """One bot that lost one game by its first move, for which it claimed a win."""
    game = JudgedGame(
        game_id=7,
        pair_id=1,
        first_revision=1,
        second_revision=2,
        board="6x7",
        opening_plies=0,
        result="loss",
        termination="four_in_a_row",
        moves=LOST.packed(),
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
