"""Games of a person in the terminal: on a screen that is redrawn, or in lines of text."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import NamedTuple

from rich.console import Console, Group
from rich.text import Text

from bots.errors import BotsError
from db.errors import DatabaseError
from db.records.pairs import Entrant
from engine.board import Board
from engine.errors import IllegalMove
from engine.position import DIGITS
from ladder.cli.terminal.screen import LineInput, Screen, TypedLine, can_draw, with_prompt
from ladder.errors import BotFailure, UsageError
from ladder.tools.play.game import BotMove, InteractiveGame
from reports.layout.board import board_text
from reports.play import HELP, advice, ending, heading, info, played, prompt, values
from reports.replay import beside

Advisers = Callable[[str], Entrant]
"""Returns the bot of a name, or the default one for "", ready to give a hint."""


class CommandKind(StrEnum):
    """A kind of command."""

    DROP = "drop"
    UNDO = "undo"
    HINT = "hint"
    VALUES = "values"
    INFO = "info"
    HELP = "help"
    QUIT = "quit"


SHORT = {
    "u": CommandKind.UNDO,
    "h": CommandKind.HINT,
    "v": CommandKind.VALUES,
    "i": CommandKind.INFO,
    "?": CommandKind.HELP,
    "q": CommandKind.QUIT,
}


class PlayCommand(NamedTuple):
    """A command of a person at the board."""

    kind: CommandKind
    column: int = 0
    """The column of a drop."""
    name: str = ""
    """The bot that is asked for a hint."""


def parse_command(text: str, board: Board) -> PlayCommand:
    """Parse a typed line.

    Columns are numbers, or one character as in move strings (a and b are 10 and 11).

    Raises:
        UsageError: the text is neither a column of the board nor a command.

    """
    parts = text.strip().lower().split(maxsplit=1)
    if not parts:
        raise UsageError(
            f"the line is empty: type a column, 0 to {board.columns - 1}, or ? for help"
        )
    head, name = parts[0], text.split(maxsplit=1)[1].strip() if len(parts) > 1 else ""
    column = parse_column(head)
    if column is not None and not name:
        if column >= board.columns:
            raise UsageError(f"there is no column {head}: choose one from 0 to {board.columns - 1}")
        return PlayCommand(CommandKind.DROP, column=column)
    kind = SHORT.get(head)
    if kind is None and head in set(CommandKind) - {CommandKind.DROP}:
        kind = CommandKind(head)
    if kind is None or (name and kind is not CommandKind.HINT):
        raise UsageError(f"{text.strip()!r} is neither a column nor a command: type ? for help")
    return PlayCommand(kind, name=name)


def parse_column(text: str) -> int | None:
    """Return the column that a text names on a board of any size, or None if it names no column."""
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    return DIGITS.index(text) if len(text) == 1 and text in DIGITS else None


def dialogue_for(console: Console, game: InteractiveGame, advisers: Advisers) -> "Dialogue":
    """Return a dialogue on the screen if the console can be drawn on, else in lines."""
    kind = ScreenDialogue if can_draw(console, game.position.board.rows) else LineDialogue
    return kind(console, game, advisers)


class Dialogue(ABC):
    """One game of a person, until the person leaves."""

    def __init__(self, console: Console, game: InteractiveGame, advisers: Advisers) -> None:
        self._console = console
        self._game = game
        self._advisers = advisers
        self._known_advisers: dict[str, Entrant] = {}

    def play(self) -> None:
        """Play until the person leaves."""
        game = self._game
        self._show_busy(f"{game.bot.name} is getting ready ...")
        game.prepare()
        notes: list[str] = []
        while True:
            if game.is_bots_turn:
                self._show_busy(f"{game.bot.name} is thinking ...")
                game.reply()
            text = self._read_command(notes)
            if text is None:
                return
            try:
                command = parse_command(text, game.position.board)
                if command.kind is CommandKind.QUIT:
                    return
                notes = self._execute(command.kind, command.column, command.name)
            except (UsageError, IllegalMove, BotFailure, DatabaseError, BotsError) as error:
                notes = [str(error)]

    def _execute(self, word: CommandKind, column: int, name: str) -> list[str]:
        """Execute a command, and return the lines to show about it."""
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
            self._show_busy(f"{name or 'the other bot'} is thinking about a hint ...")
            advised = game.hint(self._adviser(name))
            if isinstance(advised, BotMove):
                self._mark_column(advised.column)
            return advice(advised)
        if word is CommandKind.VALUES:
            self._show_busy("solving the position ...")
            return values(game.column_values())
        if game.position.landing_row(column) is None:
            free = ", ".join(map(str, game.position.legal_moves()))
            return [f"column {column} is full: take one of {free}"]
        game.drop(column)
        return []

    def _adviser(self, name: str) -> Entrant:
        if name not in self._known_advisers:
            with self._terminal_released():
                self._known_advisers[name] = self._advisers(name)
        return self._known_advisers[name]

    @abstractmethod
    def _terminal_released(self) -> AbstractContextManager[None]:
        """Leave the terminal to other output in the block, such as that of the compiler."""

    @abstractmethod
    def _mark_column(self, column: int) -> None:
        """Move the marker to a column, if there is one."""

    @abstractmethod
    def _show_busy(self, reason: str) -> None:
        """Show that a bot is busy."""

    @abstractmethod
    def _read_command(self, notes: list[str]) -> str | None:
        """Show the position and the notes, and return the person's command, None at the end."""


