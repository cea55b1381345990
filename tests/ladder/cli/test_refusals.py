"""A refused value is named with its option, and with the range, the choices or the form."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.app import parser
from ladder.cli.playing import planning_only
from tests.ladder.cli.conftest import Command
from tests.ladder.cli.test_bad_input import REFUSED, REFUSED_WITH_GAMES
from tests.tools.commands_page import walk

ANYTHING = {
    "FILE", "FOLDER", "TEXT", "NAME", "COMMAND", "REF", "PATTERN", "GLOB", "FORM", "BOT", "OTHER",
    "A", "B", "PATH", "FILE-or-URL", "FILE.md", "BASELINE", "BASELINE[,B2]", "ADDRESS", "WEIGHTS",
    "HOST:PORT", "standard|PREFIX", "FILE|balanced", "LIST",
}  # fmt: skip
"""Values that any text may be: names, files, programs."""
WANTED = re.compile(
    r"from \S+ to \S|above \S+ up to \S|one of \S|(such as|as in) \S|use thu|write \S|it must be \S"
    r"|comma-separated list of|whole numbers [A-Z]+,"
)
TYPED = {"boards", "alpha", "beta"}
"""Options whose values are not free, although their names in the help are those of such."""
UNREFUSED = {"--build", "--branch", "--pattern", "--host"}
"""Options whose values are tried elsewhere: a program, a branch, a pattern, an address."""
ARGUMENTS = {"replay": ["6x7 3342", "--analyze"]}
"""What commands need, where their example shows something else."""
NUMBERED = {"runs show", "runs delete", "queue cancel", "perft", "compete"}
"""Commands whose last argument is a number."""
NONSENSE = ("7,,=", "nan", "1e300", "-1e9")


def lines() -> Iterator[tuple[list[str], str, bool]]:
    """Yield command lines that lack a value, its name, and whether another command has it, too."""
    seen = set()
    for words, command in walk(parser()):
        name = " ".join(words)
        example = shlex.split(command.epilog)[1 + len(words) :]
        needed = {each.opts[-1] for each in command.params if each.required}
        first = next((n for n, word in enumerate(example) if word.startswith("-")), len(example))
        base = [*words, *ARGUMENTS.get(name, example[:first])]
        for option, value in pairwise(example):
            base += [option, value] if option in needed else []
        if name in NUMBERED:
            arguments = [each for each in command.params if each.param_type_name == "argument"]
            yield [*base[:-1], "--"], arguments[-1].metavar, False
        for each in command.params:
            told = each.opts[-1], each.metavar, getattr(each, "help", None)
            if takes_value(each) and not is_free(each):
                yield base, each.opts[-1], told in seen
                seen.add(told)


def takes_value(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and not parameter.is_flag


def is_free(parameter: Any) -> bool:
    return parameter.metavar in ANYTHING and parameter.name not in TYPED


def test_every_free_option_has_a_refused_value() -> None:
    """Names, files and programs are refused one by one, each with the fault that it may have."""
    free = {
        max(each.opts, key=len): each.opts
        for _, command in walk(parser())
        for each in command.params
        if takes_value(each) and is_free(each)
    }
    given = {word for line in (*REFUSED, *REFUSED_WITH_GAMES) for word in shlex.split(line)}
    assert {name for name, opts in free.items() if given.isdisjoint(opts)} == UNREFUSED


@pytest.mark.slow
def test_every_option_refuses_nonsense(ladder: Command, tmp_path: Path) -> None:
    """Each value that an option cannot mean is refused before anything is opened or made.

    An option that several commands share is tried by one value in the others.
    """
    wrong = []
    for base, name, is_shared in lines():
        for value in NONSENSE[:1] if is_shared else NONSENSE:
            given = f"{name}={value}" if name.startswith("--") else value
            with planning_only():
                done = ladder(*base, given)
            if done.code != 2 or name not in done.err or not WANTED.search(done.err):
                wrong.append(f"{' '.join(base)} {given}: {done.err}")
    assert not wrong, "".join(wrong)
    assert list(tmp_path.iterdir()) == []
