"""Seeds of pairs follow from a run's seed, and lead back to it only for runs of the old kind."""

from itertools import product

import pytest

from engine.seeds import GOLDEN, MASK64, SEED_LIMIT
from ladder.pair_seeds import SeedDerivation, derive, derive_pair_seed

GAMES = 3
"""The purpose for which a schedule derives the seeds of games."""
RUN_SEED = 5_113_906_775_210_417


def unscramble(value: int) -> int:
    """Invert `engine.seeds.scramble`."""

    def unshift(number: int, by: int) -> int:
        found = number
        for _ in range(64 // by):
            found = number ^ (found >> by)
        return found

    value = unshift(value, 31)
    value = unshift(value * pow(0x94D049BB133111EB, -1, 1 << 64) & MASK64, 27)
    return unshift(value * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & MASK64, 30)


def invert(pair_seed: int, number: int) -> set[int]:
    """Return the run seeds from which `engine.seeds.mix` makes a pair's seed."""
    found = set()
    for high in range(1 << 11):
        state = pair_seed | high << 53
        for value in (GAMES, number):
            state = (unscramble(state) - GOLDEN - value) & MASK64
        seed = (unscramble(state) - GOLDEN) & MASK64
        if seed < SEED_LIMIT:
            found.add(seed)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("by", SeedDerivation)
def test_pair_seeds_do_not_reveal_the_run(by: SeedDerivation) -> None:
    """Two consecutive pairs give away the seed of an old run, and nothing of a new one."""
    one, two = (derive_pair_seed(RUN_SEED, number, GAMES, by=by) for number in (17, 18))
    found = invert(one, 17) & invert(two, 18)
    assert found == ({RUN_SEED} if by is SeedDerivation.MIXED else set())


def test_derived_numbers_never_change() -> None:
    """Stored runs are resumed from them."""
    by = SeedDerivation.MIXED
    assert derive(1, 2, 3, by=by) == 0x6AE515C1C0AC7E37
    assert derive_pair_seed(2024, 7, by=by) == 3396590738069478
    assert derive(1, 2, 3) == 0x3E81E21FD3391EC7
    assert derive_pair_seed(2024, 7) == 6881895187147735


def test_derived_numbers_differ_by_seed_and_values() -> None:
    """Neighbouring seeds, pairs and purposes get unrelated numbers, which a double holds."""
    places = list(product(range(5), range(50), range(6)))
    seeds = {derive_pair_seed(*place) for place in places}
    assert len(seeds) == len(places)
    assert all(int(float(seed)) == seed < SEED_LIMIT for seed in seeds)
    assert derive(1) != derive(1, 0) != derive(0, 1)
