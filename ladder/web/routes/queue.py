"""The queue: its page, an experiment's page, the form, and changes by those who may."""

from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from db.records.queue import EntryRow
from db.records.tokens import Right, TokenRow
from db.store import FollowedStore, Store
from ladder.queue.cost import Cost, GameTimes, estimate_cost
from ladder.queue.jobs import find_live_services
from ladder.queue.outlook import find_outlook, find_outlooks
from ladder.results.overview.bot_groups import bot_groups
from ladder.visible import visible
from ladder.web.body import decode
from ladder.web.errors import Forbidden, NotFound, Refused
from ladder.web.live_page import live_page, still_page
from ladder.web.queue.form import MAX_PRIORITY, Form, check_form
from ladder.web.routes.api import document
from ladder.web.security.parameters import LARGEST_KEY, Parameters
from ladder.web.security.sign_in import visitor_of
from ladder.web.site import site_of
from reports.html.live.parts import PageParts
from reports.html.live.queue import cost_document, form_parts, job_parts, queue_parts
from reports.queue import job_document, jobs_document

ENDED = 30
"""Number of ended experiments on the page."""
MAX_ENDED = 1000


class Action(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request that changes an experiment."""

    word: Literal["cancel", "pause", "resume", "first", "priority"]
    priority: int = 0
    """The new priority."""


class GivenToken(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request that signs a browser in."""

    token: str


async def queue_page(request: Request) -> Response:
    """Answer with the queue, updated live."""
    Parameters(request).check()
    visitor, forms = visitor_of(request), site_of(request).forms

    def render(store: FollowedStore) -> PageParts:
        has_tokens = visitor.token is not None or bool(store.tokens.all())
        return queue_parts(
            find_outlooks(store, forms.workloads, ended=ENDED),
            find_live_services(store),
            visitor.token,
            has_tokens=has_tokens,
        )

    return await live_page(request, "queue.html.j2", visitor.badge, render, here="/queue")


async def job_page(request: Request) -> Response:
    """Answer with the page of an experiment of the queue, updated live."""
    Parameters(request).check()
    key, visitor, forms = _key(request), visitor_of(request), site_of(request).forms

    def render(store: FollowedStore) -> PageParts:
        outlook = find_outlook(store, key, forms.workloads)
        return job_parts(outlook, store.queue.bots(key), visitor.token)

    return await live_page(request, "job.html.j2", (key, visitor.badge), render)


async def form_page(request: Request) -> Response:
    """Answer with the form for an experiment."""
    Parameters(request).check()
    visitor, commands = visitor_of(request), site_of(request).forms.commands

    def render(store: FollowedStore) -> PageParts:
        groups = bot_groups(store.bots.all(), store.bots.names_with_games())
        return form_parts(commands.values(), groups, visitor.token, max_priority=MAX_PRIORITY)

    return await still_page(request, "queue_new.html.j2", render, mark=visitor.badge)


async def jobs(request: Request) -> Response:
    """Answer with the document of `ladder queue list --json`."""
    given = Parameters(request)
    ended = given.number("ended", high=MAX_ENDED)
    given.check()
    most = ENDED if ended is None else ended
    read = site_of(request).forms.workloads
    return await document(
        request, lambda store: jobs_document(find_outlooks(store, read, ended=most))
    )


async def job(request: Request) -> Response:
    """Answer with the document of `ladder queue show --json`."""
    Parameters(request).check()
    key = _key(request)
    read = site_of(request).forms.workloads
    return await document(request, lambda store: job_document(find_outlook(store, key, read)))


async def submit(request: Request) -> Response:
    """Put an experiment into the queue and answer with its document."""
    token, site = visitor_of(request).require(Right.SUBMIT), site_of(request)
    submission = check_form(decode(await request.body(), Form), site.forms.commands)
    if not token.right.includes(Right.MANAGE):
        if submission.priority > 0:
            raise Forbidden(
                "a priority above 0 needs the right to manage the queue: submit it with 0 or less"
            )
        if submission.foreign:
            raise Forbidden(
                f"{visible(submission.foreign)} is a file or a program of the server's machine, "
                "which needs the right to manage the queue: give what comes with the program, such "
                "as builtin:v18 or the suite standard, or submit it with `ladder queue add`"
            )
    made = await site.submitter.submit(submission, token.name)
    await site.writer.write(lambda store: store.tokens.mark_used(token.id))
    return JSONResponse(made)


async def cost(request: Request) -> Response:
    """Answer with the expected cost of an experiment."""
    forms = site_of(request).forms
    question = forms.ask_cost(check_form(decode(await request.body(), Form), forms.commands).words)

    def query(store: FollowedStore) -> Cost | None:
        return estimate_cost(GameTimes(store), question.workloads) if question.workloads else None

    return await document(
        request, lambda store: cost_document(query(store), otherwise=question.sentence)
    )


async def act(request: Request) -> Response:
    """Change an experiment and answer with its document."""
    token, key = visitor_of(request).require(Right.SUBMIT), _key(request)
    action = decode(await request.body(), Action)
    if abs(action.priority) > MAX_PRIORITY:
        raise Refused(f"the priority must be from -{MAX_PRIORITY} to {MAX_PRIORITY}")

    def change(store: Store) -> dict[str, object]:
        _check_right(token, store.queue.get(key), action)
        match action.word:
            case "cancel":
                store.queue.cancel(key)
            case "pause":
                store.queue.pause(key)
            case "resume":
                store.queue.resume(key)
            case "first":
                store.queue.put_first(key)
            case "priority":
                store.queue.set_priority(key, action.priority)
        store.tokens.mark_used(token.id)
        return job_document(find_outlook(store, key, site_of(request).forms.workloads))

    return JSONResponse(await site_of(request).writer.write(change))


def _check_right(token: TokenRow, entry: EntryRow, action: Action) -> None:
    """Refuse a change that needs the right to manage the queue. Raises Forbidden."""
    if token.right.includes(Right.MANAGE):
        return
    if entry.author != token.name:
        raise Forbidden(
            f"experiment {entry.id} is of {entry.author}: only its author, or a token with the "
            "right to manage the queue, may change it"
        )
    if action.word == "first" or (action.word == "priority" and action.priority > entry.priority):
        raise Forbidden("the order of experiments needs the right to manage the queue")


async def sign_in(request: Request) -> Response:
    """Sign a browser in by a token."""
    site, browser = site_of(request), request.state.browser
    given = decode(await request.body(), GivenToken)
    if not browser:
        raise Refused("the browser has no cookie of this server: open a page first")
    assert site.access.sign_in is not None  # noqa: S101 - a server always has it
    secret = given.token.strip()
    visitor = await site.access.sign_in.check(f"Bearer {secret}")
    site.access.sign_in.remember(browser, visitor)
    token = visitor.token
    if token is not None:
        await site.writer.write(lambda store: store.tokens.mark_used(token.id))
    return JSONResponse({"name": visitor.name})


async def sign_out(request: Request) -> Response:
    """Sign a browser out."""
    site = site_of(request)
    if site.access.sign_in is not None:
        site.access.sign_in.forget(request.state.browser)
    return JSONResponse({})


def _key(request: Request) -> int:
    word = request.path_params["job"]
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_KEY):
        raise NotFound("the number of an experiment is a whole number: the queue lists them")
    return int(word)
