"""Valid exports of a small real database, the first inputs of fuzzing."""

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Literal

from db.records.bots import (
    NewBot,
    NewRevision,
)
from db.records.exchange import GameLine, MoveTiming, Timing
from db.records.games import SideSums
from db.records.launch import Launch
from db.records.runs import Conditions, RunKind
from db.store import Store
from engine.result import Result, Termination
from ladder.experiments.stored import check_result
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import NumberedGame, write_jsonl

NAMES = ("alpha", "beta")


def make_empty(path: Path) -> Path:
    """Return a database with two bots and no games."""
    with Store.open(str(path)) as store:
        for name in NAMES:
            launch = Launch(command=("python3", "bot.py"), folder="/")
            revision = NewRevision(f"hash of {name}", launch, ("any",), None, {"bot.py": name})
            store.bots.add(NewBot(name, "foreign", "exec:python3 bot.py", revision))
    return path


def game(number: Literal[0, 1], moves: str, result: Result, ending: Termination) -> GameLine:
    """Return one game of a pair on 4x4."""
    names = NAMES if number == 0 else NAMES[::-1]
    sums = SideSums(len(moves) // 2, 4000, 1500, 80, 3000)
    return GameLine(
        pair=0,
        game=number,
        kind=RunKind.MATCH,
        first=names[0],
        second=names[1],
        board="4x4",
        seed=11,
        moves=moves,
        result=result,
        termination=ending,
        opening_plies=1,
        board_class="4x4",
        first_hash=f"hash of {names[0]}",
        second_hash=f"hash of {names[1]}",
        run=1,
        rated=True,
        run_seed=5,
        stream="s1",
        identity="i1",
        division=Conditions("4x4", 1, {"simulations": 10}),
        timing=Timing(
            stored=number + 1,
            started=1.7e9,
            duration_us=9000,
            sides=(sums, sums),
            thoughts=tuple(MoveTiming(9, 0.5, 10) for _ in moves[1:]),
        ),
    )


@lru_cache(maxsize=1)
def exported() -> bytes:
    """Return two exported games."""
    with tempfile.TemporaryDirectory() as folder:
        path = make_empty(Path(folder) / "ladder.db")
        games = (
            game(0, "0101010", Result.WIN, Termination.FOUR_IN_A_ROW),
            game(1, "01", Result.LOSS, Termination.TIMEOUT),
        )
        with Store.open(str(path)) as store:
            numbered = [NumberedGame(n, each) for n, each in enumerate(games, 1)]
            import_games(store, "valid", numbered, check_result=check_result)
            return "".join(write_jsonl(store.exchange.export_lines(None))).encode()
