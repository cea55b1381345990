"""The descriptions of past runs."""

import pytest

from db.records.run_settings import settings_of
from ladder.runs.history import run_title


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({"a": "v10", "b": "v1"}, "v10 against v1"),
        ({}, "v1 against v10"),
        ({"a": "v10", "b": "./v1"}, "v1 against v10"),
    ],
)
def test_a_match_is_titled_with_its_bots_as_the_command_named_them(options, players) -> None:
    """The order of the command counts; without it, or with other names, the stored order does."""
    settings = settings_of("match", {"bots": {"v1": "hash", "v10": "hash"}, "options": options})
    assert run_title(settings, "6x7/20ms") == f"{players}, 6x7/20ms"
