"""The referee: plays one game, and one pair, by the rules, charging failures to their cause."""

from db.records.games import GameRecord
from db.records.pairs import PairPlan, PairRecord
from ladder.errors import (
    BotChanged,
    MachineStalled,
)
from ladder.match.game.blame import judge
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcaster
from ladder.match.game.refereed_game import MAX_STALLS, Judge, PairNotes, RefereedGame


def play_pair(
    plan: PairPlan,
    pool: BotPool,
    broadcast: Broadcaster | None = None,
    *,
    judge_late: Judge = judge,
) -> PairRecord:
    """Play both games of a pair; `broadcast` is told the moves as they are made.

    After a stall of the machine the move in question is asked again, of a fresh process. Under a
    work budget, where a move depends on all messages before it, the pair starts again. After more
    than three stalls the record holds no games and says why; so it does, at once, when a bot's
    files were not what was registered.
    """
    notes = PairNotes()
    games: tuple[GameRecord, ...] = ()
    while not games and len(notes.stalls) <= MAX_STALLS:
        try:
            first = RefereedGame(plan, False, pool, notes, judge_late, broadcast).play()
            games = (first, RefereedGame(plan, True, pool, notes, judge_late, broadcast).play())
        except MachineStalled as stall:
            notes.stalls.append(str(stall))
        except BotChanged as error:
            changed = [each.revision for each in (plan.a, plan.b) if each.start == error.start]
            return PairRecord(
                plan.id, plan.number, (), abort_reason=error.files, changed=tuple(changed)
            )
    return PairRecord(
        plan.id,
        plan.number,
        games,
        aborts=len(notes.stalls),
        abort_reason="" if games else notes.stalls[-1],
        failed_starts=tuple(notes.failed_starts),
        excuses=notes.excuses(),
        pondering=tuple(
            each.revision for each in (plan.a, plan.b) if pool.history_of(each.start).ponders
        ),
    )


def play_game(
    plan: PairPlan, pool: BotPool, *, swapped: bool, judge_late: Judge = judge
) -> GameRecord:
    """Play one game of a pair; A moves first unless `swapped`.

    Raises:
        MachineStalled: a bot was late because the machine did not let it run.

    """
    return RefereedGame(plan, swapped, pool, PairNotes(), judge_late).play()
