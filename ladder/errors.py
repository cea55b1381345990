"""Everything that the ladder can refuse or suffer.

LadderError              a sentence for a person; never shown as a traceback
|-- UsageError           bad input: exit 2
|   |-- UnknownBot       a name that no registered bot has
|   `-- UnfitBot         a registered bot that cannot take part as it is
|-- InvalidRun           bots failing or machine stalling: exit 5
|-- Stopped              Ctrl-C or SIGTERM: exit 130
|-- BotChanged           a bot's files are not what was registered: its games would be mixed
|-- MachineStalled       nobody's fault: the move is asked again, or the pair played again
`-- BotFailure           one bot failed in one conversation; becomes a forfeit
    |-- BotTimeout       a deadline passed without an answer
    |-- BotCrash         the process ended or closed its output
    |-- BotOverCpu       more CPU time in a game than its limit
    |-- BotPondering     CPU time used while its opponent was asked
    |-- BotIllegalMove   a move that cannot be played
    |-- BotProtocolError an answer that the protocol does not allow
    `-- BotMemory        over its memory limit
"""

from enum import IntEnum
from typing import TYPE_CHECKING

from engine.result import Termination

if TYPE_CHECKING:
    from db.records.games import LastOutput
    from db.records.launch import Start


class ExitCode(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    """Done, or the gate is passed."""
    INTERNAL = 1
    """A defect of the ladder, or a fault that `doctor` found."""
    USAGE = 2
    """Bad input."""
    REGRESSION = 3
    """The candidate is worse."""
    INCONCLUSIVE = 4
    """The gate has no decision."""
    INVALID = 5
    """Bots failed or the machine stalled, so that the games mean nothing."""
    STOPPED = 130
    """Ended by Ctrl-C or SIGTERM after saving."""


class LadderError(Exception):
    """Base of this package's errors; the message is one sentence for the person who can fix it."""

    exit_code = ExitCode.INTERNAL


class UsageError(LadderError):
    """Input of the user that cannot be used; the message says what is allowed.

    Attributes:
        problem: what is wrong with the input, and what to do.
        option: the field of the command's options that it was given as, such as ``max_drop``. The
            command line adds its spelling (``--max-drop: ...``), others print the bare words.

    """

    exit_code = ExitCode.USAGE

    def __init__(self, problem: str, option: str | None = None) -> None:
        super().__init__(problem if option is None else f"{option.replace('_', ' ')}: {problem}")
        self.problem = problem
        self.option = option


class UnknownBot(UsageError):
    """No registered bot has the name; the message says which there are."""


class UnfitBot(UsageError):
    """A registered bot that cannot take part as it is, and could be left out.

    Attributes:
        explanation: the reason, and what to do besides leaving it out.

    """

    def __init__(self, reason: str, remedy: str) -> None:
        """Say why the bot cannot take part, and what to do about it."""
        self.explanation = f"{reason}: {remedy}"
        super().__init__(f"{self.explanation}, or leave it out")


class InvalidRun(LadderError):
    """The run cannot give meaningful results: bots fail or the machine stalls."""

    exit_code = ExitCode.INVALID


class Stopped(LadderError):
    """The user wants the command to end; raised only where it waits or between two steps."""

    exit_code = ExitCode.STOPPED

    def __init__(self) -> None:
        super().__init__("stopped")


REGISTER_ANEW = (
    "register it as it is now with `ladder bots add`, under a name of its own or with --replace in "
    "the place of the old one, whose games then count no more; with --files, such as --files "
    "'*.py', if that is no part of the bot"
)
"""What to do about a bot whose files have changed."""


class BotChanged(LadderError):
    """Files of a bot are no longer those that its identity was taken from."""

    exit_code = ExitCode.USAGE

    def __init__(self, start: "Start", files: str) -> None:
        """Name the bot by its start, and its files as `name_changes` does."""
        super().__init__(f"the bot is not what was registered ({files}): {REGISTER_ANEW}")
        self.start = start
        self.files = files


class BotFailure(LadderError):
    """A bot failed; `str()` is the detail stored with the forfeit.

    Each kind of forfeit is a subclass, listed in `FORFEIT_KINDS`: all that is known about the kind
    stands there and in `engine.result`.
    """

    termination: Termination
    """How the game ends."""
    words: str
    """A predicate for people: the bot ..."""
    last_words: "LastOutput | None" = None
    """Where the bot's process is known, the end of what it wrote and was told."""


class BotTimeout(BotFailure):
    """No answer came within the deadline."""

    termination = Termination.TIMEOUT
    words = "took too long"


class BotOverCpu(BotFailure):
    """The bot and its descendants used more CPU time in one game than they may; a timeout."""

    termination = BotTimeout.termination
    words = BotTimeout.words


class BotPondering(BotFailure):
    """The bot and its descendants used CPU time while the opponent was asked."""

    termination = Termination.PONDERING
    words = "went on thinking when it was not its turn"


class BotCrash(BotFailure):
    """The process ended, or closed its standard output, before it answered."""

    termination = Termination.CRASH
    words = "crashed"


class BotIllegalMove(BotFailure):
    """The move is illegal."""

    termination = Termination.ILLEGAL_MOVE
    words = "made an illegal move"


class BotProtocolError(BotFailure):
    """The answer is not what the protocol allows here."""

    termination = Termination.PROTOCOL_ERROR
    words = "broke the protocol"


class BotMemory(BotFailure):
    """The bot and its descendants passed their memory limit."""

    termination = Termination.MEMORY
    words = "used too much memory"


FORFEIT_KINDS: dict[Termination, type[BotFailure]] = {
    kind.termination: kind
    for kind in (BotTimeout, BotCrash, BotIllegalMove, BotProtocolError, BotMemory, BotPondering)
}
"""The failure behind each kind of forfeit."""


class MachineStalled(LadderError):
    """The machine kept a bot or the referee from running; the message says for how long."""
