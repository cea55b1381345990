"""Matches with the rules, result codes and result file of the course's own match program.

A round is two games on one board of the `thu` family; A moves first in the first game. Nothing is
stored.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from bots.errors import SpecError
from bots.foreign.thu_host import INTERFACE_MISSING
from bots.protocol import Budget
from db.records.bots import BotRow
from db.records.games import GameRecord
from db.records.launch import Launch
from db.records.pairs import PairPlan, PlannedPair
from db.store import Store
from engine.board_class import THU
from engine.result import Result, Termination
from engine.seeds import SplitMix
from ladder.errors import BotFailure, InvalidRun, UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.sandbox import Confinement
from ladder.pair_seeds import derive, derive_pair_seed
from ladder.registry.entrants import unpacked_launch
from ladder.registry.specs.spec import BotSource, read_spec
from ladder.registry.specs.start_command import compile_players, make_entrant, make_start

TIE, A_WINS, B_WINS = 0, 1, 2
BUG, ILLEGAL, TIMEOUT = (3, 5), (4, 6), (7, 8)
"""Result codes of a forfeit: by A, and by B."""
UNLOADABLE, NO_INTERFACE = (-1, -2), (-3, -4)
"""Result codes if A or B cannot be loaded, or lacks the course's functions."""
WON_BY_A = frozenset({A_WINS, BUG[1], ILLEGAL[1], TIMEOUT[1]})
WON_BY_B = frozenset({B_WINS, BUG[0], ILLEGAL[0], TIMEOUT[0]})
CODES = {Termination.TIMEOUT: TIMEOUT, Termination.ILLEGAL_MOVE: ILLEGAL}
"""Result codes of forfeits; every other kind is BUG."""
_BOARDS, _GAMES = range(2)


class CourseGame(NamedTuple):
    """A game as the course's program reports it."""

    code: int
    seconds_a: int
    """A's thinking time in whole seconds."""
    seconds_b: int
    detail: str = ""
    """What happened, for a forfeit."""


CourseRound = tuple[CourseGame, CourseGame]


@dataclass(frozen=True, slots=True)
class Contestant:
    """One side of a match, with the problem if it cannot be started."""

    name: str
    launch: Launch | None
    problem: str = ""
    bot: BotRow | None = None
    """The registered bot, unless the side is a file or a specification."""


def resolve_contestant(word: str, folder: Path, store: Store | None) -> Contestant:
    """Return the contestant for a path, a specification or a registered bot's name.

    Args:
        word: the path of a shared library, a specification, or the name of a registered bot.
        folder: the folder that a path is relative to.
        store: the database with the registered bots; None if there is no database.

    Raises:
        UnknownRow: no registered bot has the name.
        UsageError: the bot is retired or cannot play, or there is no database.
        UnknownPlayer: no built-in player has the name.

    """
    bot = None
    if ":" in word or word.endswith((".so", ".dylib", ".dll")) or (folder / word).is_file():
        try:
            spec = word if ":" in word else f"thu:{word}"
            launch = read_spec(BotSource(spec, folder)).launch
        except SpecError as error:
            return Contestant(word, None, str(error))
    elif store is None:
        raise UsageError(
            f"there is no database with registered bots here, and {word} is neither a file nor a "
            "specification such as thu:./strategy.so: check the path, or choose a database"
        )
    else:
        bot = store.bots.get(word)
        if bot.retired_at is not None:
            raise UsageError(bot.absence)
        launch = unpacked_launch(store, bot)
    compile_players([launch])
    return Contestant(word, launch, bot=bot)


