"""The loop of self-learning, and its log."""

from pathlib import Path

import msgspec
import pytest

from bots.c4ai.weights import LIMIT, Weights, read_weights
from engine.seeds import SplitMix
from ladder.errors import UsageError
from ladder.learning.c4ai.loop import (
    WEIGHTS,
    Generation,
    TrainingState,
    mutate,
    open_log,
    play_trial,
    train,
)
from ladder.learning.c4ai.settings import TrainingSettings, settings_for
from ladder.learning.training_folder import LOG

START = Weights(0, 0, 0, 900, 0, 0)
SETTINGS = TrainingSettings(
    seed=5, start=START, boards="4x5,5x5@2,2", opening_plies=2, depth=1, games_per_trial=4
)


def run(folder: Path, target: int, stop_after: int | None = None) -> TrainingState:
    """Train up to a number of generations, or stop after an earlier one."""
    with open_log(folder, SETTINGS, target) as log:
        state = log.state
        for one in train(state, play_trial):
            log.add(one)
            if state.generation == stop_after:
                break
        return state


def lines(folder: Path) -> list[dict[str, object]]:
    """Return the log without the fields that depend on the clock."""
    found = [msgspec.json.decode(line) for line in (folder / LOG).read_bytes().splitlines()]
    return [{key: one[key] for key in one if key != "timing"} for one in found]


def test_mutations_stay_within_their_span() -> None:
    """Each weight moves by at most 5 * (unbeaten + 1), and by both ends of that."""
    random = SplitMix(1)
    for unbeaten in (0, 3):
        span = 5 * (unbeaten + 1)
        steps = {
            child - parent
            for _ in range(300)
            for child, parent in zip(mutate(START, unbeaten, random), START, strict=True)
        }
        assert (min(steps), max(steps)) == (-span, span)
    assert max(mutate(Weights(*[LIMIT] * 6), 9, random)) <= LIMIT


def test_a_child_replaces_its_parent_only_by_winning_more(tmp_path: Path) -> None:
    """Every line of a log must follow from the one before by the rule."""
    state = run(tmp_path, 60)
    weights, unbeaten, changes = START, 0, 0
    generations = [
        msgspec.json.decode(line, type=Generation)
        for line in (tmp_path / LOG).read_bytes().splitlines()[1:]
    ]
    assert [one.generation for one in generations] == list(range(1, 61))
    for one in generations:
        assert one.wins + one.draws + one.losses == SETTINGS.games_per_trial
        span = 5 * (unbeaten + 1)
        assert all(abs(a - b) <= span for a, b in zip(one.child, weights, strict=True))
        assert one.replaced == (one.wins > one.losses)
        weights, unbeaten = (one.child, 0) if one.replaced else (weights, unbeaten + 1)
        changes += one.replaced
        assert (one.weights, one.unbeaten) == (weights, unbeaten)
    assert 0 < changes < 60
    assert (state.weights, state.unbeaten, state.changes) == (weights, unbeaten, changes)
    assert read_weights(tmp_path / WEIGHTS) == weights


def test_an_interrupted_training_is_the_undisturbed_one(tmp_path: Path) -> None:
    """Stopped in the middle, with half a line cut off and the weights lost, it ends the same."""
    run(tmp_path / "whole", 20)
    run(tmp_path / "parts", 20, stop_after=7)
    assert len(lines(tmp_path / "parts")) == 8
    with (tmp_path / "parts" / LOG).open("ab") as file:
        file.write(b'{"generation":8,"child":[1,')
    (tmp_path / "parts" / WEIGHTS).unlink()
    state = run(tmp_path / "parts", 20)
    assert state.generations_before == 7
    assert lines(tmp_path / "parts") == lines(tmp_path / "whole")
    assert read_weights(tmp_path / "parts" / WEIGHTS) == state.weights


def test_a_generation_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Its line is named, and the log stays as it is."""
    run(tmp_path, 2)
    log = tmp_path / LOG
    content = log.read_text()
    log.write_text(content + content.splitlines(keepends=True)[-1])
    with pytest.raises(UsageError, match="line 4: generation 2 stands in place of 3"):
        run(tmp_path, 3)
    assert len(lines(tmp_path)) == 4


def test_a_folder_holds_one_training_at_a_time(tmp_path: Path) -> None:
    """Another process, other settings and foreign files are refused and left alone."""
    with (
        open_log(tmp_path, SETTINGS, 3),
        pytest.raises(UsageError, match="another training is running"),
        open_log(tmp_path, SETTINGS, 3),
    ):
        pass
    assert settings_for(tmp_path) == SETTINGS
    with pytest.raises(UsageError, match=r"seed: .* has 5, not 6"):
        settings_for(tmp_path, seed=6)
    log = tmp_path / LOG
    log.write_text(log.read_text() + "nonsense\n")
    with pytest.raises(UsageError, match="line 2"), open_log(tmp_path, SETTINGS, 3):
        pass
    assert log.read_text().endswith("nonsense\n")
    log.write_text("nonsense\n")
    with pytest.raises(UsageError, match="line 1"):
        settings_for(tmp_path)
