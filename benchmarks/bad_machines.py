"""Which detector finds which bad machine: faults planted in one machine of a simulated cluster.

    python -m benchmarks.bad_machines [--repeats 20] [--pairs 5000] [--machines 5] [--fault NAME]

Six bots play pairs on equal machines, one of which has a fault, from its first pair on or from its
300th. Each detector sees all pairs, as if it were the only one, and no machine is set aside. Under
a work budget sound machines play equal games of a pair; under a time budget they play games of bots
of equal strength. For each fault and detector the table shows how many of the bad machines were
found, and after how many of their faulty pairs (median); `!` marks accusations of sound machines.
"""

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from random import Random
from typing import NamedTuple

import msgspec
import numpy as np

from bots.protocol import Budget
from db.records.games import GameRecord
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.result import Result, Termination
from engine.seeds import SplitMix
from ladder.runs.cluster.coordinator.assignments import Machine, Pair, State
from ladder.runs.cluster.coordinator.checks import CHECK_EVERY
from ladder.runs.cluster.coordinator.contradictions import Contradictions
from ladder.runs.cluster.coordinator.machines import Machines
from ladder.runs.cluster.coordinator.record_check import FalseRecord, checked_record
from ladder.runs.cluster.coordinator.residuals import Residuals
from ladder.runs.cluster.coordinator.stalls import check_stalls
from ladder.stats.counts import FloatArray
from ladder.stats.pool.agreement import agreement
from ladder.stats.pool.cells import from_tables
from ladder.stats.pool.goodness import DOUBT
from ladder.stats.pool.rating import rate_pool
from tests.support.data.random_games import random_record

ELO = {"a": 0.0, "b": 80.0, "c": 160.0, "d": 240.0, "e": 320.0, "f": 400.0}
VICTIM = "d"
FIRST_MOVER, DRAWS = 40.0, 0.05
BAD = "bad"
START = Start(argv=("true",), folder="/")
SIDES = [Entrant(n, name, START, Budget(simulations=1)) for n, name in enumerate(ELO, start=1)]
Games = tuple[GameRecord, ...]


class Played(NamedTuple):
    """A pair as one machine has played it."""

    plan: PairPlan
    machine: str
    record: PairRecord


@cache
def stock() -> dict[tuple[int, int], list[Games]]:
    """Return legal games of a pair by the points of both first movers, doubled."""
    found: dict[tuple[int, int], list[Games]] = defaultdict(list)
    plan = PairPlan(1, 0, SIDES[0], SIDES[1], "4x4", "4x4", (), seed=1)
    seeds = count()
    while len(found) < 9 or min(map(len, found.values())) < 20:
        games = random_record(plan, SplitMix(next(seeds)), time_us=20, started=time.time()).games
        found[games[0].result.points2, games[1].result.points2].append(games)
    return found


def drawn(random: Random, results: tuple[int, int] | None = None) -> Games:
    """Return games with some results, or with any."""
    chosen = results or random.choice(sorted(stock()))
    return random.choice(stock()[chosen])


def score(random: Random, ours: float, theirs: float) -> int:
    """Return the first mover's points of one game, doubled."""
    chance = 1 / (1 + 10 ** ((theirs - ours - FIRST_MOVER) / 400))
    return 1 if random.random() < DRAWS else 2 * int(random.random() < chance)


def sound(plan: PairPlan, random: Random, elo: dict[str, float] = ELO) -> Games:
    """Return games of bots of some strength."""
    a, b = elo[plan.a.name], elo[plan.b.name]
    return drawn(random, (score(random, a, b), score(random, b, a)))


def with_victim(change: Callable[[PairPlan, Random], Games]) -> Callable[..., Games]:
    """Apply a fault to the pairs of one bot alone."""

    def fault(plan: PairPlan, random: Random) -> Games:
        if VICTIM not in (plan.a.name, plan.b.name):
            return sound(plan, random)
        return change(plan, random)

    return fault


def crippled(plan: PairPlan, random: Random) -> Games:
    """Return games in which a bot has lost 300 Elo; they are never those of sound machines."""
    random.random()
    return sound(plan, random, {**ELO, VICTIM: ELO[VICTIM] - 300})


def favoured(plan: PairPlan, random: Random) -> Games:
    """Return games that one bot has won."""
    return drawn(random, (2, 0) if plan.a.name == VICTIM else (0, 2))


