"""Jobs that stand still, explained; and a look at jobs that run (pealrun --hang-after, SIGQUIT, --attach)."""
import json
import re
import signal

import harness
from harness import case, check, equal, state_of, wait_until
from cases.terminal_cases import Screen

# How long a job has to stand still before it is told of. What a test waits for is the report, however long it takes.
AFTER = 2


def program(name):
    return str(harness.build / "tests/launcher" / name)


class Report:
    """What pealrun has written of a job that stands still, read until a line that is the last that is wanted."""

    def __init__(self, process, head="nothing has moved"):
        self.lines = []
        self.process = process
        while head not in (line := process.line(process.stderr)):
            check(line, f"pealrun has ended without a report ({head})")
        self.lines.append(line.rstrip())

    def expect(self, *patterns):
        """All of them, each in some line; the order does not matter."""
        wanted = list(patterns)
        wanted = [each for each in wanted if not any(re.search(each, line) for line in self.lines)]
        while wanted:
            line = self.process.line(self.process.stderr)
            check(line, f"not in the report: {wanted}; it is:\n" + "\n".join(self.lines))
            if line.startswith("pealrun:"):
                raise AssertionError(f"not in the report: {wanted}; it is:\n" + "\n".join(self.lines))
            self.lines.append(line.rstrip())
            wanted = [each for each in wanted if not re.search(each, self.lines[-1])]
        return self


def stands_still(desk, way, *patterns, ranks=3, name="hanging_rank", options=()):
    """The report has these lines, the job goes on, and its end is not affected."""
    process = desk.start("--hang-after", AFTER, "-n", ranks, *options, program(name), way)
    report = Report(process).expect(*patterns)
    equal(process.poll(), None, f"the job after its report\n{report.lines}")
    process.send_signal(signal.SIGTERM)
    done = desk.finish(process)
    if not options:
        equal(done.code, 128 + signal.SIGTERM, f"exit code after SIGTERM: {done}")
    check("nothing has moved" not in done.err, f"the same state was told of twice: {done.err}")
    return "\n".join(report.lines)


@case()
def hang_recv_cycle(desk):
    return stands_still(desk, "recv_cycle",
                        r"rank 0: waits in recv: a message from rank 1 with tag 3 on the world.*hanging_rank\.cpp:\d+ \(recv_cycle\), for ",
                        r"=> cycle 0 -> 1 -> 2 -> 0: rank 0 waits for rank 1: a message from rank 1 with tag 3")


@case()
def hang_missing_collective(desk):
    return stands_still(desk, "missing_collective",
                        r"ranks 0,2: each waits in barrier: barrier #2 on the world.*\(missing_collective\)",
                        r"=> rank 1 is missing in barrier #2 on the world, where ranks 0,2 wait; rank 1 waits in recv: a message from rank 0 with tag 5",
                        r"=> cycle 0 -> 1 -> 0")


@case()
def hang_mismatched_tag(desk):
    return stands_still(desk, "mismatched_tag",
                        r"=> rank 0 waits for tag 7 from rank 1, but what rank 1 has sent is tag 8 \(4 B\), which lies unclaimed at rank 0",
                        r"rank 2: is at its end")


@case()
def hang_mismatched_communicator(desk):
    return stands_still(desk, "mismatched_communicator",
                        r"=> rank 0 waits for tag 7 on the world from rank 1, but what rank 1 has sent is tag 7 on communicator \d+ \(4 B\)")


@case()
def hang_wrong_count(desk):
    return stands_still(desk, "wrong_count",
                        r"rank 0: waits in recv: a message from rank 1 with tag 4",
                        r"=> cycle 0 -> 1 -> 0: .*tag 4.*; rank 1 waits for rank 0: a message from rank 0 with tag 6")


@case()
def hang_exited_rank(desk):
    return stands_still(desk, "exited_rank",
                        r"rank 0: waits in recv: a message from any rank with tag 1",
                        r"rank 1: waits in recv: a message from rank 0 with tag 2",
                        r"rank 2: has ended: it was killed by signal 9 \(SIGKILL\)",
                        r"=> rank 0 waits for a message from any rank with tag 1 on the world.*and each rank that might send it waits, or has ended",
                        options=("--on-failure", "notify"))


@case()
def hang_computing_rank(desk):
    return stands_still(desk, "computing_rank",
                        r"rank 1: computes, or does something else outside of peal, for ",
                        r"=> rank 1 is missing in barrier #1 on the world, where ranks 0,2 wait; rank 1 computes",
                        r"stack of rank 1 \(pid \d+\)")


