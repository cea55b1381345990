"""Refusals of requests, each with its status and a sentence."""

from ladder.errors import LadderError


class Refused(LadderError):
    """A refused request; the message is a sentence for the client."""

    status = 400


class Forbidden(Refused):
    """A request from another site, or without the token of this server's pages."""

    status = 403


class Unauthorized(Refused):
    """The password is missing or wrong."""

    status = 401


class NotFound(Refused):
    """There is no such page or object."""

    status = 404


class Gone(Refused):
    """An object that has ended."""

    status = 410


class Overloaded(Refused):
    """Too many requests of a kind at once."""

    status = 503
