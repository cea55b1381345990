"""A bot that misbehaves in one way: ``python -I -S bot.py MODE [ARGUMENT]``.

Uses only the standard library. A mode is the name of a class below (``late-once`` is `LateOnce`)
that overrides what `Honest` does right. "A move" means each move that the bot is asked for. Modes
that take much of the machine are those of `greedy.py`.

    honest [TEXT]           plays the leftmost column that is not full [and writes TEXT to stderr]
    unsteady                plays random columns, whatever the seed

    Too slow or silent:
    hangs-in-hello          never answers hello
    hangs-in-move           never answers a move
    stops-reading           does not read after new_game
    works MS                computes for MS milliseconds of wall time at a move
    thinks S[,FILE]         computes for S seconds of processor time at a move [while FILE exists]
    late S                  sleeps for S seconds at a move
    late-in-ready S         sleeps for S seconds at new_game
    loads S[,N]             computes for S seconds of processor time at new_game [as N orphans do]
    slows-down              takes 30 ms for a move while a file `slow` is beside its scratch folder
    reads-clock             reports its clock as simulations, its opponent's as nodes, and the time
                            proposed for the move as depth

    Crashes:
    segfaults               kills itself by SIGSEGV at a move
    exits                   exits with status 3 at a move
    exits-at-once           exits at its start with a message on stderr
    crashes-once FILE       aborts at a move until FILE exists
    orphans-keep-output     exits at a move while an orphan has its pipes open
    closes FD               closes its standard input (0) or output (1) after ready

    Ends of games:
    resigns PLY             gives the game up at PLY or later

    Broken protocol:
    garbage                 answers a move with a sentence
    writes TEXT             answers a move with TEXT, in which \\n and \\xff are bytes
    answers [JSON]          answers every move with the column JSON (0), even if that is full
    floods-output           writes endless output without line breaks
    moves-at-once           answers new_game with a move
    begins-with TEXT        writes TEXT at its start, as `writes` does
    talks-after-game-over   writes ready after game_over

    Other processes:
    leaves-orphans          plays on while idle orphans live
    hops                    forks into a new session every millisecond

    Reports and memory:
    leaks A,B[,S]           takes A MiB at new_game and B MiB at each move [that takes S seconds]
    reports-nan             NaN as the value of each position
    reports-environment     its environment, as JSON in the version of its hello
    reaches FILE            whether it can write FILE, in the version of its hello
"""

import json
import os
import resource
import signal
import sys
import time


class Honest:
    """Plays the leftmost column with room."""

    def __init__(self, argument: str) -> None:
        self.argument = argument
        self.heights: list[int] = []

    def run(self) -> None:
        if type(self) is Honest and self.argument:
            print(self.argument, file=sys.stderr, flush=True)
        for line in sys.stdin.buffer:
            message = json.loads(line)
            kind = message["type"]
            if kind == "quit":
                return
            answer = getattr(self, kind)(message)
            if answer is not None:
                self.send(answer)

    def send(self, answer: object) -> None:
        write(json.dumps(answer).encode() + b"\n")

    def hello(self, message: dict) -> dict | None:
        return {"type": "hello", "name": "fake", "version": "1", "budgets": ["any"]}

    def new_game(self, message: dict) -> dict | None:
        self.heights = [message["rows"]] * message["columns"]
        if message.get("forbidden"):
            self.heights[message["forbidden"][1]] -= 1
        return {"type": "ready"}

    def move(self, message: dict) -> dict | None:
        full = [message["moves"].count(c) >= height for c, height in enumerate(self.heights)]
        return {"type": "move", "column": full.index(False)}

    def game_over(self, message: dict) -> dict | None:
        return None


def write(data: bytes) -> None:
    os.write(1, data)


def hang() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


