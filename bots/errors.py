"""Errors of the players and their protocol.

BotsError
|-- ProtocolError    a line breaks the protocol; the bot's author can fix it
|-- SpecError        a bot specification is invalid; the user can fix it
`-- UnknownPlayer    no built-in player has the name
"""


class BotsError(ValueError):
    """Base class of this package's errors; the message is one sentence for the user."""


class ProtocolError(BotsError):
    """A line breaks the protocol; the message says what was expected and shows the line."""


class SpecError(BotsError):
    """A bot specification is invalid; the message says what is valid."""


class UnknownPlayer(BotsError):
    """No built-in player has the name; the message lists similar names."""
