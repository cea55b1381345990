"""The values of players' options."""

import pytest

from bots.c4ai.player import C4ai
from bots.catalogue import VERSIONS
from bots.errors import SpecError
from bots.option_values import SETTINGS, option_values


@pytest.mark.parametrize("name", list(VERSIONS))
def test_every_option_of_a_row_has_its_value(name: str) -> None:
    """A row's own options are found among the values, unless the player takes no number."""
    version = VERSIONS[name]
    if version.factory in SETTINGS:
        assert version.options.items() <= dict(option_values(name)).items()
    else:
        assert not any(isinstance(value, int | float) for value in version.options.values())
        assert version.family == "simple" or version.load() is C4ai


def test_given_options_take_precedence_over_the_row() -> None:
    """An option in the text has its type, and an unknown one is refused."""
    assert option_values("v18")["c"] == 0.45
    assert option_values("v18?c=0.7&careful=12")["careful"] == 12
    with pytest.raises(SpecError, match="no option 'x'"):
        option_values("v18?x=1")
