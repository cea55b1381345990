"""Golden games: what each version decides at its declared behaviour, and the identity of players.

The identity of a built-in player is a hash of its name, its options and its behaviour. A version
declares its behaviour as a number, which its golden games guard. In a version without golden games,
which is being worked on, the sources take the place of the number.

``python -m bots.golden record [NAME...]`` records versions, by default those without golden games.
``check [PLAYER...]`` replays those of changed sources, by default of all versions; it
prints nothing, and its exit status is 3 if one decides otherwise. Commands that play call it
for their players.
"""

import hashlib
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from bots.budget import Budget
from bots.catalogue import VERSIONS, build, find, parse_player
from bots.errors import BotsError
from bots.player import Choice, TimedPlayer
from bots.version import Version
from engine.board import parse_board
from engine.cache import cache_folder, is_used, source_fingerprint, write_entry
from engine.position import Position, format_moves

FILE = Path(__file__).with_name("golden.json")
BOARDS = ("6x7", "9x9@4,4", "12x11@0,3")
WORK: Mapping[str, tuple[int, ...]] = {
    "simulations": (50, 600),
    "nodes": (300, 6000),
    "depth": (3,),
    "any": (1,),
}
"""Amounts of each work budget."""
SEEDS = (3, 42)
DECIDES_OTHERWISE = 3
"""Exit status of ``check``."""
TIMED = Budget(time_ms=400)
OPTION = "option "
"""Prefix of an option's name among the ingredients of a stored revision."""


class GoldenGames(msgspec.Struct, frozen=True):
    """The golden games of a version."""

    behaviour: int
    games: dict[str, str]
    """Moves and a hash of all statistics, by board, budget and seed."""


@lru_cache(maxsize=1)
def recorded(file: Path = FILE) -> Mapping[str, GoldenGames]:
    """Return the recorded golden games by version."""
    return msgspec.json.decode(file.read_bytes(), type=dict[str, GoldenGames])


def is_recorded(version: Version) -> bool:
    """Return whether a version has golden games at its behaviour."""
    entry = recorded().get(version.name)
    return entry is not None and entry.behaviour == version.behaviour


def decides_otherwise(version: Version) -> bool:
    """Replay a version's golden games; return whether it now decides otherwise."""
    return is_recorded(version) and play_golden(version) != recorded()[version.name].games


def describe_change(version: Version) -> str:
    """Return the refusal of a version that decides otherwise than its golden games."""
    return (
        f"{version.name} decides otherwise than its behaviour {version.behaviour}: raise it or "
        "undo the change"
    )


def play_golden(version: Version) -> dict[str, str]:
    """Play a version's golden games: every board, work budget and seed, and a move on the clock."""
    games = {
        f"{board} {budget.kind}={budget.amount} seed {seed}": _play(
            version.name, board, budget, seed
        )
        for board in BOARDS
        for budget in _budgets(version)
        for seed in SEEDS
    }
    return {**games, "clock": _play_timed(version.name)} if "time" in version.budgets else games


def record(names: Iterable[str], file: Path = FILE) -> list[str]:
    """Record golden games, except those that changed while the behaviour did not.

    Returns:
        The refusals.

    Raises:
        UnknownPlayer: no built-in player has one of the names.

    """
    games, refused = dict(recorded(file)), []
    for version in map(find, names):
        former, new = games.get(version.name), GoldenGames(version.behaviour, play_golden(version))
        if former is None or former.behaviour != new.behaviour:
            games[version.name] = new
        elif former != new:
            refused.append(describe_change(version))
    ordered = {name: games[name] for name in VERSIONS if name in games}
    file.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")
    recorded.cache_clear()
    return refused


def content_hash(
    version: Version,
    options: Mapping[str, Any],
    hash_sources: Callable[[], str] = source_fingerprint,
) -> str:
    """Return the identity of a player with extra options, 16 hex digits.

    Args:
        version: the player.
        options: its extra options.
        hash_sources: returns a hash of all sources, for a version without golden games.

    Raises:
        SpecError: an option names a file that cannot be used.

    """
    resolved = version.resolve_options({**version.options, **options})
    parts = (version.name, resolved, *behaviour(version, hash_sources).values())
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def behaviour(version: Version, hash_sources: Callable[[], str]) -> dict[str, str]:
    """Return the behaviour that a version declares, or the sources if it has no golden games."""
    if is_recorded(version):
        return {"behaviour": str(version.behaviour)}
    return {"sources": hash_sources()}


def _budgets(version: Version) -> Iterator[Budget]:
    for kind in version.budgets:
        for amount in WORK.get(kind, ()):
            yield Budget.of("simulations" if kind == "any" else kind, amount)


def _play(name: str, text: str, budget: Budget, seed: int) -> str:
    """Return a game of a player against itself: its moves, and a hash of their statistics."""
    board = parse_board(text)
    sides = [build(name, board=board, side=side, seed=seed, budget=budget) for side in (0, 1)]
    position = Position(board)
    digest = hashlib.sha256()
    while not position.is_over:
        choice = sides[position.to_move].choose(position.moves)
        digest.update(_statistics(choice))
        position = position.play(choice.column)
    return f"{format_moves(position.moves)} {digest.hexdigest()[:16]}"


def _play_timed(name: str) -> str:
    """Return a first move, and how often it read a clock that each reading sets forward.

    This shows the share of the time that the player uses.
    """
    board, seed = parse_board(BOARDS[0]), SEEDS[0]
    player = build(name, board=board, side=0, seed=seed, budget=TIMED)
    readings = itertools.count()
    if isinstance(player, TimedPlayer):
        player.now = lambda: next(readings) / 512
    choice = player.choose(())
    digest = hashlib.sha256(_statistics(choice)).hexdigest()[:16]
    return f"{format_moves([choice.column])} {digest} {next(readings)}"


def _statistics(choice: Choice) -> bytes:
    info = choice.info
    if info is not None and info.value is not None:
        # The last digits depend on the processor's mathematical functions.
        info = msgspec.structs.replace(info, value=round(info.value, 6))
    return msgspec.json.encode((choice.column, info))


def is_checked(players: Iterable[str]) -> bool:
    """Return whether these players decide as recorded with the current sources."""
    return all(is_used(_stamp(parse_player(player)[0])) for player in players)


def check(players: Sequence[str]) -> bool:
    """Replay golden games that were not replayed with the current sources, in any process.

    Returns:
        Whether all players decide as recorded.

    """
    for player in players:
        version = parse_player(player)[0]
        if not is_checked([player]) and not decides_otherwise(version):
            write_entry(_stamp(version), "")
    return is_checked(players)


def _stamp(version: Version) -> Path:
    """Return the file that marks a player as checked with these sources."""
    return cache_folder() / "golden" / f"{version.name}-{source_fingerprint()}"


def main(arguments: Sequence[str]) -> int:
    """Record or check the named versions; return the exit status.

    Without names record those without golden games, or check all.
    """
    command, names = (arguments[0], arguments[1:]) if arguments else ("", ())
    refused = ["usage: python -m bots.golden record [NAME...] | check [PLAYER...]"]
    try:
        if command == "check":
            return 0 if check(names or list(VERSIONS)) else DECIDES_OTHERWISE
        if command == "record":
            refused = record(names or [n for n, each in VERSIONS.items() if not is_recorded(each)])
    except BotsError as error:
        refused = [str(error)]
    for line in refused:
        print(line, file=sys.stderr)  # noqa: T201 - this is its output
    return 2 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
