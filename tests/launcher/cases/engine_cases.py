"""Jobs that another launcher starts for pealrun: Slurm, in a cluster of two nodes on this machine, and prterun."""
import atexit
import collections
import os
import pathlib
import pty
import random
import shutil
import signal
import statistics
import subprocess
import threading
import time

import harness
import slurm_cluster
from harness import Skip, case, check, end_of_killed, equal, state_of, wait_until
from cases.running_cases import claim_terminal

FULL = os.environ.get("TEST_TIER") == "full"
# As many other jobs take some seconds on a quiet machine.
PLAIN_JOBS = 20
lock = threading.Lock()
shared = {}


def cluster():
    """The environment of a cluster, one for all cases, made for the first that asks. It ends when nobody holds its input any more."""
    if missing := slurm_cluster.missing():
        raise Skip(f"needs {' '.join(missing)}: install slurmctld slurmd slurm-client munge")
    with lock:
        if "process" not in shared:
            words = [slurm_cluster.__file__, "sh", "-c", 'echo "$SLURM_CONF"; cat']
            shared["process"] = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
            shared["configuration"] = shared["process"].stdout.readline().decode().strip()
            atexit.register(end_cluster)
    check(shared["configuration"], "the cluster did not start")
    return {"PATH": slurm_cluster.PATH, "SLURM_CONF": shared["configuration"]}


def end_cluster():
    shared["process"].stdin.close()
    shared["process"].wait()


def allocated(desk, *words, size=("-N2", "-n4"), program=None, env=(), **options):
    """Starts pealrun, or another program, inside of an allocation."""
    program = program or harness.build / "pealrun"
    environment = {**cluster(), **dict(env)}
    return desk.start("--quiet", *size, program, *words, program=shared_path("salloc"), env=environment, **options)


def shared_path(name):
    return shutil.which(name, path=slurm_cluster.PATH)


def run(desk, *words, input=None, **options):
    if input is not None:
        options["stdin"] = subprocess.PIPE
    return desk.finish(allocated(desk, *words, **options), input)


def srun(desk, *words, **options):
    return desk.run(*words, program=shared_path("srun"), env=cluster(), **options)


