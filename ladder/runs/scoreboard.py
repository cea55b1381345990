"""The state of a run for its watcher: read from the database, then updated pair by pair."""

import time
from collections.abc import Iterator, Mapping

from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunKind, RunRow
from db.store import Store
from engine.result import Result
from ladder.match.process.failures import to_one_line
from ladder.runs.history import run_title
from ladder.runs.progress import LiveBot, LiveRun
from ladder.runs.settings import RunSettings
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.rating import rate_connected

REFIT_S = 0.5
"""Shortest interval between two fits of the ratings."""


def scoreboard_of(
    store: Store, run: RunRow, settings: RunSettings, entrants: Mapping[str, Entrant]
) -> LiveRun:
    """Return the state of a run, the games of its interrupted sessions included."""
    live = LiveRun(
        run_id=run.id,
        seed=run.seed,
        title=run_title(run.kind, run.settings, ""),
        target_games=settings.target_games,
        games_before=store.games.count(run.id),
        bots={name: LiveBot(name) for name in entrants},
        is_rated=run.rated,
        first=settings.pairing.candidate
        or (settings.bots[0] if settings.kind is RunKind.MATCH else None),
    )
    _count_former(live, store, entrants)
    if settings.seconds is not None:
        played_s = store.history.played_s(run.id)
        live.deadline = time.monotonic() + settings.seconds - played_s
    return live


def count_pair(
    live: LiveRun, plan: PairPlan, record: PairRecord, finished: tuple[int, ...]
) -> Iterator[str]:
    """Count a stored pair; yield a warning for each bot's first forfeit of each kind."""
    counts = live.counts.setdefault((plan.a.name, plan.b.name, plan.board_class), [0] * 9)
    of_a = [game.result.points2 for game in record.games]
    counts[3 * of_a[0] + 2 - of_a[1]] += 1
    ids = finished or (0, 0)
    for game, game_id in zip(record.games, ids, strict=True):
        first, second = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
        for entrant, result in ((first, game.result), (second, game.result.mirrored)):
            live.count_results(
                entrant.name,
                wins=result is Result.WIN,
                draws=result is Result.DRAW,
                losses=result is Result.LOSS,
            )
            if result is Result.LOSS and game.termination.is_forfeit:
                cause = to_one_line(game.detail)
                forfeits = live.count_forfeits(
                    entrant.name, game.termination, games=1, game=game_id, cause=cause
                )
                if forfeits.games == 1:
                    which = f"game {game_id}" if game_id else "a game"
                    player = "" if game_id or entrant.player is None else f" (`{entrant.player}`)"
                    name = entrant.name if game_id else f"setting {entrant.name}"
                    yield f"{name} lost {which} by {game.termination.noun}: {cause}{player}"
    live.count(len(record.games))


def refit(live: LiveRun) -> None:
    """Fit the list rating of a rated run's bots to its counts, unless that was done just now."""
    if not live.is_rated or not live.counts or time.monotonic() - live.fitted_at < REFIT_S:
        return
    tables = ((*key, counts) for key, counts in live.counts.items())
    rating = rate_connected(cells=from_named_tables(tables)).rating
    for name, elo in zip(rating.players, rating.elo.tolist(), strict=True):
        live.bots[name].elo = elo
    live.fitted_at = time.monotonic()


def _count_former(live: LiveRun, store: Store, entrants: Mapping[str, Entrant]) -> None:
    """Count the games of interrupted sessions."""
    names = {entrant.revision: name for name, entrant in entrants.items()}
    for row in store.aggregate.of_run(live.run_id):
        key = (names[row.a_revision], names[row.b_revision], row.board_class)
        live.counts[key] = list(row.counts)
        wins, draws, losses = row.wdl
        live.count_results(key[0], wins=wins, draws=draws, losses=losses)
        live.count_results(key[1], wins=losses, draws=draws, losses=wins)
    for one in store.history.forfeits(live.run_id):
        bot = names[one.revision]
        live.count_forfeits(bot, one.termination, games=one.games, game=one.game, cause=one.detail)
