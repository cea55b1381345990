"""The options of players: each changes what its player does, or is refused."""

import itertools
from collections.abc import Iterator
from functools import lru_cache

import pytest

from bots.budget import Budget, RemainingTime
from bots.catalogue import VERSIONS, Value, build, option_ranges, option_values
from bots.errors import SpecError
from bots.learned.weights_file import SHIPPED_FILES
from bots.player import Choice, TimedPlayer
from bots.uct.root import root_threats
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import random_position, work_budget

TEXTS = {
    "memory": ("emptied", "counted", "swept", "bump"),
    "rollout": ("random", "middle", "seven"),
    "weights": (*SHIPPED_FILES, "published", "1,2,3,4,5,6"),
}
"""Values of the options that are texts."""
PROBES = (
    ("6x7", 0),
    ("9x9@4,4", 8),
    *(("6x7", plies) for plies in (16, 20, 22, 24, 26, 28, 30)),
    *(("5x5", plies) for plies in (4, 6, 8, 10, 12)),
)
"""Boards and plies of the positions in which players are compared."""
CHANGES = {
    "_clock_readings": ("clock_share", "cells_per_move"),
    "_large_answers": ("memory_mib", "reuse", "fourth_root"),
}
"""Options that change no small search, by what they change."""
SAME_DECISIONS = "vector"
"""The option that changes only the speed."""
NEWEST = {version.settings: name for name, version in VERSIONS.items()}
"""The newest player of each family of settings; the others are tried in `make test-slow`."""
OPTIONS = [
    pytest.param(name, option, marks=() if name in NEWEST.values() else pytest.mark.very_slow)
    for name in VERSIONS
    for option in option_values(name)
]


def other_values(name: str, option: str) -> Iterator[Value]:
    """Yield values that the option of the player does not have."""
    value = option_values(name)[option]
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from (text for text in TEXTS[option] if text != value)
    elif option == "memory_mib":
        yield 1
    elif isinstance(value, int):
        yield from (other for other in (0, 1, 3, 40, 200) if other != value)
    else:
        yield from (other for other in (value / 2, value + 0.3) if other != value)


def decisions(spec: str, option: str) -> Iterator[object]:
    """Yield what a player does: first what the option is likely to change, then all else."""
    kinds = [_small_answers, _clock_readings, _large_answers]
    kinds.sort(key=lambda kind: option not in CHANGES.get(kind.__name__, ()))
    for kind in kinds:
        yield from kind(spec, spec.partition("?")[0])


def _small_answers(spec: str, name: str) -> Iterator[object]:
    for text, plies in PROBES:
        for amount in (12, 400):
            yield from _answers(spec, quiet_position(text, plies), work_budget(name, amount))
    for plies in range(12, 40, 2):
        position = random_position(parse_board("9x9@4,4"), plies, SplitMix(plies))
        yield from _answers(spec, position, work_budget(name, 400))


def _clock_readings(spec: str, name: str) -> Iterator[object]:
    for clock in (Budget(time_ms=100), RemainingTime(yours_ms=9000, theirs_ms=9000, move_ms=200)):
        if "time" in VERSIONS[name].budgets:
            yield [_readings(spec, clock, seconds) for seconds in (0.001, 0.02)]


def _large_answers(spec: str, name: str) -> Iterator[object]:
    """Yield answers that fill the memory."""
    budget = work_budget(name, 25_000 * (32 if "nodes" in VERSIONS[name].budgets else 1))
    for plies in (0, 4):
        yield from _answers(spec, quiet_position("12x12", plies), budget)


@lru_cache
def quiet_position(text: str, plies: int) -> Position:
    """Return a random position in which no side wins at once."""
    random = SplitMix(plies)
    while True:
        position = Position(parse_board(text))
        for _ in range(plies):
            after = [position.play(column) for column in position.legal_moves()]
            quiet = [each for each in after if not any(root_threats(each)) and not each.is_over]
            if not quiet:
                break
            position = random.choice(quiet)
        if position.ply == plies:
            return position


def _answers(spec: str, position: Position, budget: Budget) -> Iterator[Choice]:
    """Yield two answers to moves of one game."""
    side, board = position.to_move, position.board
    player = build(spec, board=board, side=side, seed=1, budget=budget)
    for _ in range(2):
        choice = player.choose(position.moves)
        yield choice
        for column in (choice.column, position.legal_moves()[0]):
            after = position.play(column) if position.can_play(column) else position
            if after.is_over:
                return
            position = after


