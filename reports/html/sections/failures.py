"""Forfeits by bot and kind, and the last words of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.results.standings.showcase import ShownGame
from reports.html.tables import Cell, Table, columns, number
from reports.html.viewer import TEXT_LIMIT

WORDS_LIMIT = 300_000
"""Characters of last words in a page; of the forfeits beyond it the sentence alone is shown."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A forfeit and the end of what its bot wrote and was told."""

    game: int
    ply: int
    bot: str
    kind: str
    sentence: str
    """The kind of failure."""
    stderr: str
    """The last that the bot wrote there; empty where nothing is kept."""
    messages: Sequence[str]
    """The last of the protocol."""


def failures_table(counts: Mapping[str, Mapping[str, int]]) -> Table:
    """Return a row per bot of its counts, such as forfeits by kind; all bots have the same."""
    heads = next(iter(counts.values()), {})
    return Table(
        columns("bot", *(f"#{head.replace('_', ' ')}" for head in heads)),
        [(Cell(bot), *map(number, own.values())) for bot, own in counts.items()],
    )


def failures(games: Sequence[ShownGame]) -> list[Failure]:
    """Return the forfeits among the games of a page, in their order."""
    found, left = [], WORDS_LIMIT
    for shown in games:
        game, words = shown.game, shown.game.last_words
        if game.offender is None:
            continue
        sentence = game.detail[:TEXT_LIMIT]
        stderr: str = ""
        messages: Sequence[str] = ()
        if words is not None and left > 0:
            stderr, messages = words.stderr[:TEXT_LIMIT], words.messages
            left -= len(stderr) + sum(map(len, messages))
            sentence = sentence.partition("; its last words on stderr:")[0]
        found.append(
            Failure(
                game=game.id,
                ply=len(game.moves),
                bot=game.second if game.offender else game.first,
                kind=game.termination.value.replace("_", " "),
                sentence=sentence or "nothing was said",
                stderr=stderr,
                messages=messages,
            )
        )
    return found
