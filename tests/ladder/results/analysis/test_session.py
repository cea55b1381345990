"""Games of a real database analysed: against a plain search, resumed, and counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.records.games import Thought, parse_claim
from db.records.run_settings import StoredSettings
from db.records.runs import Conditions, NewRun, RunKind
from db.store import Store
from engine.board import parse_board
from engine.position import Position
from engine.solver.value import Outcome
from ladder.results.analysis.division import format_truth, read_columns, read_mistakes
from ladder.results.analysis.game import FAR_NODES, LARGE_NODES, SOLVED_NODES, Effort
from ladder.results.analysis.session import Progress, analyse
from ladder.results.analysis.verdict import BYTES, Claim, Decision, MoveVerdict, solve_columns
from tests.engine.solver.oracle import oracle_of
from tests.ladder.results.analysis.making import Games, random_moves
from tests.support.calls import calls_of
from tests.support.sql import execute_sql

BOARD = "4x4"
ENOUGH = 1_000_000


class Silent:
    """A watcher that ignores everything."""

    def started(self, state: Progress) -> None:
        """Ignore the start."""

    def tick(self, state: Progress) -> None:
        """Ignore progress."""

    def ended(self, state: Progress) -> None:
        """Ignore the end."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield an empty database."""
    with Store.open(str(tmp_path / "ladder.db")) as opened:
        yield opened


@pytest.fixture
def games(store: Store) -> Games:
    """Five pairs of random games on a small board, with different games in each."""
    made = Games(store, BOARD)
    for seed in range(5):
        made.add(random_moves(BOARD, 2 * seed), random_moves(BOARD, 2 * seed + 1))
    return made


def run(made: Games, **words: object) -> Progress:
    return analyse(made.store, made.division, watcher=Silent(), **{"nodes": ENOUGH, **words})  # type: ignore[arg-type]


