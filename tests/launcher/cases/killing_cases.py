"""Any process of a job may be killed at any time; and jobs that are started again after a failure."""
import contextlib
import os
import random
import re
import signal
import statistics
import time

import harness
from cases.ending_cases import guard_of
from harness import case, check, end_of_killed, environment_of, equal

# As many as there are in the full form of the tests, or fewer.
ROUNDS = int(os.environ.get("LAUNCHER_ROUNDS") or (200 if os.environ.get("TEST_TIER") == "full" else 20))


# As many other jobs take one or two seconds on a quiet machine.
PLAIN_JOBS = 50


def busy(*words):
    return [harness.build / "tests/launcher/busy_rank", *words]


def rank_of(pid):
    for each in environment_of(pid):
        if each.startswith(b"PMIX_RANK="):
            return int(each.partition(b"=")[2])
    return None


def victims_of(desk, process):
    """The processes of the job that can be told apart, by what they are."""
    found = {"pealrun": process.pid}
    with contextlib.suppress(OSError):
        if guard := guard_of(process.pid):
            found["guard"] = guard
    for pid in desk.processes():
        if pid not in found.values() and (rank := rank_of(pid)) is not None:
            found[f"rank {rank}"] = pid
    return found


def kill_one(desk, chance, options):
    """Returns how long it took from there to the end of everything."""
    process = desk.start(*options, "-n", chance.randint(1, 5), *busy(400), start_new_session=True)
    time.sleep(chance.uniform(0, 0.5))
    victims = victims_of(desk, process)
    whom = chance.choice(sorted(victims))
    if chance.random() < 0.3:
        whom = chance.choice([each for each in ("pealrun", "guard") if each in victims])
    if process.poll() is None:  # else its number may be another process's
        with contextlib.suppress(ProcessLookupError):
            os.kill(victims[whom], signal.SIGKILL)
    done, seconds = end_of_killed(desk, process, lambda other: other.run("-n", 5, *busy(0)), PLAIN_JOBS)
    # The one to be killed may have ended by then.
    allowed = {"pealrun": (0, -signal.SIGKILL), "guard": (0,)}.get(whom, (0, 137))
    check(done.code in allowed, f"exit code {done.code} when {whom} was killed: {done}")
    lines = [f"{whom} on", "was killed by signal 9 (SIGKILL)"] if done.code == 137 else []
    equal(len(done.complaints()), 1 if lines else 0, f"lines when {whom} was killed ({done.err!r})")
    check(all(each in done.err for each in lines), done.err)
    return seconds


def kill_many(desk, rounds, options=()):
    seed = int(os.environ.get("LAUNCHER_SEED") or time.time_ns() % 1_000_000)
    chance = random.Random(seed)
    times = []
    for number in range(rounds):
        try:
            times.append(kill_one(desk, chance, options))
        except AssertionError as problem:
            raise AssertionError(f"LAUNCHER_SEED={seed}, round {number}: {problem}") from None
    return f"seed {seed}, {rounds} times: all was over {max(times):.3f} s after a kill at the latest, {statistics.median(times):.3f} s in the median"


@case()
def any_process_of_a_job_may_be_killed(desk):
    return kill_many(desk, ROUNDS)


