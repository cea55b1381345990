"""What this machine offers and what will go wrong: each check is a small function."""

from db.store import Store
from engine.board import parse_board
from engine.errors import EngineError
from engine.position import Position
from engine.result import Termination
from ladder.doctor.machine import SHOWN, Finding, Level
from ladder.ratings.sequential_elo import rate_pair


def examine_database(store: Store, *, repair: bool = False) -> list[Finding]:
    """Integrity, legality of every game, and derived tables against the games.

    With `repair` the derived tables and live ratings are replaced by the recomputed ones.
    """
    findings = [Finding("integrity", Level.FAULT, complaint) for complaint in store.check()] or [
        Finding("integrity", Level.OK, "the database passes its own integrity check")
    ]
    findings.append(_check_games(store))
    findings.append(_check_derived(store, repair=repair))
    return findings


def _check_games(store: Store) -> Finding:
    """Whether every game replays legally to its stored result."""
    bad: list[str] = []
    count = 0
    for game in store.games.stream():
        count += 1
        try:
            position = Position.from_moves(parse_board(game.board), game.moves)
        except EngineError as error:
            bad.append(f"game {game.id}: {error}")
            continue
        if game.termination.is_forfeit or game.termination is Termination.ADJUDICATED:
            continue
        if position.ending != (game.result, game.termination):
            bad.append(f"game {game.id} is stored as {game.result} by {game.termination}")
    if bad:
        shown = "; ".join(bad[:SHOWN])
        return Finding("games", Level.FAULT, f"{len(bad)} of {count} games are wrong: {shown}")
    return Finding("games", Level.OK, f"{count} games replay legally to their stored results")


def _check_derived(store: Store, *, repair: bool) -> Finding:
    differences = store.aggregate.rebuild(rate_pair, repair=repair)
    if not differences:
        text = "tables and live ratings equal those computed from the games"
        return Finding("derived", Level.OK, text)
    shown = "; ".join(
        f"{d.table}.{d.column} {d.key}: {d.stored} stored, {d.computed} computed"
        for d in differences[:SHOWN]
    )
    if repair:
        return Finding("derived", Level.OK, f"{len(differences)} values repaired: {shown}")
    text = f"{len(differences)} derived values are wrong: {shown}; repair with --repair"
    return Finding("derived", Level.FAULT, text)
