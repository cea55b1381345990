"""Forfeits by bot and kind, with the last output of the bots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.match.process.failures import remove_stderr
from ladder.results.standings.report_data import ShownGame
from reports.html.tables import Cell, Table, headings, number
from reports.html.viewer import TEXT_LIMIT

OUTPUT_LIMIT = 300_000
"""Characters of bots' output on a page; further forfeits are shown without output."""


@dataclass(frozen=True, slots=True)
class FailureExample:
    """A forfeit with the bot's last output and messages."""

    game: int
    ply: int
    bot: str
    kind: str
    sentence: str
    """The cause."""
    stderr: str
    """The end of the bot's stderr; empty if none is stored."""
    messages: Sequence[str]
    """The last messages of the protocol."""


def failures_table(counts: Mapping[str, Mapping[str, int]]) -> Table:
    """Return a table of counts by bot and kind; all bots have the same kinds."""
    heads = next(iter(counts.values()), {})
    return Table(
        headings("bot", *(f"#{head.replace('_', ' ')}" for head in heads)),
        [(Cell(bot), *map(number, own.values())) for bot, own in counts.items()],
    )


def failures(games: Sequence[ShownGame]) -> list[FailureExample]:
    """Return the forfeits among games."""
    found, left = [], OUTPUT_LIMIT
    for shown in games:
        game, output = shown.game, shown.game.last_output
        if game.offender is None:
            continue
        sentence = game.detail[:TEXT_LIMIT]
        stderr: str = ""
        messages: Sequence[str] = ()
        if output is not None and left > 0:
            stderr, messages = output.stderr[:TEXT_LIMIT], output.messages
            left -= len(stderr) + sum(map(len, messages))
            sentence = remove_stderr(sentence)
        found.append(
            FailureExample(
                game=game.id,
                ply=len(game.moves),
                bot=game.second if game.offender else game.first,
                kind=game.termination.noun,
                sentence=sentence or "no cause is stored",
                stderr=stderr,
                messages=messages,
            )
        )
    return found