def descendants(pid):
    """A process and those below it, with their names."""
    found = [pid]
    for each in pathlib.Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                if int(each.joinpath("stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found += descendants(int(each.name))
            except (OSError, IndexError):
                pass
    return found


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def called(desk, process, name):
    """The process of that name below another one."""
    def look():
        for each in descendants(process.pid):
            try:
                if pathlib.Path(f"/proc/{each}/comm").read_text().strip() == name and state_of(each) not in ("Z", ""):
                    return each
            except OSError:
                pass
        return None
    return wait_until(look, f"{name} runs")


def only_cause(done, code, *says):
    """The job failed with this code, and one line says why."""
    equal(done.code, code, f"exit code: {done}")
    lines = [line for line in done.err.splitlines() if line]
    equal(len(lines), 1, f"lines of the cause ({done.err!r})")
    for each in ("pealrun: ", *says):
        check(each in done.err, f"{each!r} is not in {done.err!r}")


@case()
def srun_starts_ranks_that_find_each_other(desk):
    done = srun(desk, "--mpi=pmix", "-N1", "-n4", harness.build / "tests/launcher/meeting_rank", "meet")
    check(done.code == 0 and "met 4 ranks" in done.out, f"{done}")
    done = srun(desk, "--mpi=pmix", "-N1", "-n4", harness.build / "tests/launcher/blocked_rank", "nothing")
    equal(done.code, 0, f"a program of peal: {done}")


@case()
def srun_without_pmix_is_refused(desk):
    done = srun(desk, "-N2", "-n2", harness.build / "tests/launcher/blocked_rank", "nothing")
    check(done.code != 0, f"{done}")
    check("Slurm started 2 tasks without PMIx" in done.err and "add --mpi=pmix to srun" in done.err, f"{done}")


@case()
def pealrun_becomes_srun_inside_an_allocation(desk):
    script = 'echo "$PMIX_RANK of $SLURM_NTASKS on $SLURMD_NODENAME"'
    done = run(desk, "sh", "-c", script)
    equal((done.code, done.err), (0, ""), f"{done}")
    check(sorted(line.split(" on ")[0] for line in done.lines()) == [f"{rank} of 4" for rank in range(4)], f"as many ranks as allocated: {done}")
    check({line.split()[-1] for line in done.lines()} == {"n1", "n2"}, f"both nodes have ranks: {done}")
    done = run(desk, "-n", 2, "-N", 2, "sh", "-c", script)
    equal(sorted(done.lines()), ["0 of 2 on n1", "1 of 2 on n2"], "two ranks, on a node each")
    done = run(desk, "-n", 2, "--host", "n2", "sh", "-c", script, size=("-N2", "--ntasks-per-node=2"))
    equal(sorted(done.lines()), ["0 of 2 on n2", "1 of 2 on n2"], "ranks on the host that was named")
    done = run(desk, "-n", 6, "sh", "-c", script)
    equal((done.code, len(done.lines())), (0, 6), f"more ranks than processors: {done}")
    done = run(desk, "-N", 1, "-n", 2, harness.build / "tests/launcher/blocked_rank", "nothing", size=("-N1", "-n2"))
    equal((done.code, done.err), (0, ""), f"a program of peal: {done}")


@case()
def pealrun_may_start_its_ranks_itself_inside_an_allocation(desk):
    done = run(desk, "--engine", "local", "-n", 2, "sh", "-c", "echo $PMIX_RANK $SLURM_STEP_ID.", size=("-N1", "-n1"))
    equal((done.code, sorted(done.lines())), (0, ["0 .", "1 ."]), f"{done}")


@case()
def pealrun_allocates_what_slurm_is_asked_for(desk):
    done = desk.run("--engine", "slurm", "-N", 2, "-n", 2, "sh", "-c", "echo $PMIX_RANK $SLURMD_NODENAME", env=cluster())
    equal((done.code, sorted(done.lines())), (0, ["0 n1", "1 n2"]), f"{done}")


@case()
def options_reach_the_ranks_under_slurm(desk):
    (desk.work / "inner").mkdir()
    done = run(desk, "-n", 1, "-x", "ONE=a  b", "-x", "TWO=$x'y", "--wdir", "inner", "--threads", 2, "sh", "-c",
               'echo "$ONE,$TWO,$OMP_NUM_THREADS,$SLURM_CPUS_PER_TASK"; pwd')
    equal(done.lines(), ["a  b,$x'y,2,2", str(desk.work / "inner")], f"{done}")
    done = run(desk, "-n", 2, "--tag-output", "sh", "-c", "echo out; echo err >&2")
    equal(sorted(done.lines()), ["0: out", "1: out"], f"{done}")
    equal(sorted(done.err.splitlines()), ["0: err", "1: err"], f"{done}")
    done = run(desk, "-n", 3, "sh", "-c", "cat; echo end", input="typed\n")
    equal(sorted(done.lines()), ["end", "end", "end", "typed"], f"input belongs to rank 0: {done}")


@case()
def several_programs_make_one_job_under_slurm(desk):
    (desk.work / "a").mkdir()
    say = 'echo "$PMIX_RANK $LEVEL $(pwd) $1"'
    done = run(desk, "-n", 1, "sh", "-c", say, "sh", "it's %t \"x\"", ":", "-n", 2, "--wdir", "a", "-x", "LEVEL=high", "sh", "-c", say, "sh", "",
               env={"LEVEL": "outer"})
    equal(sorted(done.lines()), [f"0 outer {desk.work} it's %t \"x\"", f"1 high {desk.work}/a ", f"2 high {desk.work}/a "], f"{done}")
    check(done.code == 0, f"{done}")


@case()
def each_of_several_programs_knows_its_number_under_slurm(desk):
    program = harness.build / "tests/launcher/numbered_rank"
    programs = ("-n", 1, program, ":", "-n", 2, "-x", "LEVEL=1", program, ":", program)
    # On one node: shared memory is all that is needed.
    done = run(desk, *programs, size=("-N1", "-n4"), env={"PEALRUN_APPNUM": "9"})
    numbers = ["rank 0 program 0", "rank 1 program 1", "rank 2 program 1", "rank 3 program 2"]
    equal((done.code, done.err, sorted(done.lines())), (0, "", numbers), f"{done}")
    equal(sorted(desk.run(*programs, env={"PEALRUN_APPNUM": "9"}).lines()), numbers, "as without Slurm")


@case()
def a_failing_rank_under_slurm_is_told_in_one_line(desk):
    def failing(what):
        return run(desk, "-n", 4, "sh", "-c", f"[ $PMIX_RANK = 2 ] && {what}; exec sleep 1000")
    only_cause(failing("exit 3"), 3, "rank 2 on n", "(sh) exited with code 3")
    only_cause(failing("kill -KILL $$"), 137, "rank 2 on n", "was killed by signal 9 (SIGKILL)")
    only_cause(failing("kill -SEGV $$"), 139, "rank 2 on n", "was killed by signal 11 (SIGSEGV)")
    # The first that ends takes the other with it, so both write before one may end.
    done = run(desk, "-n", 2, "sh", "-c", "echo mine >&2; : > written.$PMIX_RANK; until [ -e written.0 ] && [ -e written.1 ]; do sleep 0.01; done; exit 7")
    equal(done.code, 7, f"{done}")
    equal(sorted(done.err.splitlines())[:2], ["mine", "mine"], f"what ranks write stays: {done}")


@case()
def what_cannot_be_translated_is_refused(desk):
    done = run(desk, "-n", 2, "--on-failure", "notify", "true")
    only_cause(done, 2, "--on-failure notify cannot be translated to srun's options")
    done = run(desk, "-n", 2, "--host", "n1:1,n2:2", "true")
    only_cause(done, 2, "the same slots")


@case()
def a_job_under_slurm_is_started_again(desk):
    done = run(desk, "--restart", 2, "-n", 2, "sh", "-c", "echo start $PEAL_RESTART; [ $PEAL_RESTART = 2 ] || exit 7")
    equal(done.code, 0, f"the last start succeeds: {done}")
    equal([line for line in done.lines() if line == "start 2"], ["start 2", "start 2"], f"ranks of the last start: {done}")
    check("started again (restart 2 of 2)" in done.err and "exited with code 7" in done.err, f"{done}")
    done = run(desk, "--restart", 2, "--timeout", "1", "-n", 2, "sleep", "1000")
    only_cause(done, 124, "longer than 1 s")


@case()
def a_list_of_hardware_threads_is_translated(desk):
    done = run(desk, "--explain", "--cpu-set", "0", "-n", 2, "true")
    check(done.code == 0 and "--cpu-bind=map_cpu:0 " in done.out, f"{done}")


@case()
def a_pealrun_that_srun_starts_several_times_is_refused(desk):
    done = srun(desk, "-N2", "-n2", harness.build / "pealrun", "-n", 2, "true")
    equal(done.code, 2, f"{done}")
    check("srun has started pealrun itself 2 times" in done.err, f"{done}")


LISTENER = """
for each in USR1 USR2; do trap "echo got $each" $each; done
echo ready
exec 2>/dev/null
while :; do sleep 1000 & wait $!; kill $! 2>/dev/null; done
"""


@case()
def signals_reach_the_ranks_under_slurm(desk):
    process = allocated(desk, "-n", 2, "sh", "-c", LISTENER)
    equal(process.some_lines(2), ["ready\n", "ready\n"], "ranks")
    pealrun = called(desk, process, "pealrun")
    os.kill(pealrun, signal.SIGUSR1)
    equal(process.some_lines(2), ["got USR1\n", "got USR1\n"], "what they got")
    os.kill(pealrun, signal.SIGINT)
    done = desk.finish(process)
    only_cause(done, 130, "killed by signal 2 (SIGINT), which pealrun passed on")


@case()
def ways_to_end_a_job_under_slurm(desk):
    stubborn = "trap '' INT; echo ready; while :; do sleep 1000; done"
    process = allocated(desk, "-n", 2, "sh", "-c", stubborn)
    process.some_lines(2)
    harness.interrupt_until_it_ends(process, called(desk, process, "pealrun"))
    only_cause(desk.finish(process), 130, "interrupted twice")
    process = allocated(desk, "-n", 2, "sh", "-c", stubborn)
    process.some_lines(2)
    os.kill(called(desk, process, "pealrun"), signal.SIGTERM)
    only_cause(desk.finish(process), 143, "signal 15 (SIGTERM) ends the job")
    only_cause(run(desk, "-n", 2, "--timeout", "1", "sleep", "1000"), 124, "longer than 1 s (--timeout)")


@case()
def a_terminal_is_served_under_slurm(desk):
    ours, theirs = pty.openpty()
    process = desk.start("--engine", "slurm", "-n", 2, "sh", "-c", 'read word; echo "<$word>"; exec sleep 1000', env=cluster(), stdin=theirs,
                         start_new_session=True, preexec_fn=lambda: claim_terminal(theirs))
    os.close(theirs)
    os.write(ours, b"hello\n")
    equal(sorted(process.some_lines(2)), ["<>\n", "<hello>\n"], "what the ranks read")
    os.write(ours, b"\x03")
    done = desk.finish(process)
    os.close(ours)
    equal(done.code, 130, f"{done}")
    check("killed by signal 2 (SIGINT), which pealrun passed on" in done.err, f"{done}")


def killed_while_it_runs(desk, name):
    """Kills one process of a job, and gives the job's end and the seconds that it took."""
    process = allocated(desk, "-n", 4, "sh", "-c", "echo ready; exec sleep 1000")
    process.some_lines(4)
    ranks = [each for each in desk.processes() if pathlib.Path(f"/proc/{each}/cmdline").read_bytes() == b"sleep\x001000\x00"]
    victim = random.choice(ranks)
    if name == "slurmstepd":
        victim = parent_of(victim)
        equal(pathlib.Path(f"/proc/{victim}/comm").read_text(), "slurmstepd\n", "the parent of a rank")
        time.sleep(random.choice((0, 1, 2)))  # before the nodes are watched, about when that begins, and after it
    elif name != "sleep":
        victim = called(desk, process, name)
    os.kill(victim, signal.SIGKILL)
    return end_of_killed(desk, process, lambda other: run(other, "-n", 4, "true"), PLAIN_JOBS)


@case(alone=True)
def any_process_of_a_job_may_be_killed_under_slurm(desk):
    times = collections.defaultdict(list)
    for number in range(200 if FULL else 4):
        name = ("srun", "sleep", "pealrun", "slurmstepd")[number % 4]
        done, seconds = killed_while_it_runs(desk, name)
        times[name].append(seconds)
        if name == "srun":
            only_cause(done, 137, "srun was killed by signal 9 (SIGKILL)")
        elif name == "sleep":
            only_cause(done, 137, "was killed by signal 9 (SIGKILL)")
        elif name == "slurmstepd":
            only_cause(done, 137, "slurmstepd of this job on n", "ended before its ranks")
        # Of a pealrun that is gone nobody tells: salloc ends with 0.
    return "all was over after a kill, at the latest and in the median: " + ", ".join(
        f"{name} {max(found):.2f} and {statistics.median(found):.2f} s" for name, found in times.items())


@case(alone=True)
def what_ranks_have_started_ends_with_a_killed_stepd(desk):
    script = "[ $PMIX_RANK = 0 ] || { setsid sleep 1000 & echo child $!; sleep 1000; exit; }; exec sleep 1000"
    process = allocated(desk, "-n", 2, "sh", "-c", script, size=("-N2", "-n2"))
    child = int(process.some_lines(1)[0].split()[1])
    stepd = parent_of(parent_of(child))
    os.kill(stepd, signal.SIGKILL)
    only_cause(desk.finish(process), 137, "slurmstepd of this job on n")
    desk.expect_nothing_left()


@case(alone=True)
def a_node_that_goes_down_ends_its_job(desk):
    cluster()  # skips where Slurm is not installed
    times = []
    # Before the nodes are watched, and while they are.
    for wait in (0, 3):
        own = slurm_cluster.Cluster()
        try:
            environment = {"PATH": slurm_cluster.PATH, "SLURM_CONF": own.environment["SLURM_CONF"]}
            process = desk.start("--quiet", "-N2", "-n4", harness.build / "pealrun", "-n", 4, "sh", "-c", "echo ready; exec sleep 1000",
                                 program=shared_path("salloc"), env=environment)
            process.some_lines(4)
            time.sleep(wait)
            begin = time.monotonic()
            own.kill_node("n2")
            done = desk.finish(process)
            times.append(time.monotonic() - begin)
            only_cause(done, 137, "node n2 is down", "all ranks are ended")
        finally:
            own.end()
        desk.expect_nothing_left()
    return "ends after the loss of a node: " + ", ".join(f"{each:.1f} s" for each in times)


@case()
def a_job_that_slurm_ends_says_why(desk):
    process = allocated(desk, "-n", 4, "sh", "-c", "echo ready $SLURM_JOB_ID; exec sleep 1000")
    job = process.some_lines(4)[0].split()[1]
    subprocess.run([shared_path("scancel"), job], env={**os.environ, **cluster()}, check=True)
    only_cause(desk.finish(process), 143, "was killed by signal 15 (SIGTERM)", f"job {job} of Slurm's was cancelled (scancel)")


@case()
def what_an_allocation_lacks_is_told_in_one_line(desk):
    def cause(done, *says):
        check(done.code != 0 and len(done.err.splitlines()) == 1, f"{done}")
        for each in says:
            check(each in done.err, f"{each!r} is not in {done.err!r}")
    cause(run(desk, "-n", 2, "--host", "n9", "true", size=("-N2", "-n2")), "Requested node configuration is not available")
    cause(run(desk, "-n", 2, "-N", 2, "true", size=("-N1", "-n2")), "Only allocated 1 nodes asked for 2")
    cause(run(desk, "-n", 12, "--no-oversubscribe", "true", size=("-N1", "-n2")), "More processors requested than permitted")
    cause(run(desk, "-n", 2, "./surely-not-there", "true"), "pealrun: ", "./surely-not-there")


@case()
def a_batch_script_writes_files_of_ranks(desk):
    pealrun = harness.build / "pealrun"
    (desk.work / "script").write_text(f"#!/bin/sh\n{pealrun} -n 2 --output files --bind-to none sh -c 'echo to $PMIX_RANK'; echo code $?\n"
                                      f"{pealrun} -n 2 sh -c 'exit 4'; echo code $?\n")
    done = desk.run("--wait", "--quiet", "-N2", "-n2", "-o", "told", "script", program=shared_path("sbatch"), env=cluster())
    equal((done.code, done.err), (0, ""), f"{done}")
    equal([(desk.work / f"files/rank.{rank}.out").read_text() for rank in (0, 1)], ["to 0\n", "to 1\n"], "what ranks wrote")
    told = (desk.work / "told").read_text().splitlines()
    equal([line for line in told if line.startswith("code ")], ["code 0", "code 4"], "codes")
    check(any("(sh) exited with code 4" in line for line in told), f"{told}")


def launcher_called(desk, name, script):
    """A program of that name, before all others."""
    folder = desk.work / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n" + script)
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def without_slurm():
    return {name: "" for name in os.environ if name.startswith("SLURM_")}


@case()
def hosts_outside_of_slurm_need_prterun(desk):
    if shutil.which("prterun"):
        raise Skip("prterun is installed here")
    only_cause(desk.run("-n", 2, "--host", "a,b", "true"), 127, "prterun is not found in PATH", "install PRRTE 3.0.0", "github.com/openpmix/prrte, tag v3.0.0")
    only_cause(desk.run("-n", 2, "--engine", "prrte", "true"), 127, "prterun is not found in PATH")
    old = launcher_called(desk, "prterun", 'echo "prterun (PRRTE) 5.9.9"')
    only_cause(desk.run("-n", 2, "--host", "a,b", "true", env=old), 1, "PRRTE 5.9.9, which needs libpmix")


@case()
def prterun_gets_the_words_and_its_code_is_ours(desk):
    script = '[ "$1" = --version ] && echo "prterun (PRRTE) 3.0.0" && exit; for each; do echo "<$each>"; done; echo err >&2; exit 5\n'
    (desk.work / "hosts").write_text("a slots=2\nb slots=2\n")
    done = desk.run("-n", 2, "--hostfile", "hosts", "-x", "A=1 2", "true", "x", env=launcher_called(desk, "prterun", script))
    equal((done.code, done.err.splitlines()[0]), (5, "err"), f"{done}")
    check("ended with code 5" in done.complaints()[-1], f"{done}")
    words = [line[1:-1] for line in done.lines() if line != "<--allow-run-as-root>"]
    equal(words[:2] + words[2:], ["--hostfile", f"{desk.work}/hosts", "--map-by", "slot:OVERSUBSCRIBE", "--np", "2", "-x", "A=1 2",
                                  shutil.which("true"), "x"], "words")


@case()
def wrong_hosts_and_nodes_are_refused(desk):
    for words, says in ((("--host", "a,,b"), "'' in 'a,,b' is no host"), (("--host", "a:0"), "'a:0'"), (("-N", "0"), "'0' is no number of nodes"),
                        (("--hostfile", "/surely/not/there"), "/surely/not/there: No such file"), (("--engine", "pbs"), "'pbs'"),
                        (("-N", "2"), "--nodes 2"), (("--engine", "local", "--host", "elsewhere"), "elsewhere"),
                        (("-n", "3", "--host", "localhost:2"), "3 ranks on 2 slots")):
        only_cause(desk.run(*words, "true"), 2, says)
    (desk.work / "hosts").write_text("a\nb slots=many\n")
    only_cause(desk.run("--hostfile", "hosts", "true"), 2, "hosts:2: 'b slots=many' is no host")
    equal(desk.run("-n", 2, "--host", "localhost:2", "echo", "here").lines(), ["here", "here"], "hosts that are this one")
