"""What the tests of the runner stand on: cases, and a tree of stand-ins in which the runner, the job tests or bootstrap run as they are."""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LONG = 60  # seconds that nothing here needs, also on two busy cores
PATIENCE = 10  # seconds for what was killed to be gone
PYTHON = f"#!{sys.executable}\n"
LAST_LINE = re.compile(r"\d+ passed, \d+ failed")

cases = []


def case(function):
    """Registers a test, which gets a Tree."""
    cases.append((function.__name__.replace("_", " "), function))
    return function


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Done:
    """A program that has ended: its exit code and its output, errors included."""

    def __init__(self, code, text):
        self.code, self.text = code, text
        self.lines = text.splitlines()

    def has(self, *patterns):
        """Each is a regular expression for a whole line."""
        for pattern in patterns:
            check(any(re.fullmatch(pattern, line) for line in self.lines), f"no line /{pattern}/ in:\n{self.text}")

    def lacks(self, pattern):
        check(not any(re.fullmatch(pattern, line) for line in self.lines), f"a line /{pattern}/ in:\n{self.text}")

    def ends(self, last, code):
        check(self.lines[-1:] == [last], f"the last line is not '{last}':\n{self.text}")
        check(self.code == code, f"exit code {self.code}, not {code}:\n{self.text}")


def wait_for_writers(path):
    """A program that is written here cannot be started while a child that another thread is making has the file open for writing, too: it got that
    with all other descriptors, and keeps it until it starts a program itself. A lease for reading is granted only where nobody can write. It is
    given back before the descriptor is closed, which such a child may have, too: who writes while there is a lease has its holder ended by SIGIO."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        while True:
            try:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                return  # not every file system has leases
    finally:
        os.close(descriptor)


class Tree:
    """A folder of the case's own. Its processes are known by a mark in their environment."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rt-"))
        self.mark = f"RUNNER_TEST={self.folder.name}"
        self.path = self.folder / "bin"
        self.path.mkdir()
        (self.folder / "build/tests/unit").mkdir(parents=True)
        (self.folder / "tmp").mkdir()

    def copy(self, *names):
        for name in names:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, target)
            wait_for_writers(target)

    def replace(self, name, old, new):
        """Of a file that was copied: a constant."""
        text = (self.folder / name).read_text()
        check(text.count(old) == 1, f"{name} holds '{old}' {text.count(old)} times")
        (self.folder / name).write_text(text.replace(old, new))

    def runner(self):
        """The runner as it is, but for its patience with what has ended."""
        self.copy("tests/run_tests", *(f"tests/runner/{name}.py" for name in ("__init__", "processes", "report", "rotation", "suites")))
        self.replace("tests/runner/processes.py", "PATIENCE = 10", "PATIENCE = 1")

    def program(self, name, text):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
        target.chmod(0o755)
        wait_for_writers(target)
        return target

    def suite(self, name, text):
        return self.program(f"tests/{name}/run_{name}_tests", text)

    def unit(self, name, tests):
        """A program that looks like GoogleTest's: {test: what it does, Python}."""
        return self.program(f"build/tests/unit/{name}", PYTHON + UNIT.replace("TESTS", repr(tests)))

    def tools(self, *names):
        """Links to programs of this machine, for a PATH that has nothing else."""
        for name in names:
            found = shutil.which(name)
            check(found, f"no {name} on this machine")
            (self.path / name).symlink_to(found)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not re.match("PEAL_|TEST_|CI$|MAKE", name)}
        kept.update(TEST_COMMIT="some", TMPDIR=str(self.folder / "tmp"), RUNNER_TEST=self.folder.name, PYTHONDONTWRITEBYTECODE="1")
        kept.update(more)
        return kept

    def run(self, *command, limit=LONG, **more):
        done = subprocess.run(list(map(str, command)), cwd=self.folder, env=self.environment(**more), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, check=False)
        return Done(done.returncode, done.stdout)

    def run_tests(self, *words, **more):
        return self.run(sys.executable, self.folder / "tests/run_tests", "--build", self.folder / "build", *words, **more)

    def processes(self):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                alive = entry.name.isdigit() and (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
                if alive and self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass  # it has ended meanwhile
        return found

    def left(self):
        """The processes that do not go; dying takes the kernel a moment."""
        end = time.monotonic() + PATIENCE
        while (found := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def clear(self):
        left = self.left()
        for pid in left:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)
        return left


UNIT = r"""
import os, sys, time
tests = TESTS
if "--gtest_list_tests" in sys.argv:
    print("some.")
    for name in tests: print("  " + name)
    sys.exit(0)
left_out = [word.partition("=-")[2].split(":") for word in sys.argv if word.startswith("--gtest_filter=-")]
left_out = left_out[0] if left_out else []
failed = 0
for name, action in tests.items():
    if "some." + name in left_out: continue
    if name.startswith("DISABLED_") and "--gtest_also_run_disabled_tests" not in sys.argv: continue
    print(f"[ RUN      ] some.{name}", flush=True)
    good = True
    exec(action)
    failed += not good
    print(f"[  {'     OK' if good else 'FAILED '} ] some.{name} (1 ms)", flush=True)
    if action.startswith("# leaves"): os._exit(0)
print(f"[==========] {len(tests)} tests from 1 test suite ran. (1 ms total)", flush=True)
sys.exit(1 if failed else 0)
"""


def run_case(name, function):
    """Prints how it went; whether well."""
    begin, tree, problem = time.monotonic(), Tree(), None
    try:
        function(tree)
    except Exception as error:
        problem = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
    if (left := tree.clear()) and problem is None:
        problem = f"processes were left: {left}"
    for line in (problem or "").splitlines():
        print(f"    {line}")  # what it says may look like results
    print(f"{'FAIL' if problem else 'PASS'} {name} ({time.monotonic() - begin:.2f} s)", flush=True)
    return problem is None
