"""The refusals of the players and their protocol.

BotsError
|-- ProtocolError    a line that the protocol does not allow; the bot's author can fix it
|-- SpecError        a bot specification that cannot be understood; the user can fix it
`-- UnknownPlayer    no built-in player of that name
"""


class BotsError(ValueError):
    """Base of this package's errors; the message is one sentence for the person who can fix it."""


class ProtocolError(BotsError):
    """A line breaks the protocol; the message has the expectation and the line."""


class SpecError(BotsError):
    """A bot specification cannot be understood; the message lists the forms."""


class UnknownPlayer(BotsError):
    """No built-in player has the name; the message lists near names."""
