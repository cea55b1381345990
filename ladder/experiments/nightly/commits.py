"""The commits of a branch that a night compares: which are stored, which are new."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from bots.errors import SpecError
from db.records.archives import Manifest
from db.records.bots import BotRow, NewBot
from db.records.night import Night, SkippedCommit
from db.records.run_settings import NightlySettings
from db.records.runs import RunKind, RunRow
from db.store import Store
from ladder.errors import UsageError
from ladder.match.process.sandbox import Confinement
from ladder.names import listed
from ladder.registry.from_spec import LONGEST_NOTE, free_name, is_made_from, line_name, short_reason
from ladder.registry.registration import (
    ExaminedBot,
    NothingToAdd,
    RegistrationRequest,
    examine,
    known_bots,
)
from ladder.registry.same_bot import MOST_NAMED, stored_manifest
from ladder.registry.specs.git import (
    Commit,
    first_parents,
    is_shallow,
    remove_builds,
    resolve_commit,
    tags_of,
)
from ladder.registry.specs.spec import BotSource, find_origin, find_spec_repository, identity_of
from ladder.visible import visible

DIGITS = 7
"""Digits of a commit's hash in the name of its bot."""
MOST_COMMITS = 5000
"""Most commits of a branch that are searched for stored ones, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLine:
    """The first parents of a branch, and the bot in them."""

    source: BotSource
    """The bot, without its revision."""
    branch: str
    commits: tuple[Commit, ...]
    """Oldest first."""
    tags: Mapping[str, str]
    """Tags by the hash of their commit."""
    asked: Collection[str]
    """The bots of the commits that nights have asked about."""

    @property
    def name(self) -> str:
        """The name of the bot, which those of its commits begin with."""
        return line_name(self.source.spec, self.source.folder)

    @property
    def places(self) -> dict[str, int]:
        """The places of the commits by their hashes."""
        return {each.commit: place for place, each in enumerate(self.commits)}

    def stored(self, rows: Iterable[BotRow]) -> list[BotRow]:
        """Return those of some bots that are commits of the line, oldest first."""
        places, own = self.places, line_rows(rows, self.name, self.asked)
        found = [row for row in own if row.spec == self.source.spec and commit_of(row) in places]
        return sorted(found, key=lambda row: places[commit_of(row)])

    def choose_new(self, stored: Sequence[BotRow], most: int) -> list[Commit]:
        """Return the commits to store, oldest first.

        They are some since the newest stored one, evenly spread with the newest among them, and
        the newest tag. Where none is stored they are the newest, its parent and that tag.
        """
        known = {commit_of(row) for row in stored}
        last = max((self.places[each] for each in known), default=None)
        new = self.commits[-2:] if last is None else self.commits[last + 1 :]
        count = min(most, len(new))
        chosen = {new[-(-len(new) * part // count) - 1].commit for part in range(1, count + 1)}
        wanted = {*chosen, self.newest_tag} - known
        return [each for each in self.commits if each.commit in wanted]

    @property
    def newest_tag(self) -> str:
        """The hash of the newest commit with a tag; "" without one."""
        return next((each.commit for each in self.commits[::-1] if each.commit in self.tags), "")


def commit_of(row: BotRow) -> str:
    """Return the hash of the commit that a bot was taken from; "" without one."""
    origin = row.revision.launch.origin
    return "" if origin is None else origin.commit


def line_rows(rows: Iterable[BotRow], name: str, asked: Collection[str]) -> list[BotRow]:
    """Return the bots that are commits of a bot: by their names, or renamed after a night."""

    def is_named(row: BotRow) -> bool:
        line, _, digits = row.name.rpartition("@")
        return line == name and digits.partition("-")[0] == commit_of(row)[:DIGITS]

    return [row for row in rows if commit_of(row) and (row.name in asked or is_named(row))]


def nights_of(store: Store, name: str) -> list[tuple[RunRow, Night]]:
    """Return the runs and nights of a bot's commits, newest first."""
    found = [
        (run, run.settings.nightly)
        for run in store.runs.find(kind=RunKind.NIGHTLY)
        if isinstance(run.settings, NightlySettings)
    ]
    return [(run, night) for run, night in found if night is not None and night.name == name]


def asked_in(nights: Iterable[tuple[RunRow, Night]]) -> set[str]:
    """Return the bots whose steps nights have asked about, and their predecessors."""
    return {name for _, night in nights for step in night.steps.items() for name in step}


def read_line(store: Store, source: BotSource, branch: str) -> CommitLine:
    """Return the line of a branch.

    Raises:
        UsageError: there is no repository or no such branch, or the clone is shallow.

    """
    repository = find_spec_repository(source)
    head = resolve_commit(repository, branch, "branch")
    if is_shallow(repository):
        raise UsageError(
            f"{repository} is a shallow clone, whose history ends too early: `git fetch "
            "--unshallow --tags` completes it (in a workflow: fetch-depth: 0)"
        )
    return CommitLine(
        source=source,
        branch=branch,
        commits=tuple(first_parents(repository, head, MOST_COMMITS)),
        tags=tags_of(repository, head),
        asked=asked_in(nights_of(store, line_name(source.spec, source.folder))),
    )


def examine_commit(
    store: Store, line: CommitLine, commit: Commit, confinement: Confinement
) -> NewBot:
    """Build a commit and try it out, based on the stored commit before it.

    Raises:
        NothingToAdd: a stored commit stands for it.
        UsageError: it cannot be built, or failed its trial.
        SpecError: the specification is not valid at this commit.

    """
    known = known_bots(store)
    stored, place = line.stored(known.values()), line.places[commit.commit]
    source = replace(line.source, git=commit.commit)
    _, origin = find_origin(source)
    for row in stored:
        if is_made_from(row, source, origin):
            raise NothingToAdd(f"it has the files of {row.name}")
    before = [row for row in stored if line.places[commit_of(row)] < place][-1:]
    request = RegistrationRequest(
        name=free_name(f"{line.name}@{commit.commit[:DIGITS]}", known.__contains__),
        source=source,
        based_on=before[0].name if before else None,
        note=visible(commit.subject)[:LONGEST_NOTE],
    )
    examined = examine(known, request, confinement)
    for row in before:
        unused = _unused_changes(store, row, examined)
        if unused is not None:
            remove_builds([examined.new.revision.launch])
            why = f" ({listed(unused, MOST_NAMED)})" if unused else ""
            raise NothingToAdd(
                f"it changes no file that the bot uses{why}: {row.name} stands for it"
            )
    return examined.new


def _unused_changes(store: Store, before: BotRow, examined: ExaminedBot) -> list[str] | None:
    """Return the changed files if the bot uses none of them; None if it does."""
    former, new = stored_manifest(store, before), examined.new.revision
    if former is None or new.packed is None:
        return None
    launch = msgspec.structs.replace(new.launch, archive=former.sha256)
    if identity_of(launch) != before.revision.content_hash:  # it is started in another way
        return None
    was, now = _contents(former), _contents(new.packed.manifest)
    changed = {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
    used = changed if examined.opened is None else changed.intersection(examined.opened)
    return None if used else sorted(changed)


def _contents(manifest: Manifest) -> dict[str, object]:
    """Return the files and links of an archive by path."""
    return {**{file.path: file for file in manifest.files}, **dict(manifest.links)}


def skipped(commit: Commit, error: UsageError | SpecError) -> SkippedCommit:
    """Return a commit that is not stored, with the reason in a line."""
    return SkippedCommit(commit.commit, visible(commit.subject), short_reason(str(error)))
