"""The settings of a training: all that its games and its weights follow from."""

import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bots.catalogue import parse_player
from engine.seeds import SEED_LIMIT, mix
from ladder.errors import UsageError
from ladder.learning.training_folder import refuse_changes

LEARNER = "v21"
"""The player that takes the weights."""
DEFAULT_PLAYER = "v18"
DEFAULT_SIMULATIONS = 400
DEFAULT_GAMES = 30_000
DEFAULT_BOARDS = "thu,standard,8x8"


class LearningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that identify a training, as its folder holds them."""

    seed: int
    player: str
    """The built-in player of the first generation's games, with its options; the following ones
    are played by the learned player with the weights so far."""
    simulations: int
    """Budget of a move in those games."""
    games: int
    """Games of a generation."""
    boards: str
    """Board classes in the form that `engine.board.parse_board_classes` reads; half of the games
    are on the first one, each of the others on one of the rest."""
    opening_plies: int = 16
    """Each game begins with 0 to so many random plies."""
    noise: float = 0.1
    """Share of random moves after that, in every second game."""
    result_weight: float = 0.5
    """Weight of the game's result in a target; the rest is the value that the search gave."""
    window: int = 3
    """Generations whose games are learned from."""
    epochs: int = 4
    batch: int = 1024
    """Positions of a gradient step."""
    rate: float = 0.002
    """Of learning, at the start; it falls along half a cosine."""
    held_out: int = 20
    """Every so many games one is not learned from; an even number, so that such games are with
    random moves and without them alike."""

    def seed_of(self, *parts: int) -> int:
        """A seed for one purpose."""
        return mix(self.seed, *parts)


BLOCK = 100
"""Games of a file: what a kill may cost."""
GAMES, FIT = range(2)
"""Streams of random numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSettings:
    """The settings that the user chose; None: the former ones, or else the default."""

    seed: int | None = None
    player: str | None = None
    simulations: int | None = None
    games: int | None = None
    boards: str | None = None
    """Canonical, as `engine.board.format_board_classes` writes it."""


def settle(
    chosen: ChosenSettings, former: LearningSettings | None, folder: Path
) -> LearningSettings:
    """The settings of a training to begin, or those of the former one, which must agree.

    Args:
        chosen: by the user.
        former: of the training that the folder holds; None: it holds none.
        folder: of the training.

    Raises:
        UsageError: another value was chosen than that of the former training, or the player takes
            no budget of simulations.
        BotsError: there is no such player.

    """
    if former is not None:
        refuse_changes(chosen, former, folder)
        return former
    player = chosen.player or DEFAULT_PLAYER
    version, _ = parse_player(player)
    if "simulations" not in version.budgets:
        raise UsageError(
            f"--player: {version.name} takes no budget of simulations: name one that does, such "
            f"as {DEFAULT_PLAYER}"
        )
    return LearningSettings(
        seed=secrets.randbelow(SEED_LIMIT) if chosen.seed is None else chosen.seed,
        player=player,
        simulations=chosen.simulations or DEFAULT_SIMULATIONS,
        games=chosen.games or DEFAULT_GAMES,
        boards=chosen.boards or DEFAULT_BOARDS,
    )


def command_of(settings: LearningSettings, generations: int) -> str:
    """The command that makes the weights of a training again."""
    return (
        f"ladder train value --generations {generations} --games {settings.games} "
        f"--player {settings.player} --simulations {settings.simulations} "
        f"--boards {settings.boards} --seed {settings.seed}"
    )
