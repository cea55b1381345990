"""Bots, runs and played pairs for the tests of the database."""

from collections.abc import Callable, Sequence
from random import Random

from bots.protocol import Budget
from db.records import thought_blob
from db.records.bots import NewBot, NewRevision, RevisionRow
from db.records.games import GameRecord, LastOutput, NewPlay, SideSums, Thought
from db.records.launch import Launch, Start
from db.records.pairs import (
    Entrant,
    PairPlan,
    PairRecord,
    PlannedPair,
)
from db.records.run_settings import StoredSettings
from db.records.runs import (
    Conditions,
    NewRun,
    RunKind,
    RunRow,
)
from db.store import Store
from engine.result import FORFEITS, Result, Termination

LAUNCH = Launch(command=("python", "-m", "bots.host"), folder="/", player="v1")
START = Start(argv=("python", "-m", "bots.host"), folder="/")
BUDGET = Budget(time_ms=100)
SETTINGS = StoredSettings(bots={"v1": "one", "v2": "one"})


def revision(content: str = "one") -> NewRevision:
    return NewRevision(content, LAUNCH, ("time", "simulations"), None, {"kernel.py": content})


def ensure_revision(store: Store, name: str, new: NewRevision) -> RevisionRow:
    """Make a content the bot's current one, and return its revision."""
    store.bots.bring_up_to_date([], {name: new})
    return store.bots.get(name).revision


def new_bot(name: str, content: str = "one", based_on: str | None = None) -> NewBot:
    return NewBot(name, "uct", f"builtin:{name}", revision(content), based_on, "an idea")


def new_run(store: Store, *, rated: bool = True, stream: str = "s1", boards: str = "thu") -> RunRow:
    division = store.divisions.ensure(Conditions(boards, 0, {"time_ms": 100}))
    kind = RunKind.LADDER if rated else RunKind.MATCH
    return store.runs.create(NewRun(kind, rated, stream, "i1", SETTINGS, 7, division.id, 200))


def add_bots(store: Store, count: int = 4) -> list[int]:
    return [store.bots.add(new_bot(f"v{n}")).revision.id for n in range(1, count + 1)]


def maker(revisions: Sequence[int], seed: int = 1) -> Callable[[int], PlannedPair]:
    """Return a schedule for `Pairs.plan`: two different bots for each number."""

    def make(number: int) -> PlannedPair:
        a, b = Random(seed * 1_000_003 + number).sample(list(revisions), 2)
        return PlannedPair(a, b, "9x10@3,4", "thu", (), number)

    return make


def to_plan(row: PlannedPair) -> PairPlan:
    a = Entrant(row.a_revision, f"r{row.a_revision}", START, BUDGET)
    b = Entrant(row.b_revision, f"r{row.b_revision}", START, BUDGET)
    return PairPlan(row, a, b)


def played(
    row: PlannedPair,
    random: Random,
    *,
    plies: int = 20,
    columns: int = 10,
    kinds: Sequence[Termination] = FORFEITS,
) -> PairRecord:
    """Return a pair as if it had been played: any result, sometimes a forfeit."""
    games = tuple(game(random, swapped, plies, columns, kinds) for swapped in (False, True))
    return PairRecord(row.id, row.number, games)


def game(
    random: Random, swapped: bool, plies: int, columns: int, kinds: Sequence[Termination] = FORFEITS
) -> GameRecord:
    result = random.choice(list(Result))
    ending = Termination.BOARD_FULL if result is Result.DRAW else Termination.FOUR_IN_A_ROW
    last = None
    if result is not Result.DRAW and random.random() < 0.2:
        ending = random.choice(kinds)
        last = LastOutput("Traceback:\n  no idea", ('> {"type":"move","ply":4}', "< 3"))
    told = tuple(
        Thought(
            random.randrange(90_000, 110_000),
            random.uniform(-1, 1),
            random.choice([None, random.randrange(1, 90_000)]),
            random.randrange(30),
        )
        for _ in range(plies)
    )
    sides = tuple(
        SideSums(
            moves=len(told[seat::2]),
            time_us=sum(t.time_us for t in told[seat::2]),
            max_us=max((t.time_us for t in told[seat::2]), default=0),
            simulations=sum(t.simulations or 0 for t in told[seat::2]),
            searched_us=sum(t.time_us for t in told[seat::2] if t.simulations),
        )
        for seat in (0, 1)
    )
    moves = tuple(random.randrange(columns) for _ in range(plies))
    return GameRecord(
        swapped,
        moves,
        result,
        ending,
        (sides[0], sides[1]),
        thought_blob.encode(told),
        1_700_000_000.0,
        2_000_000,
        last_output=last,
    )


def new_play(revision: int) -> NewPlay:
    return NewPlay(
        revision=revision,
        bot_side=1,
        board="6x7",
        budget={"simulations": 50},
        opening_plies=5,
        seed=2**53 - 1,
        game=GameRecord(
            swapped=False,
            moves=(6, 0, 6, 0, 6, 0, 6),
            result=Result.WIN,
            termination=Termination.FOUR_IN_A_ROW,
            sides=(SideSums(), SideSums()),
            thoughts=thought_blob.encode(
                (
                    Thought(5_000_000),
                    Thought(40, 0.25, None, 3, "loss", line="3a", nodes=50, distance=4),
                )
            ),
            started=1.5,
            duration_us=123,
        ),
    )


def play_all(
    store: Store,
    run: RunRow,
    revisions: Sequence[int],
    pairs: int,
    seed: int = 1,
    kinds: Sequence[Termination] = FORFEITS,
) -> None:
    random = Random(seed)
    for row in store.pairs.plan(run.id, pairs, maker(revisions, seed)):
        store.pairs.finish_all([(to_plan(row), played(row, random, kinds=kinds))])
