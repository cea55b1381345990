"""Mistakes of bots, counted from the verdicts on their moves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from db.records.analysis import JudgedGame
from engine.board import parse_board
from engine.result import Result, Termination
from ladder.results.analysis.verdict import BYTES, NO_PLIES, OPEN, Claim, Decision
from ladder.stats.elo import Z95

PLIES_A_BIN, MOST_BINS = 6, 12
"""Width of the heat map's bins in plies left; wider on boards that would have too many bins."""
LOSS, DRAW, WIN = 0, 1, 2
"""Codes of outcomes in a verdict."""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LeftBin:
    """Decisions by the number of plies left."""

    first: int
    """Lowest number of empty cells before the move."""
    last: int
    """Highest number, inclusive."""
    decisions: int
    mistakes: int
    unknown: int
    """Moves that could not be judged."""


@dataclass(frozen=True, slots=True)
class LosingMove:
    """The move that lost a game."""

    game: int
    ply: int
    """From 0, including the opening."""
    left: int
    """Empty cells before the move."""
    before: str
    """The result before the move: win or draw."""


@dataclass(frozen=True, slots=True)
class Slips:
    """Moves that delayed a win or hastened a loss."""

    moves: int
    plies: int
    """Plies lost by these moves in total."""
    of: int
    """Number of moves for which this is known."""


@dataclass(frozen=True, slots=True)
class FalseMove:
    """A move with a false claim of a proof."""

    game: int
    ply: int


@dataclass(frozen=True, slots=True)
class BotMistakes:
    """The mistakes of one revision in analysed games."""

    games: int
    moves: int
    decided: int
    """Moves from positions with a known result."""
    decisions: int
    """Moves with a choice between keeping the result and losing it."""
    win_to_draw: int
    win_to_loss: int
    draw_to_loss: int
    error95: float | None
    """Half width of the 95 % interval of mistakes per 100 decisions, clustered by pair."""
    unknown: int
    """Moves that could not be judged."""
    by_plies_left: tuple[LeftBin, ...]
    lost_games: int
    """Games lost without a forfeit."""
    losing_moves: tuple[LosingMove, ...]
    """The losing moves of those lost games in which they are known."""
    lost_from_start: int
    """Lost games in which all of the bot's positions were lost."""
    slower_wins: Slips
    faster_losses: Slips
    claims: Mapping[Claim, int]
    false_moves: tuple[FalseMove, ...] = field(default=())

    @property
    def mistakes(self) -> int:
        """Number of mistakes of all three kinds."""
        return self.win_to_draw + self.win_to_loss + self.draw_to_loss

    @property
    def per_100(self) -> float | None:
        """Mistakes per 100 decisions; None without decisions."""
        return 100 * self.mistakes / self.decisions if self.decisions else None

    @property
    def at_most(self) -> float:
        """Upper end of the 95 % interval of mistakes per 100 decisions; infinite if unknown."""
        if self.per_100 is None or self.error95 is None:
            return math.inf
        return self.per_100 + self.error95

    @property
    def unknown_share(self) -> float | None:
        """Share of moves that could not be judged; None without moves."""
        return self.unknown / self.moves if self.moves else None

    @property
    def false_proofs(self) -> int:
        """Number of false claims."""
        return self.claims.get(Claim.FALSE, 0)


