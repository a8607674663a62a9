"""How jobs end: failures, timeouts, the death of pealrun itself; and that nothing is left."""
import os
import pathlib
import re
import signal
import socket

import harness
from harness import PROMPT, case, check, equal, state_of, wait_until

HOST = socket.gethostname()
# What rank 1 does stands in $1; the others sleep.
ONE_FAILS = 'if [ $PMIX_RANK = 1 ]; then eval "$1"; fi; exec sleep 1000'


def one_fails(desk, what, code, says, ranks=4, options=()):
    done = desk.run("-n", ranks, *options, "sh", "-c", ONE_FAILS, "sh", what)
    equal(done.code, code, "exit code")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    check(re.fullmatch(rf"pealrun: rank 1 on {re.escape(HOST)} \(pid \d+, sh\) {says}", done.complaints()[0]), done.complaints()[0])
    check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
    return f"{what}: ended after {done.seconds:.2f} s"


@case()
def a_rank_that_exits_with_3_ends_the_job(desk):
    return one_fails(desk, "exit 3", 3, "exited with code 3")


@case()
def a_rank_that_is_killed_ends_the_job(desk):
    return one_fails(desk, "kill -KILL $$", 137, r"was killed by signal 9 \(SIGKILL\)")


@case()
def a_rank_that_crashes_ends_the_job(desk):
    return one_fails(desk, "ulimit -c 0; kill -SEGV $$", 139, r"was killed by signal 11 \(SIGSEGV\)")


@case()
def a_rank_that_aborts_ends_the_job(desk):
    return one_fails(desk, "ulimit -c 0; kill -ABRT $$", 134, r"was killed by signal 6 \(SIGABRT\)")


@case()
def lines_of_a_failing_job_are_not_lost(desk):
    done = desk.run("--tag-output", "-n", 3, "sh", "-c", 'trap "echo farewell; exit 1" TERM; echo ready; if [ $PMIX_RANK = 1 ]; then '
                    'while ! [ -e $0.0 -a -e $0.2 ]; do sleep 0.01; done; echo last; exit 9; fi; : > $0.$PMIX_RANK; sleep 1000 & wait', desk.work / "up")
    equal(done.code, 9, "exit code of the first failure, not of those that it brought about")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    wanted = [f"[{rank}] ready" for rank in range(3)] + ["[1] last", "[0] farewell", "[2] farewell"]
    equal(sorted(done.lines()), sorted(wanted), "output")


@case()
def ranks_that_do_not_heed_sigterm_are_killed(desk):
    done = desk.run("-n", 3, "sh", "-c", 'trap "" TERM; if [ $PMIX_RANK = 2 ]; then exit 5; fi; while :; do sleep 1000; done')
    equal(done.code, 5, "exit code")
    check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
    return f"ended after {done.seconds:.2f} s, of which 2 s grace"


@case()
def what_a_failed_rank_leaves_may_tidy_up_too(desk):
    child = '(trap "sleep 0.2; : >tidied; exit" TERM; : >ready; while :; do sleep 0.02; done) &'
    done = desk.run("-n", 2, "sh", "-c", f"if [ $PMIX_RANK = 1 ]; then {child} while ! [ -e ready ]; do sleep 0.02; done; exit 5; fi; exec sleep 1000")
    equal(done.code, 5, "exit code")
    check((desk.work / "tidied").exists(), "the child of the rank that failed had no time after SIGTERM")


@case()
def stopped_ranks_are_ended_too(desk):
    done = desk.run("-n", 2, "sh", "-c", 'if [ $PMIX_RANK = 1 ]; then while ! grep -q "State:.T" /proc/$(cat up)/status; do sleep 0.01; done; exit 5; fi; '
                    'echo $$ > up.new; mv up.new up; kill -STOP $$; sleep 1000')
    equal(done.code, 5, "exit code")


