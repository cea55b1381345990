"""Which two bots meet in the pair of a given number.

Every schedule is a pure function of the run's seed and the pair's number, so that a killed run
goes on exactly where it stopped and two runs side by side share one stream.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from db.records.pairs import PlannedPair
from db.records.runs import plies_of_opening
from engine.board import Board, BoardClass
from engine.errors import OpeningError
from engine.opening import check_openings, draw_opening
from engine.opening_set import Opening, OpeningSet, is_of_class
from engine.seeds import SplitMix
from ladder.errors import UnfitBot, UsageError
from ladder.match.specs.board_support import can_play_class, propose_boards
from ladder.pair_seeds import CURRENT, SeedDerivation, derive, derive_pair_seed


class PairingKind(StrEnum):
    """The words of ``--pairing``."""

    RANDOM = "random"
    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    UNCERTAIN = "uncertain"
    """Not of the number alone: `ladder.runs.uncertain_pairing` looks at finished pairs."""
    GATE = "gate"
    """Not a word of the option: a candidate is A in every pair, its baselines take turns."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How opponents are chosen."""

    kind: PairingKind
    candidate: str | None = None
    """The bot that plays in every pair, of a gauntlet or a gate; None: there is none."""
    against: tuple[str, ...] = ()
    """For a gate: the baselines, of which the candidate itself may be one."""

    def __str__(self) -> str:
        if self.against:
            return f"{self.kind}:{self.candidate}:{','.join(self.against)}"
        return f"{self.kind}:{self.candidate}" if self.candidate else str(self.kind)


def parse_pairing(text: str) -> Pairing:
    """``random``, ``round-robin``, ``uncertain`` or ``gauntlet:NAME``.

    Raises:
        UsageError: the text is none of these.

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
    raise UsageError(f"--pairing is random, round-robin, uncertain or gauntlet:NAME, got {text!r}")


def refuse_set(name: str, plays: Sequence[str] | None, openings: OpeningSet) -> None:
    """Refuse a bot that does not play every board of a set of openings.

    Args:
        name: the bot.
        plays: its boards, as its hello lists them; None for all.
        openings: the set.

    Raises:
        UnfitBot: it does not.

    """
    for board in openings.boards:
        if not can_play_class(plays, BoardClass(board)):
            raise UnfitBot(
                f"--openings: {name} does not play {board}, which is among them",
                f"take openings on other boards, such as {propose_boards(plays)}",
            )


# What a stream draws for: independent of each other, so that, for example, the boards of a run do
# not change when its pairing does.
_PARTNERS, _BOARDS, _OPENING, _GAMES, _ORDER, _LAP = range(6)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A stream of pairs.

    Raises:
        UsageError: fewer than two bots, a gauntlet's bot is not among them, a bot has no opponent
            with whom it shares a board, an opening of that length does not exist on a board, or a
            bot does not play all boards of the set of openings.

    """

    bots: Mapping[str, int]
    """Revisions by name, in the order of the run's identity; at least two."""
    pairing: Pairing
    boards: tuple[BoardClass, ...]
    opening_plies: int | None
    """None: by board class, 0 where boards vary and 4 elsewhere."""
    seed: int
    plays: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The boards of those bots that do not play every board, as their hello lists them."""
    openings: OpeningSet | None = None
    """Each pair takes the next one of a shuffled order, board included; None: drawn at random."""
    derivation: SeedDerivation = CURRENT

    def __post_init__(self) -> None:
        if len(self.bots) < 2 and self.pairing.kind is not PairingKind.GATE:
            raise UsageError("a ladder needs at least two different bots: name more with --bots")
        candidate = self.pairing.candidate
        if candidate is not None and candidate not in self.bots:
            raise UsageError(f"--pairing gauntlet:{candidate}: that bot is not among --bots")
        if self.openings is not None:
            self._refuse_openings(self.openings)
        met = {name for pair in self._combinations() if self._shared(*pair) for name in pair}
        for name in self.bots:
            if name not in met:
                boards = ", ".join(map(str, self.boards))
                raise UsageError(
                    f"{name} finds no opponent: on none of the boards ({boards}) it and another "
                    "can both play; leave it out of --bots or add a board to --boards"
                )

    def _refuse_openings(self, known: OpeningSet) -> None:
        """Refuse a bot that does not play every board of the set. Raises UsageError."""
        for name in self.bots:
            refuse_set(name, self.plays.get(name), known)

    def pair(self, number: int, partners: tuple[str, str] | None = None) -> PlannedPair:
        """The pair of that number, 0 and up.

        With `partners` these two meet; without them the schedule says who does (``uncertain``
        answers like ``random`` then).
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
            plies = plies_of_opening(self.opening_plies, board_class)
            moves = self._random_moves(number, board, plies) if plies else ()
        else:
            opening = self._opening(self.openings, number)
            board, moves = opening.board, opening.moves
            board_class = class_of(board, self.boards)
        return PlannedPair(
            a_revision=self.bots[a],
            b_revision=self.bots[b],
            board=str(board),
            board_class=str(board_class),
            opening=moves,
            seed=derive_pair_seed(self.seed, number, _GAMES, by=self.derivation),
            number=number,
        )

    def _random(self, *values: int) -> SplitMix:
        """Return the random numbers for a pair or lap and a purpose."""
        return SplitMix(derive(self.seed, *values, by=self.derivation))

    def _random_moves(self, number: int, board: Board, plies: int) -> tuple[int, ...]:
        """The random opening of a pair."""
        return draw_opening(board, plies, self._random(number, _OPENING))

    def _opening(self, known: OpeningSet, number: int) -> Opening:
        """Laps over the whole set, each in an order of its own."""
        lap, place = divmod(number, len(known))
        return known.openings[
            _lap_order(derive(self.seed, lap, _LAP, by=self.derivation), len(known))[place]
        ]

    def _partners(self, number: int) -> tuple[str, str]:
        """Two bots drawn at random among those that share a board."""
        random = self._random(number, _PARTNERS)
        names = tuple(self.bots)
        while True:
            a = random.below(len(names))
            b = random.below(len(names) - 1)
            b += b >= a
            if self._shared(names[a], names[b]):
                return names[a], names[b]

    def _fixture(self, number: int) -> tuple[str, str, BoardClass]:
        """Rounds: every combination once on every board, each round in an order of its own.

        A gate's rounds are alike: its candidate is A in every pair.
        """
        combos = self._combinations()
        lap, place = divmod(number, sum(len(self._shared(*pair)) for pair in combos))
        gate = self.pairing.kind is PairingKind.GATE
        if not gate:
            combos = self._random(lap, _ORDER).shuffled(combos)
        for a, b in combos:
            shared = self._shared(a, b)
            if place < len(shared):
                turned = lap % 2 and not gate
                return (b, a, shared[place]) if turned else (a, b, shared[place])
            place -= len(shared)
        raise AssertionError("a lap is as long as its fixtures")

    def _shared(self, a: str, b: str) -> tuple[BoardClass, ...]:
        """The boards of the run on which both play."""
        if self.openings is not None:
            return self.boards[:1]  # everybody plays all of them, and the opening decides
        if not self.plays:
            return self.boards
        return tuple(
            board
            for board in self.boards
            if all(can_play_class(self.plays.get(name), board) for name in (a, b))
        )

    def _combinations(self) -> Sequence[tuple[str, str]]:
        candidate = self.pairing.candidate
        if candidate is None:
            return tuple(combinations(self.bots, 2))
        if self.pairing.kind is PairingKind.GATE:
            return tuple((candidate, other) for other in self.pairing.against)
        return tuple((candidate, other) for other in self.bots if other != candidate)


