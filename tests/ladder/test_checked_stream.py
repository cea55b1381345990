"""Output on terminals that cannot show every character."""

import io

from ladder.checked_stream import checked_stream


def test_characters_that_the_encoding_lacks_are_replaced() -> None:
    """An ASCII terminal gets +- for ±, and escape sequences for other characters."""
    raw = io.BytesIO()
    stream = checked_stream(io.TextIOWrapper(raw, encoding="ascii"), "standard output")
    stream.write("12 ± 3, ö")
    stream.flush()
    assert raw.getvalue() == b"12 +- 3, \\xf6"


def test_utf_8_keeps_every_character() -> None:
    """A UTF-8 terminal gets the text as it is."""
    raw = io.BytesIO()
    stream = checked_stream(io.TextIOWrapper(raw, encoding="utf-8"), "standard output")
    stream.write("12 ± 3")
    stream.flush()
    assert raw.getvalue().decode() == "12 ± 3"
