"""The state of a run for its watcher: read from the database, then updated pair by pair."""

import time
from collections.abc import Iterator, Mapping

from db.records.pairs import Entrant, PairPlan, PairRecord, StoreResult
from db.records.runs import RunRow
from db.store import Store
from engine.result import Result
from ladder.match.process.failures import to_one_line
from ladder.runs.progress import LiveBot, LiveRun, describe_run
from ladder.runs.settings import Settings
from ladder.stats.sequential_elo import START


def scoreboard_of(
    store: Store, run: RunRow, settings: Settings, entrants: Mapping[str, Entrant]
) -> LiveRun:
    """Return the state of a run, the games of its interrupted sessions included."""
    ratings: dict[int, float] = {
        row.revision: row.elo for row in store.aggregate.ratings(run.division_id)
    }
    bots = {}
    for name, entrant in entrants.items():
        elo = ratings.get(entrant.revision, START)
        bots[name] = LiveBot(name, elo, elo)
    live = LiveRun(
        run_id=run.id,
        seed=run.seed,
        title=describe_run(settings),
        target_games=settings.target_games,
        games_before=store.games.count(run.id),
        bots=bots,
        is_rated=run.rated,
    )
    played_s = _count_former(live, store, entrants) if live.games_before else 0.0
    if settings.seconds is not None:
        live.deadline = time.monotonic() + settings.seconds - played_s
    return live


def count_pair(
    live: LiveRun, plan: PairPlan, record: PairRecord, finished: StoreResult
) -> Iterator[str]:
    """Count a stored pair; yield a warning for each bot's first forfeit of each kind."""
    for entrant, rating in ((plan.a, finished.a), (plan.b, finished.b)):
        if rating is not None:
            live.bots[entrant.name].elo = rating.elo
    ids = finished.game_ids or (0, 0)
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


def _count_former(live: LiveRun, store: Store, entrants: Mapping[str, Entrant]) -> float:
    """Count the games of interrupted sessions; return their playing time in seconds."""
    names = {entrant.revision: name for name, entrant in entrants.items()}
    tally = store.tallies.of_run(live.run_id)
    for side in tally.sides:
        bot = names[side.revision]
        live.count_results(bot, wins=side.wins, draws=side.draws, losses=side.losses)
    for one in tally.forfeits:
        bot = names[one.revision]
        live.count_forfeits(bot, one.termination, games=one.games, game=one.game, cause=one.detail)
    return tally.played_s
