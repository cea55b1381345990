"""Options of `moves:` specifications, which stand before the command: ``first=0:./engine``."""

import re
from collections.abc import Iterator

from bots.errors import SpecError
from engine.board_class import parse_board_classes
from engine.errors import BoardError

KIND = "moves"
OPTIONS = re.compile(r"(?P<options>[a-z]+=[^:\s]*):(?P<command>.*)", re.DOTALL)
UNFINISHED = re.compile(rf"{KIND}:[a-z]+=[^:]*")
"""A specification whose options continue after a comma."""
VALUES = {"first": ("1", "0"), "answer": ("column", "scores"), "run": ("once", "each")}
"""The values of each option; the first one is the default."""
BOARDS = "boards"
EXAMPLE = f"{KIND}:first=0,answer=scores:./engine"


def read_moves(text: str) -> tuple[tuple[str, ...], str]:
    """Return the words for the host and the command of a specification.

    Args:
        text: what follows ``moves:``.

    Raises:
        SpecError: an option or its value is unknown.

    """
    options, command = split_options(text)
    values = {name: choices[0] for name, choices in VALUES.items()} | {BOARDS: "6x7"}
    for name, value in _pairs(options):
        if name not in values:
            raise SpecError(f"{KIND}: has no option {name!r}: it has {', '.join(values)}")
        if name in VALUES and value not in VALUES[name]:
            choices = " or ".join(f"{name}={each}" for each in VALUES[name])
            raise SpecError(f"{KIND}: {name}={value} is not possible: write {choices}")
        values[name] = _sizes(value) if name == BOARDS else value
    word = command.split(maxsplit=1)[0] if command.strip() else ""
    if not word:
        raise SpecError(f"no command follows the options: write {EXAMPLE}")
    if word.partition("=")[0] in values and "=" in word:
        raise SpecError(f"a colon must stand between the options and the command: write {EXAMPLE}")
    return tuple(values.values()), command.strip()


def split_options(text: str) -> tuple[str, str]:
    """Return the options and the command of what follows ``moves:``."""
    found = OPTIONS.fullmatch(text)
    return ("", text) if found is None else (found["options"], found["command"])


def split_list(text: str) -> list[str]:
    """Return the words of a comma-separated list, in which options may have commas, too."""
    words: list[str] = []
    for word in text.split(","):
        if words and UNFINISHED.fullmatch(words[-1]):
            words[-1] += f",{word}"
        else:
            words.append(word.strip())
    return words


def _pairs(options: str) -> Iterator[tuple[str, str]]:
    """Yield each option and its value, in which a list of boards may have commas."""
    for part in re.split(r",(?=[a-z]+=)", options) if options else ():
        name, _, value = part.partition("=")
        yield name, value


def _sizes(text: str) -> str:
    """Return a list of boards in its normal form. Raises SpecError."""
    try:
        boards = [each.single for each in parse_board_classes(text)]
    except BoardError as error:
        raise SpecError(f"{KIND}: {BOARDS}={text}: {error}") from error
    if any(board is None or board.forbidden is not None for board in boards):
        raise SpecError(
            f"{KIND}: {BOARDS}={text} is not possible: write sizes without a forbidden cell, such "
            "as 6x7"
        )
    return ",".join(map(str, boards))
