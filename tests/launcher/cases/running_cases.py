"""What ranks find: numbers, variables, folders, input, output, signals."""
import os
import pathlib
import pty
import re
import signal
import subprocess
import time

import harness
from harness import case, check, equal, state_of, wait_until

# The shell's answer to each signal, one line each. `wait` ends when a signal comes, so the loop sees them at once.
LISTENER = """
for each in INT TERM HUP USR1 CONT; do trap "echo got $each" $each; done
trap 'echo got USR2; exit 0' USR2
echo ready
while :; do sleep 1000 & wait $!; kill $! 2>/dev/null; done
"""


def plain(*words):
    return [str(harness.build / "tests/launcher/plain_rank"), *map(str, words)]


@case()
def every_rank_runs_once(desk):
    for option, count in (("-n", 1), ("-np", 3), ("--np", 16)):
        done = desk.run(option, count, "sh", "-c", "echo $PMIX_RANK")
        equal(done.code, 0, "exit code")
        equal(sorted(map(int, done.lines())), list(range(count)), "ranks")
        equal(done.complaints(), [], "complaints")
    equal(desk.run("sh", "-c", "echo $PMIX_RANK").lines(), ["0"], "without -n")


@case()
def several_programs_make_one_job(desk):
    (desk.work / "a").mkdir()
    done = desk.run("-n", 2, "-x", "LEVEL=low", "sh", "-c", 'echo $PMIX_RANK $LEVEL $0 $(pwd)', "first", ":",
                    "-n", 1, "--wdir", "a", "-x", "LEVEL=high", "sh", "-c", 'echo $PMIX_RANK $LEVEL $0 $(pwd)', "second", ":",
                    "sh", "-c", 'echo $PMIX_RANK $LEVEL $0 $(pwd)', "third", env={"LEVEL": "outer"})
    wanted = [f"0 low first {desk.work}", f"1 low first {desk.work}", f"2 high second {desk.work}/a", f"3 outer third {desk.work}"]
    equal(sorted(done.lines()), wanted, "what the ranks found")


@case()
def variables_are_passed(desk):
    script = "echo $ONE,$TWO,$THREE"
    done = desk.run("-x", "ONE", "-x", "TWO=2", "-x", "THREE=a=b c", "-x", "TWO=zwei", "sh", "-c", script, env={"ONE": "1", "TWO": "outer"})
    equal(done.out, "1,zwei,a=b c\n", "variables")


@case()
def the_working_folder_is_where_asked(desk):
    equal(desk.run("--wdir", "/usr", "pwd").out, "/usr\n", "absolute")
    (desk.work / "inner").mkdir()
    (desk.work / "here").write_text("#!/bin/sh\npwd\n")
    (desk.work / "here").chmod(0o755)
    equal(desk.run("--wdir", "inner", "./here").out, f"{desk.work}/inner\n", "a program's path counts from where pealrun was called")


def meeting_with_limit(desk, limit, ranks, *options):
    return desk.run("-c", f'{limit}; exec "$@"', "sh", harness.build / "pealrun", "--bind-to", "none", *options, "-n", ranks,
                    harness.build / "tests/launcher/meeting_rank", "meet", program="/bin/sh", limit=60)


@case()
def a_soft_limit_of_open_files_is_no_obstacle(desk):
    done = meeting_with_limit(desk, "ulimit -Sn 32", 20, "--tag-output")
    equal(done.code, 0, f"{done}")
    check(done.out.startswith("[0] met 20 ranks"), done.out)
    done = desk.run("-c", 'ulimit -Sn 77; exec "$0" -n 2 sh -c "ulimit -Sn"', harness.build / "pealrun", program="/bin/sh")
    equal(done.lines(), ["77"] * 2, "what ranks have")


@case()
def too_few_open_files_are_told_before_the_start(desk):
    for limit, ranks in (("ulimit -n 24", 8), ("ulimit -n 16", 2)):
        done = meeting_with_limit(desk, limit, ranks)
        equal((done.code, done.out), (1, ""), f"exit code: {done}")
        equal(len(done.complaints()), 1, f"lines ({done.err!r})")
        check(re.search(rf"{ranks} ranks need \d+ open files here, but {limit[-2:]} are allowed", done.err), done.err)


