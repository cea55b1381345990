"""Choosing games to show: forfeits, upsets, short games, swings of value, the latest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from db.records.aggregate import PairTableRow
from db.records.games import GameQuery, GameRow
from db.store import Store

LARGE_SWING = 0.5
"""Least change of a bot's value between two moves that counts as a swing."""


class Reason(StrEnum):
    """Why a game is shown."""

    FORFEIT = "forfeit"
    UPSET = "upset"
    SHORT = "short"
    SWING = "swing"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game with its thoughts, and the reason to show it."""

    game: GameRow
    reason: Reason


def choose_games(
    store: Store,
    wanted: GameQuery,
    number: int,
    recent: Sequence[GameRow],
    tables: Sequence[PairTableRow],
    elo: Mapping[int, float],
) -> list[ShownGame]:
    """Choose all forfeits, then upsets, short games and swings, a quarter each, then the latest.

    Args:
        store: the open database.
        wanted: the games that may be shown.
        number: maximum number of games.
        recent: the latest of them with their thoughts, to search for swings.
        tables: the aggregate of the games that may be shown.
        elo: ratings by revision.

    """
    chosen: dict[int, Reason] = {}

    def take(ids: Iterable[int], reason: Reason, most: int) -> None:
        for game_id in ids:
            if most < 1 or len(chosen) >= number:
                return
            if game_id not in chosen:
                chosen[game_id] = reason
                most -= 1

    forfeits = store.games.newest(replace(wanted, forfeit=True), number)
    take((game.id for game in forfeits), Reason.FORFEIT, number)
    part = max((number - len(chosen)) // 4, 1)
    pairings = find_upset_pairings(tables, elo, 2 * part)
    upsets = replace(wanted, won_by={wanted.division_id or 0: pairings})
    take((game.id for game in store.games.newest(upsets, 2 * part)), Reason.UPSET, part)
    take(store.games.shortest(wanted, 4 * part), Reason.SHORT, part)
    swings = sorted(((largest_swing(game), game.id) for game in recent), reverse=True)
    take((game_id for size, game_id in swings if size > LARGE_SWING), Reason.SWING, part)
    take((game.id for game in recent), Reason.LATEST, number)
    return read_shown_games(store, chosen, recent)


def find_upset_pairings(
    tables: Sequence[PairTableRow], elo: Mapping[int, float], number: int
) -> frozenset[tuple[int, int]]:
    """Return (winner, loser) of the greatest upsets, until the pairings have `number` games."""
    found = []
    for row in tables:
        wins, _, losses = row.wdl
        a, b = row.a_revision, row.b_revision
        if a not in elo or b not in elo:
            continue
        for winner, loser, games in ((a, b, wins), (b, a, losses)):
            if games and elo[winner] < elo[loser]:
                found.append((elo[loser] - elo[winner], winner, loser, games))
    chosen: set[tuple[int, int]] = set()
    for _, winner, loser, games in sorted(found, reverse=True):
        if number < 1:
            break
        chosen.add((winner, loser))
        number -= games
    return frozenset(chosen)


def read_shown_games(
    store: Store, chosen: Mapping[int, Reason], known: Sequence[GameRow] = ()
) -> list[ShownGame]:
    """Return the chosen games in their order; read only those that are not `known`."""
    games = {game.id: game for game in known}
    games |= {game.id: game for game in store.games.get_many(set(chosen) - set(games))}
    return [ShownGame(games[key], reason) for key, reason in chosen.items() if key in games]


def largest_swing(game: GameRow) -> float:
    """Return the largest change of a bot's value between two of its moves, 0..2."""
    last: dict[int, float] = {}
    largest = 0.0
    for at, thought in enumerate(game.thoughts):
        side = (game.opening_plies + at) % 2
        if thought.value is not None:
            if side in last:
                largest = max(largest, abs(thought.value - last[side]))
            last[side] = thought.value
    return largest
