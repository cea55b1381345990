"""The exact player as a row of the catalogue."""

from bots.champion import CHAMPION
from bots.learned.versions import LEARNED, EvaluationSettings
from bots.version import Version

_champion = next(version for version in LEARNED if version.name == CHAMPION)

EXACT = (
    Version(
        "exact",
        "exact",
        CHAMPION,
        "plays the proven value; where it is not found in time, the best of the other columns",
        "bots.exact.player:ExactPlayer",
        ("time", "nodes"),
        {name: value for name, value in _champion.options.items() if name != "endgame"},
        _champion.contents,
        behaviour=2,
        settings=EvaluationSettings,
    ),
)
