"""Where a test of the lab runs it, and what it looks at."""

import os
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUN = str(HERE / "run")
# One run of the lab, on a machine that is busy; a test that gets there has failed.
LIMIT = 240


def check(condition, text):
    if not condition:
        raise AssertionError(text)


class CardStandsStill(Exception):
    """The emulated network broke, which is nothing that a program in the lab could do."""


class Place:
    """A test's own folder: the lab's temporary files go to `tmp`, results to `out`. `program` is what runs the lab."""

    def __init__(self, folder, program=RUN):
        self.program = program
        self.tmp = folder / "tmp"
        self.out = folder / "out"
        self.tmp.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.tmp))

    def start(self, *words):
        return subprocess.Popen(
            [self.program, "--out", str(self.out), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, cwd=HERE
        )

    def run(self, *words, code=0, binary=False, limit=LIMIT):
        """The run's (output, error output), once its exit code is as expected."""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=limit)
        finally:
            process.kill()
        text, err = out.decode(errors="replace"), err.decode(errors="replace")
        if process.returncode == 125 != code and "an emulated card stands still" in err:
            raise CardStandsStill(err)
        check(process.returncode == code, f"exit code {process.returncode}, not {code}\n{'' if binary else text}{err}")
        return (out if binary else text), err

    def processes(self):
        """The ids of all processes that name this test's results: QEMU's and the lab's."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if str(self.out).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def wait_gone(self):
        """Nothing is left of a run that was killed. Dying takes the kernel a moment."""
        deadline = time.monotonic() + LIMIT
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        check(not self.processes(), f"processes left: {self.processes()}")