class LineDialogue(Dialogue):
    """A dialogue in lines, for pipes and for terminals that cannot be drawn on."""

    def play(self) -> None:
        """Play until the person leaves or the input ends."""
        self._shown: object = None
        self._lines = LineInput(sys.stdin.fileno())
        self._print(heading(self._game))
        super().play()

    def _terminal_released(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _mark_column(self, column: int) -> None:
        pass

    def _show_busy(self, reason: str) -> None:
        if sys.stdin.isatty():
            self._print(reason)

    def _read_command(self, notes: list[str]) -> str | None:
        game = self._game
        state = (game.position, game.verdict)
        if state != self._shown:
            self._shown = state
            self._print("")
            if game.last_reply is not None:
                self._print(played(game))
            self._console.print(board_text(game.position))
            if game.verdict is not None:
                self._print(ending(game))
        for line in notes:
            self._print(line)
        self._print(f"{prompt(game)}> ", end="" if sys.stdin.isatty() else "\n")
        self._console.file.flush()
        typed = self._lines.read()
        if typed is None and sys.stdin.isatty():
            self._print("")  # the shell's prompt gets a line of its own
        return None if typed is None else typed.strip()

    def _print(self, line: str, *, end: str = "\n") -> None:
        self._console.print(line, end=end, soft_wrap=True)


class ScreenDialogue(Dialogue):
    """A dialogue on the screen: arrow keys move a stone over the columns, Enter drops it."""

    def play(self) -> None:
        """Play until the person leaves."""
        self._marker = self._game.position.board.columns // 2
        with Screen(self._console) as self._screen:
            super().play()

    def _show_busy(self, reason: str) -> None:
        self._draw([], None, reason, marker=None)

    def _read_command(self, notes: list[str]) -> str | None:
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

    def _terminal_released(self) -> AbstractContextManager[None]:
        return self._screen.released()

    def _mark_column(self, column: int) -> None:
        self._marker = column

    def _step(self, by: int) -> None:
        """Move the marker by one to the next column with room."""
        columns = self._game.position.board.columns
        for _ in range(columns):
            self._marker = (self._marker + by) % columns
            if self._game.position.can_play(self._marker):
                return

    def _draw(
        self, notes: list[str], typed: str | None, question: str, *, marker: int | None
    ) -> None:
        game = self._game
        news = [line for line in (played(game), ending(game)) if line]
        panel = Text("\n".join([*news, "", *notes] if news else notes))
        board = board_text(game.position, marker=marker)
        if marker is None:
            board = Text("\n").append_text(board)
        picture = Group(Text(heading(game)), Text(""), beside(board, panel))
        keys = KEYS if game.verdict is None else KEYS_AT_END
        self._screen.draw(with_prompt(picture, question, typed, keys))


KEYS = "arrows or a number choose, Enter drops; undo, hint, values, info, quit"
KEYS_AT_END = "a word and Enter; Ctrl-D leaves too"
