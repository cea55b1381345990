"""Reading the analysis of stored games: mistakes of a division, and exact values of games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from db.records.games import GameRow, Thought
from db.records.runs import DivisionRow
from db.store import Store
from engine.position_key import key_of
from ladder.names import select_names
from ladder.results.analysis.mistakes import BotMistakes, mistakes_by_revision
from ladder.results.analysis.verdict import (
    Bounds,
    Columns,
    MoveVerdict,
    best_bounds,
    distance_of,
    judge_move,
    outcome_of,
    replay_positions,
    unpack_columns,
)


@dataclass(frozen=True, slots=True)
class FalseProof:
    """A bot's claim to have proven a result that is false."""

    bot: str
    game: int
    ply: int
    """From 0, including the opening."""
    claim: str
    """The bot's claim, such as ``win 5``."""
    truth: str
    """The true result, with the plies to the end if known."""


@dataclass(frozen=True, slots=True)
class DivisionMistakes:
    """The analysed games of a division."""

    label: str
    games: int
    positions: int
    """Positions after the openings."""
    decided: int
    """Positions with a known result."""
    bots: Mapping[str, BotMistakes]
    """Mistakes of current revisions by bot, sorted by `BotMistakes.at_most`, which puts bots with
    few analysed moves last."""
    false_proofs: Sequence[FalseProof]


def read_mistakes(
    store: Store, division: DivisionRow, *, since: float | None = None
) -> DivisionMistakes | None:
    """Return the mistakes in a division's analysed games, rated or not; None without any."""
    games = store.analysis.judged(division.id, since=since)
    if not games:
        return None
    found = mistakes_by_revision(games)
    bots = {bot.revision.id: bot.name for bot in store.bots.all(include_retired=True)}
    named = {bots[revision]: one for revision, one in found.items() if revision in bots}
    ranked = sorted(named, key=lambda name: named[name].at_most)
    return DivisionMistakes(
        label=division.label,
        games=len(games),
        positions=sum(one.moves for one in found.values()),
        decided=sum(one.decided for one in found.values()),
        bots={name: named[name] for name in ranked},
        false_proofs=[
            proof for name in ranked for proof in _false_proofs(store, name, named[name])
        ],
    )


def read_mistakes_of_bots(
    store: Store, division: DivisionRow, patterns: Sequence[str], *, since: float | None = None
) -> DivisionMistakes | None:
    """Return the mistakes of the bots that names or shell patterns select, or of all bots.

    Raises:
        UsageError: a pattern selects no bot with analysed games.

    """
    made = read_mistakes(store, division, since=since)
    if made is None or not patterns:
        return made
    chosen = select_names(
        patterns,
        made.bots,
        f"has no analysed games in {made.label}",
        "`ladder report --mistakes` lists the bots with analysed games",
    )
    return replace(
        made,
        bots={name: one for name, one in made.bots.items() if name in chosen},
        false_proofs=[proof for proof in made.false_proofs if proof.bot in chosen],
    )


def _false_proofs(store: Store, name: str, mistakes: BotMistakes) -> list[FalseProof]:
    found = []
    for move in mistakes.false_moves:
        game = store.games.get(move.game)
        if game is None:
            continue
        thought = game.thoughts[move.ply - game.opening_plies]
        columns = read_columns(store, game)[move.ply - game.opening_plies]
        truth = "another result" if columns is None else format_truth(columns)
        found.append(FalseProof(name, move.game, move.ply, thought.claim or "", truth))
    return found


@dataclass(frozen=True, slots=True)
class GameTruth:
    """The solver's knowledge of one game."""

    columns: Sequence[Columns]
    """The columns before each move after the opening."""
    verdicts: Sequence[MoveVerdict]
    """The verdict on each of these moves."""
    estimates: Sequence[float | None] = ()
    """A player's value of each of these positions for the mover, -1..1, where no result is known;
    empty if it was not asked."""

    @property
    def words(self) -> list[list[str | None]]:
        """The columns' values before each move, such as ``win 5``; None if unknown."""
        return [format_columns(each) for each in self.columns]

    @property
    def turning_point(self) -> int | None:
        """The last move that worsened the result, counted from 0 after the opening.

        None without a mistake, or if a later one must lie among positions of unknown result.
        """
        mistakes = [place for place, one in enumerate(self.verdicts) if one.is_mistake]
        if not mistakes:
            return None
        last = mistakes[-1]
        result = self.verdicts[last].after or 0
        for place in range(last + 1, len(self.columns)):
            outcome = best_bounds(self.columns[place]).outcome
            if outcome is not None and outcome != (-result if (place - last) % 2 else result):
                return None
        return last

    @property
    def is_improvable(self) -> bool:
        """Whether a position has neither a known result nor an estimate."""
        return any(
            best_bounds(columns).outcome is None and self.estimate(place) is None
            for place, columns in enumerate(self.columns)
        )

    def estimate(self, place: int) -> float | None:
        """Return a player's value for the mover of a position whose result is not known."""
        is_known = best_bounds(self.columns[place]).outcome is not None
        return None if is_known or place >= len(self.estimates) else self.estimates[place]


def read_truth(store: Store, game: GameRow) -> GameTruth | None:
    """Return the exact values of a game; None if it was not analysed."""
    if game.id and not store.analysis.judged(game.division_id, games=[game.id]):
        return None
    found = read_columns(store, game)
    columns = [each for each in found if each is not None]
    if not columns or len(columns) < len(found):
        return None
    moves = game.moves[game.opening_plies :]
    thoughts = chain(game.thoughts, repeat(Thought(0)))
    return GameTruth(columns, list(map(judge_move, columns, moves, thoughts)))


def format_columns(columns: Columns) -> list[str | None]:
    """Return each column's value as text; None for full columns and open values."""
    return [
        None if column is None or column.outcome is None else format_bounds(column)
        for column in columns
    ]


def read_columns(store: Store, game: GameRow) -> list[Columns | None]:
    """Return the solved columns of each position after the opening, or None."""
    keys = [key_of(position) for position in replay_positions(game)]
    known = store.analysis.solved(key for key, _ in keys)
    return [
        unpack_columns(known[key].bounds, is_image=is_image) if key in known else None
        for key, is_image in keys
    ]


def format_truth(columns: Columns) -> str:
    """Return a position's value as text, such as ``loss 6``, or its bounds if it is open."""
    return format_bounds(best_bounds(columns))


def format_bounds(bounds: Bounds) -> str:
    """Return a value as text, such as ``loss 6``, or its bounds if the outcome is open."""
    if bounds.outcome is None:
        return f"{outcome_of(bounds.low)} to {outcome_of(bounds.high)}"
    distance = distance_of(bounds.low) if bounds.is_exact else None
    return str(bounds.outcome) if distance is None else f"{bounds.outcome} {distance}"
