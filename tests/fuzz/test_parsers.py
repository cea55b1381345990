"""All parsers on mutations of valid inputs, and on inputs that once caused errors."""

import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import Target, make_targets

TARGETS = make_targets()
TOKENS = (
    b"", b"\0", b"\n", b'"', b",", b"-1", b"0", b"1e999", b"9" * 25, b"9" * 400, b"nan", b"inf",
    b"null", b"true", b"{}", b"[", b"[" * 5000, b"\xff", b"\xc2\xb2", b"\xd9\xa3", b"\xef\xbb\xbf",
    b"'", b"\\", b"@", b"=", b"&", b"x", b"%", b"_", b" ",
)  # fmt: skip
"""Difficult input: ends, quotes, large numbers, digits of other scripts, nesting."""


@st.composite
def mutated(draw: st.DrawFn, seeds: tuple[bytes, ...]) -> bytes:
    """Draw a valid input with up to four pieces removed, doubled or replaced."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 4))):
        # Cuts fall on the edges of words and numbers, or anywhere.
        edges = sorted({edge for match in re.finditer(rb"\w+", data) for edge in match.span()})
        anywhere = st.integers(0, len(data))
        start = draw(st.sampled_from(edges) | anywhere if edges else anywhere)
        stop = draw(st.sampled_from([e for e in [*edges, len(data), start] if e >= start][:3]))
        put = draw(st.sampled_from((*TOKENS, data[start:stop] * 2)) | st.binary(max_size=6))
        data = data[:start] + put + data[stop:]
    return data


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)
def test_valid_inputs_are_accepted(target: Target) -> None:
    assert any(target.accepts(seed) for seed in target.seeds)


@pytest.mark.very_slow
@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)
def test_mutated_inputs_are_accepted_or_refused_in_a_sentence(target: Target) -> None:
    """FUZZ_EXAMPLES=N tries more of them."""
    count = int(os.environ.get("FUZZ_EXAMPLES", "40"))

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutated(target.seeds))
    def check(data: bytes) -> None:
        target.accepts(data)

    check()


DEEP = b"[" * 200_000
HUGE = b"9" * 400
GOT_THROUGH = (
    ("time", HUGE, "a whole number of days would not be a float"),
    ("margin", HUGE, "as the time"),
    ("time", "\u0663ms".encode(), "digits of another script"),
    ("since", HUGE + b"d", "a moment at minus infinity"),
    ("until", HUGE + b"d", "a moment that no calendar has"),
    ("player", b"v4?c=nan", "no order among children"),
    ("player", b"v4?c=-1", "the least visited child last"),
    ("player", b"v12?memory_mib=0", "no room for a root"),
    ("player", b"v12?memory_mib=" + HUGE, "more than an address"),
    ("request", b'{"type":"quit","x":' + DEEP, "deeper than the decoder's stack"),
    ("jsonl reader", b'{"introduces":{"settings":{"a":' + DEEP, "the same in a line of an export"),
    ("specification", b"python:" + HUGE + b".py:B", "a name longer than a file can have"),
    ("specification", b"exec:" + HUGE, "the same for a program"),
    ("configuration", b"a = " + DEEP, "deeper than Python's stack"),
)
"""Inputs that ended in a traceback or were accepted once: target, input, why it is wrong."""


@pytest.mark.parametrize(
    ("name", "data"), [row[:2] for row in GOT_THROUGH], ids=[f"{r[0]}: {r[2]}" for r in GOT_THROUGH]
)
def test_what_once_got_through_is_refused(name: str, data: bytes) -> None:
    """Each former cause of an error is refused in a sentence."""
    assert not TARGETS[name].accepts(data)
