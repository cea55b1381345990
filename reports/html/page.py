"""A page as one file: the template filled, with scripts, styles, charts and games inside."""

import hashlib
import json
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine.cache import cache_root
from ladder.visible import visible_lines

STATIC = Path(__file__).parent / "static"
GENERATOR = "connect4-ladder"
"""The beginning of the generator tag of every page, by which a page of ours is known."""


def render(template: str, *, charts: dict[str, Any], games: list[Any], **values: object) -> str:
    """Return the finished page; every text in it is printable, those in `values` are escaped.

    Args:
        template: its name in ``templates``.
        charts: Vega-Lite specifications by the names that the template gives them.
        games: as `reports.html.viewer` makes them.
        values: what else the template names; a missing one is an error.

    """
    page = environment().get_template(template)
    return page.render(
        generator=f"{GENERATOR} {version('connect4-ladder')}",
        style=Markup((STATIC / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our file
        script=Markup((STATIC / "page.js").read_text(encoding="utf-8")),  # noqa: S704 - our file
        bundle=Markup(vega_bundle() if charts else ""),  # noqa: S704 - from the library
        charts=json_text(charts),
        games=json_text(games),
        **values,
    )


def is_ours(text: str) -> bool:
    """Return whether a file's beginning is that of a page written here."""
    return f'<meta name="generator" content="{GENERATOR} ' in text


def vega_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script that sets ``window.vegaEmbed``.

    Bundling takes seconds, so the result is kept beside the compiled kernels, by its version.
    """
    import vl_convert

    name = f"vega-{version('vl-convert-python')}-{_snippet_hash()}.js"
    kept = cache_root() / name
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        made: str = vl_convert.javascript_bundle(_SNIPPET).replace("</script", "<\\/script")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(f".{hashlib.sha256(made.encode()).hexdigest()[:8]}")
        partial.write_text(made, encoding="utf-8")
        partial.replace(kept)
    except OSError:
        return made  # a cache that cannot be written costs seconds and nothing else
    return made


_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def _snippet_hash() -> str:
    return hashlib.sha256(_SNIPPET.encode()).hexdigest()[:8]


def json_text(value: object) -> Markup:
    """JSON inside a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(_printable(value), separators=(",", ":"), allow_nan=False)
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 - escaped above


def _printable(value: object) -> object:
    """Plain data, every text in it printable."""
    if isinstance(value, str):
        return visible_lines(value)
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(each) for each in value]
    return value


def _shown(value: object) -> object:
    """Any text of a template before it is escaped: whatever is not printable is seen."""
    return visible_lines(value) if type(value) is str else value


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates, with everything escaped and nothing that is missing passed over."""
    return Environment(
        loader=PackageLoader("reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
