"""What a user at a terminal sees: prompts, colours, ^C, ^Z, ranks that use the terminal themselves."""
import contextlib
import ctypes
import os
import pathlib
import pty
import re
import select
import signal
import sys
import termios
import threading
import time

import harness
from harness import case, check, equal, wait_until
from cases.running_cases import claim_terminal, plain


class Screen:
    """A terminal with a program on it."""

    def __init__(self, desk, *words, tty_output=True, modes=None, **options):
        self.desk = desk
        self.ours, theirs = pty.openpty()
        if modes is not None:
            now = termios.tcgetattr(theirs)
            now[3] |= modes
            termios.tcsetattr(theirs, termios.TCSANOW, now)
        shown = {"stdout": theirs, "stderr": theirs} if tty_output else {}
        options["env"] = {"TERM": "xterm", "NO_COLOR": "", "PEAL_LOG": "error", **options.get("env", {})}
        self.process = desk.start(*words, stdin=theirs, start_new_session=True, preexec_fn=lambda: claim_terminal(theirs), **shown, **options)
        os.close(theirs)
        self.text = ""

    def read(self, seconds):
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        with contextlib.suppress(OSError):  # nobody has the terminal any more
            if got := os.read(self.ours, 65536):
                self.text += got.decode()
                return True
        return False

    def until(self, what):
        end = time.monotonic() + harness.LONG
        while not re.search(what, self.text):
            check(time.monotonic() < end, f"waited in vain for {what!r}: {self.text!r}")
            self.read(0.1)

    def type(self, what):
        os.write(self.ours, what.encode())

    def until_given_to_a_rank(self, but=0):
        """Until the foreground is a rank's group, other than `but`: what is typed before that is not for it. Returns the group."""

        def group():
            found = os.tcgetpgrp(self.ours)
            return found if found != but and found in self.ranks() else 0

        return wait_until(group, "a rank has the terminal")

    def ranks(self):
        return [pid for pid in self.desk.processes() if any(word.startswith(b"PMIX_RANK=") for word in harness.environment_of(pid))]

    def finish(self):
        wait_until(lambda: not self.read(0.05) and self.process.poll() is not None, "it ends")
        while self.read(0):
            pass
        os.close(self.ours)
        return self.process.returncode


@case()
def a_prompt_appears_before_it_is_answered(desk):
    for options, prompt, answer in (((), "name\\? ", "hello me"), (("--tag-output",), r"\[0\]\S* name\? ", r"hello me"), (("-n", 2), "name\\? ", "hello me"),
                                    (("-n", 2, "--tag-output"), r"\[0\]\S* name\? ", "hello me"), (("-n", 2, "--timestamp-output"), r"\.\d{3} name\? ", "hello me")):
        screen = Screen(desk, "--bind-to", "none", *options, "sh", "-c", "if [ $PMIX_RANK = 0 ]; then printf 'name? '; read x; echo hello $x; fi")
        screen.until(prompt)
        screen.type("me\n")
        equal(screen.finish(), 0, f"exit code with {options}: {screen.text!r}")
        check(re.search(answer, screen.text), screen.text)


@case()
def a_prompt_appears_in_a_pipe_too_when_the_rank_has_the_input(desk):
    process = desk.start("-n", 2, "--bind-to", "none", "--tag-output", "sh", "-c", "if [ $PMIX_RANK = 0 ]; then printf 'name? '; read x; echo hello $x; fi", stdin=-1)
    got = b""
    while not got.endswith(b"name? "):
        check(select.select([process.stdout], [], [], harness.LONG)[0], f"no prompt: {got!r}")
        got += os.read(process.stdout.fileno(), 100)
    equal(got, b"[0] name? ", "prompt")
    done = desk.finish(process, "me\n")
    equal((done.code, done.out), (0, "hello me\n"), "the rest of the line")


@case()
def tagged_lines_appear_at_once_on_a_terminal_also_from_programs_that_fill_a_buffer(desk):
    fifos = [desk.work / f"go{rank}" for rank in (0, 1)]
    for fifo in fifos:
        os.mkfifo(fifo)
    for options in ((), ("--merge-stderr",)):
        screen = Screen(desk, "-n", 2, "--tag-output", *options, "awk", 'BEGIN { print "early"; getline x < ("go" ENVIRON["PMIX_RANK"]); print "late" }')
        screen.until(r"\[0\]\S* early\r\n")
        screen.until(r"\[1\]\S* early\r\n")
        for fifo in fifos:
            fifo.write_text("\n")
        equal(screen.finish(), 0, "exit code")
        equal(screen.text.count("late\r\n"), 2, f"lines at the end: {screen.text!r}")
    screen = Screen(desk, "-n", 2, "--tag-output", "sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x | fold -w 99; echo", env={"NO_COLOR": "1"})
    equal((screen.finish(), screen.text.count("x")), (0, 600_000), "letters")