@lru_cache(maxsize=4)
def _lap_order(seed: int, count: int) -> Sequence[int]:
    return SplitMix(seed).shuffled(range(count))


def class_of(board: Board, boards: Iterable[BoardClass]) -> BoardClass:
    """The class of a run to which a board belongs: itself before a family.

    Raises:
        UsageError: it belongs to none.

    """
    fitting = [kind for kind in boards if is_of_class(board, kind)]
    if not fitting:
        raise UsageError(f"--openings: {board} is none of the run's boards")
    return min(fitting, key=lambda kind: kind.varies)


def refuse_other_boards(openings: OpeningSet, boards: Sequence[BoardClass]) -> None:
    """Refuse a set of openings that is not for the boards of a run, or not for all of them.

    Raises:
        UsageError: one of them is for another board, or a board has none.

    """
    played = ",".join(map(str, boards))
    for opening in openings.openings:
        if not any(is_of_class(opening.board, kind) for kind in boards):
            raise UsageError(
                f"--openings: '{opening}' is no opening for the boards {played}: add "
                f"{opening.board} to --boards, or take openings for them"
            )
    used = {class_of(board, boards) for board in openings.boards}
    for kind in boards:
        if kind not in used:
            raise UsageError(
                f"--openings: there is none for {kind}: leave it out of --boards, or add openings"
            )


def refuse_long_openings(
    opening_plies: int | None, boards: Iterable[BoardClass], option: str = "--opening-plies"
) -> None:
    """Refuse openings that cannot be drawn on all boards of a stream.

    Raises:
        UsageError: they are too long for the smallest board of a class.

    """
    for board_class in boards:
        try:
            check_openings(board_class, plies_of_opening(opening_plies, board_class))
        except OpeningError as error:
            raise UsageError(f"{option}: {error}") from error
