# ruff: noqa: SIM115 - each mode ignores its question in its own way
"""Bots that take much of the machine: ``python -I -S greedy.py MODE [ARGUMENT]``, as in `bot.py`.

Too much memory or output, too many files or processes:
eats-memory             takes memory without end
eats-memory-in-children takes memory in children, each below the limit
shares-memory           shares 60 MiB with 3 children, which change it at its second move
opens-files             opens up to 100,000 files
many-processes          starts 200 children
fills-scratch           writes deep and unreadable folders into its scratch folder
one-large-file          writes one file without end
floods-errors           writes endless lines to stderr

Processor time off its turn, or in other processes:
has-threads N           two of N threads compute off its turn, the others sleep, as in a JVM
steals N                N orphans compute from each answer to the next question
steals-in-steps         the same in short-lived children
thinks-in-children S    computes for S seconds of processor time at a move in a child process
                        that ends before the answer
thinks-in-threads S     the same in four threads at the same time
loses-supervisor FILE[,N]
                        kills its supervisor at its first N moves (1), which FILE counts
"""

import hashlib
import mmap
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))

from bot import Honest, busy, detach, hang, play


class EatsMemory(Honest):
    def move(self, message):
        taken = []
        while True:
            taken.append(bytearray(os.urandom(4096) * 1024))


class EatsMemoryInChildren(Honest):
    def move(self, message):
        for _ in range(8):
            if os.fork() == 0:
                taken = bytearray(os.urandom(4096) * 256 * 30)
                hang()
                del taken
        hang()


class SharesMemory(Honest):
    def new_game(self, message):
        taken = bytearray(os.urandom(4096) * 256 * 60)
        self.go = mmap.mmap(-1, 1)
        for _ in range(3):
            if os.fork() == 0:
                while not self.go[0]:
                    time.sleep(0.01)
                for place in range(0, len(taken), 4096):
                    taken[place] = 1
                hang()
        return super().new_game(message)

    def move(self, message):
        if message["ply"] > 0:
            self.go[0] = 1
            hang()
        time.sleep(0.5)  # longer than it takes to find a bot that uses too much
        return super().move(message)


class HasThreads(Honest):
    def run(self):
        self.is_off_turn = threading.Event()
        for number in range(int(self.argument)):
            work = self.collect if number < 2 else threading.Event().wait
            threading.Thread(target=work, daemon=True).start()
        super().run()

    def collect(self):
        while True:
            self.is_off_turn.wait()
            busy(0.002)

    def move(self, message):
        self.is_off_turn.clear()
        answer = super().move(message)
        self.is_off_turn.set()
        return answer


class Steals(Honest):
    def run(self):
        self.off_turn = mmap.mmap(-1, 1)
        for _ in range(int(self.argument)):
            detach(self.steal)
        super().run()

    def steal(self):
        while True:
            if self.off_turn[0]:
                busy(0.002)
            else:
                time.sleep(0.002)

    def move(self, message):
        self.off_turn[0] = 0
        answer = super().move(message)
        self.off_turn[0] = 1
        return answer

    def game_over(self, message):
        self.off_turn[0] = 0


class StealsInSteps(Steals):
    def run(self):
        self.off_turn = mmap.mmap(-1, 1)
        detach(self.steal_in_steps)
        Honest.run(self)

    def steal_in_steps(self):
        while True:
            if os.fork() == 0:
                if self.off_turn[0]:
                    busy(0.02)
                os._exit(0)
            os.wait()
            time.sleep(0.001)


class ThinksInChildren(Honest):
    def move(self, message):
        if os.fork() == 0:
            busy(float(self.argument))
            os._exit(0)
        os.wait()
        return super().move(message)


class ThinksInThreads(Honest):
    def move(self, message):
        until = time.process_time() + float(self.argument)
        data = bytes(2**18)  # hashing more than 2 KiB lets other threads run

        def work() -> None:
            while time.process_time() < until:
                hashlib.sha256(data)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return super().move(message)


class OpensFiles(Honest):
    def move(self, message):
        taken = []
        while len(taken) < 100_000:
            taken.append(open("/dev/null"))


class FillsScratch(Honest):
    def move(self, message):
        os.chdir(os.environ["HOME"])
        os.makedirs("deep/er")
        os.chdir("deep/er")
        os.symlink("/etc", "link")
        for number in range(64):
            with open(f"rubbish-{number}", "wb") as file:
                file.write(b"x" * (1 << 20))
        os.chmod("..", 0)
        hang()


class FloodsErrors(Honest):
    def move(self, message):
        while True:
            os.write(2, b"0123456789abcde\n" * 4096)


class OneLargeFile(Honest):
    def move(self, message):
        with open("rubbish", "wb") as file:
            while True:
                file.write(b"x" * (1 << 20))


class ManyProcesses(Honest):
    def move(self, message):
        for _ in range(200):
            if os.fork() == 0:
                hang()
        hang()


class LosesSupervisor(Honest):
    def move(self, message):
        path, _, times = self.argument.partition(",")
        with open(path, "a") as losses:
            lost = losses.tell()
            losses.write("x")
        if lost < int(times or 1):
            os.kill(os.getppid(), signal.SIGKILL)
            hang()
        return super().move(message)


if __name__ == "__main__":
    play(globals())
