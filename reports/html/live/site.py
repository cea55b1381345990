"""Pages of the server, and the frame around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from reports.html.charts import Figure, specs_of
from reports.html.page import STATIC, environment, json_text

PAGES = (
    ("/", "Overview"),
    ("/games", "Games"),
    ("/compare", "Compare"),
    ("/queue", "Queue"),
    ("/play", "Play"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page at one moment."""

    template: str
    """The template's name in ``templates/live``."""
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """The values of the template."""
    figures: Sequence[Figure] = ()
    """The figures with charts."""
    games: Sequence[Mapping[str, Any]] = ()
    """Games for the replay viewer."""
    here: str = ""
    """The path of the page if it is one of `PAGES`."""
    is_live: bool = False
    """Whether it is updated while it is shown."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Values that all pages of a server share."""

    database: str
    """The database's name, shown in the footer."""
    token: str
    """The token that requests with changes must carry."""


def page_html(page: Page, frame: Frame) -> str:
    """Render a page of the server; every text in it is escaped."""
    specs = specs_of(page.figures)
    template = environment().get_template(f"live/{page.template}")
    return template.render(
        title=page.title,
        charts=json_text(specs),
        has_charts=bool(specs),
        replays=json_text(page.games),
        pages=PAGES,
        here=page.here,
        is_live=page.is_live,
        database=frame.database,
        token=frame.token,
        static=f"/static/{static_version()}",
        **page.values,
    )


@cache
def static_version() -> str:
    """Return a hash of the contents of all static files."""
    digest = sha256(version("vl-convert-python").encode())
    for file in sorted(STATIC.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
