"""The process of a job of the queue: the words WORKER JOB COMMAND...."""

import sys

from bots.parent_death import die_with_parent
from ladder.cli.main import main as run
from ladder.runs.resume import own_job


def main() -> None:
    """Run the command of a job; the kernel kills it when its worker dies."""
    worker, job, *words = sys.argv[1:]
    die_with_parent(int(worker))
    sys.argv[1:] = words
    own_job.set(int(job))
    run()