def count_rows(store: Store, table: str) -> int:
    return int(execute_sql(store.where, f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608


@pytest.mark.slow
def test_every_verdict_is_that_of_a_plain_search(games: Games) -> None:
    """Decisions, mistakes and plies lost must be those that brute force finds."""
    done = run(games)
    assert (done.games, done.asked, done.stopped) == (10, 10, False)
    oracle = oracle_of(parse_board(BOARD))
    seen = 0
    for row in games.store.analysis.judged(games.division.id):
        game = games.store.games.get(row.game_id)
        assert game is not None
        position = Position(parse_board(BOARD))
        for ply, column in enumerate(game.moves):
            made = MoveVerdict.of(row.moves[BYTES * ply : BYTES * (ply + 1)])
            values = {c: oracle.value_of_move(position, c) for c in position.legal_moves()}
            best, played = max(values.values()), values[column]
            assert (made.before, made.after) == (best.outcome, played.outcome)
            differ = any(value.outcome != best.outcome for value in values.values())
            assert made.decision is (Decision.YES if differ else Decision.NO)
            kept = best.outcome is played.outcome and best.outcome is not Outcome.DRAW
            lost = abs((best.distance or 0) - (played.distance or 0)) if kept else 0
            assert made.plies_lost == lost
            position = position.play(column)
            seen += 1
    assert seen == done.positions == done.decided


@pytest.mark.slow
def test_a_position_is_solved_once(games: Games) -> None:
    """Whatever the number of games that reach a position or its image, it is solved once."""
    board = parse_board(BOARD)
    games.add(
        [board.columns - 1 - column for column in random_moves(BOARD, 1)], random_moves(BOARD, 1)
    )
    with calls_of(solve_columns) as solved:
        done = run(games)
    assert len(solved) == count_rows(games.store, "solved_positions") < done.positions
    again = games.add(random_moves(BOARD, 3))
    with calls_of(solve_columns) as solved:
        assert run(games).games == len(again)
    assert solved == []


@pytest.mark.slow
def test_a_stopped_analysis_resumes(games: Games) -> None:
    """Work before a stop must be kept, newest games first, and nothing done twice."""
    limit = iter(range(10_000))
    first = run(games, is_stopped=lambda: next(limit) >= 250)
    assert first.stopped
    assert 0 < first.games < 10
    judged = games.store.analysis.judged(games.division.id)
    assert [row.game_id for row in judged] == list(range(11 - first.games, 11))
    assert count_rows(games.store, "solved_positions") > 0
    second = run(games)
    assert (second.waiting, second.games) == (10 - first.games, 10 - first.games)
    assert run(games).waiting == 0
    whole = read_mistakes(games.store, games.division)
    games.store.analysis.delete_all()
    assert count_rows(games.store, "verdicts") == 0
    assert count_rows(games.store, "solved_positions") == 0
    run(games)
    assert read_mistakes(games.store, games.division) == whole


@pytest.mark.slow
def test_threads_find_the_verdicts_of_one(store: Store) -> None:
    """Within a node limit, verdicts and positions are stored as one thread stores them."""
    made = Games(store, "5x5")
    for seed in range(4):  # games that share positions, too
        moves = random_moves("5x5", seed)
        made.add(moves, moves[:6] + random_moves("5x5", seed)[6:])
        made.add(random_moves("5x5", seed + 10), [4 - column for column in moves])
    stored = []
    for threads in (1, 3):
        made.store.analysis.delete_all()
        assert run(made, nodes=3000, threads=threads).games == 16
        positions = "SELECT key, nodes, bounds FROM solved_positions ORDER BY rowid"
        stored.append(
            (made.store.analysis.judged(made.division.id), execute_sql(store.where, positions))
        )
    assert stored[0] == stored[1]


@pytest.mark.slow
def test_the_newest_games_of_the_chosen_bots_are_analysed(games: Games) -> None:
    """A second call with the same number has nothing to do."""
    assert run(games, games=4).games == 4
    assert run(games, games=4).games == 0
    assert [row.game_id for row in games.store.analysis.judged(games.division.id)] == [
        *range(7, 11)
    ]
    assert run(games, games=6, bots=("one",)).games == 2


@pytest.mark.slow
def test_the_rating_list_names_what_it_leaves_out(games: Games) -> None:
    """Games of matches and experiments and other divisions are left out, counted and named."""
    other = games.store.divisions.ensure(Conditions("5x5", 0, {"time_ms": 100}))
    games.run = games.store.runs.create(
        NewRun(RunKind.GATE, False, "s", "g", StoredSettings(), 1, games.division.id, 100)
    )
    games.add(random_moves(BOARD, 40))
    listed = run(games, rated_only=True)
    assert (listed.games, listed.unrated, listed.other_divisions) == (10, 2, (other.label,))
    every = run(games)
    assert (every.asked, every.games, every.unrated, every.other_divisions) == (12, 2, 0, ())


def test_nodes_are_chosen_by_board_and_free_cells() -> None:
    """The standard board is solved; a large one gets fewer nodes, and fewest while it is empty."""
    chosen, standard, large = Effort(), parse_board("6x7"), parse_board("9x9")
    late = Position.from_moves(large, tuple(range(9)) * 3)
    assert chosen.on_board(standard) == chosen.at(Position(standard)) == SOLVED_NODES
    assert chosen.on_board(large) == chosen.at(late) == LARGE_NODES
    assert chosen.at(Position(large)) == FAR_NODES
    assert {Effort(7).at(Position(board)) for board in (standard, large)} == {7}


@pytest.mark.slow
def test_unknown_games_are_analysed_again_with_more_nodes(games: Games) -> None:
    """A lower limit of nodes repeats nothing."""
    few = run(games, nodes=1)
    assert few.decided < few.positions
    more = run(games)
    assert more.games == 10
    assert more.decided == more.positions
    assert run(games, nodes=10).games == 0


@pytest.mark.slow
def test_claims_are_listed_with_game_ply_and_truth(games: Games) -> None:
    """A false proof is a defect: it must be found wherever it stands, with what is true."""
    moves = random_moves(BOARD, 30)
    oracle = oracle_of(parse_board(BOARD))
    position = Position(parse_board(BOARD))
    thoughts = []
    for column in moves:
        value = oracle.value(position)
        proven, distance = parse_claim(str(value).replace(" in", ""))
        thoughts.append(Thought(1, float(value.outcome), proven=proven, distance=distance))
        position = position.play(column)
    game, _ = games.add(moves, thoughts=thoughts)
    lie = 5
    is_true = thoughts[lie].claim == "win 3"
    thoughts[lie] = Thought(1, 1.0, proven="draw" if is_true else "win", distance=3)
    _, lying = games.add(moves, thoughts=thoughts)
    run(games)
    made = read_mistakes(games.store, games.division)
    assert made is not None
    told = {name: bot.claims for name, bot in made.bots.items()}
    assert sum(claims[Claim.FALSE] for claims in told.values()) == 2
    assert sum(claims[Claim.TRUE] for claims in told.values()) == 4 * len(moves) - 2
    assert [(proof.game, proof.ply) for proof in made.false_proofs if proof.game == lying] == [
        (lying, lie)
    ]
    assert {proof.claim for proof in made.false_proofs} == {thoughts[lie].claim}
    row = games.store.games.get(game)
    assert row is not None
    columns = read_columns(games.store, row)[lie]
    assert columns is not None
    assert {proof.truth for proof in made.false_proofs} == {format_truth(columns)}
    assert format_truth(columns) == row.thoughts[lie].claim