@case()
def hang_polling_rank(desk):
    return stands_still(desk, "polling_rank",
                        r"=> rank 1 is missing in barrier #1 on the world, where ranks 0,2 wait; rank 1 makes calls in a loop")


@case()
def hang_lost_isend(desk):
    return stands_still(desk, "lost_isend",
                        r"rank 0: waits in wait: a message of 2 MiB to rank 1 with tag 11 on the world",
                        r"=> rank 0 has sent tag 11 \(2 MiB\) on the world to rank 1, which does not receive it: of that rank it receives tag 12",
                        r"=> cycle 0 -> 1 -> 0")


@case()
def hang_probe_in_vain(desk):
    return stands_still(desk, "probe_in_vain",
                        r"rank 0: waits in probe: a message to probe from rank 1 with tag 13",
                        r"=> rank 0 is missing in barrier #1 on the world, where ranks 1,2 wait; rank 0 waits in probe")


@case()
def hang_crossed_collectives(desk):
    return stands_still(desk, "crossed_collectives",
                        r"=> rank 1 is missing in barrier #1 on communicator \d+, where ranks 0,2 wait; rank 1 waits in barrier: barrier #1 on communicator \d+",
                        r"=> cycle 0 -> 1 -> 0: rank 0 waits for rank 1: barrier #1 on communicator \d+ .*; rank 1 waits for rank 0: barrier #1")


@case()
def hang_mpi_recv_cycle(desk):
    return stands_still(desk, "recv_cycle",
                        r"rank 0: waits in MPI_Recv: a message from rank 2 with tag 17 on MPI_COMM_WORLD.*hanging_mpi\.c:\d+ \(recv_cycle\)",
                        r"=> cycle 0 -> 2 -> 1 -> 0", name="hanging_mpi")


@case()
def hang_mpi_missing_collective(desk):
    return stands_still(desk, "missing_collective",
                        r"ranks 1,2: each waits in MPI_Allreduce: allreduce #2 on solvers, 8 B.*hanging_mpi\.c:\d+",
                        r"=> rank 0 is missing in allreduce #2 on solvers, where ranks 1,2 wait; rank 0 waits in MPI_Probe: .*rank 1 with tag 23",
                        name="hanging_mpi")


@case()
def hang_mpi_lost_isend(desk):
    return stands_still(desk, "lost_isend",
                        r"rank 0: waits in MPI_Wait: a message of 2 MiB to rank 1 with tag 31 on MPI_COMM_WORLD",
                        r"=> rank 0 has sent tag 31 \(2 MiB\) on MPI_COMM_WORLD to rank 1, which does not receive it: of that rank it receives tag 32",
                        name="hanging_mpi")


@case()
def hang_of_ranks_that_only_poll(desk):
    return stands_still(desk, "recv_cycle", r"=> cycle 0 -> 1 -> 0", ranks=2, options=("-x", "PEAL_WAIT=poll"))


@case()
def sigquit_asks_for_a_report_and_the_job_goes_on(desk):
    process = desk.start("-n", 2, program("hanging_rank"), "recv_cycle")
    wait_until(lambda: len(shown(desk, process)) == 2 and all(each["waits"] for each in shown(desk, process)), "both ranks wait")
    for _ in range(2):  # as often as it is asked for
        process.send_signal(signal.SIGQUIT)
        Report(process, "what the ranks do").expect(r"=> cycle 0 -> 1 -> 0")
    equal(process.poll(), None, "the job after its report")
    process.send_signal(signal.SIGTERM)
    equal(desk.finish(process).code, 128 + signal.SIGTERM, "exit code")


@case()
def a_job_that_goes_well_is_not_told_of(desk):
    done = desk.run("--hang-after", 0.5, "-n", 2, "sleep", 2)
    equal(done.complaints(), [], "said")


def shown(desk, process):
    """The ranks of the job, as --attach --json has them."""
    done = desk.run("--attach", "--json", process.pid)
    if done.code != 0:
        return []
    return json.loads(done.out)["jobs"][0]["ranks"]


