"""The two kinds of suites: GoogleTest programs, and programs that print PASS, FAIL and SKIP lines."""

import pathlib
import re
import subprocess
import time

LISTING_LIMIT = 60  # seconds for a program to name its cases
CRASHES = 10  # of one program, after which the rest of it is not run


def lines_of(command, **options):
    """What a program prints that names cases; nothing where it fails."""
    try:
        told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LISTING_LIMIT, check=False, **options)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return told.stdout.splitlines() if told.returncode == 0 else []


class GoogleTest:
    """A program of GoogleTest. When it crashes, the case at hand has failed and the rest is run in another go."""

    SUM = re.compile(r"\[==========\] \d+ tests? from \d+ test suites? ran\.")
    BEGIN = re.compile(r"\[ RUN      \] (\S+)")
    END = re.compile(r"(.*)\[  (     OK|SKIPPED|FAILED ) \] ([^\s,]+)(,.*)? \((\d+) ms\)")

    def __init__(self, runner, program, log):
        self.runner, self.program, self.log = runner, program, log
        self.name = pathlib.Path(program).name
        self.done, self.current, self.output, self.summed = [], None, [], False

    def line(self, line):
        self.summed = self.summed or bool(self.SUM.match(line))
        if found := self.BEGIN.match(line):
            self.current, self.output = found[1], []
        elif (found := self.END.match(line)) and found[3] == self.current:
            result = {"OK": "PASS", "SKIPPED": "SKIP", "FAILED": "FAIL"}[found[2].strip()]
            self.end(result, [found[1]] if found[1] else [], int(found[5]) / 1000)
        else:
            self.output.append(line)

    def end(self, result, last_words, seconds=None):
        name = f"{self.name} {self.current}"
        if result == "SKIP":  # GoogleTest prints the reason in a line of its own, behind the place
            name += ": " + " ".join(line for line in self.output if line and not re.match(r"\S+:\d+: Skipped", line))
        self.runner.report.add(result, name, self.output + last_words, seconds)
        self.done.append(self.current)
        self.current, self.output = None, []

    def planned(self):
        """All its cases."""
        found, suite = [], ""
        for line in lines_of([self.runner.build / self.program, "--gtest_list_tests"]):
            word = line.split("#")[0].rstrip()
            if line.startswith("  "):
                found.append(suite + word.strip())
            elif word.endswith("."):
                suite = word
        return found

    def not_done(self):
        return [each for each in self.planned() if each not in self.done]

    def run(self):
        report = self.runner.report
        command = [str(self.runner.build / self.program), "--gtest_color=no", "--gtest_also_run_disabled_tests"]
        for _ in range(CRASHES):
            failures, self.summed = len(report.failures), False
            skip = [f"--gtest_filter=-{':'.join(self.done)}"] if self.done else []
            run = self.runner.run(command + skip, "unit", self.log, self.line)
            if run.late:
                for each in self.not_done():
                    report.add("NOT RUN", f"{self.name} {each}")
                if not report.told_not_run(self.name):
                    report.add("NOT RUN", f"{self.name}: the rest of it")
                return
            if run.leftovers:
                report.add("FAIL", f"{self.name}: leaves no process behind", run.leftovers)
            if self.current is None:
                if run.ended and (failures == len(report.failures) or run.ended != "exit code 1"):
                    report.add("FAIL", f"{self.name}: {run.ended}", self.output)
                elif not self.done:
                    report.add("FAIL", f"{self.name}: holds no test", self.output)
                elif not self.summed:
                    report.add("FAIL", f"{self.name}: ended before its sum", self.output)
                return
            self.end("FAIL", [f"{self.name}: {run.ended or 'exit code 0 in the middle of a test'}"])
        if left := self.not_done():
            report.add("FAIL", f"{self.name}: {CRASHES} tests crashed, and those behind them were not run", left)


class ScriptSuite:
    """A program that prints a line for each case: "PASS name", "FAIL name" or "SKIP name: reason", and may say behind it how long it took, "(1.2 s)";
    else the time since the last line counts. After all of them it prints its sum, "N passed, N failed". Some print with --list the names of all
    cases that they would run, a line each."""

    LISTING = {"job", "lab", "launcher", "systems"}
    SUM = re.compile(r"\d+ passed, \d+ failed$")
    RESULT = re.compile(r"(PASS|FAIL|SKIP):? +(.+?)(?: \((\d+\.\d+) s\))?$")

    def __init__(self, runner, name, log):
        self.runner, self.name, self.log = runner, name, log
        self.output, self.ended, self.last, self.summed = [], set(), time.monotonic(), False

    def line(self, line):
        self.summed = bool(self.SUM.match(line)) or (self.summed and not self.RESULT.match(line))
        if found := self.RESULT.match(line):
            seconds = float(found[3]) if found[3] else time.monotonic() - self.last
            self.last = time.monotonic()
            self.runner.report.add(found[1], f"{self.name}: {found[2]}", self.output, seconds)
            self.ended.add(found[2])
            self.output = []
        else:
            self.output.append(line)

    def planned(self, command):
        return lines_of([*command, "--list"], env=self.runner.environment) if self.name in self.LISTING else []

    def run(self):
        report = self.runner.report
        script = self.runner.source / "tests" / self.name / f"run_{self.name}_tests"
        if not script.exists():
            report.add("FAIL", f"{self.name}: {script} is missing")
            return
        failures = len(report.failures)
        command = [str(script), str(self.runner.build)]
        run = self.runner.run(command, self.name, self.log, self.line)
        if run.late:
            # A result begins with the name of its case; a skipped or failed one says more.
            for each in self.planned(command):
                if not any(ended == each or ended.startswith(f"{each}:") for ended in self.ended):
                    report.add("NOT RUN", f"{self.name}: {each}")
            if not report.told_not_run(self.name):
                report.add("NOT RUN", f"{self.name}: the rest of it")
            return
        if run.leftovers:
            report.add("FAIL", f"{self.name}: leaves no process behind", run.leftovers)
        if run.ended and (failures == len(report.failures) or run.ended != "exit code 1"):
            report.add("FAIL", f"{self.name}: {run.ended}", self.output)
        elif not self.ended:
            report.add("FAIL", f"{self.name}: ran no test", self.output)
        elif not self.summed:
            report.add("FAIL", f"{self.name}: ended before its sum{run.ended and ': ' + run.ended}", self.output)