def _readings(spec: str, clock: Budget | RemainingTime, seconds: float) -> int:
    """Return how often a player reads a clock that each reading sets forward."""
    budget = clock if isinstance(clock, Budget) else Budget(time_ms=100)
    player = build(spec, board=Board(12, 12), side=0, seed=1, budget=budget)
    assert isinstance(player, TimedPlayer)
    readings = itertools.count()
    player.now = lambda: seconds * next(readings)
    if isinstance(clock, RemainingTime):
        player.set_clock(clock, 0)
    player.choose(())
    return next(readings)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_an_option_changes_something_or_is_refused(name: str, option: str) -> None:
    """Another value gives other decisions, statistics or times, if the player accepts it."""
    accepted = []
    for value in other_values(name, option):
        spec = f"{name}?{option}={int(value) if isinstance(value, bool) else value}"
        try:
            option_values(spec)
            build(spec, board=Board(6, 7), side=0, seed=1, budget=work_budget(name, 1))
        except SpecError:
            continue
        accepted.append(spec)
    if not accepted or option == SAME_DECISIONS:
        return
    for own, *others in zip(*(decisions(spec, option) for spec in (name, *accepted)), strict=False):
        if any(other != own for other in others):
            return
    pytest.fail(f"{accepted} play as {name}")


def numbers() -> Iterator[tuple[str, str, float, float]]:
    """Yield each numeric option once, with its newest player and its range."""
    for name in NEWEST.values():
        for option, value in option_values(name).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield name, option, *option_ranges(name)[option]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option", "low", "high"), list(numbers()))
def test_a_number_plays_at_both_ends_of_its_range_only(
    name: str, option: str, low: float, high: float
) -> None:
    """At either end values are from -1 to 1 and moves legal; a number beyond is refused.

    What an end needs, or what it makes needless, may refuse it: 0 of one option without another.
    """
    kind, played = type(option_values(name)[option]), 0
    for end, beyond in ((low, low - 1), (high, high + 1)):
        text = f"{name}?{option}={kind(end)}"
        try:
            option_values(text)
        except SpecError as error:
            assert "needs" in str(error)  # noqa: PT017 - an end may contradict another option
        else:
            for plies in (0, 20):
                position = quiet_position("6x7", plies)
                for choice in _answers(text, position, work_budget(name, 200)):
                    assert choice.info is not None
                    assert abs(choice.info.value or 0.0) <= 1.0
                    played += 1
        for wrong in (kind(beyond), "nan", "inf", "-inf"):
            with pytest.raises(SpecError, match=rf"{option}.* from .* to "):
                option_values(f"{name}?{option}={wrong}")
    assert played > 0


def test_an_option_is_given_once() -> None:
    """Of two values of one option neither is taken."""
    with pytest.raises(SpecError, match="'c' of 'v20' is given twice"):
        option_values("v20?c=1&hint=0.1&c=2")


def test_a_weight_may_be_negative() -> None:
    """The range of an option decides, not its sign."""
    assert option_values("ab1?two=-3")["two"] == -3


@pytest.mark.parametrize(
    "spec",
    [
        "v24?hint=0.5",
        "v24?careful=9",
        "v24?expect=2",
        "v24?urgent=yes",
        "v17?hint=1",
        "v17?endgame=24",
        "v5?bitboards=yes",
        "mcts1?forced=yes",
        "random?x=1",
    ],
)
def test_an_option_of_another_family_is_refused(spec: str) -> None:
    """The refusal names the options that the player uses."""
    with pytest.raises(SpecError, match="there is no option") as raised:
        option_values(spec)
    with pytest.raises(SpecError, match="there is no option"):
        build(spec, board=Board(6, 7), side=0, seed=1, budget=Budget(simulations=1))
    used = option_values(spec.partition("?")[0])
    assert all(option in str(raised.value) for option in used)


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        ("v18?hint=0.1", "expect"),
        ("v20?urgent=yes", "expect=0"),
        ("v2?convert=yes", "exact"),
        ("v9?right_distances=yes", "distances"),
        ("v21?keeping=yes", "mixed"),
        ("mcts3?solve=no", "solve"),
        ("ab1?reach=3", "ends"),
        ("v20?vector=no", "vector"),
        ("mcts1?leave=yes", "solve"),
        ("v17?memory=none", "emptied, counted, swept, bump"),
    ],
)
def test_an_option_without_effect_is_refused(spec: str, needed: str) -> None:
    """An idea that builds on another one needs it, and the refusal says so."""
    with pytest.raises(SpecError, match=needed):
        option_values(spec)


def test_given_options_take_precedence_over_the_row() -> None:
    """An option in the text has its type; others have the row's value or the default."""
    assert option_values("v18")["c"] == 0.45
    assert option_values("v18?c=0.7&careful=12")["careful"] == 12
    for name, version in VERSIONS.items():
        assert version.options.items() <= option_values(name).items()
