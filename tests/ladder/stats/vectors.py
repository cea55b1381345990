"""Numbers published by other projects, or computed by running them; see the file for sources."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "statistics.json"


def vectors(prefix: str = "") -> dict[str, dict[str, Any]]:
    loaded = json.loads(DATA.read_text(encoding="utf-8"))["vectors"]
    return {v["id"]: v for v in loaded if v["id"].startswith(prefix)}


def near(got: float, want: float, epsilon: float = 0.01) -> bool:
    """Build doctest's Approx: a published number with its tolerance."""
    return abs(got - want) < epsilon * (1.0 + max(abs(got), abs(want)))
