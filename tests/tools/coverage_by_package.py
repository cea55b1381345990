"""Measures branch coverage of all tests and prints it by package, least covered first.

``python -m tests.tools.coverage_by_package [ARGUMENTS-OF-PYTEST]``. One pytest after another runs a
part of the tests, each adding to what was measured: a failure, or a worker that is lost, costs the
table nothing. The tracer slows what it measures, so that tests which judge time may fail here and
nowhere else; failures are printed, and are the exit code.
"""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

TESTS = Path(__file__).parents[1]
MEASURED, REPORT = Path(".coverage"), Path(".coverage.json")
NOTHING_COLLECTED = 5
"""The exit code of pytest where the arguments leave no test of a part."""
NUMBERS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def parts() -> list[list[str]]:
    """Return the tests in groups: one per folder, and one for the files beside them."""
    folders = sorted({file.relative_to(TESTS).parts[0] for file in TESTS.glob("*/**/test_*.py")})
    files = sorted(TESTS.glob("test_*.py"))
    return [*([str(TESTS / folder)] for folder in folders), [str(file) for file in files]]


def measure(arguments: Iterable[str]) -> int:
    """Run all parts, write the report and return the worst exit code of pytest."""
    for old in Path().glob(f"{MEASURED}*"):
        old.unlink()
    pytest = [sys.executable, "-m", "pytest", "-q", "--dist", "worksteal", *arguments]
    codes = []
    for part in parts():
        print("\nMeasured:", *part, flush=True)
        adding = ["--cov", "--cov-branch", "--cov-append", "--cov-report="]
        codes.append(subprocess.run([*pytest, *adding, *part]).returncode)
    report = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(REPORT)]
    subprocess.run(report, check=True)
    return max(code for code in codes if code != NOTHING_COLLECTED)


def print_table() -> None:
    """Print a line per folder with its least covered modules."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    modules: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for name, entry in json.loads(REPORT.read_text())["files"].items():
        package, summary = str(Path(name).parent), entry["summary"]
        total[package].update({key: summary[key] for key in NUMBERS})
        if summary["num_statements"]:
            modules[package].append((summary["percent_covered"], Path(name).name))
    for package, counts in sorted(total.items(), key=lambda item: share(item[1])):
        least = ", ".join(f"{name} {percent:.0f}" for percent, name in sorted(modules[package])[:3])
        size = counts["num_statements"]
        print(f"{share(counts):6.1f} %  {package:24} {size:5} statements  ({least})")
    print(f"{share(sum(total.values(), Counter())):6.1f} %  all")


def share(counts: Counter[str]) -> float:
    """Return the percentage of statements and branches that ran."""
    all_of_them = counts["num_statements"] + counts["num_branches"]
    return 100 * (counts["covered_lines"] + counts["covered_branches"]) / max(all_of_them, 1)


def main(*arguments: str) -> int:
    """Measure and print."""
    code = measure(arguments or ("-n", str(os.cpu_count())))
    print_table()
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
