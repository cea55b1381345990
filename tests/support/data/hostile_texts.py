"""Hostile names and texts, for every input and every output."""

NO_NAMES = (
    "",
    " leading",
    "trailing ",
    "two words",
    "-option",
    ".hidden",
    "../up",
    "a\tb",
    "line\nbreak",
    "return\r",
    "nul\0",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31mred",
    "\x7f\x08\x08",
    "\u202egnp.exe",
    "\u2066isolate",
    "\u2028separator",
    "\ufeffmark",
    "\u200bnothing",
    "\U000e0041tag",
    "[/bold]",
    "[red]x[/red]",
    "gate:new:old",
    "</script><script>alert(1)</script>",
    "a|b`c`*d*_e_~f~#",
    "![x](javascript:y)",
    "=1+cmd|' /C calc'!A0",
    '"],["',
    '","x',
    "%0A::error::x",
    "]]>&amp;<!--",
    "{0} {comment} ;",
    "%s%n",
    "'; drop table bots; --",
    "$(touch pwned)",
    "m\u00fcller",
    "x" * 300,
)
"""None of them can be the name of a bot."""


def is_shown_safely(text: str) -> bool:
    """Return whether a text holds printable characters, line breaks and tabs only."""
    return all(character.isprintable() or character in "\n\t" for character in text)
