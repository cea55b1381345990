#!/usr/bin/env python3
"""A course program on text pipes: legal moves, or the misbehaviour that the argument names."""

import random
import sys


def numbers():
    for line in sys.stdin:
        yield from map(int, line.split())


def main(mode):
    stream = numbers()
    rows, columns, _, _ = (next(stream) for _ in range(4))
    while True:
        next(stream), next(stream)
        top = [next(stream) for _ in range(columns)]
        for _ in range(rows * columns):
            next(stream)
        y = random.choice([c for c in range(columns) if top[c] > 0])
        text = f"{top[y] - 1} {y}".encode()
        if mode == "exits":
            sys.exit(3)
        if mode == "illegal":
            text = b"0 0"
        if mode == "words":
            text = b"in the middle"
        if mode != "bare":
            sys.stdout.buffer.write(len(text).to_bytes(4, "big"))
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
