"""The parts of a page of the server, and the frame around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from reports.html.page import STATIC, environment, json_text

PAGES = (
    ("/", "Overview"),
    ("/games", "Games"),
    ("/compare", "Compare"),
    ("/queue", "Queue"),
    ("/play", "Play"),
)


@dataclass(frozen=True, slots=True)
class PageParts:
    """The content of a page at one moment."""

    title: str
    parts: Mapping[str, str]
    """HTML by the name of the part."""
    charts: Mapping[str, Any] = field(default_factory=dict)
    """Vega-Lite specifications by the name of the chart."""
    games: list[Any] = field(default_factory=list)
    """Games for the replay viewer."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Values that all pages of a server share."""

    database: str
    """The database's name, shown in the footer."""
    token: str
    """The token that requests with changes must carry."""


def fragment(template: str, **values: object) -> str:
    """Render a part of a page; every text in `values` is escaped."""
    return environment().get_template(f"live/{template}").render(**values)


def framed(
    template: str,
    page: PageParts,
    frame: Frame,
    *,
    here: str = "",
    live: str = "",
    failed: bool = False,
    **values: object,
) -> str:
    """Render a whole page of the server.

    Args:
        template: the template's name in ``templates/live``.
        page: the content.
        frame: the values that all pages share.
        here: the path of the page if it is one of `PAGES`.
        live: the digest of the content of a live page; empty for a page without updates.
        failed: whether the page shows an error and is reloaded as soon as it is answered.
        values: other values of the template.

    """
    return (
        environment()
        .get_template(f"live/{template}")
        .render(
            title=page.title,
            parts={name: Markup(text) for name, text in page.parts.items()},  # noqa: S704 - rendered here
            charts=json_text(dict(page.charts)),
            has_charts=bool(page.charts),
            games=json_text(page.games),
            pages=PAGES,
            here=here,
            live=live,
            failed=failed,
            database=frame.database,
            token=frame.token,
            static=f"/static/{static_version()}",
            **values,
        )
    )


@cache
def static_version() -> str:
    """Return a hash of the contents of all static files."""
    digest = sha256(version("vl-convert-python").encode())
    for file in sorted(STATIC.iterdir()):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