def crashing(plan: PairPlan, random: Random) -> Games:
    """Return games of which one bot crashes in a fifth, at its last move."""
    games = sound(plan, random)
    for place in (0, 1):
        game = games[place]
        moves_first = (plan.a.name == VICTIM) != game.swapped
        if len(game.moves) % 2 == moves_first and random.random() < 0.2:
            lost = msgspec.structs.replace(
                game,
                moves=game.moves[:-1],
                result=Result.LOSS if moves_first else Result.WIN,
                termination=Termination.CRASH,
            )
            games = (*games[:place], lost, *games[place + 1 :])
    return games


def impossible(plan: PairPlan, random: Random) -> Games:
    """Return a game with the result of another."""
    one, two = sound(plan, random)
    return one, msgspec.structs.replace(two, result=two.result.mirrored, detail="")


def now_and_then(plan: PairPlan, random: Random) -> Games:
    """Return invented games in one pair of ten."""
    return drawn(random) if Random(plan.seed).random() < 0.1 else sound(plan, random)


SLOW = {name: 0.85 * elo for name, elo in ELO.items()}
"""Bots on a machine of half the speed, under a time budget: the better search gains less."""
FAULTS: dict[str, Callable[[PairPlan, Random], Games]] = {
    "none": sound,
    "records that cannot be true": impossible,
    "invented games": lambda _, random: drawn(random),
    "invented games, from pair 300 on": lambda _, random: drawn(random),
    "invented games, one pair in ten": now_and_then,
    "one bot wins all": with_victim(favoured),
    "one bot loses 300 Elo": with_victim(crippled),
    "one bot crashes in a fifth": with_victim(crashing),
    "half the speed": sound,
    "stalls at 30 % of games": sound,
}


@dataclass
class Cluster:
    """Simulated machines, one of them bad."""

    machines: Sequence[str]
    fault: str
    by_work: bool
    seed: int
    chance: Random = field(default_factory=lambda: Random(7))
    sent: int = 0
    """Pairs of the bad machine so far."""
    faulty: int = 0
    """Those that were played with its fault."""

    def play(self, plan: PairPlan, machine: str) -> PairRecord:
        """Return the record of a pair as a machine sends it."""
        own = "" if self.by_work else f"{machine} {self.chance.random()}"
        random = Random(f"{plan.seed} {own}")
        self.sent += machine == BAD
        if machine != BAD or (self.fault.endswith("from pair 300 on") and self.sent < 300):
            return PairRecord(plan.id, plan.number, sound(plan, random))
        self.faulty += 1
        if self.fault == "half the speed" and not self.by_work:
            games = sound(plan, random, SLOW)
        else:
            games = FAULTS[self.fault](plan, random)
        aborts = 0
        if self.fault.startswith("stalls"):
            aborts = sum(self.chance.random() < 0.3 for _ in games)
        return PairRecord(plan.id, plan.number, games, aborts)

    def plan(self, number: int) -> PairPlan:
        """Return the pair of a number."""
        random = Random(f"{self.seed} {number}")
        a, b = random.sample(SIDES, 2)
        return PairPlan(number + 1, number, a, b, "4x4", "4x4", (), seed=random.getrandbits(40))


class Impossible:
    """Records that cannot be true."""

    def find(self, played: Played) -> str | None:
        """Return the machine that is bad."""
        try:
            checked_record(played.record, played.plan, seconds=60.0)
        except FalseRecord:
            return played.machine
        return None


