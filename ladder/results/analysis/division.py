"""The mistakes of a division's bots, read from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from db.records.games import GameRow, HumanGameRow
from db.records.runs import DivisionRow
from db.store import Store
from engine.position_key import key_of
from ladder.names import matching_names
from ladder.results.analysis.game import replay_positions
from ladder.results.analysis.mistakes import BotMistakes, mistakes_by_revision
from ladder.results.analysis.solved import (
    Bounds,
    Columns,
    best_bounds,
    distance_of,
    outcome_of,
    unpack_columns,
)
from ladder.results.analysis.verdict import MoveVerdict, verdicts_of


@dataclass(frozen=True, slots=True)
class FalseProof:
    """A claim that is not true."""

    bot: str
    game: int
    ply: int
    """From 0, the opening counted."""
    claim: str
    """In the bot's words, such as ``win 5``."""
    truth: str
    """The result, with the plies to the end where they are known."""


@dataclass(frozen=True, slots=True)
class DivisionMistakes:
    """The analysed games of a division."""

    label: str
    games: int
    positions: int
    """Moves of these games after their openings."""
    decided: int
    """Those before which the result was known."""
    bots: Mapping[str, BotMistakes]
    """By name, of the current revisions, sorted by `BotMistakes.at_most`, so that a bot of which
    little is known stands low."""
    false_proofs: Sequence[FalseProof]


def read_mistakes(
    store: Store, division: DivisionRow, *, since: float | None = None
) -> DivisionMistakes | None:
    """The known mistakes of a division, rated or not; None where no game was analysed.

    Bots stand there with their current revision.
    """
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
    """The mistakes of the bots that names or shell patterns select; none: all bots.

    Raises:
        UsageError: a pattern selects no analysed bot.

    """
    made = read_mistakes(store, division, since=since)
    if made is None or not patterns:
        return made
    chosen = matching_names(
        patterns,
        made.bots,
        "--bots",
        f"has no analysed games in {made.label}",
        "`ladder report --mistakes` lists the bots that have",
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

    columns: Sequence[Columns | None]
    """For each move after the opening the columns before it; None if they were not solved."""
    verdicts: Sequence[MoveVerdict]
    """The verdict on each of these moves."""
    lost_at: int | None
    """The first move after which the lost game was lost: its ply from 0. None if it is unknown."""

    @property
    def words(self) -> list[list[str | None] | None]:
        """The value of every column before each move, such as ``win 5``; None where unknown."""
        return [None if each is None else format_columns(each) for each in self.columns]


def read_truths(store: Store, games: Sequence[GameRow]) -> dict[int, GameTruth]:
    """The truth of games by their numbers; games that were not analysed are left out."""
    divisions = {game.division_id for game in games}
    numbers = [game.id for game in games]
    judged = [
        one for division in divisions for one in store.analysis.judged(division, games=numbers)
    ]
    lost = {
        move.game: move.ply
        for mistakes in mistakes_by_revision(judged).values()
        for move in mistakes.losing_moves
    }
    verdicts = {one.game_id: verdicts_of(one.moves) for one in judged}
    return {
        game.id: GameTruth(read_columns(store, game), verdicts[game.id], lost.get(game.id))
        for game in games
        if game.id in verdicts
    }


def read_truth(store: Store, game: GameRow | HumanGameRow) -> GameTruth | None:
    """Return the truth of one game; None if it was not analysed, as no game of a person is."""
    return read_truths(store, [game]).get(game.id) if isinstance(game, GameRow) else None


def format_columns(columns: Columns) -> list[str | None]:
    """The value of each column in words; None where it is full or open."""
    return [
        None if column is None or column.outcome is None else format_bounds(column)
        for column in columns
    ]


def read_columns(store: Store, game: GameRow) -> list[Columns | None]:
    """The known value of each position after the opening; None where none is."""
    keys = [key_of(position) for position in replay_positions(game)]
    known = store.analysis.solved(key for key, _ in keys)
    return [
        unpack_columns(known[key].bounds, is_image=is_image) if key in known else None
        for key, is_image in keys
    ]


def format_truth(columns: Columns) -> str:
    """A position's result in words, such as ``loss 6``; the bounds where it is open."""
    best = best_bounds(columns)
    return format_bounds(best)


def format_bounds(bounds: Bounds) -> str:
    """Return a value in words, such as ``loss 6``, or its bounds if the outcome is open."""
    if bounds.outcome is None:
        return f"{outcome_of(bounds.low)} to {outcome_of(bounds.high)}"
    distance = distance_of(bounds.low) if bounds.is_exact else None
    return str(bounds.outcome) if distance is None else f"{bounds.outcome} {distance}"
