"""Commands that a person types at the board."""

import pytest

from engine.board import parse_board
from ladder.cli.terminal.board_screen import CommandKind, PlayCommand, parse_command
from ladder.errors import UsageError

WIDE = parse_board("10x12")
STANDARD = parse_board("6x7")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("3", PlayCommand(CommandKind.DROP, column=3)),
        (" 11 ", PlayCommand(CommandKind.DROP, column=11)),
        ("a", PlayCommand(CommandKind.DROP, column=10)),
        ("B", PlayCommand(CommandKind.DROP, column=11)),
        ("undo", PlayCommand(CommandKind.UNDO)),
        ("U", PlayCommand(CommandKind.UNDO)),
        ("hint", PlayCommand(CommandKind.HINT)),
        ("hint v12", PlayCommand(CommandKind.HINT, name="v12")),
        ("h MyBot", PlayCommand(CommandKind.HINT, name="MyBot")),
        ("v", PlayCommand(CommandKind.VALUES)),
        ("i", PlayCommand(CommandKind.INFO)),
        ("?", PlayCommand(CommandKind.HELP)),
        ("quit", PlayCommand(CommandKind.QUIT)),
    ],
)
def test_columns_and_words_are_parsed(text: str, command: PlayCommand) -> None:
    """Columns are numbers or letters, commands are words or their first letters."""
    assert parse_command(text, WIDE) == command


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "type a column, 0 to 6"),
        ("7", "no column 7: choose one from 0 to 6"),
        ("a", "no column a"),
        ("99999999999999999999", "from 0 to 6"),
        ("-1", "neither a column nor a command"),
        ("3 4", "neither a column nor a command"),
        ("undo 3", "neither a column nor a command"),
        ("drop", "neither a column nor a command"),
        ("\u0663", "neither a column nor a command"),
    ],
)
def test_any_other_text_is_refused(text: str, sentence: str) -> None:
    """A text that is no command raises an error that shows what can be typed."""
    with pytest.raises(UsageError, match=sentence):
        parse_command(text, STANDARD)
