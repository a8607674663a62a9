"""Tells how far a comparison is: on a terminal a line that is rewritten, elsewhere a line for each round."""
import os
import sys
import time


class Progress:
    def __init__(self, rounds, steps):
        self.rounds, self.steps, self.start, self.done = rounds, steps, time.monotonic(), 0
        self.rewrites = sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")

    def step(self, name):
        """Called before each step; every round has the same number of them."""
        number, within = divmod(self.done, self.steps)
        self.done += 1
        if self.rewrites:
            passed = time.monotonic() - self.start
            left = f", about {passed / (self.done - 1) * (self.rounds * self.steps - self.done + 1):.0f} s left" if self.done > 1 else ""
            text = f"round {number + 1} of {self.rounds}: {name} ({within + 1} of {self.steps}), {passed:.0f} s so far{left}"
            print(f"{text[:(os.get_terminal_size(2).columns or 80) - 1]}\x1b[K", end="\r", file=sys.stderr, flush=True)
        elif within == 0:
            print(f"round {number + 1} of {self.rounds}", file=sys.stderr, flush=True)

    def end(self):
        if self.rewrites:
            print("\x1b[K", end="", file=sys.stderr, flush=True)
