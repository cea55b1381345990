"""The steps of tunings."""

import time

from sqlalchemy import insert, select

from db.columns import to_record, to_values
from db.connection.database import Queries
from db.models import TUNING_STEPS, TuningStep
from db.records.tuning import TuningStepRow


class TuningSteps(Queries):
    """The steps of all tunings of a database."""

    def add(self, run_id: int, step: TuningStepRow) -> None:
        """Store a step of a tuning run, unless it is stored already."""
        with self._database.writing() as connection:
            known = select(TuningStep.step).filter_by(run_id=run_id, step=step.step)
            if connection.execute(known).first() is not None:
                return
            connection.execute(
                insert(TUNING_STEPS).values(
                    **to_values(step), run_id=run_id, finished_at=time.time()
                )
            )

    def of_run(self, run_id: int) -> list[TuningStepRow]:
        """Return a run's steps in their order."""
        query = select(TUNING_STEPS).filter_by(run_id=run_id).order_by(TuningStep.step)
        with self._database.reading() as connection:
            return [to_record(TuningStepRow, row) for row in connection.execute(query)]

    def games_by_run(self) -> dict[int, int]:
        """Return the number of finished games by tuning run."""
        games: dict[int, int] = {}
        with self._database.reading() as connection:
            rows = connection.execute(select(TuningStep.run_id, TuningStep.pentanomial))
            for run_id, pentanomial in rows:
                games[run_id] = games.get(run_id, 0) + 2 * sum(pentanomial)
        return games
