"""What the tests of pealrun stand on: cases, runs of pealrun in folders of their own, and a look at what they leave behind."""
import concurrent.futures
import contextlib
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

# Seconds. Nothing here takes more than a few; this is for two busy cores under a sanitizer. A test that waits so long has failed.
LONG = 240
# A job must end this soon after a failure; an ordinary end takes tens of milliseconds. The figure measured is printed.
PROMPT = 60
# A job of which a process was killed must be over this soon, where the machine has time for it: end_of_killed says how that is known.
SOON = 5

cases = []
build = pathlib.Path(".")
sanitizer = os.environ.get("TEST_SANITIZER", "none")


class Skip(Exception):
    pass


def case(alone=False):
    """Registers a test. `alone`: it needs the cores for itself, or many processes."""

    def register(function):
        cases.append((function.__name__, function, alone))
        return function

    return register


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(found, wanted, what):
    check(found == wanted, f"{what}: {found!r} where {wanted!r} was expected")


def wait_until(condition, what, limit=LONG):
    end = time.monotonic() + limit
    while not (result := condition()):
        check(time.monotonic() < end, f"waited {limit} s in vain until {what}")
        time.sleep(0.01)
    return result


def interrupt_until_it_ends(process, pealrun):
    """Two interrupts end a job, and two that wait for a busy pealrun are one: as many as it takes, for a test that reads the process's output later."""
    def ended():
        with contextlib.suppress(ProcessLookupError):  # it ends before salloc does, which has started it
            os.kill(pealrun, signal.SIGINT)
            time.sleep(0.2)
        return process.poll() is not None
    wait_until(ended, "interrupts have ended the job")


def environment_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def state_of(pid):
    """Letter of the process's state, or '' when it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def in_namespaces(which, script):
    """Words before a command that run the script and then the command in namespaces of their own."""
    words = [shutil.which("unshare") or "unshare", *which, "sh", "-c", f'{script} && exec "$@"', "sh"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        raise Skip(f"needs namespaces of its own (unshare {' '.join(which)}), which are not allowed here")
    return words


class Done:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __str__(self):
        return f"code {self.code} after {self.seconds:.2f} s\n--- output\n{self.out[-2000:]}\n--- errors\n{self.err[-2000:]}"

    def lines(self):
        return self.out.splitlines()

    def complaints(self):
        """What pealrun itself said, but for the warning that ranks share cores."""
        return [line for line in self.err.splitlines() if line.startswith("pealrun:") and "share cores" not in line]


class Process(subprocess.Popen):
    """Lines can be read one at a time without taking more out of the pipe, which communicate() would then miss."""

    def line(self, stream=None):
        descriptor, got = (stream or self.stdout).fileno(), b""
        while not got.endswith(b"\n"):
            check(select.select([descriptor], [], [], LONG)[0], f"waited {LONG} s in vain for a line; so far {got!r}")
            if not (byte := os.read(descriptor, 1)):
                break
            got += byte
        return got.decode()

    def some_lines(self, count):
        return [self.line() for _ in range(count)]


class Desk:
    """A place for one case: folders of its own, and a mark in the environment by which its processes are known."""

    def __init__(self, name):
        self.mark = f"{name}-{os.getpid()}-{time.monotonic_ns()}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pl-"))
        self.temporary, self.shared, self.work, self.configuration = (self.folder / each for each in ("t", "s", "w", "c"))
        for each in (self.temporary, self.shared, self.work, self.configuration):
            each.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), PEAL_SHM_DIR=str(self.shared),
                                XDG_CONFIG_HOME=str(self.configuration), LAUNCHER_TEST=self.mark)
        self.started = []

    def start(self, *words, under=(), program=None, **options):
        """Starts pealrun with these arguments (or another program). Ends at the latest with the case."""
        environment = dict(self.environment, **options.pop("env", {}))
        command = [*under, str(program or build / "pealrun"), *map(str, words)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.work, **options}
        process = Process(command, env=environment, **options)
        process.begin = time.monotonic()
        self.started.append(process)
        return process

    def finish(self, process, input=None, limit=LONG):
        try:
            out, err = process.communicate(None if input is None else input.encode(), limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"no end within {limit} s: {process.args}") from None
        return Done(process.returncode, (out or b"").decode(), (err or b"").decode(), time.monotonic() - process.begin)

    def run(self, *words, input=None, limit=LONG, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        return self.finish(self.start(*words, **options), input, limit)

    def processes(self):
        wanted = b"LAUNCHER_TEST=" + self.mark.encode()
        return [int(each.name) for each in pathlib.Path("/proc").iterdir()
                if each.name.isdigit() and wanted in environment_of(each.name) and state_of(each.name) not in ("Z", "X", "")]

    def left_files(self):
        return [str(each.relative_to(self.folder)) for each in (*self.temporary.iterdir(), *self.shared.iterdir())]

    def expect_nothing_left(self):
        wait_until(lambda: not self.processes(), "no process is left", PROMPT)
        wait_until(lambda: not self.left_files(), "no file is left", PROMPT)

    def clear(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        # Only its end is waited for, not that of its output, which a process that it started may hold open.
        for process in self.started:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(BrokenPipeError):  # what was never read by a program that is gone
                    if stream is not None:
                        stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def end_of_killed(desk, process, plain, many):
    """What a job says that has just lost a process, and the seconds until nothing of it is left. A busy machine makes an end late, a hang does so too. What
    tells them apart is what the machine gets done meanwhile: after SOON seconds `plain` jobs are run, one after the other, each from its start to its end,
    and the killed job must be over before `many` of them are. They have a desk of their own, since pealrun removes what an earlier job has left."""
    begin = time.monotonic()
    other = None
    run = 0
    try:
        while process.poll() is None or desk.processes() or desk.left_files():
            seconds = time.monotonic() - begin
            if seconds < SOON:
                time.sleep(0.01)
                continue
            check(run < many, f"{seconds:.1f} s after the kill the job is not over, while {run} other jobs have begun and ended; "
                              f"its processes are {desk.processes()}, its files {desk.left_files()}")
            other = other or Desk("plain")
            done = plain(other)
            check(done.code == 0, f"a plain job: {done}")
            run += 1
    finally:
        if other:
            other.clear()
    seconds = time.monotonic() - begin
    return desk.finish(process), seconds


printing = threading.Lock()


def run_case(name, function):
    desk = Desk(name)
    begin = time.monotonic()
    try:
        told = function(desk)
        desk.expect_nothing_left()
        result, words = "PASS", [f"  {told}"] if told else []
    except Skip as reason:
        result, words, name = "SKIP", [], f"{name}: {reason}"
    except AssertionError as problem:
        result, words = "FAIL", [str(problem)]
        name += ": " + str(problem).splitlines()[0]
    except Exception:  # a bug in the test is a failure too
        result, words = "FAIL", [traceback.format_exc()]
    finally:
        desk.clear()
    with printing:
        for each in words:
            print(each)
        print(result, name, f"({time.monotonic() - begin:.2f} s)", flush=True)
    return result


def run_all(names, jobs):
    chosen = [each for each in cases if not names or any(part in each[0] for part in names)]
    results = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results += pool.map(lambda each: run_case(*each[:2]), [each for each in chosen if not each[2]])
    results += [run_case(*each[:2]) for each in chosen if each[2]]
    failed = results.count("FAIL")
    print(f"{results.count('PASS')} passed, {failed} failed", flush=True)
    return 1 if failed or not results else 0