@case()
def a_job_may_run_only_so_long(desk):
    done = desk.run("--timeout", "0.7", "-n", 3, "sh", "-c", "if [ $PMIX_RANK = 1 ]; then exit 0; fi; exec sleep 1000")
    equal(done.code, 124, "exit code")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    check("longer than 0.7 s (--timeout)" in done.err and "ranks still running: 0,2" in done.err, done.err)
    equal(desk.run("--timeout", "1000", "-n", 2, "true").code, 0, "exit code of a job in time")


@case()
def the_time_runs_while_ranks_are_started(desk):
    done = desk.run("--timeout", "0.001", "-n", 200, "sleep", "1000")
    equal(done.code, 124, f"exit code: {done}")
    check(re.search(r"longer than 0.001 s \(--timeout\) and is killed; ranks still running: 0\b", done.err), done.err)
    check(not re.search(r"\b199\b", done.err), f"the last rank was started all the same: {done.err}")


@case()
def what_ranks_leave_running_is_ended(desk):
    done = desk.run("-n", 2, "sh", "-c", "sleep 1000 & setsid sleep 1001 & (setsid sh -c 'sleep 1002 & sleep 1003' &) ; exit 0", stdout=-3, stderr=-3)
    equal(done.code, 0, "exit code")
    equal([state_of(pid) for pid in desk.processes()], [], "processes left")
    done = desk.run("--tag-output", "-n", 2, "sh", "-c", "sleep 1000 & setsid sleep 1001 & echo said; exit 4")
    equal(done.code, 4, "exit code")
    check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
    equal([state_of(pid) for pid in desk.processes()], [], "processes left")


# A shell with two children, of which one leaves a child of its own to pealrun, which the shell becomes. Rank 0 waits until that has happened.
FAMILY = """
sh waiter $$ child >/dev/null 2>&1 &
( sh waiter $$ grandchild >/dev/null 2>&1 & echo $! >number; mv number up; while ! [ -e go ]; do sleep 0.02; done ) &
while ! [ -e up ]; do sleep 0.02; done
exec "$0" -n 2 sh -c '
  if [ $PMIX_RANK = 0 ]; then
    : >go
    while [ $(cut -d" " -f4 /proc/$(cat up)/stat) != $PPID ]; do sleep 0.02; done
  fi
  setsid sleep 1000 & exit 0'
"""


@case()
def what_ran_before_the_job_is_left_alone(desk):
    (desk.work / "waiter").write_text("while kill -0 $1; do sleep 0.02; done; : >lived.$2\n")
    process = desk.start("-c", FAMILY, harness.build / "pealrun", program="/bin/bash")
    equal(desk.finish(process).code, 0, "exit code")
    for each in ("child", "grandchild"):
        wait_until(lambda: (desk.work / f"lived.{each}").exists(), f"the {each} that was there before the job has outlived it", PROMPT)


@case()
def files_of_a_killed_rank_are_removed(desk):
    done = desk.run("-n", 2, "sh", "-c", "echo x > $PEAL_SHM_DIR/$PMIX_NAMESPACE.0; echo x > $PEAL_SHM_DIR/other; kill -KILL $$")
    equal(done.code, 137, "exit code")
    equal([each.name for each in desk.shared.iterdir()], ["other"], "files left")
    (desk.shared / "other").unlink()


def start_with_family(desk):
    """Two ranks, each with a child in its group, a child in a session of its own, and a file."""
    script = "echo x > $PEAL_SHM_DIR/$PMIX_NAMESPACE.$PMIX_RANK; sleep 1000 & setsid sleep 1001 & echo ready $PMIX_NAMESPACE; wait"
    process = desk.start("-n", 2, "bash", "-c", script, start_new_session=True)
    lines = [each.split() for each in process.some_lines(2)]
    equal([each[0] for each in lines], ["ready"] * 2, "start")
    wait_until(lambda: len(desk.processes()) >= 2 + 2 * 3, "all of the family run")  # pealrun, guard, and three processes a rank
    check(len(desk.left_files()) >= 3, "the files are there")
    return process, lines[0][1]


@case()
def nothing_is_left_when_pealrun_is_killed(desk):
    process, _ = start_with_family(desk)
    process.kill()
    desk.finish(process)
    desk.expect_nothing_left()