@case()
def a_stack_that_is_too_small_is_told_before_the_start(desk):
    for size in (64, 160):
        done = meeting_with_limit(desk, f"ulimit -Ss {size}", 2)
        equal((done.code, done.out), (1, ""), f"exit code: {done}")
        told = f"pealrun: the stack is limited to {size} KiB, but libpmix needs 512: raise the limit (ulimit -s, or stack in limits.conf)"
        equal(done.err.splitlines(), [told], "errors")
    done = meeting_with_limit(desk, "ulimit -Ss 512", 2)
    check(done.code == 0 and "met 2 ranks" in done.out, f"{done}")


@case()
def a_script_without_interpreter_runs_by_the_shell(desk):
    (desk.work / "script").write_text('echo "$0 $1"\n')
    (desk.work / "script").chmod(0o755)
    equal(desk.run("./script", "argument").out, f"{desk.work}/script argument\n", "output")


@case()
def tagged_lines_are_whole(desk):
    ranks, count = 4, 1500
    done = desk.run("--tag-output", "-n", ranks, *plain("lines", count))
    equal(done.code, 0, "exit code")
    for text, parity in ((done.out, 0), (done.err, 1)):
        found = [re.fullmatch(r"\[(\d+)\] line (\d+) of rank (\d+) ends", line) for line in text.splitlines() if not line.startswith("pealrun:")]
        check(all(found), "a line is torn")
        check(all(each[1] == each[3] for each in found), "a line has the tag of another rank")
        for rank in range(ranks):
            numbers = [int(each[2]) for each in found if int(each[1]) == rank]
            equal(numbers, list(range(parity, count, 2)), f"lines of rank {rank}, in order")


@case()
def tagged_lines_may_be_long_or_unfinished(desk):
    done = desk.run("--tag-output", "-n", 3, *plain("long", 300_000))
    equal(sorted(done.lines()), [f"[{rank}] " + "x" * 300_000 for rank in range(3)], "long lines")
    done = desk.run("--tag-output", "-n", 2, *plain("long", 5_000_000))
    check(sorted(done.lines()) == [f"[{rank}] " + "x" * 5_000_000 for rank in range(2)],
          f"lines of 5 MB are torn: {[(line[:5], len(line)) for line in done.lines()][:20]}")
    done = desk.run("--tag-output", "-n", 2, "printf", "no end")
    equal(sorted(done.lines()), ["[0] no end", "[1] no end"], "lines without an end")
    done = desk.run("--tag-output", "sh", "-c", r"printf '\n\na\n'")
    equal(done.lines(), ["[0] ", "[0] ", "[0] a"], "empty lines")


@case()
def tagged_output_survives_a_slow_reader(desk):
    process = desk.start("--tag-output", "-n", 2, *plain("lines", 60_000), stderr=subprocess.STDOUT)
    time.sleep(0.3)  # pipes and queues fill up; nothing depends on how much
    out = desk.finish(process).out
    equal(sum(" ends" in line for line in out.splitlines()), 120_000, "lines")


@case()
def output_waits_for_a_reader_after_the_ranks_end(desk):
    count = 40_000
    process = desk.start("--tag-output", "-n", 2, *plain("lines", count), stderr=subprocess.STDOUT)
    first = process.line()
    # pealrun takes in what ranks write up to some megabytes, so they end.
    wait_until(lambda: len(desk.processes()) == 2, "only pealrun and its guard are left")
    time.sleep(4)  # longer than pealrun waits for processes that it could not end
    out = first + desk.finish(process).out
    equal(sum(" ends" in line for line in out.splitlines()), 2 * count, "lines")


@case()
def a_pipe_for_both_streams_may_fill_up(desk):
    process = desk.start("--tag-output", "-n", 2, *plain("lines", 10_000_000), stderr=subprocess.STDOUT)
    # Whenever a page is read there is room for one write, while output and errors both wait to be written.
    for _ in range(100):
        os.read(process.stdout.fileno(), 4096)
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    wait_until(lambda: len(desk.processes()) <= 2, "only pealrun and its guard are left")
    equal(desk.finish(process).code, 128 + signal.SIGTERM, "exit code")


