"""Training in generations: self-play games, then weights fitted to them.

Worker processes play blocks of games side by side. Files that exist are not made again, so a killed
training resumes where it was and reaches the same weights.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass

from bots.catalogue import with_options
from bots.learned.weights import pack_weights, quantize, read_weights
from bots.learned.weights_file import find_weights
from ladder.errors import LadderError
from ladder.learning.value.fitting import Quality, fit_network
from ladder.learning.value.folder import (
    GenerationRecord,
    LearningFolder,
    hash_training_sources,
    make_record,
)
from ladder.learning.value.selfplay import (
    Samples,
    SelfplayGame,
    count_blocks,
    join_samples,
    make_samples,
    play_block,
)
from ladder.learning.value.settings import BLOCK, FIT, LearningSettings
from ladder.match.process.worker_pool import TICK_S, WorkerDied, WorkerPool, call_in_subprocess
from ladder.signals import current_stop


@dataclass(slots=True)
class LearningState:
    """The progress of a training, for the loop and for displays."""

    settings: LearningSettings
    target: int
    """Total number of generations wanted."""
    records: list[GenerationRecord]
    """The finished generations."""
    records_before: int = 0
    """Generations that were finished when this process began."""
    games: int = 0
    """Finished games of the current generation."""
    played: int = 0
    """Games that this process has played."""
    fitting: bool = False
    """Whether weights are being fitted."""
    playing_s: float = 0.0
    """Seconds that this process spent on games."""

    @property
    def generation(self) -> int:
        """Number of the current generation, or of the last one."""
        return min(len(self.records) + 1, self.target)

    @property
    def games_per_second(self) -> float | None:
        """Speed of this process, None before its first block."""
        return self.played / self.playing_s if self.played and self.playing_s > 0 else None


def choose_player(folder: LearningFolder, generation: int) -> str:
    """Return the player of a generation's games."""
    settings = folder.settings
    if generation > 1:
        weights = folder.weights_file(generation - 1).resolve()
        return with_options(settings.learner, {"weights": weights})
    if settings.starts_new:
        return settings.player
    return with_options(settings.player, {"weights": settings.start})


def learn(
    folder: LearningFolder, state: LearningState, processes: int
) -> Iterator[GenerationRecord | None]:
    """Train up to the target: yield the record of each finished generation, None in between.

    Args:
        folder: of the training.
        state: is updated.
        processes: number of blocks of games to play at the same time.

    Raises:
        Stopped: the user stopped the command; blocks in play are lost.
        LadderError: a worker was killed.

    """
    while len(state.records) < state.target:
        generation = len(state.records) + 1
        began = time.monotonic()
        revision = hash_training_sources()
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
        # Before the weights, so that finished weights never lie beside a record of older ones.
        folder.write_record(make_record(folder.settings, [*state.records, record], weights))
        folder.finish(record, weights)
        state.records.append(record)
        yield record


def _play(
    folder: LearningFolder, state: LearningState, generation: int, processes: int
) -> Iterator[None]:
    """Play the missing blocks of a generation."""
    blocks = range(count_blocks(folder.settings))
    missing = [block for block in blocks if not folder.games_file(generation, block).exists()]
    state.games = folder.settings.games - sum(_size(folder.settings, block) for block in missing)
    if not missing:
        return
    player = choose_player(folder, generation)
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
            "a process that plays games was killed: the system may be out of memory (check the OOM "
            "killer); repeat the command to resume"
        ) from error
    finally:
        pool.kill()


def _size(settings: LearningSettings, block: int) -> int:
    return min(BLOCK, settings.games - block * BLOCK)


def _fit(folder: LearningFolder, generation: int) -> tuple[bytes, Quality, int]:
    """Return the file of a generation's weights, their quality and the number of positions."""
    settings = folder.settings
    learned: list[Samples] = []
    held_out: list[Samples] = []
    for number in range(max(1, generation - settings.window + 1), generation + 1):
        for block in range(count_blocks(settings)):
            games = folder.read_games(number, block)
            learned.append(_select(games, settings, held_out=False))
            if number == generation:
                held_out.append(_select(games, settings, held_out=True))
    samples = join_samples(learned)
    seed = settings.seed_of(FIT, generation)
    first = None
    if not settings.starts_new:
        start = find_weights(settings.start)
        first = read_weights(start if generation == 1 else folder.weights_file(generation - 1))
    network, quality = fit_network(settings, seed, samples, join_samples(held_out), first)
    return pack_weights(quantize(*network)), quality, len(samples.rows)


def _select(games: list[SelfplayGame], settings: LearningSettings, *, held_out: bool) -> Samples:
    chosen = [
        game
        for number, game in enumerate(games)
        if (number % (2 * settings.held_out) in (0, settings.held_out + 1)) == held_out
    ]
    return make_samples(chosen, settings.result_weight)