@case()
def nothing_is_left_when_pealrun_aborts(desk):
    process, _ = start_with_family(desk)
    process.send_signal(signal.SIGABRT)
    equal(desk.finish(process).code, -signal.SIGABRT, "exit code")
    desk.expect_nothing_left()


def guard_of(pid):
    for each in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if pathlib.Path(f"/proc/{each}/comm").read_text() == "pealrun-guard\n":
            return int(each)
    return None


@case()
def the_next_pealrun_sweeps(desk):
    process = desk.start("-n", 2, "sh", "-c", "echo x > $PEAL_SHM_DIR/$PMIX_NAMESPACE.0; echo ready; exec sleep 1000", start_new_session=True)
    equal(process.some_lines(2), ["ready\n"] * 2, "start")
    # The guard first, so that nobody is left to tidy up. Ranks die with pealrun all the same.
    os.kill(wait_until(lambda: guard_of(process.pid), "the guard stands"), signal.SIGKILL)
    process.kill()
    desk.finish(process)
    wait_until(lambda: not desk.processes(), "the ranks have died with pealrun")
    left = desk.left_files()
    check(len(left) == 2, f"a folder and a file of the dead job: {left}")
    equal(desk.run("true").code, 0, "exit code of the next")
    equal(desk.left_files(), [], "files left")


@case()
def the_sweep_spares_the_living_and_what_is_not_ours(desk):
    process = desk.start("-n", 1, "sh", "-c", "echo x > $PEAL_SHM_DIR/$PMIX_NAMESPACE.0; echo $PMIX_NAMESPACE; read line; echo done", stdin=-1)
    boot, space, number, _ = process.line().strip().split("-")[1:]
    other_boot = boot[:-1] + ("1" if boot.endswith("0") else "0")
    # The last two: of another pid namespace, and of another host with which the folder is shared.
    kept = ["peal-1-2-3-4x", "peal-", "peal-notes", "other", f"peal-{boot}-1-{number}-5.0", f"peal-{other_boot}-{space}-{number}-5.0"]
    for each in kept:
        (desk.shared / each).write_text("mine\n")
    before = desk.left_files()
    check(len(before) == 2 + len(kept), f"{before}")
    equal(desk.run("true").code, 0, "exit code of the next")
    equal(sorted(desk.left_files()), sorted(before), "files")
    done = desk.finish(process, input="go\n")
    equal((done.code, done.out), (0, "done\n"), "end of the first")
    for each in kept:
        (desk.shared / each).unlink()


@case()
def many_ranks_end_together(desk):
    done = desk.run("-n", 64, "sh", "-c", 'if [ $PMIX_RANK = 63 ]; then exit 6; fi; exec sleep 1000')
    equal(done.code, 6, "exit code")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    check("rank 63 on" in done.err and "exited with code 6" in done.err, done.err)
    return f"64 ranks: ended after {done.seconds:.2f} s"


@case()
def survivors_go_on_when_asked(desk):
    script = 'case $PMIX_RANK in 0) while ! [ -e dead ]; do sleep 0.01; done; echo went on;; 1) exit 3;; 2) kill -KILL $$;; esac'
    process = desk.start("--on-failure", "notify", "-n", 3, "sh", "-c", script)
    lines = [line for line in iter(lambda: process.line(process.stderr), "") if "share cores" not in line and not (desk.work / "dead").exists()
             and not note(desk, line)]
    done = desk.finish(process)
    equal(lines, [], "other lines")
    check(done.code in (3, 137), f"exit code of the first that failed: {done.code}")
    equal(done.lines(), ["went on"], "output of the survivor")


def note(desk, line):
    """Lets the survivor go on once both deaths were told."""
    found = re.search(r"rank (\d) on .* (exited with code 3|was killed by signal 9 \(SIGKILL\))", line)
    check(found, f"unexpected: {line}")
    (desk.work / f"told.{found[1]}").write_text("")
    if len(list(desk.work.glob("told.*"))) == 2:
        (desk.work / "dead").write_text("")
    return True
