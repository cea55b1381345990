"""The lost games that an experiment shows: forfeits, the shortest and the latest ones."""

from collections.abc import Sequence

from db.records.games import GameQuery
from db.store import Store
from engine.result import Result
from ladder.results.standings.report_data import Reason, ShownGame, read_shown_games

LOSSES_READ = 1000
"""Latest losses of a bot among which the shortest are searched."""


def lost_games(
    store: Store,
    conditions: str,
    bot: str,
    against: Sequence[str],
    number: int,
    *,
    run_id: int | None = None,
) -> list[ShownGame]:
    """Return lost games of a bot against others, as `games_of_gate` does."""
    labels = {division.label: division.id for division in store.divisions.all()}
    if conditions not in labels or not number:
        return []
    chosen: dict[int, Reason] = {}
    for opponent in against:
        query = GameQuery(
            bot=bot,
            opponent=opponent,
            result=Result.LOSS,
            division_id=labels[conditions],
            run_id=run_id,
        )
        lost = store.games.newest(query, LOSSES_READ)
        part = max(number // (3 * len(against)), 1)
        failed = [game.id for game in lost if game.termination.is_forfeit]
        short = sorted(lost, key=lambda game: (game.plies, -game.id))
        for ids, reason in (
            (failed, Reason.FORFEIT),
            ([game.id for game in short], Reason.SHORT),
            ([game.id for game in lost], Reason.LATEST),
        ):
            fresh = [key for key in ids if key not in chosen]
            chosen |= dict.fromkeys(fresh[:part], reason)
    return read_shown_games(store, dict(list(chosen.items())[:number]))
