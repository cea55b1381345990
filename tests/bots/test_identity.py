"""The identity of built-in players."""

from dataclasses import replace

from bots.catalogue import VERSIONS
from bots.golden import content_hash

V4 = VERSIONS["v4"]


def test_different_players_differ() -> None:
    """Two rows never have one identity."""
    assert len({content_hash(version, {}) for version in VERSIONS.values()}) == len(VERSIONS)


def test_another_option_is_another_player() -> None:
    """The same player with another option is another player."""
    assert content_hash(V4, {"c": "0.7"}) != content_hash(V4, {})
    assert content_hash(V4, {"c": "0.7"}) != content_hash(VERSIONS["v3"], {"c": "0.7"})


def test_neither_sources_nor_the_description_of_a_version_count() -> None:
    """A version with golden games stays the same when code is edited that decides the same."""
    other = replace(V4, change="something else")
    assert content_hash(other, {}, lambda: "edited") == content_hash(V4, {})


def test_a_version_without_golden_games_is_identified_by_its_sources() -> None:
    """Each edit of a new version, and of one whose behaviour was raised, is a revision."""
    for version in (replace(V4, name="v99"), replace(V4, behaviour=99)):
        first, second = (content_hash(version, {}, text.strip) for text in "ab")
        assert first != second