def compete(
    a: Contestant,
    b: Contestant,
    *,
    rounds: int,
    time_ms: int,
    margin_ms: int,
    seed: int,
    confinement: Confinement,
) -> Iterator[CourseRound]:
    """Play the rounds, one after the other.

    Args:
        a: moves first in the first game of every round.
        b: the other side.
        rounds: the number of rounds.
        time_ms: the time per move.
        margin_ms: how late a move may be.
        seed: the seed of the boards, below 2**53.
        confinement: the limits and the sandbox of both.

    Raises:
        InvalidRun: the host delayed a round for so long that it cannot be played.

    """
    pool = BotPool(confinement)
    try:
        unloadable = _check_loading(pool, (a, b))
        for number in range(rounds):
            if unloadable is not None or a.launch is None or b.launch is None:
                game = unloadable or CourseGame(UNLOADABLE[0], 0, 0)
                yield (game, game)
                continue
            budget = Budget(time_ms=time_ms)
            board = str(THU.draw(SplitMix(derive(seed, number, _BOARDS))))
            opened = PlannedPair(
                a_revision=0,
                b_revision=1,
                board=board,
                board_class=board,
                opening=(),
                seed=derive_pair_seed(seed, number, _GAMES),
                number=number,
            )
            plan = PairPlan(
                opened,
                a=make_entrant(a.launch, revision=0, name=a.name, budget=budget),
                b=make_entrant(b.launch, revision=1, name=b.name, budget=budget),
                margin_ms=margin_ms,
            )
            record = play_pair(plan, pool)
            if not record.games:
                raise InvalidRun(f"round {number} could not be played: {record.abort_reason}")
            yield (_course_game(record.games[0]), _course_game(record.games[1]))
    finally:
        pool.close()


def _check_loading(pool: BotPool, sides: tuple[Contestant, Contestant]) -> CourseGame | None:
    """Return the result of all games if a side cannot be loaded, or None if both can."""
    for index, side in enumerate(sides):
        problem = side.problem
        if side.launch is not None:
            try:
                pool.fetch_hello(make_start(side.launch))
            except BotFailure as failure:
                problem = str(failure)
        if problem:
            codes = NO_INTERFACE if INTERFACE_MISSING in problem else UNLOADABLE
            return CourseGame(codes[index], 0, 0, f"{side.name}: {problem}")
    return None


def _course_game(game: GameRecord) -> CourseGame:
    first, second = (stats.time_us // 1_000_000 for stats in game.sides)
    seconds = (second, first) if game.swapped else (first, second)
    result = game.result.mirrored if game.swapped else game.result
    code = {Result.WIN: A_WINS, Result.DRAW: TIE, Result.LOSS: B_WINS}[result]
    if game.termination.is_forfeit:
        code = CODES.get(game.termination, BUG)[0 if result is Result.LOSS else 1]
    return CourseGame(code, *seconds, game.detail)


def write_results(rounds: Iterable[CourseRound], file: TextIO) -> str:
    """Write every round as it ends, then the statistics, and return the statistics.

    A round is ``NUMBER:``, two lines ``CODE<TAB>SECONDS_A<TAB>SECONDS_B`` and an empty line.
    """
    codes: list[int] = []
    for number, games in enumerate(rounds):
        lines = [f"{game.code}\t{game.seconds_a}\t{game.seconds_b}\n" for game in games]
        file.write(f"{number}:\n{''.join(lines)}\n")
        file.flush()
        codes += [game.code for game in games]
    statistics = _statistics(codes)
    file.write(statistics)
    return statistics


def report_forfeits(
    rounds: Iterable[CourseRound], report: Callable[[str], None]
) -> Iterator[CourseRound]:
    """Yield the rounds and report each distinct forfeit once."""
    known = set()
    for number, games in enumerate(rounds):
        for game in games:
            if game.detail and game.detail not in known:
                known.add(game.detail)
                report(f"round {number}, code {game.code}: {game.detail}")
        yield games


def _statistics(codes: list[int]) -> str:
    a = sum(code in WON_BY_A for code in codes) / len(codes)
    b = sum(code in WON_BY_B for code in codes) / len(codes)
    tie = sum(code == 0 for code in codes) / len(codes)
    return (
        "Stat:\n"
        f"ratio of A wins : {a:g}\n"
        f"ratio of B wins : {b:g}\n"
        f"ratio of Tie : {tie:g}\n"
        "\n"
        f"ratio of (A wins + tie) : {a + tie:g}\n"
        f"ratio of (B wins + tie) : {b + tie:g}\n"
    )
