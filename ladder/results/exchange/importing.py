"""Importing the games of a file: all of them or none."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from db.records.exchange import GameLine, Imported, NotImportable
from db.store import Store
from engine.errors import EngineError
from ladder.errors import UsageError
from ladder.results.exchange.analyses import save_positions
from ladder.results.exchange.numbered_game import ImportRefused, NumberedGame
from ladder.results.exchange.rules import check_game, check_pair, check_run


def import_games(store: Store, name: str, read: Iterable[NumberedGame]) -> Imported:
    """Check all games and store the new ones, in one transaction.

    Args:
        store: the database to store them in.
        name: the file's name, for messages.
        read: the games in the order of the file.

    Raises:
        ImportRefused: a line, run, pair or game breaks a rule, a pair lacks a game, or a stored
            pair of the same number differs.

    """
    games: dict[tuple[int, str, int], list[NumberedGame]] = {}
    runs: dict[tuple[int, str], GameLine] = {}
    for each in read:
        _checked(name, each.line, check_game, each.game)
        first = runs.setdefault((each.game.run, each.game.stream), each.game)
        _checked(name, each.line, check_run, first, each.game)
        key = (each.game.run, each.game.stream, each.game.pair)
        games.setdefault(key, []).append(each)
    pairs = [_pair(name, each) for each in games.values()]
    # In the order of storing.
    pairs.sort(key=lambda pair: max(each.game.timing.stored for each in pair))
    lines = [[each.game for each in pair] for pair in pairs]
    try:
        imported = store.exchange.import_lines(lines)
    except NotImportable as error:
        raise ImportRefused(name, pairs[error.index][error.game].line, str(error)) from error
    save_positions(store, chain.from_iterable(lines))
    return imported


def _pair(name: str, games: Sequence[NumberedGame]) -> list[NumberedGame]:
    """Return the games of a pair, in order."""
    line, pair = games[0].line, sorted(games, key=lambda each: each.game.game)
    whole = list(range(pair[0].game.kind.games_per_pair))
    if [each.game.game for each in pair] != whole:
        wanted = "the games 0 and 1, each" if len(whole) == 2 else "game 0"
        raise ImportRefused(name, line, f"a pair must have {wanted} once in the file")
    if len(pair) == 2:
        _checked(name, line, check_pair, pair[0].game, pair[1].game)
    return pair


def _checked(name: str, line: int, check: Callable[..., None], *games: GameLine) -> None:
    try:
        check(*games)
    except (EngineError, ValueError, UsageError) as error:
        raise ImportRefused(name, line, str(error)) from error
