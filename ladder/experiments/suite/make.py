"""Mining puzzles from games: of the database, or played by a careless player that sees one ply."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from db.records.games import GameQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import BoardClass, parse_board
from engine.position import Position
from engine.position_key import key_of
from engine.seeds import SplitMix, mix
from engine.solver.solver import Solver
from ladder.experiments.suite.puzzle import TABLE_MIB, Puzzle, puzzle_of, right_column
from ladder.experiments.suite.themes import THEMES, theme_of
from ladder.results.analysis.solved import solve_columns

A_GAME = 2
"""Puzzles of one game at most, so that a suite does not repeat itself."""


@dataclass(slots=True)
class Mining:
    """How far the mining has come."""

    count: int
    """Puzzles that are asked for."""
    themes: Counter[str] = field(default_factory=Counter)
    """Puzzles found, by theme."""
    games: int = 0
    positions: int = 0
    """Positions solved."""

    @property
    def found(self) -> int:
        """Puzzles found."""
        return self.themes.total()


def careless_games(boards: tuple[BoardClass, ...], seed: int) -> Iterator[Position]:
    """Games without end: random moves, but a win is taken and a win of the opponent blocked."""
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
    """The games of a division that ended on the board, in the order in which they were stored."""
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
    """Puzzles from games, as many of each theme as the count allows.

    Once the games run dry, or a stop is wished for, it ends with what it has.

    Args:
        games: finished positions, with the moves that led to them.
        state: is brought up to date.
        nodes: the most nodes for a position: what checking one position will cost at most.
        is_stopped: asked before each position.
        tick: told after each game.

    """
    quota = -(-state.count // len(THEMES))
    seen: set[bytes] = set()
    solver: Solver | None = None
    for game in games:
        taken = 0
        line = [Position.from_moves(game.board, game.moves[:ply]) for ply in range(len(game.moves))]
        for position in reversed(line):
            if state.found >= state.count or is_stopped():
                return
            key, _ = key_of(position)
            if taken == A_GAME or len(position.legal_moves()) < 2:
                break
            if key in seen:
                continue
            seen.add(key)
            if solver is None or solver.board != position.board:
                solver = Solver(position.board, table_mib=TABLE_MIB)
            columns = solve_columns(solver, position, nodes)
            state.positions += 1
            if right_column(columns) is None:
                if any(column is not None and column.outcome is None for column in columns):
                    break  # what comes before is harder
                continue
            theme = theme_of(solver, position, columns)
            if theme is None or state.themes[theme] >= quota:
                continue
            taken += 1
            state.themes[theme] += 1
            yield puzzle_of(position, columns, theme)
        state.games += 1
        tick(state)