TAKEN: list[bytes] = []


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def detach(work) -> None:
    """Run `work` in a process of another session whose parent has ended."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            work()
        os._exit(0)
    os.wait()


# Too slow or silent.


class HangsInHello(Honest):
    def hello(self, message):
        hang()


class HangsInMove(Honest):
    def move(self, message):
        hang()


class Works(Honest):
    def move(self, message):
        end = time.perf_counter() + float(self.argument) / 1000
        while time.perf_counter() < end:
            pass
        return super().move(message)


class LateInReady(Honest):
    def new_game(self, message):
        time.sleep(float(self.argument))
        return super().new_game(message)


class Loads(Honest):
    def new_game(self, message):
        seconds, _, others = self.argument.partition(",")
        for _ in range(int(others or 0)):
            detach(lambda: busy(float(seconds)))
        busy(float(seconds))
        return super().new_game(message)


class Late(Honest):
    def move(self, message):
        time.sleep(float(self.argument))
        return super().move(message)


class SlowsDown(Honest):
    def move(self, message):
        if os.path.exists(os.path.join(os.path.dirname(os.environ["TMPDIR"]), "slow")):
            time.sleep(0.03)
        return super().move(message)


class ReadsClock(Honest):
    def hello(self, message):
        return {**super().hello(message), "budgets": ["time", "clock", "overage"]}

    def move(self, message):
        clock = message["clock"]
        info = {
            "simulations": clock["yours_ms"],
            "nodes": clock["theirs_ms"],
            "depth": clock["move_ms"],
        }
        return {**super().move(message), "info": info}


class StopsReading(Honest):
    def new_game(self, message):
        self.send({"type": "ready"})
        hang()


# Crashes.


class Segfaults(Honest):
    def move(self, message):
        print("about to crash", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)


class Exits(Honest):
    def move(self, message):
        sys.exit(3)


class ExitsAtOnce(Honest):
    def run(self):
        sys.exit("cannot find my weights")


class Closes(Honest):
    def new_game(self, message):
        if self.argument == "0":  # before the next question can be written
            os.close(0)
        self.send({"type": "ready"})
        if self.argument == "1":
            os.close(1)
        hang()


class CrashesOnce(Honest):
    def move(self, message):
        if not os.path.exists(self.argument):
            open(self.argument, "w").close()
            os.abort()
        return super().move(message)


# Broken protocol.


class Resigns(Honest):
    def move(self, message):
        if message["ply"] >= int(self.argument):
            return {"type": "resign"}
        return super().move(message)


class Garbage(Honest):
    def move(self, message):
        write(b"I think the middle looks nice\n")


class Writes(Honest):
    def move(self, message):
        write(self.argument.encode().decode("unicode_escape").encode("latin-1"))


class BeginsWith(Honest):
    def run(self):
        Writes(self.argument).move({})
        super().run()


class FloodsOutput(Honest):
    def move(self, message):
        while True:
            write(b"0123456789abcdef" * 4096)


class Answers(Honest):
    def move(self, message):
        return {"type": "move", "column": json.loads(self.argument or "0")}


class MovesAtOnce(Honest):
    def new_game(self, message):
        return {"type": "move", "column": 0}


class TalksAfterGameOver(Honest):
    def game_over(self, message):
        return {"type": "ready"}


# Much of the machine.


class Leaks(Honest):
    def new_game(self, message):
        TAKEN.append(b"x" * (int(self.argument.split(",")[0]) << 20))
        return super().new_game(message)

    def move(self, message):
        _, more, *seconds = self.argument.split(",")
        TAKEN.append(b"x" * (int(more) << 20))
        time.sleep(float(seconds[0]) if seconds else 0)
        return super().move(message)


class Thinks(Honest):
    def move(self, message):
        seconds, _, flag = self.argument.partition(",")
        if not flag or os.path.exists(flag):
            busy(float(seconds))
        return super().move(message)


class OrphansKeepOutput(Honest):
    def move(self, message):
        detach(hang)
        sys.exit(4)


class LeavesOrphans(Honest):
    def new_game(self, message):
        detach(hang)
        detach(hang)
        return super().new_game(message)


class Hops(Honest):
    def move(self, message):
        detach(self.hop)
        return super().move(message)

    def hop(self):
        while True:
            time.sleep(0.001)
            if os.fork():
                os._exit(0)
            os.setsid()


# Reports.


class ReportsEnvironment(Honest):
    def hello(self, message):
        names = ("RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_AS", "RLIMIT_NPROC")
        with open("/proc/self/status") as file:
            status = {line.split(":")[0]: line.split(":")[1].strip() for line in file}
        report = {
            "environment": dict(os.environ),
            "descriptors": open_descriptors(),
            "limits": {name: resource.getrlimit(getattr(resource, name)) for name in names},
            "folder": os.getcwd(),
            "blocked": status["SigBlk"],
            "ignored": status["SigIgn"],
            "session": os.getsid(0),
            "pid": os.getpid(),
            "scratch_mode": os.stat(os.environ["HOME"]).st_mode & 0o777,
        }
        return {**super().hello(message), "version": json.dumps(report)}


class Reaches(Honest):
    def hello(self, message):
        try:
            os.close(os.open(self.argument, os.O_RDWR))
            found = "writable"
        except OSError as error:
            found = error.strerror
        report = {"file": found, "home": os.listdir(os.environ["HOME"]), "folder": os.getcwd()}
        return {**super().hello(message), "version": json.dumps(report)}


def open_descriptors() -> dict[str, str]:
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # the one that listed the folder
            continue
    return found


class Colours(Honest):
    def hello(self, message):
        return {**super().hello(message), self.argument: "\x1b[31mred"}


class ReportsNan(Honest):
    def move(self, message: dict) -> dict | None:
        return {**super().move(message), "info": {"value": float("nan"), "depth": 2}}


class Unsteady(Honest):
    def move(self, message: dict) -> dict | None:
        free = [c for c, height in enumerate(self.heights) if message["moves"].count(c) < height]
        return {"type": "move", "column": free[os.urandom(1)[0] % len(free)]}


def play(modes: dict) -> None:
    """Play in the mode that the command names."""
    mode, argument = (*sys.argv[1:], "")[:2]
    modes["".join(map(str.capitalize, mode.split("-")))](argument).run()


if __name__ == "__main__":
    play(globals())