@case()
def a_reader_that_leaves_ends_the_job(desk):
    process = desk.start("--tag-output", "-n", 2, "yes")
    check(process.line().startswith("["), "no tag")
    process.stdout.close()
    equal(process.wait(harness.LONG), 128 + signal.SIGPIPE, "exit code")
    process.stderr.close()


@case()
def output_without_space_ends_the_job(desk):
    with open("/dev/full", "wb") as full:
        done = desk.run("--tag-output", "-n", 2, "yes", stdout=full)
    equal(done.code, 1, "exit code")
    check("the output cannot be written: No space left on device" in done.err, done.err)


@case()
def standard_input_goes_to_rank_0(desk):
    text = "".join(f"line {number}\n" for number in range(40_000))
    done = desk.run("-n", 3, "sh", "-c", 'cat > got.$PMIX_RANK', input=text)
    equal(done.code, 0, "exit code")
    equal([len((desk.work / f"got.{rank}").read_text()) for rank in range(3)], [len(text), 0, 0], "characters read")
    check((desk.work / "got.0").read_text() == text, "rank 0 read something else")


@case()
def what_is_typed_goes_to_rank_0(desk):
    ours, theirs = pty.openpty()
    process = desk.start("-n", 2, *plain("typed"), stdin=theirs, start_new_session=True, preexec_fn=lambda: claim_terminal(theirs))
    os.close(theirs)
    os.write(ours, b"hello\n")
    seen = process.some_lines(3)
    os.write(ours, b"again\n\x04")
    done = desk.finish(process)
    os.close(ours)
    lines = "".join(seen).splitlines() + done.lines()
    equal(sorted(lines), sorted(["no terminal"] * 2 + ["end of input"] * 2 + ["read 'hello'", "read 'again'"]), "what the ranks read")


def claim_terminal(descriptor):
    import fcntl
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


@case()
def interrupt_from_the_terminal_reaches_the_ranks(desk):
    ours, theirs = pty.openpty()
    process = desk.start("-n", 2, "sh", "-c", "trap 'echo interrupted; exit 0' INT; echo ready; sleep 1000 & wait", stdin=theirs,
                         start_new_session=True, preexec_fn=lambda: claim_terminal(theirs))
    os.close(theirs)
    equal(process.some_lines(2), ["ready\n"] * 2, "start")
    os.write(ours, b"\x03")
    done = desk.finish(process)
    os.close(ours)
    equal((done.code, done.lines()), (0, ["interrupted"] * 2), "end")


@case()
def a_rank_that_the_terminal_stops_is_told_of_and_can_be_interrupted(desk):
    for command, name, does in (("read line </dev/tty", "TTIN", "reads the terminal"), ("stty tostop </dev/tty", "TTOU", "changes the terminal")):
        ours, theirs = pty.openpty()
        process = desk.start("-n", 2, "--bind-to", "none", "sh", "-c", f"if [ $PMIX_RANK = 1 ]; then {command}; fi; exec sleep 1000", stdin=theirs,
                             start_new_session=True, preexec_fn=lambda: claim_terminal(theirs))
        os.close(theirs)
        line = process.line(process.stderr)
        check(re.match(rf"pealrun: rank 1 on \S+ \(pid \d+, sh\) was stopped by signal \d+ \(SIG{name}\): it {does}; it has the terminal now", line), line)
        os.write(ours, b"\x03")
        done = desk.finish(process)
        os.close(ours)
        equal(done.code, 128 + signal.SIGINT, f"exit code: {done}")


@case()
def a_second_interrupt_soon_after_the_first_kills_the_job(desk):
    process = desk.start("-n", 2, "sh", "-c", "trap 'echo got it' INT; echo ready; while :; do sleep 1000 & wait $!; done")
    equal(process.some_lines(2), ["ready\n"] * 2, "start")
    for count in range(1, 20):  # on a busy machine more than two may be needed
        process.send_signal(signal.SIGINT)
        if process.some_lines(2) != ["got it\n"] * 2:
            break
    else:
        check(False, f"{count} interrupts did not end the job")
    done = desk.finish(process)
    equal(done.code, 128 + signal.SIGINT, f"exit code: {done}")
    equal(done.complaints(), ["pealrun: interrupted twice within 5 s: the job is killed"], "lines")


