"""The referee: plays a pair or one game by the rules, and charges failures to their cause."""

from db.records.games import GameRecord
from db.records.pairs import PairPlan, PairRecord
from ladder.errors import MachineStalled
from ladder.match.game.blame import judge_late_move
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcaster
from ladder.match.game.refereed_game import MAX_STALLS, LateMoveJudge, PairNotes, RefereedGame


def play_pair(
    plan: PairPlan,
    pool: BotPool,
    broadcast: Broadcaster | None = None,
    *,
    judge_late: LateMoveJudge = judge_late_move,
) -> PairRecord:
    """Play both games of a pair.

    After a stall of the machine, a new process of the bot is asked for the same move. Under a work
    budget, where a move may depend on all earlier messages, the whole pair starts again. After more
    than `MAX_STALLS` stalls, the record has no games but a reason.

    Args:
        plan: the pair.
        pool: the processes of bots.
        broadcast: receives each position, for live pages.
        judge_late: judges late moves.

    """
    notes = PairNotes()
    games: tuple[GameRecord, ...] = ()
    while not games and len(notes.stalls) <= MAX_STALLS:
        try:
            first = RefereedGame(plan, False, pool, notes, judge_late, broadcast).play()
            games = (first, RefereedGame(plan, True, pool, notes, judge_late, broadcast).play())
        except MachineStalled as stall:
            notes.stalls.append(str(stall))
    return PairRecord(
        plan.id,
        plan.number,
        games,
        aborts=len(notes.stalls),
        abort_reason="" if games else notes.stalls[-1],
        failed_starts=tuple(notes.failed_starts),
        excuses=notes.excuses(),
    )


def play_game(
    plan: PairPlan, pool: BotPool, *, swapped: bool, judge_late: LateMoveJudge = judge_late_move
) -> GameRecord:
    """Play one game of a pair; A moves first unless `swapped`.

    Raises:
        MachineStalled: the machine delayed a bot too often, or once during a move under a work
            budget.

    """
    return RefereedGame(plan, swapped, pool, PairNotes(), judge_late).play()
