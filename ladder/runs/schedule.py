"""The schedule of a run: bots, board and opening of the pair of each number.

It is a pure function of the run's seed and the pair's number (and, under some pairings, of earlier
results), so that a killed run resumes exactly where it stopped, and two runs at the same time share
one stream.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from db.records.bots import BotRow
from db.records.pairs import PlannedPair
from db.records.runs import plies_of_opening
from engine.board_class import BoardClass, narrowest_class
from engine.errors import OpeningError
from engine.opening import check_openings, draw_opening
from engine.opening_set import Opening, OpeningSet
from engine.seeds import SplitMix
from ladder.errors import UnfitBot, UsageError
from ladder.pair_seeds import Purpose, derive, derive_pair_seed
from ladder.registry.specs.board_support import can_play_class, propose_boards
from ladder.runs.choosers import (
    Chooser,
    Contestants,
    Fixture,
    Meeting,
    ReadResults,
    no_results,
)
from ladder.runs.settings import RunSettings


def refuse_set(name: str, plays: Sequence[str] | None, openings: OpeningSet) -> None:
    """Refuse a bot that does not play every board of a set of openings.

    Args:
        name: The bot.
        plays: Its boards, as its hello lists them; None for all.
        openings: The set.

    Raises:
        UnfitBot: the bot does not play a board of the set.

    """
    for board in openings.boards:
        if not can_play_class(plays, BoardClass(board)):
            raise UnfitBot(
                f"{name} does not play {board}, a board of the openings",
                f"choose openings on other boards, such as {propose_boards(plays)}",
            )


@dataclass(frozen=True)
class Schedule:
    """A stream of pairs.

    Raises:
        UsageError: there are fewer than two bots, the bot of a gauntlet is not among them, or a
            bot shares no board with any opponent, or does not play all boards of the openings.

    """

    settings: RunSettings
    rows: Sequence[BotRow]
    """The bots of the run; at least two, except in a gate of one bot (a control)."""
    seed: int
    results: ReadResults = no_results
    """Reads the finished pairs of the stream, for pairings that depend on them."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Present names of bots by those when the run began, whose order the pairs keep."""

    def __post_init__(self) -> None:
        if len(self.rows) < 2 and not self.settings.pairing.against:
            raise UsageError("a run needs at least two different bots: name more", option="bots")
        candidate = self.settings.pairing.candidate
        if candidate is not None and candidate not in self.bots:
            raise UsageError(
                f"{candidate} is not among the bots of the run: add it", option="pairing"
            )
        if self._openings is not None:
            for bot in self.rows:
                refuse_set(bot.name, bot.revision.boards, self._openings)
        met = {name for meeting in self.possible_meetings(self.bots) for name in meeting}
        for name in self.bots:
            if name not in met:
                boards = ", ".join(map(str, self.settings.boards))
                raise UsageError(
                    f"{name} has no opponent: no other bot plays one of its boards ({boards}); "
                    "leave it out or add a board"
                )

    @cached_property
    def bots(self) -> Mapping[str, int]:
        """Revisions by name, sorted by their names when the run began."""
        then = {now: name for name, now in self.renamed.items()}
        rows = sorted(self.rows, key=lambda bot: then.get(bot.name, bot.name))
        return {bot.name: bot.revision.id for bot in rows}

    @cached_property
    def _plays(self) -> Mapping[str, Sequence[str] | None]:
        """The boards of each bot, as its hello lists them; None for all."""
        return {bot.name: bot.revision.boards for bot in self.rows}

    @property
    def _openings(self) -> OpeningSet | None:
        """The set of openings, used in a shuffled order; None for random openings."""
        return None if self.settings.openings is None else self.settings.openings.set

    def pair(self, number: int, fixture: Fixture | None = None) -> PlannedPair:
        """Return pair `number`, counted from 0; with a fixture, of these bots.

        Raises:
            PairsPending: the choice of the bots depends on pairs that are not finished.

        """
        a, b, board_class = self._choose(number) if fixture is None else fixture
        random = self._random(number, Purpose.BOARDS)
        if board_class is None:
            shared = self._shared(a, b)
            board_class = shared[0] if len(self.settings.boards) == 1 else random.choice(shared)
        if self._openings is None:
            board = board_class.draw(random)
            plies = self.settings.plies_on(board_class)
            moves = draw_opening(board, plies, self._random(number, Purpose.OPENING))
        else:
            opening = self._opening(self._openings, number)
            board, moves = opening.board, opening.moves
            board_class = narrowest_class(board, self.settings.boards)
        return PlannedPair(
            a_revision=self.bots[a],
            b_revision=self.bots[b],
            board=str(board),
            board_class=str(board_class),
            opening=moves,
            seed=derive_pair_seed(self.seed, number, Purpose.GAMES),
            number=number,
        )

    def possible_meetings(self, names: Collection[str]) -> tuple[Meeting, ...]:
        """Return the meetings of the pairing among some bots of the run that share a board."""
        return tuple(
            (a, b)
            for a, b in self.settings.pairing.meetings(tuple(self.bots))
            if a in names and b in names and self._shared(a, b)
        )

    def pair_of_any(self, number: int, meetings: Sequence[Meeting]) -> PlannedPair:
        """Return a pair of two bots that are drawn from some meetings, whatever the pairing."""
        random = self._random(number, Purpose.PARTNERS)
        return self.pair(number, Fixture(*random.choice(meetings)))

    @cached_property
    def _choose(self) -> Chooser:
        return self.settings.pairing.rule.chooser(
            Contestants(
                bots=self.bots,
                meetings=self.settings.pairing.meetings(tuple(self.bots)),
                shared=self._shared,
                seed=self.seed,
                results=self.results,
            )
        )

    def _random(self, *values: int) -> SplitMix:
        """Return the random numbers for a pair or round and a purpose."""
        return SplitMix(derive(self.seed, *values))

    def _opening(self, openings: OpeningSet, number: int) -> Opening:
        """Return the opening of a pair: each round goes over the whole set in a new order."""
        round_number, place = divmod(number, len(openings))
        seed = derive(self.seed, round_number, Purpose.ROUND)
        return openings.openings[_round_order(seed, len(openings))[place]]

    def _shared(self, a: str, b: str) -> tuple[BoardClass, ...]:
        """Return the boards of the run that both bots play."""
        if self._openings is not None:
            # All bots play all boards, and the opening chooses the board.
            return self.settings.boards[:1]
        return tuple(
            board
            for board in self.settings.boards
            if all(can_play_class(self._plays[name], board) for name in (a, b))
        )


