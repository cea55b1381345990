"""The sentences about failures: a traceback keeps its lines, a log gets the line that counts."""

from ladder.errors import BotCrash
from ladder.match.process.failures import (
    append_stderr,
    to_one_line,
)

STDERR = """Traceback (most recent call last):
  File "bot.py", line 3, in <module>
    think()

ValueError: no move
"""


def test_a_traceback_keeps_its_lines() -> None:
    """Its indentation is kept, too."""
    failure = append_stderr(BotCrash("exited with status 1"), STDERR)
    assert str(failure).split("\n") == [
        "exited with status 1; the last lines of its stderr:",
        "Traceback (most recent call last):",
        '  File "bot.py", line 3, in <module>',
        "    think()",
        "ValueError: no move",
    ]
    assert isinstance(failure, BotCrash)
    silent = BotCrash("exited with status 1")
    assert append_stderr(silent, "\n") is silent


def test_one_line_names_the_exception() -> None:
    """Warnings show the first line and the exception."""
    detail = str(append_stderr(BotCrash("exited with status 1"), STDERR))
    line = "exited with status 1; the last lines of its stderr: ValueError: no move"
    assert to_one_line(detail) == line
    assert to_one_line("too late") == "too late"
