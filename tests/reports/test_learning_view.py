"""Progress lines of a training of the evaluation."""

from ladder.learning.value.fitting import CalibrationBin, Quality
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState
from ladder.learning.value.settings import LearningSettings
from reports.train import LearningView

SETTINGS = LearningSettings(seed=1, player="v18", simulations=15, games=400, boards="6x7")
QUALITY = Quality(
    learned_loss=0.6,
    held_out_loss=0.5123,
    searched_loss=0.5,
    right=0.75,
    calibration=(
        CalibrationBin(positions=300, expected=0.25, scored=0.29),
        CalibrationBin(positions=100, expected=0.75, scored=0.75),
    ),
)


def test_the_status_has_the_quality_of_the_last_weights() -> None:
    """While games are played, the line has loss and calibration of the weights so far."""
    record = GenerationRecord(1, games=400, positions=9000, quality=QUALITY, seconds=1.0)
    state = LearningState(SETTINGS, target=2, records=[record], games=100, played=100)
    state.playing_s = 50.0
    assert LearningView().status(state) == (
        "generation 2/2, 100/400 games, 2.0 games/s, "
        "weights so far: held-out loss 0.5123, calibration error 3.0%"
    )
    state.fitting = True
    assert LearningView().status(state).startswith("generation 2/2, fitting weights, weights so")