@lru_cache(maxsize=4)
def _round_order(seed: int, count: int) -> Sequence[int]:
    return SplitMix(seed).shuffled(range(count))


def refuse_other_boards(openings: OpeningSet, boards: Sequence[BoardClass]) -> None:
    """Refuse a set of openings that has other boards than a run.

    Raises:
        UsageError: an opening is for another board, or a board has no opening.

    """
    played = ",".join(map(str, boards))
    for opening in openings.openings:
        if not any(kind.includes(opening.board) for kind in boards):
            raise UsageError(
                f"'{opening}' is not for the boards {played}: add the board {opening.board}, or "
                "choose other openings",
                option="openings",
            )
    used = {narrowest_class(board, boards) for board in openings.boards}
    for kind in boards:
        if kind not in used:
            raise UsageError(
                f"there is no opening for {kind}: leave the board out, or add openings for it",
                option="openings",
            )


def refuse_long_openings(
    opening_plies: int | None, boards: Iterable[BoardClass], option: str = "opening_plies"
) -> None:
    """Refuse random openings that are too long for a board.

    Raises:
        UsageError: they are too long for the smallest board of a class.

    """
    for board_class in boards:
        try:
            check_openings(board_class, plies_of_opening(opening_plies, board_class))
        except OpeningError as error:
            raise UsageError(str(error), option=option) from error
