"""Coverage-guided fuzzing of every parser: ``python -m tests.fuzz [--seconds S] [NAME...]``.

NAME is a target or a group of targets. Each target runs in its own process under atheris
(libFuzzer), which mutates inputs that reach new branches. The table shows the inputs tried, the
coverage and the findings; a finding ends its target, its input is stored in `--keep`, and the exit
code is 1.

Needs the dependency group `fuzz`: ``pip install --group fuzz``.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

INPUT_SECONDS = 5
"""Seconds after which an input counts as a hang."""
LONGEST = 8192
TOKENS = (
    '"9999999999999999999999999"', '"1e999"', '"nan"', '"inf"', '"null"', '"{}"', '"[[[["', '"-1"',
    '"\\xd9\\xa3"', '"\\xff"', '"\\""', '"@"', '"="', '"&"', '"thu"', '"ms"', '"d"', '"true"',
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one target."""

    name: str
    group: str
    tried: int
    accepted: int
    seconds: int
    branches: int
    """Edges reached in this project's code (libFuzzer's `cov`)."""
    features: int
    """Edges distinguished by number of executions (libFuzzer's `ft`)."""
    corpus: int
    """Number of inputs that reached something new."""
    found: str


def fuzz_here(name: str, arguments: Sequence[str]) -> None:
    """Fuzz one target in this process, with the arguments of libFuzzer."""
    import atheris

    with atheris.instrument_imports(include=["engine", "bots", "db", "ladder", "reports"]):
        from tests.fuzz.targets import make_targets, scratch

    target = make_targets()[name]
    tally = [0, 0]

    def one_input(data: bytes) -> None:
        tally[0] += 1
        try:
            tally[1] += target.accepts(data)
        except Exception as error:
            sys.stderr.write(f"FOUND {type(error).__name__}: {error}\n")
            show()
            raise
        if tally[0] % 256 == 0:
            show()

    def show() -> None:
        sys.stderr.write(f"accepted {tally[1]} of {tally[0]}\n")

    with scratch():
        atheris.Setup(["fuzz", *arguments], one_input)
        atheris.Fuzz()


def fuzz_apart(name: str, seconds: int, keep: Path) -> Outcome:
    """Fuzz one target in its own process."""
    from tests.fuzz.targets import make_targets

    target = make_targets()[name]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(target.seeds):
            (corpus / f"seed{number}").write_bytes(seed)
        words = Path(folder) / "tokens"
        words.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
        label = re.sub(r"\W+", "-", name)
        command = [
            sys.executable, "-m", "tests.fuzz", "--here", name, "--",
            f"-max_total_time={seconds}", f"-timeout={INPUT_SECONDS}", f"-max_len={LONGEST}",
            f"-dict={words}", f"-artifact_prefix={keep / label}-", "-rss_limit_mb=2048",
            "-print_final_stats=1", str(corpus),
        ]  # fmt: skip
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        log = done.stderr + done.stdout
        (keep / f"{label}.log").write_text(log, encoding="utf-8")
        kept = len(list(corpus.iterdir()))
    found = "-"
    if done.returncode:
        error = re.findall(r"^FOUND (.*)$", log, re.M) or re.findall(r"ERROR: (.*)$", log, re.M)
        found = error[0][:90] if error else f"exit code {done.returncode}"
    shown = re.findall(r"^#(\d+)\s.*cov: (\d+) ft: (\d+)", log, re.M) or [("0", "0", "0")]
    tried, accepted = (re.findall(r"accepted (\d+) of (\d+)", log) or [("0", "0")])[-1][::-1]
    units = re.findall(r"number_of_executed_units: (\d+)", log)
    return Outcome(
        name,
        target.group,
        int(units[-1]) if units else max(int(tried), int(shown[-1][0])),
        int(accepted),
        seconds,
        int(shown[-1][1]),
        int(shown[-1][2]),
        kept,
        found,
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """Format the results as a Markdown table."""
    lines = [
        "| parser | group | seconds | inputs | accepted | places | features | kept | found |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {o.name} | {o.group} | {o.seconds} | {o.tried:,} | {o.accepted:,} | {o.branches:,} "
        f"| {o.features:,} | {o.corpus:,} | {o.found.replace('|', '/')} |"
        for o in outcomes
    ]
    total = sum(o.tried for o in outcomes)
    return "\n".join([*lines, "", f"{total:,} inputs, {len(outcomes)} parsers"])


def main(arguments: Sequence[str]) -> int:
    """Fuzz the named targets."""
    if arguments[:1] == ["--here"]:
        fuzz_here(arguments[1], arguments[3:])
        return 0
    from tests.fuzz.targets import make_targets

    targets = make_targets()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("names", nargs="*", help="targets or groups; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at the same time (1)")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="logs, findings")
    given = parser.parse_args(arguments)
    known = {*targets, *(target.group for target in targets.values())}
    if unknown := set(given.names) - known:
        parser.error(f"no target or group {', '.join(unknown)}: there are {', '.join(known)}")
    names = [
        name
        for name, target in targets.items()
        if not given.names or {name, target.group} & set(given.names)
    ]
    keep: Path = given.keep.absolute()
    keep.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(lambda name: fuzz_apart(name, given.seconds, keep), names))
    print(table(outcomes))
    return 1 if any(outcome.found != "-" for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
