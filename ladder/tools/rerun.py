"""What a bot was sent in a stored game, and what it answers when it is sent that again."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from bots.protocol import WATCHDOG_S, GameOver, Hello, MoveAsk, NewGame, Request, Resign
from db.records.games import GameRow
from db.records.pairs import Entrant
from db.store import Store
from engine.board import parse_board
from engine.result import Loser
from ladder.errors import UsageError
from ladder.match.game.asking import SideClock, make_new_game, ready_limit_s
from ladder.match.game.bot_pool import BotPool
from ladder.match.process.sandbox import Confinement
from ladder.registry.entrants import make_entrants
from ladder.registry.specs.start_command import compile_players
from ladder.runs.budgets import Budgets


@dataclass(frozen=True, slots=True)
class SentGame:
    """A stored game as one of its bots saw it."""

    entrant: Entrant
    """The bot as it is stored now."""
    is_same: bool
    """Whether that is the revision that played."""
    requests: tuple[Request, ...]
    """All that its process was sent for this game, and the hello at its start."""


@dataclass(frozen=True, slots=True)
class RepeatedMove:
    """A move of a stored game, and the bot's answer now."""

    ply: int
    stored: int | None
    """None if the game has no such move: the bot resigned or failed."""
    now: int | None
    """None if it resigns."""


def sent_in(store: Store, game: GameRow, bot: str) -> SentGame:
    """Return what a bot was sent in a game.

    Raises:
        UsageError: the bot did not play in it, or its files are not stored.

    """
    names = (game.first, game.second)
    if bot not in names:
        raise UsageError(f"{bot} did not play game {game.id}: name {names[0]} or {names[1]}")
    # Not of the run's settings, which an imported run may lack.
    division = store.divisions.find(str(store.runs.get(game.run_id).division_id))
    budgets = Budgets(dict(division.budget))
    rows = [store.bots.get(name) for name in names]
    side = names.index(bot)
    row = rows[side]
    entrant = make_entrants(store, [row], budgets.of_row)[bot]
    board = parse_board(game.board)
    amounts = [budgets.of_row(each) for each in rows]
    clocks = [SideClock(amount, board.cells) for amount in amounts]
    name = f"{game.pair_id}-{game.game}"
    new_game = make_new_game(entrant, board, game=name, side=side, seed=game.seed)
    requests: list[Request] = [Hello(), new_game]
    has_last = game.termination.loser in (Loser.OFFENDER, Loser.TO_MOVE)
    for ply in range(game.opening_plies, len(game.moves) + has_last):
        mover = ply % 2
        if mover == side:
            theirs = clocks[1 - mover].bank_us
            requests.append(clocks[mover].question(game.moves[:ply], theirs))
        place = ply - game.opening_plies
        if place < len(game.thoughts):
            clocks[mover].spend(game.thoughts[place].time_us)
    requests.append(GameOver(game.result.value, game.termination.value))
    revision = (game.first_revision, game.second_revision)[side]
    return SentGame(entrant, revision == row.revision.id, tuple(requests))


def rerun(game: GameRow, sent: SentGame, confinement: Confinement) -> Iterator[RepeatedMove]:
    """Ask a bot the questions of a game again, each with the stored moves before it.

    Raises:
        BotFailure: the bot fails, for example by taking more than a minute for a move.

    """
    compile_players([sent.entrant])
    with (
        closing(BotPool(confinement)) as pool,
        pool.acquire(sent.entrant.start, sent.entrant.name) as process,
    ):
        for request in sent.requests:
            if isinstance(request, NewGame):
                process.new_game(request, ready_limit_s(sent.entrant))
            elif isinstance(request, MoveAsk):
                reply = process.ask_move(request, WATCHDOG_S).reply
                stored = game.moves[request.ply] if request.ply < len(game.moves) else None
                now = None if isinstance(reply, Resign) else reply.column
                yield RepeatedMove(request.ply, stored, now)
