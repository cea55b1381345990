"""What `--adjudicate` brings: `python -m benchmarks.adjudication [--pairs N] [--boards LIST]`.

Plays the same pairs of v4, v12, v18 and v22 with and without adjudication on each board, and prints
Markdown tables: games an hour, ratings, and the cost of a gate with the spread of these games. Then
it adjudicates the games that were played out, move by move: which part of their time would have
been saved, which results change and who failed to convert, for several distances. That needs no
second game, so it is not blurred by the different moves of timed bots. With `--db` the games are
kept, and interrupted runs are resumed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from db.records.aggregate import PairTableRow
from db.records.games import GameQuery, GameRow, Proof, Thought
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import parse_board
from engine.board_class import parse_board_class
from engine.position import Position
from engine.result import Result
from ladder.match.game.adjudicator import Adjudicator
from ladder.stats.sprt import Sprt
from ladder.stats.sprt_estimate import forecast_test

LADDER = (sys.executable, "-c", "from ladder.cli.main import main; main()")
BOTS = ("v4", "v12", "v18", "v22")
DISTANCES = (6, 8, 10, 12, 14, 16, 20, 24)
DROP = 20.0
ALPHA = 0.05


class Ended(NamedTuple):
    """A game that was played out, as adjudication would have ended it."""

    game: GameRow
    proof: Proof | None
    """None if the game would not have ended earlier."""
    ply: int
    """The number of plies at its end."""
    thinking_s: float
    """The time of its bots' moves up to there."""
    solver_s: float
    """Processor time of the adjudicator."""

    @property
    def is_changed(self) -> bool:
        """Whether the proven result was not reached."""
        return self.proof is not None and self.proof.value is not self.game.result

    @property
    def loser(self) -> str:
        """The bot that lost what was proven."""
        assert self.proof is not None
        won = self.proof.value
        if won is Result.DRAW:
            won = self.game.result.mirrored
        return self.game.first if won is Result.WIN else self.game.second


def end_early(game: GameRow, plies: int) -> Ended:
    """Return how a game would have ended under adjudication within `plies`."""
    position = Position.from_moves(parse_board(game.board), game.moves[: game.opening_plies])
    adjudicator = Adjudicator(position.board, plies)
    thinking_us, solver_s = 0, 0.0
    thoughts = game.thoughts or (Thought(0),) * len(game.moves)
    proof = None
    for column, thought in zip(game.moves[game.opening_plies :], thoughts, strict=False):
        position = position.play(column)
        thinking_us += thought.time_us
        if position.is_over:
            break
        began = time.thread_time()
        proof = adjudicator.find_proof(position, thought)
        solver_s += time.thread_time() - began
        if proof is not None:
            break
    return Ended(game, proof, position.ply, thinking_us / 1e6, solver_s)


def play(db: Path, board: str, options: argparse.Namespace, *more: str) -> None:
    """Play the pairs of one board, or the missing ones."""
    words = ["run", "--db", str(db), "--bots", ",".join(BOTS), "--boards", board]
    words += ["--time", options.time, "--games", str(2 * options.pairs), "--seed", "1"]
    words += ["--concurrency", str(options.concurrency), *more]
    done = subprocess.run([*LADDER, *words], stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise SystemExit(f"`ladder {' '.join(words)}` ended with {done.returncode}")


def ratings(db: Path, label: str) -> dict[str, str]:
    """Return the Elo of each bot with its error."""
    words = [*LADDER, "report", "--db", str(db), "--division", label, "--json"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    bots = json.loads(text)["bots"]
    return {bot["name"]: f"{bot['elo']:.0f} ± {bot['error95'] or 0:.0f}" for bot in bots}


def pentanomial(tables: list[PairTableRow]) -> list[int]:
    """Return the pairs of all tables by points, made symmetric: as between equal bots."""
    counts = [0] * 5
    for table in tables:
        for place, count in enumerate(table.record.pentanomial):
            counts[place] += count
            counts[4 - place] += count
    return counts


def gate_hours(tables: list[PairTableRow], games_an_hour: float) -> str:
    """Return the hours of a gate for equal and for worse candidates."""
    counts, test = pentanomial(tables), Sprt(elo0=-DROP, elo1=0.0, alpha=ALPHA, beta=ALPHA)
    hours = (
        forecast_test(elo=elo, counts=counts, test=test).games / games_an_hour
        for elo in (0.0, -DROP)
    )
    return " / ".join(f"{each:.1f}" for each in hours)


def played(store: Store, division: DivisionRow) -> list[GameRow]:
    """Return the games of a division with their thoughts, without forfeits."""
    query = GameQuery(division_id=division.id)
    return [game for game in store.games.stream(query, thoughts=True) if game.offender is None]


def compare(db: Path, divisions: tuple[DivisionRow, DivisionRow], store: Store) -> Iterator[str]:
    """Yield the table of the games that were really played in both ways."""
    yield f"| {divisions[0].label} | played out | adjudicated |"
    yield "|---|---|---|"
    both = [played(store, division) for division in divisions]
    tables = [store.aggregate.of_division(division.id) for division in divisions]
    pace = [3600e6 * len(games) / sum(game.duration_us for game in games) for games in both]
    rows = {
        "games": [f"{len(games)}" for games in both],
        "games an hour and worker": [f"{each:.0f}" for each in pace],
        "plies of bots a game": [
            f"{sum(len(g.moves) - g.opening_plies for g in games) / len(games):.1f}"
            for games in both
        ],
        f"hours of a gate, drop {DROP:g}: equal / worse": [
            gate_hours(*each) for each in zip(tables, pace, strict=True)
        ],
    }
    elo = [ratings(db, division.label) for division in divisions]
    rows |= {f"Elo of {bot}": [each.get(bot, "-") for each in elo] for bot in BOTS}
    for name, cells in rows.items():
        yield f"| {name} | {' | '.join(cells)} |"


def distances(games: list[GameRow]) -> Iterator[str]:
    """Yield the table of the games played out, adjudicated at several distances."""
    yield "| PLIES | ended | time saved | solver's share | changed results | who did not convert |"
    yield "|---|---|---|---|---|---|"
    whole_s = sum(thought.time_us for game in games for thought in game.thoughts) / 1e6
    for plies in DISTANCES:
        ended = [end_early(game, plies) for game in games]
        thinking_s = sum(each.thinking_s for each in ended)
        solver_s = sum(each.solver_s for each in ended)
        changed = [each for each in ended if each.is_changed]
        losers = Counter(each.loser for each in changed).most_common()
        yield (
            f"| {plies} | {sum(each.proof is not None for each in ended) / len(ended):.0%} "
            f"| {1 - thinking_s / whole_s:.1%} | {solver_s / thinking_s:.2%} "
            f"| {len(changed)} of {len(ended)} "
            f"| {', '.join(f'{name} {count}' for name, count in losers) or '-'} |"
        )


def main() -> None:
    """Play, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200, help="of each board and way")
    parser.add_argument("--boards", default="thu,standard")
    parser.add_argument("--time", default="100ms", help="per move")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--db", type=Path, help="keep the games here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or Path(folder) / "ladder.db"
        for board in options.boards.split(","):
            play(db, board, options)
            play(db, board, options, "--adjudicate")
            with Store.open(str(db)) as store:
                here = str(parse_board_class(board))
                out, soon = sorted(
                    (each for each in store.divisions.all() if each.boards == here),
                    key=lambda division: division.adjudicate is not None,
                )
                for line in (*compare(db, (out, soon), store), ""):
                    print(line, flush=True)
                for line in (*distances(played(store, out)), ""):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
