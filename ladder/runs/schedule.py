"""The schedule of a run: bots, board and opening of the pair of each number.

It is a pure function of the run's seed and the pair's number, so that a killed run resumes exactly
where it stopped, and two runs at the same time share one stream.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from db.records.pairs import PlannedPair
from db.records.runs import FIXED_OPENING, plies_of_opening
from engine.board import Board, BoardClass
from engine.errors import OpeningError
from engine.opening import check_openings, draw_opening
from engine.opening_set import Opening, OpeningSet, is_of_class
from engine.seeds import SplitMix
from ladder.errors import UnfitBot, UsageError
from ladder.match.specs.board_support import can_play_class, propose_boards
from ladder.pair_seeds import derive, derive_pair_seed


class PairingKind(StrEnum):
    """The ways to choose opponents."""

    RANDOM = "random"
    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    UNCERTAIN = "uncertain"
    """Depends on finished pairs, too: `ladder.runs.uncertain_pairing`."""
    GATE = "gate"
    """For experiments: the candidate is A in every pair, and its baselines take turns."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A way to choose opponents, with its bots."""

    kind: PairingKind
    candidate: str | None = None
    """The bot that plays in every pair of a gauntlet or gate; None for other kinds."""
    against: tuple[str, ...] = ()
    """The baselines of a gate, which may include the candidate."""

    def __str__(self) -> str:
        if self.against:
            return f"{self.kind}:{self.candidate}:{','.join(self.against)}"
        return f"{self.kind}:{self.candidate}" if self.candidate else str(self.kind)


def parse_pairing(text: str) -> Pairing:
    """Read ``random``, ``round-robin``, ``uncertain`` or ``gauntlet:NAME``.

    Raises:
        UsageError: the text is not one of these.

    """
    word, colon, candidate = text.partition(":")
    if word == PairingKind.GAUNTLET and candidate:
        return Pairing(PairingKind.GAUNTLET, candidate)
    if not colon and word in (
        PairingKind.RANDOM,
        PairingKind.ROUND_ROBIN,
        PairingKind.UNCERTAIN,
    ):
        return Pairing(PairingKind(word))
    raise UsageError(
        f"write random, round-robin, uncertain or gauntlet:NAME, got {text!r}", option="pairing"
    )


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


