"""Rendering of a page as one HTML file with scripts, styles, charts and games."""

import contextlib
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from engine.cache import cache_root
from engine.whole_file import write_whole
from ladder.results.standings.report_data import Reason
from ladder.visible import visible_lines
from reports.html.charts import Figure, specs_of
from reports.html.viewer import failure_texts
from reports.layout.fields import Medium
from reports.layout.format import as_sentence, day
from reports.layout.links import LINKS

STATIC = Path(__file__).parent / "static"
GENERATOR = "connect4-ladder"
"""The beginning of the generator tag of every page, by which our pages are recognized."""


def render(
    template: str,
    *,
    charts: Iterable[Figure],
    games: Sequence[Mapping[str, Any]] = (),
    **values: object,
) -> str:
    """Render a page; unprintable characters and every text in `values` are escaped.

    Args:
        template: the template's name in ``templates``.
        charts: the figures with charts.
        games: games from `reports.html.viewer`, whose bots and endings the page's filters offer.
        values: other values of the template; a missing one is an error.

    """
    page = environment().get_template(template)
    specs = specs_of(charts)
    filters = {
        "names": sorted({name for game in games for name in (game["first"], game["second"])}),
        "endings": sorted({game["termination"] for game in games}),
        "reasons": [reason.value for reason in Reason],
    }
    return page.render(
        generator=f"{GENERATOR} {version('connect4-ladder')}",
        style=Markup((STATIC / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our file
        script=Markup((STATIC / "page.js").read_text(encoding="utf-8")),  # noqa: S704 - our file
        bundle=Markup(vega_bundle() if specs else ""),  # noqa: S704 - from the library
        charts=json_text(specs),
        games=json_text(games),
        version=version("connect4-ladder"),
        written=day(time.time()),
        **(filters | values),
    )


def is_ours(text: str) -> bool:
    """Return whether a file's beginning is that of one of our pages."""
    return f'<meta name="generator" content="{GENERATOR} ' in text


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script that sets ``window.vegaEmbed``.

    Bundling takes seconds, so the result is cached beside the compiled kernels, by its version.
    """
    import vl_convert

    cached = cache_root() / f"vega-{version('vl-convert-python')}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except OSError:
        made: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    made = made.replace("</script", "<\\/script")
    with contextlib.suppress(OSError):  # without a writable cache the next call takes seconds again
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_whole(cached, made.encode())
    return made


def json_text(value: object) -> Markup:
    """Return JSON for a script element; nothing in it can end the element or start a comment."""
    text = json.dumps(_printable(value), separators=(",", ":"), allow_nan=False)
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704 - escaped above


def _printable(value: object) -> object:
    """Return plain data with unprintable characters escaped."""
    if isinstance(value, str):
        return visible_lines(value)
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(each) for each in value]
    return value


def _shown(value: object) -> object:
    """Escape unprintable characters of a text of a template."""
    return visible_lines(value) if type(value) is str else value


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates; every value is escaped, and a missing one is an error."""
    made = Environment(
        loader=PackageLoader("reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(LINKS, PAGE=Medium.PAGE)
    made.filters.update(prose=prose, sentence=as_sentence, failure_texts=failure_texts)
    return made


def prose(text: str) -> Markup:
    """Return a sentence with commands between backticks as code, and with unbroken options."""
    shown = str(escape(visible_lines(text)))
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", shown)
    return Markup(re.sub(r"(?<![\w-])--[a-z][a-z-]*", r'<span class="word">\g<0></span>', shown))  # noqa: S704 - escaped above
