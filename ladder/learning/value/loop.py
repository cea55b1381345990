"""The course of a training: generations of self-play games, and weights fitted to them.

Blocks of games are played side by side by worker processes. What is there already is not done
again, so a training goes on after any kill where it was, and comes to the same weights.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote

from bots.learned.weights import packed, quantized
from ladder.errors import LadderError
from ladder.learning.value.fitting import Quality, fitted
from ladder.learning.value.folder import GenerationRecord, LearningFolder
from ladder.learning.value.samples import Samples, joined, samples_of
from ladder.learning.value.selfplay import SelfplayGame, blocks_of, play_block
from ladder.learning.value.settings import BLOCK, FIT, LEARNER, LearningSettings
from ladder.learning.value.weights_record import record_of, revision_of
from ladder.match.process.worker_pool import TICK_S, WorkerDied, WorkerPool, call_in_subprocess
from ladder.signals import current_stop


@dataclass(slots=True)
class LearningState:
    """Where a training stands, for the loop and for whoever watches."""

    settings: LearningSettings
    target: int
    """Generations in all."""
    records: list[GenerationRecord]
    """The finished generations."""
    records_before: int = 0
    """Those that were there when this process began."""
    games: int = 0
    """Of the generation in work."""
    played: int = 0
    """Games that this process has played."""
    fitting: bool = False
    """Whether weights are being fitted."""
    started: float = field(default_factory=time.monotonic)
    playing_s: float = 0.0
    """Seconds in which this process had games played."""

    @property
    def generation(self) -> int:
        """The generation in work, or the last one."""
        return min(len(self.records) + 1, self.target)

    @property
    def games_a_second(self) -> float | None:
        """Of this process; None before its first block."""
        return self.played / self.playing_s if self.played and self.playing_s > 0 else None


class LearningWatcher(Protocol):
    """The interface of a display of a training."""

    def started(self, state: LearningState) -> None:
        """The training begins or goes on."""

    def tick(self, state: LearningState) -> None:
        """Something has changed."""

    def ended(self, state: LearningState) -> None:
        """The training stops."""


def player_of(folder: LearningFolder, generation: int) -> str:
    """The player of a generation's games."""
    settings = folder.settings
    if generation == 1:
        return settings.player
    weights = quote(str(folder.weights_file(generation - 1).resolve()))
    return f"{LEARNER}?weights={weights}"


def learn(
    folder: LearningFolder, state: LearningState, processes: int
) -> Iterator[GenerationRecord | None]:
    """Do what is missing; a record for a finished generation, None for other progress.

    Args:
        folder: of the training; files come into it.
        state: changed.
        processes: blocks of games that are played at the same time.

    Raises:
        Stopped: the user wants the command to end; blocks in play are lost.
        LadderError: a worker was killed.

    """
    while len(state.records) < state.target:
        generation = len(state.records) + 1
        began = time.monotonic()
        revision = revision_of(folder.settings.player)
        for _ in _play(folder, state, generation, processes):
            yield None
        state.fitting = True
        yield None
        weights, quality, positions = call_in_subprocess(_fit, folder, generation)
        state.fitting = False
        record = GenerationRecord(
            generation,
            folder.settings.games,
            positions,
            quality,
            round(time.monotonic() - began, 3),
            revision,
        )
        # First, so that weights that are finished never lie beside the record of others.
        made = record_of(folder.settings, [*state.records, record], weights)
        folder.write_record(made)
        folder.finish(record, weights)
        state.records.append(record)
        yield record


def _play(
    folder: LearningFolder, state: LearningState, generation: int, processes: int
) -> Iterator[None]:
    """Have the missing blocks of a generation played."""
    blocks = range(blocks_of(folder.settings))
    missing = [block for block in blocks if not folder.games_file(generation, block).exists()]
    state.games = folder.settings.games - sum(_size(folder.settings, block) for block in missing)
    if not missing:
        return
    player = player_of(folder, generation)
    pool = WorkerPool(processes)
    work: dict[int, Future[tuple[SelfplayGame, ...]]] = {
        block: pool.call(play_block, folder.settings, generation, block, player)
        for block in missing
    }
    since = time.monotonic()
    try:
        while work:
            current_stop().check()
            pool.wait(TICK_S)
            for block in [block for block, future in work.items() if future.done()]:
                games = work.pop(block).result()
                folder.write_games(generation, block, games)
                state.games += len(games)
                state.played += len(games)
            now = time.monotonic()
            state.playing_s += now - since
            since = now
            yield
    except WorkerDied as error:
        raise LadderError(
            "a process that plays games was killed: look for a full memory or a killing process"
        ) from error
    finally:
        pool.kill()


def _size(settings: LearningSettings, block: int) -> int:
    return min(BLOCK, settings.games - block * BLOCK)


def _fit(folder: LearningFolder, generation: int) -> tuple[bytes, Quality, int]:
    """The file of weights of a generation, their quality, and the positions learned from."""
    settings = folder.settings
    learned: list[Samples] = []
    held_out: list[Samples] = []
    for one in range(max(1, generation - settings.window + 1), generation + 1):
        for block in range(blocks_of(settings)):
            games = folder.read_games(one, block)
            learned.append(_some(games, settings, held_out=False))
            if one == generation:
                held_out.append(_some(games, settings, held_out=True))
    samples = joined(learned)
    seed = settings.seed_of(FIT, generation)
    network, quality = fitted(settings, seed, samples, joined(held_out))
    return packed(quantized(*network)), quality, len(samples.rows)


def _some(games: list[SelfplayGame], settings: LearningSettings, *, held_out: bool) -> Samples:
    chosen = [
        game
        for number, game in enumerate(games)
        if (number % (2 * settings.held_out) in (0, settings.held_out + 1)) == held_out
    ]
    return samples_of(chosen, settings.result_weight)
