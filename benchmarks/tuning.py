"""Which search finds good settings of a bot? True losses after N games on simulated landscapes.

    python -m pip install -c constraints.txt cmaes
    python -m benchmarks.tuning [--games 2000 8000] [--seeds 30]

A landscape gives every setting an Elo below its top; a search sees nothing of it but the results of
pairs of games, drawn from that Elo, 60 Elo for the first move and no draws. All searches get equal
games; printed is the Elo that its answer lies below the top, in the mean over landscapes drawn at
random, with its standard error.

- hill: parameters by themselves, each of about the same weight; 60 Elo below the top at the start
- flat: one parameter matters and the others hardly do; 15 Elo below
- ridge: a valley across all parameters, 100 times as steep in one direction as in another; 60 Elo
- cliff: steep on one side of the best value and gentle on the other; 60 Elo

Searches:

- start: none
- spsa: as `ladder tune` has it
- spsa, fishtest: perturbations of a 20th of the range and a rate of 0.002, fishtest's defaults, the
  answer being the last place
- cma: CMA-ES of the library cmaes; each candidate plays 4 pairs against the start, population and
  first deviation the best of 36 combinations with the pairs at 2,000 games
- cma, noise: with the library's adaptation of the learning rate to noise (Nomura and others 2023)
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.experiments.tune import spsa
from ladder.experiments.tune.parameters import Parameter

Array = NDArray[np.float64]
RATE = math.log(10) / 400
FIRST_MOVE = 60.0
PAIRS = 8
SIGMA = 0.3
KINDS = {"hill": 60.0, "flat": 15.0, "ridge": 60.0, "cliff": 60.0}
"""Elo at the start below the top."""
SIZES = (2, 4, 6)
"""Parameters."""


@dataclass
class Landscape:
    """Elo over the unit cube, 0 at its top."""

    kind: str
    top: Array
    start: Array
    shape: Array
    factor: float = 1.0

    def elo(self, place: Array) -> float:
        """Return the Elo relative to the top."""
        away = place - self.top
        if self.kind == "cliff":
            away = np.abs(np.where(away < 0, 2 * away, away))
        loss = float(away @ self.shape @ away)
        return -self.factor * (loss / (0.3 + math.sqrt(loss)) if self.kind == "cliff" else loss)


def drawn(kind: str, size: int, seed: int) -> Landscape:
    """Draw a landscape of a kind."""
    random = np.random.default_rng((seed, size))
    top, start = random.uniform(0.2, 0.8, size), random.uniform(0.1, 0.9, size)
    turn = np.linalg.qr(random.normal(size=(size, size)))[0]
    weights = random.uniform(0.5, 2, size)
    if kind == "flat":
        weights = np.full(size, 1e-3)
        weights[random.integers(size)] = 1
    shape = np.diag(weights)
    if kind == "ridge":
        shape = turn @ np.diag(np.logspace(0, -2, size)) @ turn.T
    land = Landscape(kind, top, start, shape)
    land.factor = KINDS[kind] / -land.elo(start)
    return land


class Table:
    """A source of pairs that counts their games."""

    def __init__(self, land: Landscape, seed: int) -> None:
        self._land = land
        self._random = np.random.default_rng(seed)

    def lead(self, a: Array, b: Array, pairs: int) -> int:
        """Play pairs; return A's wins less its losses."""
        gap = self._land.elo(a) - self._land.elo(b)
        chances = [1 / (1 + math.exp(-RATE * (gap + side * FIRST_MOVE))) for side in (1, -1)]
        return int(2 * self._random.binomial(pairs, chances).sum()) - 2 * pairs


def by_start(land: Landscape, table: Table, games: int, seed: int) -> Array:
    """Return the start, without a search."""
    del table, games, seed
    return land.start


def by_spsa(land: Landscape, table: Table, games: int, seed: int) -> Array:
    """Search as `ladder tune` does."""
    parameters = tuple(
        Parameter(f"p{number}", 0.0, 1.0, float(unit)) for number, unit in enumerate(land.start)
    )
    steps = games // (2 * PAIRS)
    search = spsa.Spsa(parameters, steps=steps, seed=seed)
    while search.step < steps:
        a, b = (
            np.array([each.unit(setting[each.name]) for each in parameters])
            for setting in search.propose()
        )
        search.add_result(table.lead(a, b, PAIRS))
    return search.point


def by_fishtest(land: Landscape, table: Table, games: int, seed: int) -> Array:
    """Search with the defaults of fishtest."""
    kept = spsa.C_END, spsa.R_END, spsa.MEAN_SHARE
    spsa.C_END, spsa.R_END, spsa.MEAN_SHARE = 1 / 20, 0.002, 1e-9
    try:
        return by_spsa(land, table, games, seed)
    finally:
        spsa.C_END, spsa.R_END, spsa.MEAN_SHARE = kept


def by_cma(pairs: int, *, noise: bool) -> Callable[[Landscape, Table, int, int], Array]:
    """Search by CMA-ES with some pairs per candidate."""
    from cmaes import CMA

    def search(land: Landscape, table: Table, games: int, seed: int) -> Array:
        size = len(land.start)
        population = 3 * (4 + int(3 * math.log(size)))
        found = CMA(
            mean=land.start.copy(),
            sigma=SIGMA,
            bounds=np.array([[0.0, 1.0]] * size),
            seed=seed,
            population_size=population,
            lr_adapt=noise,
        )
        for _ in range(games // (2 * pairs * population)):
            asked = [found.propose() for _ in range(population)]
            found.add_result([(place, -table.lead(place, land.start, pairs)) for place in asked])
        return np.clip(found.mean, 0, 1)

    return search


def main() -> None:
    """Print a table for each number of games."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, nargs="+", default=[2000, 8000])
    parser.add_argument("--seeds", type=int, default=30)
    given = parser.parse_args()
    searches = {
        "start": by_start,
        "spsa": by_spsa,
        "spsa, fishtest": by_fishtest,
        "cma": by_cma(4, noise=False),
        "cma, noise": by_cma(4, noise=True),
    }
    heads = [f"{kind} {size}" for kind in KINDS for size in SIZES]
    for games in given.games:
        print(f"\n{games} games\n\n| search | mean | {' | '.join(heads)} |")
        print("|---" * (len(heads) + 2) + "|")
        for name, search in searches.items():
            cells, means = [], []
            for kind in KINDS:
                for size in SIZES:
                    losses = []
                    for seed in range(given.seeds):
                        land = drawn(kind, size, seed)
                        losses.append(-land.elo(search(land, Table(land, seed), games, seed + 1)))
                    means.append(np.mean(losses))
                    error = np.std(losses, ddof=1) / math.sqrt(given.seeds)
                    cells.append(f"{means[-1]:.1f} ± {error:.1f}")
            print(f"| {name} | {np.mean(means):.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