@case()
def signals_are_passed_on_as_they_are(desk):
    process = desk.start("-n", 2, "sh", "-c", LISTENER)
    equal(process.some_lines(2), ["ready\n"] * 2, "start")
    for name in ("USR1", "INT", "HUP", "TERM", "CONT"):
        process.send_signal(getattr(signal, f"SIG{name}"))
        equal(process.some_lines(2), [f"got {name}\n"] * 2, f"after SIG{name}")
    process.send_signal(signal.SIGUSR2)
    done = desk.finish(process)
    equal(done.lines(), ["got USR2"] * 2, "after SIGUSR2")
    equal((done.code, done.complaints()), (0, []), "end")


@case()
def a_signal_that_ends_the_ranks_is_the_exit_code(desk):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        process = desk.start("-n", 3, "sh", "-c", "echo ready; exec sleep 1000")
        equal(process.some_lines(3), ["ready\n"] * 3, "start")
        process.send_signal(number)
        done = desk.finish(process)
        equal(done.code, 128 + number, f"exit code after {number.name}")
        equal(len(done.complaints()), 1, f"lines after {number.name}")
        check(f"({number.name})" in done.err and "pealrun passed on" in done.err, done.err)


@case()
def a_signal_ignored_before_stays_ignored(desk):
    script = f"trap '' HUP USR1; exec {harness.build}/pealrun -n 2 sh -c 'grep SigIgn /proc/self/status; grep SigBlk /proc/self/status'"
    done = desk.run("-c", script, program="/bin/sh")
    equal(done.code, 0, "exit code")
    ignored = [int(line.split()[1], 16) for line in done.lines() if line.startswith("SigIgn")]
    equal(ignored, [1 << signal.SIGHUP - 1 | 1 << signal.SIGUSR1 - 1 | usually_ignored()] * 2, "signals that ranks ignore")
    equal([line.split()[1] for line in done.lines() if line.startswith("SigBlk")], ["0" * 16] * 2, "signals that ranks block")


def usually_ignored():
    """Python ignores SIGPIPE and SIGXFSZ for itself and restores them for what it starts; whatever else we inherited stands here."""
    line = next(each for each in pathlib.Path("/proc/self/status").read_text().splitlines() if each.startswith("SigIgn"))
    return int(line.split()[1], 16) & ~(1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


@case()
def stop_and_continue(desk):
    os.mkfifo(desk.work / "go")
    process = desk.start("-n", 2, "sh", "-c", "echo $$; true < go; echo done")
    pids = [int(each) for each in process.some_lines(2)]
    process.send_signal(signal.SIGTSTP)
    everyone = [process.pid, *pids]
    wait_until(lambda: all(state_of(pid) == "T" for pid in everyone), "all are stopped")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: all(state_of(pid) not in ("T", "") for pid in everyone), "all go on")
    with open(desk.work / "go", "w", encoding="ascii"):  # lets both go on
        done = desk.finish(process)
    equal((done.code, sorted(done.lines())), (0, ["done"] * 2), "end")


@case()
def closed_standard_descriptors_do_no_harm(desk):
    done = desk.run("-c", f"exec {harness.build}/pealrun -n 2 sh -c 'echo fine' <&-", program="/bin/sh")
    equal((done.code, done.lines()), (0, ["fine"] * 2), "without input")
    done = desk.run("-c", f"exec {harness.build}/pealrun --tag-output -n 2 sh -c 'echo fine >&2' >&-", program="/bin/sh")
    equal(done.code, 0, "exit code without output")
    equal(sorted(line for line in done.err.splitlines() if line.startswith("[")), ["[0] fine", "[1] fine"], "without output")


@case()
def ranks_get_one_descriptor_of_pealrun(desk):
    # ls has the folder open as one more.
    script = "echo $(ls /proc/self/fd) of $PEALRUN_JOB"
    lines = desk.run("-n", 2, "sh", "-c", script).lines()
    numbers = [line.split(" of ")[1].split(":")[0] for line in lines]
    equal([sorted(line.split(" of ")[0].split(), key=int) for line in lines], [["0", "1", "2", "3", number] for number in numbers],
          "descriptors: but for the memory that ranks meet in there is none")
    done = desk.run("-n", 2, "sh", "-c", script, env={"PEAL_BOOTSTRAP": "pmix"})
    equal(done.lines(), ["0 1 2 3 of"] * 2, "descriptors, when ranks meet by PMIx")
