"""The errors of the ladder.

LadderError              a sentence for the user; never shown as a traceback
|-- UsageError           bad input: exit 2
|   |-- UnknownBot       a name that no registered bot has
|   `-- UnfitBot         a registered bot that cannot take part under these settings
|-- InvalidRun           bots failing or machine stalling: exit 5
|-- Stopped              Ctrl-C or SIGTERM: exit 130
|-- MachineStalled       a delay or fault of the machine; the pair is played again
|-- Refused              a request that the web server refuses, with its status
`-- BotFailure           a failure of one bot; becomes a forfeit
    |-- BotTimeout       a deadline passed without an answer
    |-- BotCrash         the process ended or closed its output
    |-- BotIllegalMove   a move that cannot be played
    |-- BotProtocolError an answer that the protocol does not allow
    `-- BotMemory        more memory than its limit
"""

from enum import IntEnum
from typing import TYPE_CHECKING

from engine.result import Termination

if TYPE_CHECKING:
    from db.records.games import LastOutput


class ExitCode(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    """The command is done, or the gate passed."""
    INTERNAL = 1
    """The ladder has a defect, or `doctor` found a fault."""
    USAGE = 2
    """The input is bad."""
    REGRESSION = 3
    """The candidate is worse."""
    INCONCLUSIVE = 4
    """The experiment has no decision."""
    INVALID = 5
    """Bots failed or the machine stalled too often."""
    STOPPED = 130
    """Ctrl-C or SIGTERM ended the command after saving."""


class LadderError(Exception):
    """Base of this package's errors; the message is a sentence for the user."""

    exit_code = ExitCode.INTERNAL


class UsageError(LadderError):
    """Bad input of the user.

    Attributes:
        problem: What is wrong, and what to do.
        option: The option that is wrong, as a field name such as ``max_drop``. The command line
            prints ``--max-drop: problem``, the web ``max drop: problem``.

    """

    exit_code = ExitCode.USAGE

    def __init__(self, problem: str, option: str | None = None) -> None:
        super().__init__(problem if option is None else f"{option.replace('_', ' ')}: {problem}")
        self.problem = problem
        self.option = option


class UnknownBot(UsageError):
    """A name that no registered bot has; the message proposes similar ones."""


class UnfitBot(UsageError):
    """A registered bot that cannot take part under these settings.

    Attributes:
        explanation: The reason, and a remedy other than leaving the bot out.

    """

    def __init__(self, reason: str, remedy: str) -> None:
        """Store the reason, and a remedy other than leaving the bot out."""
        self.explanation = f"{reason}: {remedy}"
        super().__init__(f"{self.explanation}, or leave the bot out")


class InvalidRun(LadderError):
    """A run without meaningful results: bots fail or the machine stalls."""

    exit_code = ExitCode.INVALID


class Stopped(LadderError):
    """A requested stop; raised only by waits and between two steps."""

    exit_code = ExitCode.STOPPED

    def __init__(self) -> None:
        super().__init__("stopped")


class BotFailure(LadderError):
    """A failure of a bot; `str()` is the detail stored with the forfeit.

    Each kind of forfeit is a subclass.
    """

    termination: Termination
    """The termination of the game."""
    last_output: "LastOutput | None" = None
    """The last output and messages of the bot's process, if it is known."""


class BotTimeout(BotFailure):
    """A missed deadline."""

    termination = Termination.TIMEOUT


class BotCrash(BotFailure):
    """A process that ended, or closed its standard output, before it answered."""

    termination = Termination.CRASH


class BotIllegalMove(BotFailure):
    """A move that cannot be played in the position."""

    termination = Termination.ILLEGAL_MOVE


class BotProtocolError(BotFailure):
    """An answer that the protocol does not allow."""

    termination = Termination.PROTOCOL_ERROR


class BotMemory(BotFailure):
    """More memory than the limit, in the bot and its child processes together."""

    termination = Termination.MEMORY


class MachineStalled(LadderError):
    """A delay or fault of the machine, which kept a bot or the referee from running.

    The message says what to do about it.
    """

    exit_code = ExitCode.INVALID


class Refused(LadderError):
    """A refused request; the message is a sentence for the client.

    Attributes:
        status: 401 without the password, 403 from another site or without the token of this
            server's pages, 404 for what is not there, 410 for what has ended, 503 for too many
            requests at once.

    """

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status
