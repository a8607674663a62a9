"""Ranks that fail while others wait for them inside peal."""
import re

import harness
from harness import PROMPT, Skip, case, check, equal

WAITS = ("recv", "barrier", "send")


def blocked(*words):
    return [str(harness.build / "tests/launcher/blocked_rank"), *map(str, words)]


def one_fails(desk, what, code, says, given=0):
    """Rank 1 of 4 fails while the others wait in each of the calls; the job must end at once, with one line."""
    if harness.sanitizer != "none" and what == "segv":
        raise Skip("needs a build without a sanitizer, which turns this signal into an exit code")
    times = []
    for wait in WAITS:
        done = desk.run("-n", 4, *blocked(what, given, wait))
        equal(done.code, code, f"exit code, others in {wait}: {done}")
        equal(len(done.complaints()), 1, f"lines, others in {wait} ({done.err!r})")
        check(re.search(rf"^pealrun: rank 1 on \S+ \(pid \d+, \S+blocked_rank\) {says}", done.complaints()[0]), done.complaints()[0])
        check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
        times.append(f"{wait} {done.seconds:.2f} s")
    return f"{what}: ended after {', '.join(times)}"


@case()
def peal_exit_3_while_others_wait(desk):
    return one_fails(desk, "exit", 3, "exited with code 3", given=3)


@case()
def peal_exit_0_while_others_wait(desk):
    return one_fails(desk, "exit", 1, "exited with code 0, but without leaving the job", given=0)


@case()
def peal_segv_while_others_wait(desk):
    return one_fails(desk, "segv", 139, r"was killed by signal 11 \(SIGSEGV\)")


@case()
def peal_abort_of_the_library_while_others_wait(desk):
    return one_fails(desk, "peal_abort", 42, "aborted the job with code 42: rank 1 has seen enough", given=42)


@case()
def peal_std_abort_while_others_wait(desk):
    return one_fails(desk, "abort", 134, r"was killed by signal 6 \(SIGABRT\)")


@case()
def peal_kill_while_others_wait(desk):
    return one_fails(desk, "kill", 137, r"was killed by signal 9 \(SIGKILL\)")


@case()
def peal_exception_while_others_wait(desk):
    for wait in WAITS:
        done = desk.run("-n", 4, *blocked("catch", 0, wait))
        check(done.code != 0, f"the exception is lost, others in {wait}: {done}")
        equal(len(done.complaints()), 1, f"lines, others in {wait} ({done.err!r})")
        check("rank 1 on" in done.complaints()[0], done.complaints()[0])
        check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
    return f"ended after {done.seconds:.2f} s"


@case()
def peal_survivors_hear_of_a_death(desk):
    for wait in WAITS:
        done = desk.run("--on-failure", "notify", "-n", 4, *blocked("kill", 0, wait))
        equal(done.code, 137, f"exit code, others in {wait}: {done}")
        equal(sorted(done.lines()), [f"rank {rank}: peer_failed" for rank in (0, 2, 3)], f"others in {wait}")
    return f"ended after {done.seconds:.2f} s"
