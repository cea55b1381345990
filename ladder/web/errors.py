"""Refusals of requests, each with its status and a sentence."""

from ladder.errors import LadderError


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
