"""A person at the board: commands typed, and the board after each of them.

One way of sitting there for a terminal that can be drawn on, one for lines of text.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, Group
from rich.text import Text

from bots.errors import BotsError
from db.errors import DatabaseError
from db.records.pairs import Entrant
from engine.errors import IllegalMove
from ladder.cli.terminal.screen import LineInput, Screen, TypedLine, can_draw, with_prompt
from ladder.errors import BotFailure, UsageError
from ladder.tools.play.commands import (
    CommandKind,
    parse_column,
    parse_command,
)
from ladder.tools.play.game import InteractiveGame
from reports.layout.board import board_text
from reports.play import (
    HELP,
    advice,
    ending,
    heading,
    info,
    played,
    prompt,
)
from reports.replay import beside

Advisers = Callable[[str], Entrant]
"""The bot of a name, or for "" the usual one, ready to be asked for a hint."""


def dialogue_for(console: Console, game: InteractiveGame, advisers: Advisers) -> "Dialogue":
    """Keys and a picture on a terminal, else lines."""
    kind = DrawnDialogue if can_draw(console, game.position.board.rows) else LineDialogue
    return kind(console, game, advisers)


class Dialogue(ABC):
    """One game from its first question to the leaving."""

    def __init__(self, console: Console, game: InteractiveGame, advisers: Advisers) -> None:
        self._console = console
        self._game = game
        self._advisers = advisers
        self._hired: dict[str, Entrant] = {}

    def sit(self) -> None:
        """Play until the person leaves."""
        game = self._game
        self._wait(f"{game.bot.name} is getting ready ...")
        game.prepare()
        notes: list[str] = []
        while True:
            if game.is_bots_turn:
                self._wait(f"{game.bot.name} is thinking ...")
                game.reply()
            text = self._ask(notes)
            if text is None:
                return
            try:
                command = parse_command(text, game.position.board)
                if command.kind is CommandKind.QUIT:
                    return
                notes = self._do(command.kind, command.column, command.name)
            except (UsageError, IllegalMove, BotFailure, DatabaseError, BotsError) as error:
                notes = [str(error)]

    def _do(self, word: CommandKind, column: int, name: str) -> list[str]:
        """Do what was asked for; what there is to say about it."""
        game = self._game
        if word is CommandKind.HELP:
            return list(HELP)
        if word is CommandKind.INFO:
            return info(game)
        if word is CommandKind.UNDO:
            return [] if game.undo() else ["there is no move of yours to take back"]
        if game.verdict is not None:
            return ["the game is over: undo takes your last move back, quit leaves"]
        if word is CommandKind.HINT:
            self._wait(f"{name or 'the other bot'} is thinking about a hint ...")
            advised = game.hint(self._adviser(name))
            self._point_at(advised.column)
            return advice(advised)
        if game.position.landing_row(column) is None:
            free = ", ".join(map(str, game.position.legal_moves()))
            return [f"column {column} is full: take one of {free}"]
        game.drop(column)
        return []

    def _adviser(self, name: str) -> Entrant:
        if name not in self._hired:
            with self._aside():
                self._hired[name] = self._advisers(name)
        return self._hired[name]

    @abstractmethod
    def _aside(self) -> AbstractContextManager[None]:
        """While others may write, as those do who compile kernels."""

    @abstractmethod
    def _point_at(self, column: int) -> None:
        """Offer a column, where there is something to point with."""

    @abstractmethod
    def _wait(self, why: str) -> None:
        """Show the position while somebody else is busy."""

    @abstractmethod
    def _ask(self, notes: list[str]) -> str | None:
        """Show the position and what there is to say; what the person says, None at the end."""


class LineDialogue(Dialogue):
    """For pipes, and for terminals that cannot be drawn on."""

    def sit(self) -> None:
        """Play until the person leaves or the input ends."""
        self._shown: object = None
        self._lines = LineInput(sys.stdin.fileno())
        self._say(heading(self._game))
        super().sit()

    def _aside(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _point_at(self, column: int) -> None:
        pass

    def _wait(self, why: str) -> None:
        if sys.stdin.isatty():
            self._say(why)

    def _ask(self, notes: list[str]) -> str | None:
        game = self._game
        state = (game.position, game.verdict)
        if state != self._shown:
            self._shown = state
            self._say("")
            if game.last_reply is not None:
                self._say(played(game))
            self._console.print(board_text(game.position))
            if game.verdict is not None:
                self._say(ending(game))
        for line in notes:
            self._say(line)
        self._say(f"{prompt(game)}> ", end="" if sys.stdin.isatty() else "\n")
        self._console.file.flush()
        typed = self._lines.read()
        if typed is None and sys.stdin.isatty():
            self._say("")  # the shell's prompt gets a line of its own
        return None if typed is None else typed.strip()

    def _say(self, line: str, *, end: str = "\n") -> None:
        self._console.print(line, end=end, soft_wrap=True)


class DrawnDialogue(Dialogue):
    """For a terminal: the arrows move a stone over the columns, Enter drops it."""

    def sit(self) -> None:
        """Play until the person leaves."""
        self._marker = self._game.position.board.columns // 2
        with Screen(self._console) as self._screen:
            super().sit()

    def _wait(self, why: str) -> None:
        self._draw([], None, why, marker=None)

    def _ask(self, notes: list[str]) -> str | None:
        self._screen.forget_keys()
        line = TypedLine()
        game = self._game
        while True:
            if game.is_persons_turn and not game.position.can_play(self._marker):
                self._step(1)
            marker = self._marker if game.is_persons_turn else None
            self._draw(notes, line.text, f"{prompt(game)}> ", marker=marker)
            key = self._screen.key()
            if key in ("left", "right"):
                self._step(1 if key == "right" else -1)
            elif key == "eof":
                return None
            elif key == "enter" or (key == "down" and not line.text):
                if line.text.strip():
                    return line.text
                if marker is not None:
                    return str(marker)
            elif key == " " and not line.text:
                continue
            elif line.take(key):
                named = parse_column(line.text)
                if named is not None and game.position.can_play(named):
                    self._marker = named

    def _aside(self) -> AbstractContextManager[None]:
        return self._screen.aside()

    def _point_at(self, column: int) -> None:
        self._marker = column

    def _step(self, by: int) -> None:
        """To the next column with room."""
        columns = self._game.position.board.columns
        for _ in range(columns):
            self._marker = (self._marker + by) % columns
            if self._game.position.can_play(self._marker):
                return

    def _draw(
        self, notes: list[str], typed: str | None, question: str, *, marker: int | None
    ) -> None:
        game = self._game
        said = [line for line in (played(game), ending(game)) if line]
        panel = Text("\n".join([*said, "", *notes]) if said else "\n".join(notes))
        board = board_text(game.position, marker=marker)
        if marker is None:
            board = Text("\n").append_text(board)
        picture = Group(Text(heading(game)), Text(""), beside(board, panel))
        keys = KEYS if game.verdict is None else LAST_KEYS
        self._screen.draw(with_prompt(picture, question, typed, keys))


KEYS = "arrows or a number choose, Enter drops; undo, hint, info, quit"
LAST_KEYS = "a word and Enter; Ctrl-D leaves too"