@case()
def another_ones_line_does_not_go_on_after_a_prompt(desk):
    os.mkfifo(desk.work / "go")
    screen = Screen(desk, "-n", 2, "--bind-to", "none", "--tag-output", "sh", "-c",
                    "if [ $PMIX_RANK = 0 ]; then printf 'name? '; read x; echo hello $x; else read x < go; echo a line; fi", env={"NO_COLOR": "1"})
    screen.until(r"\[0\] name\? ")
    (desk.work / "go").write_text("\n")
    screen.until("a line")
    screen.type("me\n")
    equal(screen.finish(), 0, "exit code")
    equal(screen.text.replace("me\r\n", "", 1), "[0] name? \r\n[1] a line\r\n[0] hello me\r\n", "what is seen, without the echo")


@case()
def an_untagged_prompt_appears_at_once_and_lines_of_others_stand_below_it(desk):
    os.mkfifo(desk.work / "go")
    screen = Screen(desk, "-n", 4, "--bind-to", "none", "sh", "-c",
                    "if [ $PMIX_RANK = 0 ]; then printf 'name? '; read x; echo hello $x; else read x < go; echo a line; fi")
    screen.until(r"^name\? $")
    # Open until all is over: a pipe that everybody has closed forgets the lines of ranks that have not opened it yet.
    with open(desk.work / "go", "r+b", buffering=0) as go:
        go.write(b"\n\n\n")
        screen.until("a line\r\n")
        screen.type("me\n")
        equal(screen.finish(), 0, "exit code")
    equal(screen.text.replace("me\r\n", "", 1), "name? \r\n" + "a line\r\n" * 3 + "hello me\r\n", "what is seen, without the echo")


@case()
def pieces_of_lines_of_four_untagged_ranks_are_not_mixed_on_a_terminal(desk):
    script = "for n in 1 2 3 4 5 6 7 8; do for piece in a b c d; do printf $PMIX_RANK$piece; done; echo; done"
    screen = Screen(desk, "-n", 4, "--bind-to", "none", "sh", "-c", script)
    equal(screen.finish(), 0, "exit code")
    lines = screen.text.splitlines()
    for line in lines:
        check(not line or re.fullmatch(r"(?:([0-3])[abcd]){1,4}", line) and len(set(line[::2])) == 1, f"a line is mixed: {line!r}")
    for rank in "0123":
        equal("".join(line for line in lines if line.startswith(rank)), f"{rank}a{rank}b{rank}c{rank}d" * 8, f"all of rank {rank}, in order")


@case()
def bars_of_progress_of_four_ranks_do_not_share_a_line(desk):
    script = r"for n in 1 2 3 4 5 6; do printf '\r%s: %s of 6' $PMIX_RANK $n; sleep 0.1; done; echo"
    screen = Screen(desk, "-n", 4, "--bind-to", "none", "sh", "-c", script)
    equal(screen.finish(), 0, "exit code")
    for line in screen.text.replace("\r\n", "\n").split("\n"):
        check(len({step[0] for step in line.split("\r") if step}) <= 1, f"bars of several ranks in a line: {line!r}")
    for rank in range(4):
        equal([int(each) for each in re.findall(rf"\r{rank}: (\d) of 6", screen.text)], [1, 2, 3, 4, 5, 6], f"steps of rank {rank}")


@case()
def a_line_that_its_rank_has_left_unfinished_keeps_nobody_waiting(desk):
    os.mkfifo(desk.work / "go")
    screen = Screen(desk, "-n", 2, "--bind-to", "none", "sh", "-c", "if [ $PMIX_RANK = 0 ]; then printf 'no end'; else read x < go; echo a line; fi")
    screen.until("no end")
    wait_until(lambda: len(screen.ranks()) == 1, "rank 0 has ended")
    (desk.work / "go").write_text("\n")
    equal((screen.finish(), screen.text), (0, "no end\r\na line\r\n"), "what is seen")


@case()
def what_pealrun_says_does_not_go_on_after_a_prompt(desk):
    os.mkfifo(desk.work / "go")
    screen = Screen(desk, "-n", 2, "--tag-output", "sh", "-c",
                    "if [ $PMIX_RANK = 0 ]; then printf 'name? '; exec sleep 1000; else read x < go; exit 3; fi", env={"NO_COLOR": "1"})
    screen.until(r"\[0\] name\? ")
    (desk.work / "go").write_text("\n")
    equal(screen.finish(), 3, "exit code")
    check(re.match(r"\[0\] name\? \r\npealrun: rank 1 on \S+ \(pid \d+, sh\) exited with code 3", screen.text), screen.text)