class Moves:
    """The moves of many judged games, as arrays of one entry per move."""

    def __init__(self, games: Sequence[JudgedGame]) -> None:
        """Concatenate the verdicts of the games."""
        counts = np.array([len(game.moves) // BYTES for game in games], np.int64)
        content = np.frombuffer(b"".join(game.moves for game in games), np.uint8)
        self.verdicts = content.reshape(-1, BYTES)
        self.game = np.repeat(np.arange(len(games)), counts)
        """Index of the move's game."""
        opening = np.array([game.opening_plies for game in games], np.int64)
        starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(games) else counts
        self.ply = np.arange(int(counts.sum())) - np.repeat(starts - opening, counts)
        first = np.array([game.first_revision for game in games], np.int64)
        second = np.array([game.second_revision for game in games], np.int64)
        movers = np.where(self.ply % 2 == 0, np.repeat(first, counts), np.repeat(second, counts))
        self.mover = movers
        """Revision that moved."""
        cells = {board: parse_board(board).cells for board in {game.board for game in games}}
        self.left = np.repeat([cells[game.board] for game in games], counts) - self.ply
        """Empty cells before the move."""
        self.before = self.verdicts[:, 0] & 3
        self.after = self.verdicts[:, 0] >> 2 & 3
        self.decision = self.verdicts[:, 0] >> 4
        self.plies_lost = self.verdicts[:, 1].astype(np.int64)
        self.claim = self.verdicts[:, 3]


def mistakes_by_revision(games: Sequence[JudgedGame]) -> dict[int, BotMistakes]:
    """Return the mistakes of every revision that played in the games."""
    if not games:
        return {}
    moves = Moves(games)
    revisions = {game.first_revision for game in games} | {game.second_revision for game in games}
    return {revision: _mistakes(revision, games, moves) for revision in sorted(revisions)}


def _mistakes(revision: int, games: Sequence[JudgedGame], moves: Moves) -> BotMistakes:
    own = moves.mover == revision
    decided = own & (moves.decision == Decision.YES)
    before, after = moves.before, moves.after
    wrong = decided & (after < before)
    losing = wrong & (after == LOSS)
    unknown = own & (moves.decision == Decision.UNKNOWN)
    pairs = np.array([game.pair_id for game in games], np.int64)[moves.game]
    error = _error(pairs, decided, wrong)
    lost = [
        place
        for place, game in enumerate(games)
        if revision == _loser(game) and not Termination(game.termination).is_forfeit
    ]
    claims = np.bincount(moves.claim[own], minlength=len(Claim))
    return BotMistakes(
        games=sum(revision in (game.first_revision, game.second_revision) for game in games),
        moves=int(own.sum()),
        decided=int((own & (before != OPEN)).sum()),
        decisions=int(decided.sum()),
        win_to_draw=int((wrong & (before == WIN) & (after == DRAW)).sum()),
        win_to_loss=int((losing & (before == WIN)).sum()),
        draw_to_loss=int((losing & (before == DRAW)).sum()),
        error95=None if error is None else 100 * error,
        unknown=int(unknown.sum()),
        by_plies_left=_by_plies_left(moves, decided, wrong, unknown),
        lost_games=len(lost),
        losing_moves=_losing_moves(games, moves, losing, lost),
        lost_from_start=len(set(lost) - set(moves.game[own & (before != LOSS)].tolist())),
        slower_wins=_slips(moves, own & (before == WIN) & (after == WIN)),
        faster_losses=_slips(moves, own & (before == LOSS) & (after == LOSS)),
        claims={claim: int(claims[claim]) for claim in Claim if claim is not Claim.NONE},
        false_moves=tuple(
            FalseMove(games[int(moves.game[at])].game_id, int(moves.ply[at]))
            for at in np.flatnonzero(own & (moves.claim == Claim.FALSE))
        ),
    )


def _loser(game: JudgedGame) -> int | None:
    sides = {Result.WIN: game.second_revision, Result.LOSS: game.first_revision}
    return sides.get(Result(game.result))


def _error(pairs: npt.NDArray[np.int64], decided: Mask, wrong: Mask) -> float | None:
    _, places = np.unique(pairs, return_inverse=True)
    count = int(places.max()) + 1 if len(places) else 0
    decisions = np.bincount(places[decided], minlength=count).astype(np.float64)
    mistakes = np.bincount(places[wrong], minlength=count).astype(np.float64)
    return ratio_error95(mistakes, decisions)


def _by_plies_left(moves: Moves, decided: Mask, wrong: Mask, unknown: Mask) -> tuple[LeftBin, ...]:
    width = PLIES_A_BIN * math.ceil(int(moves.left.max()) / (PLIES_A_BIN * MOST_BINS))
    bins = (moves.left - 1) // width
    found = []
    for number in np.unique(bins[decided | unknown]).tolist():
        here = bins == number
        found.append(
            LeftBin(
                first=number * width + 1,
                last=(number + 1) * width,
                decisions=int((here & decided).sum()),
                mistakes=int((here & wrong).sum()),
                unknown=int((here & unknown).sum()),
            )
        )
    return tuple(found)


def _losing_moves(
    games: Sequence[JudgedGame], moves: Moves, losing: Mask, lost: Sequence[int]
) -> tuple[LosingMove, ...]:
    wanted, found = set(lost), {}
    for at in np.flatnonzero(losing).tolist():
        place = int(moves.game[at])
        if place in wanted and place not in found:
            found[place] = LosingMove(
                game=games[place].game_id,
                ply=int(moves.ply[at]),
                left=int(moves.left[at]),
                before="win" if moves.before[at] == WIN else "draw",
            )
    return tuple(found[place] for place in sorted(found))


def _slips(moves: Moves, mask: Mask) -> Slips:
    lost = moves.plies_lost[mask & (moves.plies_lost != NO_PLIES)]
    return Slips(moves=int((lost > 0).sum()), plies=int(lost.sum()), of=len(lost))


def ratio_error95(parts: npt.NDArray[np.float64], wholes: npt.NDArray[np.float64]) -> float | None:
    """Return half the 95 % interval of ``sum(parts) / sum(wholes)`` for independent clusters.

    This is the linearised variance of a ratio (Cochran, *Sampling Techniques*, 1977, section 6.3).
    If all parts are 0, the result is ``3 / sum(wholes)``: the largest ratio with which that still
    happens in 5 % of cases.

    Args:
        parts: counts by cluster, shape (n,).
        wholes: the counts that include them, shape (n,).

    Returns:
        The error, or None without counts or with only one cluster.

    """
    whole = float(wholes.sum())
    clusters = int((wholes > 0).sum())
    if whole == 0 or clusters < 2:
        return None
    if not parts.any():
        return min(1.0, 3.0 / whole)
    ratio = float(parts.sum()) / whole
    residuals = parts - ratio * wholes
    variance = clusters / (clusters - 1) * float((residuals**2).sum()) / whole**2
    return Z95 * math.sqrt(variance)
