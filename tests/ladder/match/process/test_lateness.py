"""The rule for late moves, on counters that a simulated machine records."""

from dataclasses import dataclass
from enum import Enum, auto

from hypothesis import assume, given
from hypothesis import strategies as st

from ladder.match.process.lateness import OWN_SHARE, Counters, Delay, measure_delay

BUDGET_US, MARGIN_US = 10_000, 50_000
OWN_US = BUDGET_US + int(OWN_SHARE * MARGIN_US)
"""Time that an excused bot may need itself."""
TICK_US = 10_000
"""Step of the counter of stolen time."""


class During(Enum):
    """What happens during a part of a move."""

    RUNS = auto()
    SLEEPS = auto()
    LOADED = auto()
    """The bot waits for a processor that other programs use."""
    CHILD = auto()
    """The bot waits for a processor that its own child uses; the child then ends."""
    STOLEN = auto()
    """The host of the virtual machine has the processor; the bot's clock may run on."""
    STOPPED = auto()
    """The whole machine is stopped, or the harness after the bot has answered."""
    UNREAD = auto()
    """The bot has answered, but the harness waits for a processor."""


BY_ITSELF = {During.RUNS, During.SLEEPS, During.CHILD}


@dataclass(frozen=True)
class Part:
    """A part of a move."""

    during: During
    us: int


def parts(*kinds: During) -> st.SearchStrategy[list[Part]]:
    step = st.builds(Part, st.sampled_from(kinds), st.integers(0, 40_000))
    return st.lists(step, min_size=1, max_size=8)


def total(move: list[Part], *kinds: During) -> int:
    return sum(part.us for part in move if part.during in kinds)


def record(
    move: list[Part],
    *,
    schedstat: bool = True,
    stolen_counts: bool = True,
    queued: bool = False,
    starved_us: int = 0,
) -> Delay:
    """Return the delay that the kernel's counters show after a move.

    Args:
        move: its parts; the bot answers before the last ones that are `UNREAD`.
        schedstat: whether the kernel counts waits.
        stolen_counts: whether stolen time counts as the bot's processor time.
        queued: whether the waits are one that goes on, which the kernel has not counted.
        starved_us: earlier wait of the harness for a processor, which delayed nothing.

    """
    start = 7_000_000_000
    stolen_us = total(move, During.STOLEN)
    cpu_us = total(move, During.RUNS, During.CHILD) + stolen_us * stolen_counts
    waits_us = total(move, During.LOADED, During.CHILD)
    unread_us = total(move, During.UNREAD)
    harness_us = starved_us + unread_us
    before = Counters(start, {"bot": start}, start if schedstat else None, start)
    waited_ns = 0 if queued else 1000 * waits_us
    now = Counters(
        start + 1000 * cpu_us,
        {"bot": start + waited_ns, "late thread": 0},
        start + 1000 * harness_us if schedstat else None,
        start + 1000 * (stolen_us - stolen_us % TICK_US),
    )
    return measure_delay(
        before,
        now,
        elapsed_us=sum(part.us for part in move),
        overslept_us=total(move, During.STOPPED) + harness_us,
        unseen_us=unread_us,
        queued_us=waits_us if queued else 0,
    )


def is_excused(delay: Delay) -> bool:
    return delay.is_excused(BUDGET_US, MARGIN_US)


LOAD = (During.RUNS, During.SLEEPS, During.LOADED, During.STOPPED, During.UNREAD)


@given(parts(*LOAD), st.integers(0, 40_000))
def test_a_bot_in_time_by_itself_is_excused_on_a_loaded_or_stopped_machine(
    move: list[Part], starved_us: int
) -> None:
    """Waits of the bot and delays by the harness add up to all that it did not cause.

    A wait of the harness that was over before the answer came adds nothing.
    """
    assert is_excused(record(move, starved_us=starved_us)) is (total(move, *BY_ITSELF) <= OWN_US)


@given(parts(During.RUNS, During.LOADED))
def test_a_wait_that_goes_on_counts(move: list[Part]) -> None:
    """The kernel has not counted it; a queued bot has waited as long as it has not run."""
    assume(total(move, During.LOADED))
    assert record(move, queued=True).explained_us == total(move, During.LOADED)


@given(parts(During.RUNS, During.SLEEPS, During.STOLEN), st.booleans())
def test_time_that_the_host_takes_is_excused(move: list[Part], stolen_counts: bool) -> None:
    """Whatever the bot's clock shows meanwhile, in ticks of 10 ms."""
    delay = record(move, stolen_counts=stolen_counts)
    own_us = total(move, *BY_ITSELF)
    assert not (is_excused(delay) and own_us > OWN_US)
    assert is_excused(delay) or own_us > OWN_US - TICK_US


@given(parts(During.RUNS, During.CHILD, During.LOADED, During.UNREAD))
def test_a_bot_delayed_by_its_own_children_is_charged(move: list[Part]) -> None:
    """What its processes use is never another's, also after they have ended."""
    assert is_excused(record(move)) is (total(move, *BY_ITSELF) <= OWN_US)


@given(parts(*During), st.booleans())
def test_without_counters_nothing_is_excused(move: list[Part], queued: bool) -> None:
    """A kernel without schedstat explains no part of a move."""
    delay = record(move, schedstat=False, queued=queued)
    assert delay.explained_us == 0
    assert is_excused(delay) is (delay.elapsed_us <= OWN_US)


@given(parts(*During), st.booleans())
def test_no_more_than_the_move_is_explained(move: list[Part], queued: bool) -> None:
    """Whatever happens, at most the elapsed time, and at least nothing."""
    delay = record(move, queued=queued)
    assert 0 <= delay.explained_us <= delay.elapsed_us


def test_the_text_shows_how_the_time_was_spent() -> None:
    delay = Delay(103_400, used_us=65_000, bot_wait_us=20_000, harness_us=9_000, stolen_us=0)
    assert str(delay) == (
        "of 103 ms it computed for 65, and 29 are explained by waiting for a processor"
    )