@case()
def output_and_errors_of_different_ranks_are_not_mixed_on_a_terminal(desk):
    ranks, count = 4, 400
    screen = Screen(desk, "-n", ranks, "--bind-to", "none", "--tag-output", *plain("lines", count), env={"NO_COLOR": "1"})
    equal(screen.finish(), 0, "exit code")
    lines = [line for line in screen.text.splitlines() if not line.startswith("pealrun:")]
    for line in lines:
        found = re.fullmatch(r"\[(\d)\] line \d+ of rank (\d) ends", line)
        check(found and found[1] == found[2], f"a line is mixed: {line!r}")
    equal(len(lines), ranks * count, "lines")
    screen = Screen(desk, "-n", ranks, "--bind-to", "none", "--tag-output", "sh", "-c",
                    "if [ $PMIX_RANK -lt 2 ]; then head -c 50000 /dev/zero | tr '\\0' $PMIX_RANK; echo; else for n in $(seq 100); do echo x >&2; done; fi",
                    env={"NO_COLOR": "1"})
    equal(screen.finish(), 0, "exit code")
    equal(sorted(set(screen.text.splitlines())), sorted(["[0] " + "0" * 50_000, "[1] " + "1" * 50_000, "[2] x", "[3] x"]), "long lines among short ones")


@case()
def tags_have_colours_on_a_terminal_that_has_them(desk):
    for variables, colours in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"TERM": ""}, False)):
        screen = Screen(desk, "-n", 2, "--bind-to", "none", "--tag-output", "echo", "hello", env=variables)
        equal(screen.finish(), 0, "exit code")
        equal("\x1b[" in screen.text, colours, f"colours with {variables}")
        plainly = re.sub(r"\x1b\[\d+m", "", screen.text)
        equal(sorted(plainly.splitlines()), ["[0] hello", "[1] hello"], "text")
    screen = Screen(desk, "-n", 2, "--bind-to", "none", "--tag-output", "echo", "hello", tty_output=False)
    done = desk.finish(screen.process)
    os.close(screen.ours)
    equal(sorted(done.lines()), ["[0] hello", "[1] hello"], "no colours in a pipe")


@case()
def a_rank_that_reads_the_terminal_gets_it(desk):
    screen = Screen(desk, "-n", 3, "--bind-to", "none", "sh", "-c", "if [ $PMIX_RANK != 0 ]; then read x < /dev/tty; echo $PMIX_RANK read $x; fi")
    screen.until(r"pealrun: rank [12] on \S+ \(pid \d+, sh\) was stopped by signal 21 \(SIGTTIN\): it reads the terminal; it has the terminal now")
    first = screen.until_given_to_a_rank()
    screen.type("first\n")
    screen.until("[12] read first")
    screen.until_given_to_a_rank(but=first)
    screen.type("second\n")
    screen.until("[12] read second")
    equal(screen.finish(), 0, f"exit code: {screen.text!r}")
    equal(screen.text.count("pealrun:"), 1, "lines of pealrun")


@case()
def what_is_typed_goes_to_the_ranks_that_are_asked_for(desk):
    for which, wanted in (("1", ["1 read typed"]), ("all", ["0 read typed", "1 read typed", "2 read typed"])):
        screen = Screen(desk, "-n", 3, "--stdin", which, "sh", "-c", 'while read x; do echo $PMIX_RANK read "$x"; done; echo $PMIX_RANK ends')
        screen.type("typed\n")
        for each in wanted:
            screen.until(f"{each}\r\n")
        screen.type("\x04")  # the end of what is typed
        equal(screen.finish(), 0, f"exit code: {screen.text!r}")
        lines = [line for line in screen.text.splitlines() if "read" in line or "ends" in line]
        equal(sorted(lines), sorted([*wanted, "0 ends", "1 ends", "2 ends"]), f"what the ranks read with --stdin {which}")


@case()
def a_terminal_of_another_session_is_read_too(desk):
    ours, theirs = pty.openpty()
    process = desk.start("-n", 2, "sh", "-c", "read x; echo $PMIX_RANK read $x", stdin=theirs, start_new_session=True)
    os.close(theirs)
    os.write(ours, b"typed\n")
    done = desk.finish(process)
    os.close(ours)
    equal((done.code, sorted(done.lines())), (0, ["0 read typed", "1 read"]), "what the ranks read")


@case()
def a_terminal_that_stops_writers_stops_no_rank(desk):
    screen = Screen(desk, "-n", 2, "--bind-to", "none", "echo", "hello", modes=termios.TOSTOP)
    equal(screen.finish(), 0, f"exit code: {screen.text!r}")
    equal(screen.text, "hello\r\n" * 2, "what is seen")


