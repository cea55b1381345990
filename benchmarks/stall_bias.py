"""Simulate whether playing stalled games again favours bots that win the short games.

    python -m benchmarks.stall_bias [DATABASE ...]

A stall meets a ply, so a long game meets more of them. The games of each two bots of a database,
or of two made-up ones, are drawn again and again as pairs and played on a machine that stalls in 5
or 20 % of the games: at single plies, or in bursts of some hundred plies. The bias is A's Elo over
B by the pairs that are kept, less that of all games; behind it is the share of pairs given up.

- replay: the whole pair is played again, at most three times; then it is given up
- batch: so is a batch of eight pairs when any of them is stalled
- weigh: as replay, each kept pair weighing the inverse of its chance to be kept
- ask again: only the stalled move is asked again, at most three times in a pair
"""

import argparse
import math
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

PAIRS = 400_000
REPLAY, BATCH, WEIGH, ASK_AGAIN = range(4)
POLICIES = ("replay", "batch", "weigh", "ask again")
TRIES = 4
BATCH_PAIRS = 8
BURST_PLIES, IN_BURST = 300.0, 0.5
"""Mean length of a burst in plies, and the chance of a ply in it to be stalled."""
LEAST_GAMES = 30


class Games(NamedTuple):
    """The games of two bots."""

    name: str
    plies: NDArray[np.int64]
    """By who moves first and by game: plies after the opening."""
    points: NDArray[np.float64]
    """A's, 0, 1/2 or 1."""


@numba.njit(cache=False)
def simulate(
    plies: NDArray[np.int64],
    points: NDArray[np.float64],
    policy: int,
    hazard: float,
    bursts: bool,
    pairs: int,
) -> tuple[float, float, int, int, int]:
    """Return A's points and weight over kept games, attempts, stalls, and pairs given up."""
    # In bursts `hazard` is the chance of one to begin at a ply.
    state = False
    total = weight = 0.0
    attempts = stalls = given_up = 0
    size = BATCH_PAIRS if policy == BATCH else 1
    for _ in range(pairs // size):
        kept = False
        for _ in range(TRIES):
            clean = True
            sum_points = sum_weight = 0.0
            left = TRIES - 1
            for number in range(2 * size):
                first = number % 2
                drawn = np.random.randint(plies.shape[1])
                attempts += 1
                ply = 0
                while ply < plies[first, drawn]:
                    if bursts:
                        if state:
                            state = np.random.random() >= 1 / BURST_PLIES
                        else:
                            state = np.random.random() < hazard
                        stalled = state and np.random.random() < IN_BURST
                    else:
                        stalled = np.random.random() < hazard
                    if not stalled:
                        ply += 1
                        continue
                    stalls += 1
                    left -= 1
                    if policy != ASK_AGAIN or left < 0:
                        clean = False
                        break
                if not clean:
                    break
                chance = (1 - hazard) ** plies[first, drawn] if policy == WEIGH else 1.0
                sum_points += points[first, drawn] / chance
                sum_weight += 1 / chance
            if clean:
                total += sum_points
                weight += sum_weight
                kept = True
                break
            if policy == ASK_AGAIN:
                break
        if not kept:
            given_up += size
    return total, weight, attempts, stalls, given_up


def elo(score: float) -> float:
    """Return the Elo difference of an expected score."""
    return 400 * math.log10(score / (1 - score))


def hazard_for(games: Games, share: float, bursts: bool) -> float:
    """Return the hazard under which a share of the attempts at games is stalled."""
    low, high = 0.0, 0.2
    for _ in range(22):
        middle = (low + high) / 2
        _, _, attempts, stalls, _ = simulate(
            games.plies, games.points, REPLAY, middle, bursts, PAIRS // 10
        )
        low, high = (middle, high) if stalls < share * attempts else (low, middle)
    return (low + high) / 2


def read(database: str) -> list[Games]:
    """Read the games of every two bots that met often enough with either moving first."""
    query = (
        "SELECT f.bot_id, s.bot_id, fb.name, sb.name, g.plies - g.opening_plies, g.result "
        "FROM games g JOIN revisions f ON f.id = g.first_revision_id "
        "JOIN revisions s ON s.id = g.second_revision_id "
        "JOIN bots fb ON fb.id = f.bot_id JOIN bots sb ON sb.id = s.bot_id "
        "WHERE f.bot_id <> s.bot_id"
    )
    won = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    found: dict[tuple[int, int], tuple[list[tuple[int, float]], list[tuple[int, float]]]]
    found = defaultdict(lambda: ([], []))
    names: dict[int, str] = {}
    connection = sqlite3.connect(database)
    try:
        for first, second, first_name, second_name, plies, result in connection.execute(query):
            names[first], names[second] = first_name, second_name
            if first < second:
                found[first, second][0].append((plies, won[result]))
            else:
                found[second, first][1].append((plies, 1 - won[result]))
    finally:
        connection.close()
    return [
        games_of(f"{names[a]} v. {names[b]}", *halves)
        for (a, b), halves in sorted(found.items())
        if min(map(len, halves)) >= LEAST_GAMES // 2
    ]


def games_of(name: str, one: list[tuple[int, float]], two: list[tuple[int, float]]) -> Games:
    """Make a record of two lists of (plies, A's points): A moving first, and second."""
    count = min(len(one), len(two))
    both = np.array([one[:count], two[:count]], dtype=np.float64)
    return Games(name, both[:, :, 0].astype(np.int64), both[:, :, 1])


def made_up() -> list[Games]:
    """Make three pairs of equal bots, whose winner depends on the length of the game or not."""
    rng = np.random.default_rng(1)
    plies = rng.integers(12, 42, 2000)
    half = (rng.random(2000) < 0.5).astype(float)
    tilted = (rng.random(2000) < np.interp(plies, (12, 41), (0.7, 0.3))).astype(float)
    sharp = (plies < 27).astype(float)
    return [
        games_of(name, *(list(zip(plies.tolist(), won.tolist(), strict=True)),) * 2)
        for name, won in (
            ("length without effect", half),
            ("A wins 70 % of short, 30 % of long", tilted),
            ("A wins short, B long games", sharp),
        )
    ]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("databases", nargs="*", type=Path)
    options = parser.parse_args()
    listed = made_up() + [games for path in options.databases for games in read(str(path))]
    print("| games | stalls | Elo | " + " | ".join(POLICIES) + " |")
    print("|---|---|---|" + "---|" * len(POLICIES))
    for games in listed:
        truth = float(games.points.mean())
        if not 0.02 < truth < 0.98:
            continue
        for bursts in (False, True):
            for share in (0.05, 0.2):
                hazard = hazard_for(games, share, bursts)
                cells = []
                for policy in range(len(POLICIES)):
                    total, weight, _, _, given_up = simulate(
                        games.plies, games.points, policy, hazard, bursts, PAIRS
                    )
                    bias = elo(total / weight) - elo(truth)
                    cells.append(f"{bias:+.1f} ({100 * given_up / PAIRS:.1f} %)")
                where = "bursts" if bursts else "single"
                row = [games.name, f"{share:.0%}, {where}", f"{elo(truth):+.0f}", *cells]
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
