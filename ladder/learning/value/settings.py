"""The settings of a training, which determine its games and its weights."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bots.catalogue import parse_player
from bots.champion import CHAMPION
from bots.learned.weights import read_weights
from bots.learned.weights_file import SHIPPED_FILES, find_weights, hash_of, store_weights
from engine.board_class import BoardClass, format_board_classes, parse_board_classes
from engine.seeds import mix
from ladder.errors import UsageError
from ladder.learning.training_folder import choose_settings, parse_line, read_file

SETTINGS = "settings.json"
LEARNER = "v21"
"""The player that uses weights which were trained from nothing."""
DEFAULT_PLAYER = "v18"
NEW = "new weights"
"""`LearningSettings.start` of a training that begins with random weights."""
FURTHER: dict[str, object] = {"player": CHAMPION, "rate": 0.0003, "orders": 6}
"""Defaults where weights are trained further: rate and orders made the champion's weights."""
DEFAULT_SIMULATIONS = 400
DEFAULT_GAMES = 30_000
DEFAULT_BOARDS = "thu,standard,8x8"


class LearningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that identify a training, as stored in its folder."""

    seed: int
    player: str = DEFAULT_PLAYER
    """The built-in player of the games, with its options. With new weights it plays those of the
    first generation only, and `LEARNER` the later ones."""
    start: str = NEW
    """SHA-256 of the weights that are trained further, or `NEW`."""
    simulations: int = DEFAULT_SIMULATIONS
    """Budget of a move in those games."""
    games: int = DEFAULT_GAMES
    """Games of a generation."""
    boards: str = format_board_classes(parse_board_classes(DEFAULT_BOARDS))
    """Board classes as `engine.board.format_board_classes` writes them: half of the games are
    played on the first one, the others on the rest."""
    opening_plies: int = 16
    """Largest number of random plies at the start of a game; the smallest is 0."""
    noise: float = 0.1
    """Share of random moves after the opening, in every second game."""
    result_weight: float = 0.5
    """Weight of the game's result in a target; the search's value has the rest."""
    window: int = 3
    """Number of latest generations whose games are learned from."""
    epochs: int = 4
    batch: int = 1024
    """Positions of a gradient step."""
    rate: float = 0.002
    """Learning rate of the first epoch; it falls along half a cosine."""
    orders: int = 1
    """Random orders of the positions; the weights are the mean over them."""
    held_out: int = 20
    """One game of `held_out` is not learned from, alternately one with and one without random
    moves; an even number."""

    @property
    def starts_new(self) -> bool:
        """Whether the first generation fits new weights."""
        return self.start == NEW

    @property
    def start_name(self) -> str:
        """Name of the first weights if they are shipped, else `start`."""
        names = {hash_of(path): name for name, path in SHIPPED_FILES.items()}
        return names.get(self.start, self.start)

    @property
    def learner(self) -> str:
        """The player that uses the weights, with its options."""
        return LEARNER if self.starts_new else self.player

    def seed_of(self, *parts: int) -> int:
        """Return the seed for one purpose, such as one game."""
        return mix(self.seed, *parts)


BLOCK = 100
"""Games of a file, which a killed process may lose."""
GAMES, FIT = range(2)
"""Numbers of the random streams."""


def settings_for(
    folder: Path,
    *,
    seed: int | None = None,
    player: str | None = None,
    start: str | None = None,
    simulations: int | None = None,
    games: int | None = None,
    boards: Sequence[BoardClass] | None = None,
) -> LearningSettings:
    """Return the settings of the training in a folder, with the user's choices (None: no choice).

    Raises:
        UsageError: a choice differs from the training in the folder, or the player accepts no
            budget of simulations or, with `start`, no weights.
        BotsError: there is no such player, or the first weights cannot be read.

    """
    stored = read_settings(folder)
    chosen: dict[str, object] = {
        "seed": seed,
        "player": player,
        "start": None if start is None else _checked_weights(start),
        "simulations": simulations,
        "games": games,
        "boards": None if boards is None else format_board_classes(boards),
    }
    if stored is None and start is not None:
        given = {name: value for name, value in chosen.items() if value is not None}
        chosen = {**FURTHER, **given}
    settings = choose_settings(LearningSettings, chosen, stored, folder)
    version, _ = parse_player(settings.player)
    if not settings.starts_new and "weights" not in version.options:
        raise UsageError(
            f"{version.name} uses no weights: choose a player that does, such as {CHAMPION}",
            option="player",
        )
    if "simulations" not in version.budgets:
        raise UsageError(
            f"{version.name} takes no budget of simulations: choose a player that does, such as "
            f"{DEFAULT_PLAYER}",
            option="player",
        )
    return settings


def read_settings(folder: Path) -> LearningSettings | None:
    """Return the settings of the training in a folder, or None if there is no training.

    Raises:
        UsageError: the file of settings cannot be read.

    """
    path = folder / SETTINGS
    content = read_file(path)
    if content is None:
        return None
    return parse_line(content, LearningSettings, path, 1, "choose another folder")


def format_command(settings: LearningSettings, generations: int) -> str:
    """Return the command that makes the weights of a training again."""
    command = (
        f"ladder train value --generations {generations} --games {settings.games} "
        f"--player {shlex.quote(settings.player)} --simulations {settings.simulations} "
        f"--boards {settings.boards} --seed {settings.seed}"
    )
    further = [] if settings.starts_new else ["--start", settings.start_name]
    return " ".join([command, *further])


def _checked_weights(text: str) -> str:
    """Return the SHA-256 of weights that can be read, of which a copy is stored."""
    read_weights(find_weights(text))
    return store_weights(text)
