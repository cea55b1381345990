"""Parts of a page of the server, and its frame."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from reports.html.page import STATIC, environment, json_text, vega_bundle

FILES = {
    "style.css": "text/css; charset=utf-8",
    "site.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "boards.js": "text/javascript; charset=utf-8",
    "play.js": "text/javascript; charset=utf-8",
}
"""The files that pages load, by name, and their types."""
VEGA = "vega.js"
"""The library that draws charts: one more such file, read from the cache of the user."""
PAGES = (("/", "Overview"), ("/games", "Games"), ("/compare", "Compare"), ("/play", "Play"))


@dataclass(frozen=True, slots=True)
class PageParts:
    """A page at one moment."""

    title: str
    parts: Mapping[str, str]
    """Finished HTML by the name of its place."""
    charts: Mapping[str, Any] = field(default_factory=dict)
    """Vega-Lite by the name of its place."""
    games: list[Any] = field(default_factory=list)
    """For the replay viewer."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The part that all pages of a server share."""

    database: str
    """The database's name, for the footer."""
    token: str
    """Of requests that change something."""


def fragment(template: str, **values: object) -> str:
    """Return a part of a page; every text in `values` is escaped."""
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
    """Return a whole page of the server.

    Args:
        template: its name in ``templates/live``.
        page: its parts.
        frame: of the server.
        here: the path of the page among `PAGES`; empty: another one.
        live: a word for its state; empty: the page does not follow anything.
        failed: it shows an error, and is loaded anew when there is something else to show.
        values: what else the template names.

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


def static_file(name: str) -> tuple[str, str]:
    """Return a file's text and its type. Raises KeyError when pages load no such file."""
    if name == VEGA:
        return vega_bundle(), FILES["page.js"]
    kind = FILES[name]  # looked up before anything is opened: only these names are files
    return (STATIC / name).read_text(encoding="utf-8"), kind


def static_version() -> str:
    """Return a word that is another one when a file of the pages is another one."""
    from importlib.metadata import version

    if not _version:
        digest = sha256(version("vl-convert-python").encode())
        for name in FILES:
            digest.update((STATIC / name).read_bytes())
        _version.append(digest.hexdigest()[:12])
    return _version[0]


_version: list[str] = []
