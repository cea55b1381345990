"""The settings of a training: what the user chose, and what makes two trainings the same."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bots.c4ai.weights import Weights, find_weights
from engine.board import BoardClass, format_board_classes, parse_board_classes
from engine.seeds import SEED_LIMIT
from ladder.errors import UsageError
from ladder.learning.training_folder import refuse_changes
from ladder.runs.schedule import refuse_long_openings

DEFAULT_START = "published"
DEFAULT_BOARDS = "standard"
DEFAULT_DEPTH = 5
DEFAULT_GAMES = 2


class TrainingSettings(msgspec.Struct, frozen=True):
    """The settings that identify a training, as the first line of a log holds them."""

    seed: int
    start: Weights
    boards: str
    """Board classes in the form that `engine.board.parse_board_classes` reads."""
    opening_plies: int | None
    """Random plies before the players move; None: none on thu, 4 on a fixed board."""
    depth: int
    """Plies that both look ahead."""
    games_per_trial: int
    """Even: every opening is played by both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSettings:
    """The settings that the user chose; None: the former ones, or else the default."""

    seed: int | None = None
    start: Weights | None = None
    boards: str | None = None
    """Canonical, as `engine.board.format_board_classes` writes it."""
    opening_plies: int | None = None
    depth: int | None = None
    games_per_trial: int | None = None


def chosen_settings(
    *,
    seed: int | None,
    start: str | None,
    boards: Sequence[BoardClass] | None,
    opening_plies: int | None,
    depth: int | None,
    games_per_trial: int | None,
) -> ChosenSettings:
    """The chosen settings from the words of the command line.

    Raises:
        UsageError: games per trial are odd.
        SpecError: the first weights cannot be read.

    """
    if games_per_trial is not None and games_per_trial % 2:
        raise UsageError(f"--games-per-trial must be 2, 4, 6, ..., got {games_per_trial}")
    return ChosenSettings(
        seed=seed,
        start=None if start is None else find_weights(start),
        boards=None if boards is None else format_board_classes(boards),
        opening_plies=opening_plies,
        depth=depth,
        games_per_trial=games_per_trial,
    )


def settle(
    chosen: ChosenSettings, former: TrainingSettings | None, folder: Path
) -> TrainingSettings:
    """The settings of a training to begin, or those of the former one, which must agree.

    Args:
        chosen: what the user chose.
        former: of the training that the folder holds; None: it holds none.
        folder: where the training is kept.

    Raises:
        UsageError: another value was chosen than that of the former training, or the openings are
            too long for the boards.

    """
    if former is not None:
        refuse_changes(chosen, former, folder)
        return former
    settings = TrainingSettings(
        seed=secrets.randbelow(SEED_LIMIT) if chosen.seed is None else chosen.seed,
        start=chosen.start or find_weights(DEFAULT_START),
        boards=chosen.boards or format_board_classes(parse_board_classes(DEFAULT_BOARDS)),
        opening_plies=chosen.opening_plies,
        depth=chosen.depth or DEFAULT_DEPTH,
        games_per_trial=chosen.games_per_trial or DEFAULT_GAMES,
    )
    refuse_long_openings(settings.opening_plies, parse_board_classes(settings.boards))
    return settings