# The purposes of random numbers. Each has a stream of its own, so that, for example, the boards of
# a run do not change when its pairing does.
_PARTNERS, _BOARDS, _OPENING, _GAMES, _ORDER, _ROUND = range(6)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A stream of pairs.

    Raises:
        UsageError: there are fewer than two bots, the bot of a gauntlet is not among them, or a
            bot shares no board with any opponent, or does not play all boards of the openings.

    """

    bots: Mapping[str, int]
    """Revisions by name, sorted by name; at least two, except in a gate of one bot (a control)."""
    pairing: Pairing
    boards: tuple[BoardClass, ...]
    opening_plies: int | None
    """Plies of random openings; None for the default of each board class."""
    seed: int
    plays: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The boards of the bots that do not play every board, as their hello lists them."""
    openings: OpeningSet | None = None
    """A set of openings, used in a shuffled order with their boards; None for random openings."""
    fixed_opening: int = FIXED_OPENING
    """Default plies of random openings on a board class of one board; classes that vary have 0."""

    def __post_init__(self) -> None:
        if len(self.bots) < 2 and self.pairing.kind is not PairingKind.GATE:
            raise UsageError("a run needs at least two different bots: name more", option="bots")
        candidate = self.pairing.candidate
        if candidate is not None and candidate not in self.bots:
            raise UsageError(
                f"{candidate} is not among the bots of the run: add it", option="pairing"
            )
        if self.openings is not None:
            for name in self.bots:
                refuse_set(name, self.plays.get(name), self.openings)
        met = {name for pair in self._meetings() if self._shared(*pair) for name in pair}
        for name in self.bots:
            if name not in met:
                boards = ", ".join(map(str, self.boards))
                raise UsageError(
                    f"{name} has no opponent: no other bot plays one of its boards ({boards}); "
                    "leave it out or add a board"
                )

    def pair(self, number: int, partners: tuple[str, str] | None = None) -> PlannedPair:
        """Return pair `number`, counted from 0.

        With `partners` these two meet; if they share no board, two others are drawn. Without, the
        schedule chooses (as ``random`` for ``uncertain``).
        """
        random = self._random(number, _BOARDS)
        if partners is not None or self.pairing.kind in (
            PairingKind.RANDOM,
            PairingKind.UNCERTAIN,
        ):
            if partners is None or not self._shared(*partners):
                partners = self._partners(number)
            a, b = partners
            shared = self._shared(a, b)
            board_class = shared[0] if len(self.boards) == 1 else random.choice(shared)
        else:
            a, b, board_class = self._fixture(number)
        if self.openings is None:
            board = board_class.draw(random)
            plies = plies_of_opening(self.opening_plies, board_class, self.fixed_opening)
            moves = self._random_moves(number, board, plies) if plies else ()
        else:
            opening = self._opening(self.openings, number)
            board, moves = opening.board, opening.moves
            board_class = board_class_for(board, self.boards)
        return PlannedPair(
            a_revision=self.bots[a],
            b_revision=self.bots[b],
            board=str(board),
            board_class=str(board_class),
            opening=moves,
            seed=derive_pair_seed(self.seed, number, _GAMES),
            number=number,
        )

    def _random(self, *values: int) -> SplitMix:
        """Return the random numbers for a pair or round and a purpose."""
        return SplitMix(derive(self.seed, *values))

    def _random_moves(self, number: int, board: Board, plies: int) -> tuple[int, ...]:
        """Draw the random opening of a pair."""
        return draw_opening(board, plies, self._random(number, _OPENING))

    def _opening(self, openings: OpeningSet, number: int) -> Opening:
        """Return the opening of a pair: each round goes over the whole set in a new order."""
        round_number, place = divmod(number, len(openings))
        seed = derive(self.seed, round_number, _ROUND)
        return openings.openings[_round_order(seed, len(openings))[place]]

    def _partners(self, number: int) -> tuple[str, str]:
        """Draw two bots that share a board."""
        random = self._random(number, _PARTNERS)
        names = tuple(self.bots)
        while True:
            a = random.below(len(names))
            b = random.below(len(names) - 1)
            b += b >= a
            if self._shared(names[a], names[b]):
                return names[a], names[b]

    def _fixture(self, number: int) -> tuple[str, str, BoardClass]:
        """Return bots and board of a round-robin, gauntlet or gate.

        Each round has every combination once on every board, in a new order, and A and B swap
        between rounds. The rounds of a gate are equal: its candidate is always A.
        """
        meetings = self._meetings()
        round_number, place = divmod(number, sum(len(self._shared(*pair)) for pair in meetings))
        is_gate = self.pairing.kind is PairingKind.GATE
        if not is_gate:
            meetings = self._random(round_number, _ORDER).shuffled(meetings)
        for a, b in meetings:
            shared = self._shared(a, b)
            if place < len(shared):
                is_swapped = round_number % 2 and not is_gate
                return (b, a, shared[place]) if is_swapped else (a, b, shared[place])
            place -= len(shared)
        raise AssertionError("a round is as long as its fixtures")

    def _shared(self, a: str, b: str) -> tuple[BoardClass, ...]:
        """Return the boards of the run that both bots play."""
        if self.openings is not None:
            return self.boards[:1]  # all bots play all boards, and the opening chooses the board
        if not self.plays:
            return self.boards
        return tuple(
            board
            for board in self.boards
            if all(can_play_class(self.plays.get(name), board) for name in (a, b))
        )

    def _meetings(self) -> Sequence[tuple[str, str]]:
        candidate = self.pairing.candidate
        if candidate is None:
            return tuple(combinations(self.bots, 2))
        if self.pairing.kind is PairingKind.GATE:
            return tuple((candidate, other) for other in self.pairing.against)
        return tuple((candidate, other) for other in self.bots if other != candidate)


@lru_cache(maxsize=4)
def _round_order(seed: int, count: int) -> Sequence[int]:
    return SplitMix(seed).shuffled(range(count))


def board_class_for(board: Board, boards: Iterable[BoardClass]) -> BoardClass:
    """Return the board class of a run for a board; the board itself precedes a family.

    Raises:
        UsageError: the run has no such board.

    """
    fitting = [kind for kind in boards if is_of_class(board, kind)]
    if not fitting:
        raise UsageError(f"{board} is not among the boards of the run", option="openings")
    return min(fitting, key=lambda kind: kind.varies)


def refuse_other_boards(openings: OpeningSet, boards: Sequence[BoardClass]) -> None:
    """Refuse a set of openings that has other boards than a run.

    Raises:
        UsageError: an opening is for another board, or a board has no opening.

    """
    played = ",".join(map(str, boards))
    for opening in openings.openings:
        if not any(is_of_class(opening.board, kind) for kind in boards):
            raise UsageError(
                f"'{opening}' is not for the boards {played}: add the board {opening.board}, or "
                "choose other openings",
                option="openings",
            )
    used = {board_class_for(board, boards) for board in openings.boards}
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
