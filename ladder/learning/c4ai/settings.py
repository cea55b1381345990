"""The settings that make two trainings of c4ai the same training."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bots.c4ai.weights import PUBLISHED, Weights, find_weights
from engine.board_class import BoardClass, format_board_classes, parse_board_classes
from ladder.errors import UsageError
from ladder.learning.training_folder import LOG, choose_settings, parse_line, read_file
from ladder.runs.schedule import refuse_long_openings


class TrainingSettings(msgspec.Struct, frozen=True):
    """The settings that identify a training: the first line of its log."""

    seed: int
    start: Weights = msgspec.field(default_factory=lambda: find_weights(PUBLISHED))
    boards: str = format_board_classes(parse_board_classes("standard"))
    """Board classes as `engine.board.format_board_classes` writes them."""
    opening_plies: int | None = None
    """Random plies before the players move; None means 0 on thu and 4 on a fixed board."""
    depth: int = 5
    """Plies that both players search."""
    games_per_trial: int = 2
    """An even number, because both sides play every opening."""


def settings_for(
    folder: Path,
    *,
    seed: int | None = None,
    start: str | None = None,
    boards: Sequence[BoardClass] | None = None,
    opening_plies: int | None = None,
    depth: int | None = None,
    games_per_trial: int | None = None,
) -> TrainingSettings:
    """Return the settings of the training in a folder, with the user's choices (None: no choice).

    Raises:
        UsageError: a choice is invalid or differs from the training in the folder, or the log there
            cannot be read.
        SpecError: the first weights cannot be read.

    """
    if games_per_trial is not None and games_per_trial % 2:
        raise UsageError(
            f"it must be even, as both sides play every opening, got {games_per_trial}",
            option="games_per_trial",
        )
    if depth is not None and depth % 2 == 0:
        raise UsageError(
            f"it must be odd, as the player searches to odd depths only, got {depth}",
            option="depth",
        )
    chosen = {
        "seed": seed,
        "start": None if start is None else find_weights(start),
        "boards": None if boards is None else format_board_classes(boards),
        "opening_plies": opening_plies,
        "depth": depth,
        "games_per_trial": games_per_trial,
    }
    log = read_file(folder / LOG)
    first, newline, _ = (log or b"").partition(b"\n")
    stored = None
    if newline:
        remedy = "choose another folder"
        stored = parse_line(first, TrainingSettings, folder / LOG, 1, remedy)
    settings = choose_settings(TrainingSettings, chosen, stored, folder)
    refuse_long_openings(settings.opening_plies, parse_board_classes(settings.boards))
    return settings