@case()
def attach_shows_a_job_once(desk):
    process = desk.start("-n", 3, program("hanging_rank"), "missing_collective")
    wait_until(lambda: sum(bool(each["waits"]) for each in shown(desk, process)) == 3, "all ranks wait")
    done = desk.run("--attach", process.pid, "--once")
    equal((done.code, done.err), (0, ""), "attach")
    lines = done.lines()
    check(re.search(r": 3 ranks, 3 shown here; \S+ messages/s, \S+B/s, \S+ cores; bytes without those of messages of 40 B and less inside a node$", lines[0]), lines[0])
    equal(lines[1].split(), ["rank", "pid", "cpu%", "msg/s", "B/s", "coll/s", "since", "what"], "the head")
    pids = [int(line.split()[1]) for line in lines[2:]]
    equal([line.split()[0] for line in lines[2:]], ["0", "1", "2"], "ranks")
    check(all(b"LAUNCHER_TEST=" + desk.mark.encode() in harness.environment_of(pid) for pid in pids), f"processes {pids}")
    check("waits in recv: a message from rank 0 with tag 5" in lines[3], lines[3])
    # By the name of the job, and with who waits for whom.
    name = lines[0].split(": ")[0]
    done = desk.run("--attach", name, "--why")
    check("=> rank 1 is missing in barrier #2 on the world, where ranks 0,2 wait" in done.out, str(done))
    check(state_of(process.pid) not in ("", "Z"), "the job has ended")
    process.send_signal(signal.SIGTERM)
    desk.finish(process)


@case()
def attach_counts_messages_of_any_length(desk):
    process = desk.start("-n", 2, program("busy_rank"), "short", 5000)
    wait_until(lambda: sum(bool(each["waits"]) for each in shown(desk, process)) == 2, "both ranks wait")
    wait_until(lambda: all(5000 <= each["messages"] < 5100 for each in shown(desk, process)), "what was sent is counted")
    process.send_signal(signal.SIGTERM)
    desk.finish(process)


@case()
def attach_refreshes_on_a_terminal_until_the_job_ends_or_q(desk):
    process = desk.start("-n", 3, program("hanging_rank"), "missing_collective")
    wait_until(lambda: sum(bool(each["waits"]) for each in shown(desk, process)) == 3, "all ranks wait")
    frame = r"waits in recv: a message from rank 0 with tag 5[^\n]*"
    with_q = Screen(desk, "--attach", process.pid)
    until_the_end = Screen(desk, "--attach", process.pid)
    without_codes = Screen(desk, "--attach", process.pid, env={"TERM": "dumb"})
    equal(without_codes.finish(), 0, "exit code on a terminal that cannot go back")
    check("\x1b" not in without_codes.text and re.search(frame, without_codes.text), without_codes.text)
    for each in (with_q, until_the_end):
        each.until(f"(?s)({frame}.*){{2}}")
    with_q.type("q")
    equal(with_q.finish(), 0, "exit code after q")
    check(with_q.text.endswith("\x1b[?25h\x1b[?1049l"), f"the terminal is not as it was: {with_q.text[-100:]!r}")
    process.send_signal(signal.SIGTERM)
    desk.finish(process)
    equal(until_the_end.finish(), 0, "exit code at the end of the job")
    check(re.search(r"\x1b\[\?1049lpealrun: \S+ has ended\r\n$", until_the_end.text), f"{until_the_end.text[-200:]!r}")


@case()
def attach_merges_what_other_nodes_have_written(desk):
    process = desk.start("-n", 2, program("hanging_rank"), "recv_cycle")
    wait_until(lambda: sum(bool(each["waits"]) for each in shown(desk, process)) == 2, "both ranks wait")
    text = json.loads(desk.run("--attach", process.pid, "--json").out)
    other = text["jobs"][0]["ranks"][0]
    other.update(rank=5, host="elsewhere", waits=[], quiet=None)
    text["jobs"][0]["ranks"] = [other]
    file = desk.folder / "other.json"
    file.write_text(json.dumps(text))
    done = desk.run("--attach", process.pid, "--once", "--with", file)
    equal([line.split()[0] for line in done.lines()[2:]], ["0", "1", "5"], f"ranks: {done}")
    file.write_text("{}")
    done = desk.run("--attach", process.pid, "--once", "--with", file)
    equal(done.code, 1, str(done))
    check(f"pealrun: --with {file}: no snapshot of a job" in done.err, done.err)
    process.send_signal(signal.SIGTERM)
    desk.finish(process)


@case()
def attach_says_what_there_is_instead(desk):
    done = desk.run("--attach", "no-such-job")
    equal((done.code, done.out), (1, ""), str(done))
    check(re.match(r"pealrun: (no job of this user|--attach no-such-job: no job has that name or process; there are:)", done.err), done.err)
    done = desk.run("-n", 2, "--attach", "true", program("plain_rank"))
    equal(done.code, 2, str(done))
    check("--attach: has to be the first word: pealrun --attach [JOB|PID]" in done.err, done.err)
    done = desk.run("--attach", "--what")
    equal(done.code, 2, str(done))


@case()
def hang_after_wants_seconds(desk):
    for wrong in ("soon", "-1", "0"):
        done = desk.run("--hang-after", wrong, "-n", 1, "true")
        equal(done.code, 2, f"{wrong}: {done}")
        check("--hang-after" in done.err and wrong in done.err, done.err)