class PlayedTwice:
    """Pairs that are played on a second machine, too, and contradictions followed up."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.machines = {name: Machine(name, 1, state=State.READY) for name in cluster.machines}
        self.unchecked: dict[str, int] = defaultdict(int)
        self.found = Contradictions()
        self.random = Random(cluster.seed)

    def find(self, played: Played) -> str | None:
        """Return the machine that is bad."""
        if not self.cluster.by_work or self.unchecked[played.machine]:
            self.unchecked[played.machine] -= 1
            return None
        self.unchecked[played.machine] = CHECK_EVERY
        pair: Pair = Pair(played.plan, Future())
        if not self.found.is_comparable(pair):
            return None
        pair.record, pair.played_by = played.record, self.machines[played.machine]
        ready = list(self.machines.values())
        machine: Machine | None = self.random.choice([m for m in ready if m is not pair.played_by])
        while machine is not None:
            record = self.cluster.play(played.plan, machine.address)
            finding = self.found.compare(pair, machine, record, ready)
            if finding.bad is not None:
                return finding.bad.address
            machine = finding.next_machine
        return None


class Session:
    """Results of the session that the other machines do not explain."""

    def __init__(self) -> None:
        self.residuals = Residuals()

    def find(self, played: Played) -> str | None:
        """Return the machine that is bad."""
        out = self.residuals.add(played.machine, played.plan, played.record)
        return None if out is None else out.machine


class Stalling:
    """Stalls of one machine and not of the others."""

    def __init__(self, cluster: Cluster) -> None:
        self.machines = Machines()
        self.machines.update(
            {name: {"nthreads": 1, "last_seen": 0.0} for name in cluster.machines}, 0.0
        )
        for machine in self.machines:
            self.machines.set_state(machine, State.READY)
        self.by_name = {machine.address: machine for machine in self.machines}

    def find(self, played: Played) -> str | None:
        """Return the machine that is bad."""
        why = check_stalls(self.by_name[played.machine], played.record, self.machines)
        return None if why is None else played.machine


class Report:
    """The agreement of machines in `ladder report`, read once at the end."""

    def __init__(self, pairs: int) -> None:
        self.left = pairs
        self.counts: dict[str, dict[tuple[str, str], FloatArray]] = {}

    def find(self, played: Played) -> str | None:
        """Return the machine that is bad."""
        first, second = (game.result.points2 for game in played.record.games)
        a, b, grid = played.plan.a.name, played.plan.b.name, (first, 2 - second)
        if a > b:
            a, b, grid = b, a, (2 - grid[1], 2 - grid[0])
        tables = self.counts.setdefault(played.machine, defaultdict(lambda: np.zeros(9)))
        tables[a, b][3 * grid[0] + grid[1]] += 1
        self.left -= 1
        if self.left:
            return None
        keys = sorted({key for tables in self.counts.values() for key in tables})
        names = sorted(ELO)
        groups = np.array([[t.get(key, np.zeros(9)) for key in keys] for t in self.counts.values()])
        cells = from_tables(
            players=names,
            a=[names.index(a) for a, _ in keys],
            b=[names.index(b) for _, b in keys],
            counts=groups.sum(axis=0),
            board_class=[0] * len(keys),
            classes=["4x4"],
        )
        fits = agreement(cells=cells, fit=rate_pool(cells=cells).fit, groups=groups)
        chances = [(2.0 if fit.p is None else fit.p, name) for fit, name in
                   zip(fits, self.counts, strict=True)]  # fmt: skip
        p, worst = min(chances)
        return worst if p * len(chances) < DOUBT else None


NAMES = ("impossible", "played twice", "residuals", "stalls", "report")


def detect(cluster: Cluster, pairs: int) -> dict[str, tuple[int | None, set[str]]]:
    """Return for each detector the bad machine's pairs when it was found, and who was accused."""
    detectors = dict(
        zip(
            NAMES,
            (Impossible(), PlayedTwice(cluster), Session(), Stalling(cluster), Report(pairs)),
            strict=True,
        )
    )
    found: dict[str, tuple[int | None, set[str]]] = {name: (None, set()) for name in NAMES}
    random = Random(cluster.seed)
    for number in range(pairs):
        plan, machine = cluster.plan(number), random.choice(cluster.machines)
        played = Played(plan, machine, cluster.play(plan, machine))
        for name, detector in detectors.items():
            accused = detector.find(played)
            if accused is not None:
                after, all_accused = found[name]
                if accused == BAD and after is None:
                    after = cluster.faulty
                found[name] = after, {*all_accused, accused}
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--machines", type=int, default=5)
    parser.add_argument("--fault", default="", help="a part of the name of some faults")
    given = parser.parse_args()
    machines = [BAD, *(f"m{n}" for n in range(1, given.machines))]
    print(f"| budget | fault | {' | '.join(NAMES)} |")
    print(f"|---|---|{'---|' * len(NAMES)}")
    for by_work in (True, False):
        for fault in (name for name in FAULTS if given.fault in name):
            results = [
                detect(Cluster(machines, fault, by_work, seed), given.pairs)
                for seed in range(given.repeats)
            ]
            cells = [cell([result[name] for result in results], fault) for name in NAMES]
            budget = "work" if by_work else "time"
            print(f"| {budget} | {fault} | {' | '.join(cells)} |", flush=True)


def cell(results: Sequence[tuple[int | None, set[str]]], fault: str) -> str:
    """Return what a detector has found, as text."""
    when = [after for after, _ in results if after is not None]
    false = sum(bool(accused - {BAD}) or (fault == "none" and bool(accused))
                for _, accused in results)  # fmt: skip
    text = "-"
    if when and fault != "none":
        text = f"{len(when)} of {len(results)}, after {statistics.median(when):.0f}"
    return text + (f" !{false}" if false else "")


if __name__ == "__main__":
    main()
