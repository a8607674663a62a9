"""A look at ranks on the nodes of a job of Slurm's: --hang-after, SIGQUIT, --attach --slurm, --report and --trace, in the cluster of engine_cases.py."""
import json
import os
import re
import signal
import subprocess

import harness
from harness import case, check, equal, wait_until
from cases.engine_cases import allocated, called, cluster, only_cause, run
from cases.hang_cases import AFTER, Report, program
from cases.report_cases import Page, expected_pairs, rank

ONE_NODE = ("-N2", "--ntasks-per-node=4")  # the ranks are on one of both


def ended(desk, process):
    os.kill(called(desk, process, "pealrun"), signal.SIGTERM)
    done = desk.finish(process)
    check("nothing has moved" not in done.err, f"the same state was told of twice: {done.err}")
    check("SIGTERM) ends the job" in done.err, f"{done}")
    equal(done.code, 143, f"{done}")


def number_of(pealrun):
    """Slurm's number of the job that this pealrun has started, whose step has its process and the number of the attempt in its name."""
    def look():
        words = ["squeue", "--steps", "--noheader", "--format=%i %j"]
        told = subprocess.run(words, env={**os.environ, **cluster()}, capture_output=True, text=True, check=True, timeout=harness.LONG).stdout
        return next((line.split(".")[0].strip() for line in told.splitlines() if re.search(rf"\.{pealrun}\.\d+$", line)), None)
    return wait_until(look, "the job runs")


def attached(desk, *words):
    return desk.run("--attach", "--slurm", *words, env=cluster())


@case()
def a_cycle_of_ranks_on_two_nodes_is_explained(desk):
    process = allocated(desk, "--hang-after", AFTER, "-n", 3, program("standing_rank"), "cycle", size=("-N2", "-n3"))
    Report(process).expect(r"rank 0: waits .*a message from rank 1 with tag 3 on the world",
                           r"rank 2: waits .*a message from rank 0 with tag 3 on the world",
                           r"=> cycle 0 -> 1 -> 2 -> 0")
    ended(desk, process)


@case()
def a_rank_that_is_missing_on_another_node_is_named_with_its_stack(desk):
    process = allocated(desk, "--hang-after", AFTER, "-n", 2, "--ppn", 1, program("standing_rank"), "missing", size=("-N2", "-n2"))
    Report(process).expect(r"=> rank 1 is missing in barrier #1 on the world, where rank 0 waits; rank 1 computes",
                           r"stack of rank 1 \(pid \d+ on n2\)")
    ended(desk, process)


@case()
def a_rank_that_has_ended_on_another_node_is_named(desk):
    process = allocated(desk, "--hang-after", AFTER, "-n", 2, "--ppn", 1, program("standing_rank"), "gone", size=("-N2", "-n2"))
    # It ends when it has been seen. The signal comes when it is there: earlier, there is nothing to tell, and it may end pealrun.
    pealrun = called(desk, process, "pealrun")
    number = number_of(pealrun)
    wait_until(lambda: "rank 1: runs" in attached(desk, number, "--why").out, "rank 1 is seen")
    os.kill(pealrun, signal.SIGQUIT)
    Report(process, head="what the ranks do (job of 2 ranks").expect(r"rank 1: runs")
    (desk.work / "go").touch()
    Report(process).expect(r"rank 1: has ended: it exited", r"=> rank 0 waits for rank 1")
    ended(desk, process)


@case()
def a_job_of_peals_own_is_explained_under_slurm(desk):
    process = allocated(desk, "--hang-after", AFTER, "-n", 3, "--host", "n2", program("hanging_rank"), "missing_collective", size=ONE_NODE)
    Report(process).expect(r"ranks 0,2: each waits in barrier: barrier #2 on the world.*\(missing_collective\)",
                           r"=> rank 1 is missing in barrier #2 on the world, where ranks 0,2 wait; rank 1 waits in recv: a message from rank 0 with tag 5")
    ended(desk, process)