@case()
def the_shells_job_control_works_with_a_rank_that_has_the_terminal(desk):
    screen = Screen(desk, "--norc", "--noprofile", "--noediting", "-i", program="/bin/bash", env={"PS1": "ready> ", "HISTFILE": "/dev/null"})
    screen.until("ready> $")
    screen.type(f"{harness.build}/pealrun -n 2 --bind-to none sh -c 'if [ $PMIX_RANK = 1 ]; then read x </dev/tty; echo rank 1 read $x; fi'\n")
    screen.until("has the terminal now")
    screen.until_given_to_a_rank()
    screen.type("\x1a")
    screen.until(r"Stopped[^\n]*\n(.*\n)*ready> $")
    screen.type("fg\n")
    screen.until_given_to_a_rank()
    screen.type("something\n")
    screen.until("rank 1 read something")
    screen.until(r"read something\r\nready> $")
    screen.text = ""
    # In the background it is stopped, as any program that reads the terminal.
    screen.type(f"{harness.build}/pealrun -n 2 --bind-to none sh -c 'if [ $PMIX_RANK = 1 ]; then read x </dev/tty; echo rank 1 read $x; fi' &\n")
    screen.until(r"pealrun stops too")
    wait_until(lambda: the_shell_knows_of_the_stop(screen), "the shell says so")
    screen.type("fg\n")
    screen.until_given_to_a_rank()
    screen.type("more\n")
    screen.until("rank 1 read more")
    screen.type("exit 3\n")
    equal(screen.finish(), 3, f"exit code of the shell: {screen.text!r}")


def the_shell_knows_of_the_stop(screen):
    screen.text = ""
    screen.type("jobs\n")
    screen.until(r"(Stopped|Running)[^\n]*\n(.*\n)*ready> $")
    return "Stopped" in screen.text


@case()
def a_rank_that_cannot_be_killed_is_named(desk):
    process = desk.start("-n", 2, "--bind-to", "none", "sh", "-c", "trap '' INT TERM; echo $PMIX_RANK $$; while :; do sleep 1000; done")
    pids = dict(line.split() for line in process.some_lines(2))
    held = int(pids["1"])
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, held, None, None) != 0:  # PTRACE_SEIZE: who traces a process hears of its end first
        raise harness.Skip("needs ptrace, which is not allowed here")
    try:
        process.send_signal(signal.SIGTERM)
        harness.interrupt_until_it_ends(process, process.pid)
        done = desk.finish(process)
    finally:
        os.kill(held, signal.SIGKILL)
        libc.waitpid(held, None, 0x40000000)  # __WALL
    equal(done.code, 128 + signal.SIGINT, f"exit code: {done}")
    check(re.search(rf"pealrun: rank 1 on \S+ \(pid {held}, sh\) was killed and does not end: process {threading.get_native_id()}, which traces it, holds it; it is left behind", done.err), done.err)
    check("rank 0" not in done.err, done.err)


@case()
def a_benchmark_says_on_a_terminal_how_far_it_is(desk):
    program = [harness.build / "examples/bench/peal_latency", "-m", "1:4", "-i", "50"]
    screen = Screen(desk, "-n", 2, "--bind-to", "none", *program)
    equal(screen.finish(), 0, f"exit code: {screen.text!r}")
    for number, size in enumerate((1, 2, 4), 1):
        check(re.search(rf"measuring {size} B \({number} of 3\), \d+ s so far\r\x1b\[K{size} +[\d.]+\r\n", screen.text), screen.text)
    done = desk.run("-n", 2, "--bind-to", "none", *program)
    equal((done.code, "measuring" in done.out, len(done.lines())), (0, False, 5), "nothing of that in a pipe")


@case()
def a_comparison_says_how_far_it_is(desk):
    folder = pathlib.Path(__file__).resolve().parents[3] / "examples/bench"
    script = f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(folder)!r}); from common.progress import Progress\np = Progress(2, 2)\n" \
             "for name in ('a', 'b') * 2: p.step(name)\np.end()"
    screen = Screen(desk, "-c", script, program=sys.executable)
    equal(screen.finish(), 0, f"exit code: {screen.text!r}")
    steps = re.findall(r"round (\d) of 2: (\w) \((\d) of 2\), \d+ s so far(?:, about \d+ s left)?\x1b\[K\r", screen.text)
    equal(steps, [("1", "a", "1"), ("1", "b", "2"), ("2", "a", "1"), ("2", "b", "2")], f"what is seen: {screen.text!r}")
    check(screen.text.endswith("\r\x1b[K"), "the line is not cleared")
    equal(desk.run("-c", script, program=sys.executable).err, "round 1 of 2\nround 2 of 2\n", "what is told to a pipe")