@case()
def any_process_of_a_job_with_tagged_lines_may_be_killed(desk):
    return kill_many(desk, max(ROUNDS // 4, 1), ("--tag-output",))


@case()
def a_job_is_started_again_until_it_succeeds(desk):
    done = desk.run("--restart", 3, "-n", 3, *busy("restarted", 2))
    equal(done.code, 0, f"exit code: {done}")
    starts = [re.fullmatch(r"start (\d) of (\S+)", line) for line in done.lines()]
    check(all(starts), f"{done}")
    equal([each[1] for each in starts], ["0", "1", "2"], "starts")
    equal(len({each[2] for each in starts}), 3, f"names of the starts: {done.out}")
    lines = done.complaints()
    equal(len(lines), 4, f"lines ({done.err!r})")
    for number in (1, 2):
        cause, again = lines[2 * number - 2:2 * number]
        check("rank 2 on" in cause and "was killed by signal 9" in cause, cause)
        equal(again, f"pealrun: the job is started again (restart {number} of 3)", "line")


@case()
def a_job_is_started_again_only_so_often(desk):
    done = desk.run("--restart", 1, "-n", 2, "sh", "-c", "echo $PEAL_RESTART; exit 7")
    equal(done.code, 7, f"exit code: {done}")
    check(sorted(done.lines()) in (["0", "1"], ["0", "0", "1"], ["0", "1", "1"], ["0", "0", "1", "1"]), f"{done}")
    equal(len(done.complaints()), 3, f"lines ({done.err!r})")
    equal(desk.run("-n", 1, "sh", "-c", "exec echo $PEAL_RESTART", env={"PEAL_RESTART": "5"}).out, "0\n", "without --restart")


@case()
def a_start_has_what_pealrun_was_given(desk):
    """Descriptors, the working folder, the rest of the input, and the arguments."""
    (desk.work / "input").write_text("one\ntwo\n")
    (desk.work / "other").write_text("three\n")
    script = "read line; echo $line; cat <&7; ls -l /proc/self/fd | grep -c -e socket -e eventfd -e eventpoll; [ $PEAL_RESTART = 1 ] || exit 4"
    done = desk.start("-c", 'exec "$@" <input 7<other', "sh", harness.build / "pealrun", "--restart", 1, "-n", 1, "sh", "-c", script, program="/bin/sh")
    done = desk.finish(done)
    equal(done.code, 0, f"exit code: {done}")
    equal(done.lines(), ["one", "three", "0", "two", "0"], "output")


@case()
def what_the_user_ends_is_not_started_again(desk):
    process = desk.start("--restart", 3, "-n", 1, "sh", "-c", "echo ready; exec sleep 1000", start_new_session=True)
    equal(process.line(), "ready\n", "start")
    process.send_signal(signal.SIGTERM)
    done = desk.finish(process)
    equal(done.code, 143, f"exit code: {done}")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    done = desk.run("--restart", 3, "--timeout", "0.3", "-n", 1, "sleep", 1000)
    equal(done.code, 124, f"exit code after a timeout: {done}")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")


@case()
def a_start_that_is_killed_leaves_nothing(desk):
    process = desk.start("--restart", 3, "-n", 2, "sh", "-c",
                         "[ $PEAL_RESTART = 1 ] || exit 3; echo x > $PEAL_SHM_DIR/$PMIX_NAMESPACE.$PMIX_RANK; echo ready; setsid sleep 1000", start_new_session=True)
    equal(process.some_lines(2), ["ready\n"] * 2, "second start")
    check(len(desk.left_files()) >= 3, "the files are there")
    process.kill()
    desk.finish(process)
    desk.expect_nothing_left()


@case()
def a_restart_and_survivors_contradict_each_other(desk):
    for policy in ("notify", "continue"):
        done = desk.run("--restart", 2, "--on-failure", policy, "-n", 1, "true")
        equal(done.code, 2, f"exit code: {done}")
        check(f"--restart 2 and --on-failure {policy} contradict each other" in done.err, done.err)
    for number in ("-1", "x", "1000001", "1.5", ""):
        done = desk.run("--restart", number, "-n", 1, "true")
        equal(done.code, 2, f"exit code: {done}")
        check(f"'{number}' is no number of restarts: a whole number from 0 to 1000000 is allowed" in done.err, done.err)


@case()
def survivors_go_on_untold(desk):
    script = 'if [ $PMIX_RANK = 1 ]; then exit 3; fi; while ! [ -e go ]; do sleep 0.01; done; echo went on'
    process = desk.start("--on-failure", "continue", "-n", 3, "sh", "-c", script)
    line = ""
    while "exited with code 3" not in line:
        line = process.line(process.stderr)
        check(line, "no line of the cause")
    check("rank 1 on" in line, line)
    (desk.work / "go").write_text("")
    done = desk.finish(process)
    equal(done.code, 3, f"exit code: {done}")
    equal(done.lines(), ["went on"] * 2, "output of the survivors")
