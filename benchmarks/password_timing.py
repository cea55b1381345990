"""Measure whether the time of a password check reveals how much of it was right.

Wrong passwords that share nothing, half or all but the last letter with the right one, and users of
any name, are checked by turns; the medians must not grow with what is shared.

    python benchmarks/password_timing.py --rounds 40000
"""

import argparse
import base64
import random
import statistics
import time

from ladder.web.security.password import BasicAuth

RIGHT = "correct horse battery staple"


def header(password: str, user: str = "anybody") -> str:
    """Return the header of a request with this password."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40_000)
    rounds = parser.parse_args().rounds
    half, last = len(RIGHT) // 2, len(RIGHT) - 1
    headers = {
        "no letter right": header("#" * len(RIGHT)),
        "the first half right": header(RIGHT[:half] + "#" * (len(RIGHT) - half)),
        "all right but the last letter": header(RIGHT[:last] + "#"),
        "right": header(RIGHT),
        "right, another user": header(RIGHT, user="somebody"[:7]),
    }
    keeper = BasicAuth(RIGHT)
    times: dict[str, list[int]] = {name: [] for name in headers}
    names = list(headers)
    for _ in range(rounds):
        random.shuffle(names)
        for name in names:
            begun = time.perf_counter_ns()
            keeper.is_right(headers[name])
            times[name].append(time.perf_counter_ns() - begun)
    for name, values in times.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:<32} median {middle:7.0f} ns   quartiles {low:7.0f} {high:7.0f}")


if __name__ == "__main__":
    main()
