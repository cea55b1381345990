"""Running of suites: each position is a game in which a bot makes one move."""

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import sqrt

from bots.protocol import Budget, Resign
from db.records.bots import BotRow
from db.records.pairs import Entrant
from db.store import Store
from engine.board import parse_board
from engine.position import parse_moves
from ladder.errors import BotFailure, UnfitBot
from ladder.experiments.suite.puzzle import Puzzle, Suite
from ladder.match.game.asking import SideClock, begin_game
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_undisturbed
from ladder.match.process.sandbox import Confinement
from ladder.registry.entrants import leave_out, make_entrants, refuse_unplayable
from ladder.registry.specs.board_support import can_play, describe_boards, propose_boards
from ladder.registry.specs.start_command import compile_players
from ladder.runs.budgets import Budgets
from ladder.stats.elo import Z95

SEED = 1
"""The seed of every game, so that a work budget gives equal answers."""


@dataclass(frozen=True, slots=True)
class SolvedShare:
    """The solved positions among some."""

    solved: int
    of: int

    @property
    def rate(self) -> float:
        """The share of solved positions, 0..1."""
        return self.solved / self.of if self.of else 0.0

    @property
    def error95(self) -> float:
        """Half the width of the 95 % interval of the rate (Wilson 1927)."""
        if not self.of:
            return 0.0
        z2 = Z95**2
        spread = self.rate * (1 - self.rate) / self.of + z2 / (4 * self.of**2)
        return Z95 * sqrt(spread) / (1 + z2 / self.of)


@dataclass(frozen=True, slots=True)
class Answers:
    """One bot's answers under one budget."""

    bot: str
    budget: Budget
    right: tuple[bool, ...]
    """Whether each position was solved, in the order of the suite."""
    failures: tuple[str, ...]
    """A sentence for each position at which the bot failed, such as by a crash."""

    @property
    def share(self) -> SolvedShare:
        """The share of all positions."""
        return SolvedShare(sum(self.right), len(self.right))

    def by_theme(self, puzzles: Sequence[Puzzle]) -> dict[str, SolvedShare]:
        """Return the share of each theme."""
        found = {}
        for theme in sorted({puzzle.theme for puzzle in puzzles}):
            own = [
                right
                for right, puzzle in zip(self.right, puzzles, strict=True)
                if puzzle.theme == theme
            ]
            found[theme] = SolvedShare(sum(own), len(own))
        return found


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The answers of all bots under all budgets."""

    suite: Suite
    answers: tuple[Answers, ...]
    """The answers by bot in the given order, and for each bot from the smallest budget."""


def leave_out_unfit(
    bots: Sequence[BotRow], named: Collection[str], suite: Suite, budgets: Sequence[Budgets]
) -> tuple[list[BotRow], dict[str, str]]:
    """Leave out bots that cannot answer a suite and were not chosen by name.

    Returns:
        The remaining bots, and the reason for each bot that is left out, by name.

    """

    def refuse(bot: BotRow) -> None:
        _refuse_boards(bot, suite)
        for own in budgets:
            own.of_row(bot)
        refuse_unplayable(bot)

    return leave_out(bots, named, refuse)


def _refuse_boards(bot: BotRow, suite: Suite) -> None:
    plays = bot.revision.boards
    for board in dict.fromkeys(puzzle.board for puzzle in suite.puzzles):
        if not can_play(plays, parse_board(board)):
            raise UnfitBot(
                f"{bot.name} does not play {board}, a board of {suite.name}, but "
                f"{describe_boards(plays)}",
                f"choose a suite on other boards, such as {propose_boards(plays)}",
            )


def run_suite(
    store: Store,
    bots: Sequence[BotRow],
    suite: Suite,
    budgets: Sequence[Budgets],
    *,
    confinement: Confinement,
    is_stopped: Callable[[], bool] = lambda: False,
    tick: Callable[[str, int, int], None] = lambda *_: None,
) -> SuiteResult | None:
    """Have every bot answer every position under every budget; return None after a stop.

    Args:
        store: The database that holds the bots' files.
        bots: The bots.
        suite: The positions.
        budgets: The budgets, the smallest first.
        confinement: The limits and sandbox of every bot.
        is_stopped: Called before each position; ends the run if it returns true.
        tick: Called with a bot's name, and the numbers of its done and all positions.

    Raises:
        UsageError: a bot does not support a budget, does not play all boards of the suite, or has
            no stored files.

    """
    for bot in bots:
        _refuse_boards(bot, suite)
    sides = [make_entrants(store, bots, own.of_row) for own in budgets]
    compile_players(bot.revision.launch for bot in bots)
    answers = []
    count = len(suite.puzzles)
    with closing(BotPool(confinement)) as pool:
        for bot in bots:
            for index, side in enumerate(sides):
                right: list[bool] = []
                failures: list[str] = []
                for number, puzzle in enumerate(suite.puzzles):
                    if is_stopped():
                        return None
                    tick(bot.name, index * count + number, len(sides) * count)
                    is_right, failure = _try_puzzle(pool, side[bot.name], puzzle)
                    right.append(is_right)
                    if failure:
                        failures.append(f"position {number + 1}: {failure}")
                answers.append(
                    Answers(bot.name, side[bot.name].budget, tuple(right), tuple(failures))
                )
    return SuiteResult(suite, tuple(answers))


def _try_puzzle(pool: BotPool, entrant: Entrant, puzzle: Puzzle) -> tuple[bool, str]:
    """Return whether a bot solves a puzzle, and its failure as text; empty if it answers.

    Raises:
        MachineStalled: the machine has stalled in every attempt.

    """
    try:
        column = play_undisturbed(lambda: _ask(pool, entrant, puzzle), [])
    except BotFailure as error:
        return False, str(error)
    return column == puzzle.answer, ""


def _ask(pool: BotPool, entrant: Entrant, puzzle: Puzzle) -> int | None:
    """Return the column that a bot plays, None if it resigns. Raises BotFailure."""
    moves = parse_moves(puzzle.moves)
    board = parse_board(puzzle.board)
    process = pool.acquire(entrant.start, entrant.name)
    try:
        begin_game(process, entrant, board, game="suite", side=len(moves) % 2, seed=SEED)
        reply = SideClock(entrant.budget, board.cells).ask(process, moves, None).reply
    except BaseException:
        process.kill()
        raise
    pool.release(entrant.start, process, renew=False)
    return None if isinstance(reply, Resign) else reply.column
