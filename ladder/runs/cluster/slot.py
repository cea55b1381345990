"""The process of a slot, which plays pairs on a machine of a cluster, and the bots that it is sent.

It plays one pair at a time and dies with the process that started it; its bots die with it.
"""

import os
import pickle
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from bots.errors import BotsError
from db.records.archives import Manifest
from db.records.bots import BotRow
from db.records.launch import Launch, Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.board_class import BoardClass
from ladder.errors import BotFailure, LadderError
from ladder.match.game.adjudicator import compile_solver
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.process.sandbox import Confinement
from ladder.registry.specs.archive import cached_archive, clean_cache, unpack, use
from ladder.registry.specs.start_command import compile_players, fill_placeholders, make_start

if TYPE_CHECKING:
    from ladder.runs.settings import RunSettings

SANDBOX_VARIABLE = "LADDER_SANDBOX"
"""The environment variable with this machine's own sandbox command, a JSON list of words; without
it the sandbox of the run is used."""
ELSEWHERE = Start(argv=(), folder="")
"""A placeholder for the start of a bot, which the other machine fills in."""
Archives = dict[str, tuple[Manifest, dict[str, bytes]]]
"""By name, archives with the compressed content of each file by its hash."""


class Bundle(msgspec.Struct, frozen=True):
    """Everything that a machine needs for the pairs of a run, except the bots' files."""

    sides: tuple[Entrant, ...]
    """The bots as sides of pairs, without their starts."""
    launches: Mapping[int, Launch]
    """By revision."""
    confinement: Confinement
    pin: bool
    """Whether each slot claims a CPU of its own if one is free."""
    adjudicated: tuple[BoardClass, ...]
    """The boards whose games are adjudicated."""


def pack_bundle(settings: "RunSettings", bots: Sequence[BotRow], sides: Iterable[Entrant]) -> bytes:
    """Pack the bots of a run and their files, which are unpacked on this machine.

    Raises OSError if an archive is missing.
    """
    archives: Archives = {}
    launches = {bot.revision.id: bot.revision.launch for bot in bots}
    for name in {launch.archive for launch in launches.values() if launch.archive}:
        packed = cached_archive(name)
        archives[name] = (
            packed.manifest,
            {
                file.sha256: zlib.compress(b"".join(packed.read_parts(file)), 1)
                for file in packed.manifest.files
            },
        )
    bundle = Bundle(
        tuple(with_start(side, ELSEWHERE) for side in sides),
        launches,
        settings.confinement,
        settings.pin,
        settings.adjudicated_boards,
    )
    return pickle.dumps((bundle, archives))


def unpack_bundle(packed: bytes) -> Bundle:
    """Return a bundle, and unpack the files of its bots on this machine.

    Raises:
        UsageError: an archive is damaged, or there is no room for it.

    """
    bundle, archives = cast(tuple[Bundle, Archives], pickle.loads(packed))  # noqa: S301 - of the coordinator
    for manifest, contents in archives.values():
        unpack(manifest, lambda file, of=contents: [zlib.decompress(of[file.sha256])])  # type: ignore[misc]
    return bundle


def with_start(side: Entrant, start: Start) -> Entrant:
    """Return a side of a pair with another start, in which its values are filled in."""
    argv = tuple(fill_placeholders(word, dict(side.values)) for word in start.argv)
    return msgspec.structs.replace(side, start=msgspec.structs.replace(start, argv=argv))


class _Run(NamedTuple):
    """The run whose pairs this process plays."""

    bundle: Bundle
    starts: dict[int, Start]
    """The starts of its bots on this machine, by revision."""
    pool: BotPool


_run: _Run | None = None


def prepare(bundle: Bundle) -> None:
    """Compile each bot and the solver, and start foreign bots once.

    Raises:
        LadderError: a bot cannot play on this machine.

    """
    clear_leftovers()
    clean_cache()
    pool = BotPool(_confinement(bundle))
    try:
        for sent in bundle.sides:
            try:
                side = with_start(sent, make_start(bundle.launches[sent.revision]))
                compile_players([side])
                if side.start.foreign or side.player is None:
                    pool.fetch_hello(side.start, side.name)
            except (BotFailure, BotsError, LadderError) as error:
                raise LadderError(f"it cannot host {sent.name}: {error}") from error
    finally:
        pool.close()
    if bundle.adjudicated:
        compile_solver(bundle.adjudicated)


def play(bundle: Bundle, plan: PairPlan) -> PairRecord:
    """Play one pair of a run for which this machine was prepared.

    Raises:
        OSError: the cache was emptied since.

    """
    global _run
    if _run is None:
        if bundle.pin:
            claim_cpu()
        Finalize(None, _end_run, exitpriority=10)
    for archive in {each.archive for each in bundle.launches.values() if each.archive}:
        use(archive)
    if _run is None or _run.bundle != bundle:
        _end_run()
        _run = _Run(bundle, {}, BotPool(_confinement(bundle)))
    for side in (plan.a, plan.b):
        if side.revision not in _run.starts:
            _run.starts[side.revision] = make_start(bundle.launches[side.revision])
    a, b = (with_start(side, _run.starts[side.revision]) for side in (plan.a, plan.b))
    return play_pair(msgspec.structs.replace(plan, a=a, b=b), _run.pool)


def _end_run() -> None:
    if _run is not None:
        _run.pool.close()


def _confinement(bundle: Bundle) -> Confinement:
    """Return the limits and sandbox of the run's bots on this machine.

    The sandbox that the owner of this machine chose replaces that of the run.
    """
    own = os.environ.get(SANDBOX_VARIABLE)
    if own is None:
        return bundle.confinement
    return replace(bundle.confinement, sandbox=msgspec.json.decode(own, type=tuple[str, ...]))