@case()
def sigquit_reports_under_slurm_and_a_job_is_attached_to(desk):
    process = allocated(desk, "-n", 4, program("standing_rank"), "cycle", size=("-N2", "--ntasks-per-node=2"))
    number = number_of(called(desk, process, "pealrun"))
    done = wait_until(lambda: (seen := attached(desk, number, "--why")).out.count("waits") >= 4 and seen, "all ranks are seen")
    check(re.search(r"=> cycle 0 -> 1 -> 2 -> 3 -> 0", done.out), f"{done}")
    done = attached(desk, f"{number}.0")
    equal((done.code, len(done.lines())), (0, 6), f"{done}")
    equal(sorted(line.split()[1] for line in done.lines()[1:]), ["n1", "n1", "n2", "n2", "node"], f"the nodes of the table: {done}")
    seen = json.loads(attached(desk, number, "--json").out)
    equal([each["host"] for each in seen["jobs"][0]["ranks"]].count("n2"), 2, f"nodes: {seen}")
    done = attached(desk, "99999")
    equal(done.code, 1, f"{done}")
    check("--slurm 99999: Slurm knows no such job that runs" in done.err, f"{done}")
    equal(attached(desk, "7;rm").code, 2, "a number that is none")
    os.kill(called(desk, process, "pealrun"), signal.SIGQUIT)
    Report(process, head="what the ranks do (job of 4 ranks").expect(r"=> cycle 0 -> 1 -> 2 -> 3 -> 0")
    ended(desk, process)


@case()
def the_report_and_the_trace_are_fetched_from_the_nodes(desk):
    page, trace = desk.work / "run.html", desk.work / "run.json"
    done = run(desk, "-n", 3, "--host", "n2", "--report", page, "--trace", trace, *rank("traffic"), size=ONE_NODE)
    equal((done.code, done.err), (0, ""), f"{done}")
    read = Page(page.read_text())
    equal({(f, t): (m, b) for f, t, m, b, *_ in read.data["pairs"]}, expected_pairs(3), "messages and bytes that each rank has sent")
    equal([row[1] for row in read.tables["Time of each rank"][1:]], ["n2"] * 3, "nodes of ranks")
    events = json.loads(trace.read_text())["traceEvents"]
    begins = {each["id"]: each["ts"] for each in events if each["ph"] == "s"}
    ends = {each["id"]: each["ts"] for each in events if each["ph"] == "f"}
    equal(len(begins), sum(count for count, _ in expected_pairs(3).values()), "arrows")
    check(all(ends[each] >= begins[each] for each in begins), "an arrow goes back")
    equal(desk.left_files(), [], "what the nodes keep")


@case()
def the_report_has_what_a_killed_rank_had_done_under_slurm(desk):
    page = desk.work / "run.html"
    done = run(desk, "-n", 3, "--host", "n1", "--report", page, *rank("die"), size=ONE_NODE)
    only_cause(done, 137, "rank 1 on n1", "killed by signal 9")
    read = Page(page.read_text())
    equal(read.data["ranks"][1]["ended"], False, "the end of rank 1")
    equal({(f, t): (m, b) for f, t, m, b, *_ in read.data["pairs"]}[1, 0], (2, 16), "what the dead rank had sent")
    equal(desk.left_files(), [], "what the nodes keep")


@case()
def a_report_that_could_not_be_fetched_is_refused_before_the_job(desk):
    words = ("--engine", "slurm", "-N", 1, "-n", 1, "--report", desk.work / "run.html", "sh", "-c", "echo started")
    only_cause(desk.run(*words, env=cluster()), 2, "--report", "run pealrun inside of salloc or sbatch")
    done = run(desk, "-n", 1, "--report", desk.work / "no/run.html", "sh", "-c", "echo started")
    only_cause(done, 2, "--report", "cannot be written")
    equal(done.out, "", "the job was not started")
