"""Simulated pools, and a slow and simple likelihood."""

import numpy as np
from scipy.optimize import minimize

from ladder.stats.pool.cells import from_tables
from tests.support.simulated_gates import pair_table

SCALE = 400 / np.log(10)


def names(size):
    return tuple(f"p{number}" for number in range(size))


def random_tables(
    rng, *, size, pairs, spread=250.0, advantage=(80.0,), correlation=-0.4, draws=0.1
):
    """Return (a, b, class, 3x3 counts, true Elo) of a pool with all pairings in all classes."""
    elo = rng.normal(0, spread, size)
    elo -= elo.mean()
    rows = []
    for kind, edge in enumerate(advantage):
        for i, j in zip(*np.triu_indices(size, 1), strict=True):
            shares = pair_table(
                elo=elo[i] - elo[j], advantage=edge, draws=draws, correlation=correlation
            )
            table = rng.multinomial(rng.poisson(pairs), shares.ravel()).reshape(3, 3)
            rows.append((i, j, kind, table))
    a, b, kinds, tables = zip(*rows, strict=True)
    return np.array(a), np.array(b), np.array(kinds), np.array(tables), elo


def random_cells(rng, *, size, pairs, advantage=(80.0,), **rest):
    a, b, kinds, tables, elo = random_tables(
        rng, size=size, pairs=pairs, advantage=advantage, **rest
    )
    classes = tuple(f"class{number}" for number in range(len(advantage)))
    cells = from_tables(
        players=names(size), a=a, b=b, counts=tables, board_class=kinds, classes=classes
    )
    return cells, elo


def by_scipy(cells, *, prior, advantage=None):
    """Fit Elo relative to the mean by a general optimiser."""
    size, classes = len(cells.players), len(cells.classes)
    first, second = cells.results()

    def cost(x):
        r = x[:size] / SCALE
        f = x[size : size + classes] / SCALE if advantage is None else np.full(classes, advantage)
        total = 0.0
        gap, edge = r[cells.a] - r[cells.b], f[cells.board_class]
        for z, games in ((gap + edge, first), (gap - edge, second)):
            win, loss = -np.logaddexp(0, -z), -np.logaddexp(0, z)
            total -= np.sum(games * np.stack([loss, 0.5 * (win + loss), win], axis=1))
        u = r - r.mean()
        total += 0.5 * prior * np.sum(np.logaddexp(0, u) + np.logaddexp(0, -u))
        if advantage is None:
            total += 0.5 * prior * np.sum(np.logaddexp(0, f) + np.logaddexp(0, -f))
        return total + 1e-9 * r.sum() ** 2

    start = np.zeros(size + classes)
    found = minimize(cost, start, method="BFGS", options={"gtol": 1e-9, "maxiter": 3000})
    found = minimize(cost, found.x, method="BFGS", options={"gtol": 1e-9, "maxiter": 3000})
    elo = found.x[:size]
    return elo - elo.mean(), found.x[size : size + classes]
