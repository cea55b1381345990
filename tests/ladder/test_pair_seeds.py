"""Seeds of pairs follow from a run's seed."""

from itertools import product

from engine.seeds import SEED_LIMIT
from ladder.pair_seeds import derive, derive_pair_seed


def test_derived_numbers_never_change() -> None:
    """Stored runs are resumed from them."""
    assert derive(1, 2, 3) == 0x3E81E21FD3391EC7
    assert derive_pair_seed(2024, 7) == 6881895187147735


def test_derived_numbers_differ_by_seed_and_values() -> None:
    """Neighbouring seeds, pairs and purposes get unrelated numbers, which a double holds."""
    places = list(product(range(5), range(50), range(6)))
    seeds = {derive_pair_seed(*place) for place in places}
    assert len(seeds) == len(places)
    assert all(int(float(seed)) == seed < SEED_LIMIT for seed in seeds)
    assert derive(1) != derive(1, 0) != derive(0, 1)
