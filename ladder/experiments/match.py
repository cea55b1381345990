"""The result of a match: who has won how many games, from the side of the bot named first."""

from db.records.results import reference
from db.records.run_settings import MatchSettings
from db.store import Store
from ladder.experiments.kept import result_of
from ladder.experiments.tally import Tally
from ladder.results.standings.head_to_head import HeadToHead
from ladder.runs.history import PastRun


def match_of(store: Store, past: PastRun) -> HeadToHead | None:
    """Return the result of a stored match from the side of the bot that was named first."""
    return result_of(store, past, HeadToHead, judged_match)


def judged_match(store: Store, past: PastRun) -> HeadToHead | None:
    """Count the pairs of a stored match; None if it has no pairs."""
    pairs = store.pairs.of_run(past.row.id)
    if not pairs:
        return None
    names = {key: name for key, (name, _) in store.bots.contents().items()}
    a, b = pairs[0].a_revision, pairs[0].b_revision
    settings = past.row.settings
    if isinstance(settings, MatchSettings) and settings.sides == (names[b], names[a]):
        a, b = b, a
    counts = Tally()
    for pair in pairs:
        counts.count(pair, is_first=pair.a_revision == a)
    return HeadToHead(reference(a), reference(b), counts.counted)
