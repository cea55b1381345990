"""Mining of puzzles from stored games, or from games of a careless player that sees two plies."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from db.records.games import GameQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import parse_board
from engine.board_class import BoardClass
from engine.position import Position
from engine.position_key import key_of
from engine.seeds import SplitMix, mix
from ladder.experiments.suite.puzzle import (
    TABLE_MIB,
    THEMES,
    Puzzle,
    puzzle_of,
    right_column,
    theme_of,
)
from ladder.results.analysis.game import Solvers
from ladder.results.analysis.verdict import solve_columns
from ladder.search_watch import SearchWatch

if TYPE_CHECKING:
    from engine.solver.solver import Solver

MAX_PER_GAME = 2
"""Most puzzles of one game, so that a suite does not repeat itself."""


@dataclass(slots=True)
class Mining:
    """The progress of mining."""

    count: int
    """Requested puzzles."""
    themes: Counter[str] = field(default_factory=Counter)
    """Puzzles found, by theme."""
    games: int = 0
    positions: int = 0
    """Positions solved."""

    @property
    def found(self) -> int:
        """Number of puzzles found."""
        return self.themes.total()


def careless_games(boards: tuple[BoardClass, ...], seed: int) -> Iterator[Position]:
    """Yield games without end: random moves, but a win in one is taken.

    A move that allows a win in one is avoided.
    """
    for number in count():
        random = SplitMix(mix(seed, number))
        position = Position(boards[number % len(boards)].draw(random))
        while not position.is_over:
            position = position.play(_careless_move(position, random))
        yield position


def _careless_move(position: Position, random: SplitMix) -> int:
    legal = position.legal_moves()
    for column in legal:
        if position.play(column).winner is not None:
            return column
    safe = []
    for column in legal:
        after = position.play(column)
        if not any(after.play(reply).winner is not None for reply in after.legal_moves()):
            safe.append(column)
    return random.choice(safe or legal)


def stored_games(store: Store, division: DivisionRow) -> Iterator[Position]:
    """Yield the games of a division that ended without a forfeit, in the order of their ids."""
    for game in store.games.stream(GameQuery(division_id=division.id)):
        if game.offender is None:
            yield Position.from_moves(parse_board(game.board), game.moves)


def mine(
    games: Iterable[Position],
    state: Mining,
    *,
    nodes: int,
    is_stopped: Callable[[], bool] = lambda: False,
    tick: Callable[[Mining], None] = lambda _: None,
) -> Iterator[Puzzle]:
    """Yield puzzles from games, equally many of each theme, until `state.count` are found.

    Args:
        games: Finished positions, with the moves that led to them.
        state: The progress, which is updated.
        nodes: Most nodes of the solver for a position.
        is_stopped: Called before and while a position is searched; True ends the mining.
        tick: Called after each game.

    """
    quota = -(-state.count // len(THEMES))
    seen: set[bytes] = set()
    solvers = Solvers(TABLE_MIB)

    def is_wanted(key: bytes, theme: str, taken: int) -> bool:
        return key not in seen and state.themes[theme] + taken < quota

    for game in games:
        solvers.begin_game()
        solver = solvers.on(game.board)
        work = partial(_search_game, game, solver, nodes, state, is_wanted, is_stopped)
        for key, puzzle in SearchWatch([solver], is_stopped).wait(work):
            seen.add(key)
            state.themes[puzzle.theme] += 1
            yield puzzle
            if state.found >= state.count:
                return
        if is_stopped():
            return
        state.games += 1
        tick(state)


def _search_game(
    game: Position,
    solver: "Solver",
    nodes: int,
    state: Mining,
    is_wanted: Callable[[bytes, str, int], bool],
    is_stopped: Callable[[], bool],
) -> list[tuple[bytes, Puzzle]]:
    """Return the puzzles of a game, with the keys of their positions.

    Its positions are solved from its end, until one is too hard.
    """
    puzzles: list[tuple[bytes, Puzzle]] = []
    taken = Counter[str]()
    line = [Position.from_moves(game.board, game.moves[:ply]) for ply in range(len(game.moves))]
    for position in reversed(line):
        if len(puzzles) == MAX_PER_GAME or len(position.legal_moves()) < 2 or is_stopped():
            break
        columns = solve_columns(solver, position, nodes)
        state.positions += 1
        if right_column(columns) is None:
            if any(column is not None and column.outcome is None for column in columns):
                break  # earlier positions of the game are harder
            continue
        key, _ = key_of(position)
        theme = theme_of(solver, position, columns)
        if is_stopped():
            break  # a search that was ended may have missed the theme
        if theme is not None and is_wanted(key, theme, taken[theme]):
            taken[theme] += 1
            puzzles.append((key, puzzle_of(position, columns, theme)))
    return puzzles
