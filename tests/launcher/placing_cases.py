"""On which cores ranks run."""
import os
import re
import shutil

import harness
from harness import LONG, Skip, case, check, equal, in_namespaces, wait_until


def places(*words):
    return [str(harness.build / "tests/launcher/plain_rank"), "places", *map(str, words)]


def read_places(done):
    """{rank: set of hardware threads}"""
    equal(done.code, 0, f"exit code: {done}")
    return {int(head.split()[1]): set(map(int, tail.split())) for head, _, tail in (line.partition(":") for line in done.lines())}


def bound(desk, *words, under=(), **options):
    """Runs where no other job holds the cores: in a network namespace of its own. Where there is none to be had, it waits for them."""
    try:
        apart = in_namespaces(["-r", "-n"], "ip link set lo up")
    except Skip:
        apart = []
    runs = []

    def attempt():
        runs.append(desk.run(*words, under=[*apart, *under], **options))
        return "hold" not in runs[-1].err

    wait_until(attempt, "no other job of pealrun holds the cores", LONG)
    return runs[-1]


def allowed():
    return os.sched_getaffinity(0)


def need_cores(count):
    """The cores as pealrun sees them: with a quota, or two threads a core, fewer than the system's processors."""
    if len(allowed()) < count:
        raise Skip(f"needs {count} cores that this process may use")


@case(alone=True)
def ranks_that_fit_get_a_core_each(desk):
    need_cores(2)
    done = bound(desk, "--bind", "core", "-n", 2, *places())
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    found = read_places(done)
    equal(sorted(found), [0, 1], "ranks")
    check(found[0] and found[1] and not found[0] & found[1] and found[0] | found[1] <= allowed(), f"{found}")
    equal(done.err, "", "complaints")


@case(alone=True)
def the_cpuset_is_respected(desk):
    taskset = shutil.which("taskset")
    if taskset is None:
        raise Skip("needs taskset: install util-linux")
    last = max(allowed())
    done = bound(desk, "--bind", "core", "-n", 1, *places(), under=[taskset, "-c", str(last)])
    equal(read_places(done), {0: {last}}, "places")
    done = desk.run("-n", 2, *places(), under=[taskset, "-c", str(last)])
    equal(read_places(done), {0: {last}, 1: {last}}, "places of two ranks on one core")
    equal(done.err, "pealrun: warning: 2 ranks on 1 core: ranks share cores and are not bound\n", "warning")


@case(alone=True)
def more_ranks_than_cores_are_warned_of_in_one_line(desk):
    count = len(allowed()) + 1
    done = desk.run("-n", count, *places())
    equal(read_places(done), {rank: allowed() for rank in range(count)}, "places")
    equal(len(done.err.splitlines()), 1, "lines")
    check(done.err.startswith(f"pealrun: warning: {count} ranks on "), done.err)
    equal(desk.run("-n", count, *places(), env={"PEAL_LOG": "error"}).err, "", "complaints where nobody wants warnings")


@case(alone=True)
def ranks_are_not_bound_when_not_wanted(desk):
    done = desk.run("--bind", "none", "-n", 1, *places())
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")


@case(alone=True)
def ranks_are_bound_by_themselves_where_all_jobs_can_be_seen(desk):
    need_cores(2)
    if not os.path.exists("/proc/sys/net/core/netdev_max_backlog"):
        raise Skip("needs the host's network namespace")
    if "share cores" in bound(desk, "--bind", "core", "-n", 2, *places()).err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    done = desk.run("-n", 1, *places())
    if "hold" not in done.err:  # as a job of somebody else may
        equal((len(read_places(done)[0]) < len(allowed()), done.err), (True, ""), f"bound, and nothing to say: {done}")


@case(alone=True)
def ranks_in_another_network_namespace_are_bound_only_when_asked(desk):
    need_cores(2)
    # Jobs in other containers hold their cores under names that are not seen here.
    apart = in_namespaces(["-r", "-n"], "ip link set lo up")
    done = desk.run("-n", 1, *places(), under=apart)
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")
    check(read_places(desk.run("--bind", "core", "-n", 1, *places(), under=apart))[0] < allowed(), "bound when asked")


@case(alone=True)
def ranks_with_a_quota_below_the_cpuset_are_bound_only_when_asked(desk):
    need_cores(2)
    files = "cd /sys/fs/cgroup && mkdir cpu && echo 100000 100000 >cpu.max && cd cpu && echo 100000 | tee cpu.cfs_quota_us >cpu.cfs_period_us"
    limited = in_namespaces(["-r", "-m"], f"( mount -t tmpfs none /sys/fs/cgroup && {files} )")
    done = desk.run("-n", 1, *places(), under=limited)
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")
    done = bound(desk, "--bind", "core", "-n", 1, *places(), under=limited)
    check(read_places(done)[0] < allowed(), "bound when asked")
    check("2 ranks on 1 core: " in desk.run("-n", 2, *places(), under=limited).err, "the quota counts")


@case(alone=True)
def threads_get_their_cores(desk):
    need_cores(2)
    done = bound(desk, "--bind", "core", "-n", 1, "-x", "OMP_NUM_THREADS=2", *places())
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(len(read_places(done)[0]) >= 2, f"{done}")
    many = len(allowed()) + 1
    done = desk.run("-n", 1, *places(), env={"OMP_NUM_THREADS": str(many)})
    equal(read_places(done), {0: allowed()}, "places")
    check(f"1 rank that want {many} cores (OMP_NUM_THREADS)" in done.err, done.err)


@case(alone=True)
def openmp_is_told_its_threads_and_places(desk):
    show = ["sh", "-c", "echo $OMP_NUM_THREADS/$OMP_PLACES/$OMP_PROC_BIND"]
    equal(desk.run("-n", 1, "--threads", 1, *show).out, "1//\n", "of one thread")
    equal(desk.run("-n", 1, "--threads", 3, "-x", "OMP_NUM_THREADS=2", "--bind", "none", *show).out, "2//\n", "when -x says otherwise")
    parts = desk.run("--bind", "none", "-n", 1, "--threads", 2, *show, ":", "-n", 1, "--threads", 3, *show)
    equal(sorted(parts.lines()), ["2//", "3//"], "of two programs")
    need_cores(2)
    done = bound(desk, "--bind", "core", "-n", 1, "--threads", 2, *show)
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(re.fullmatch(r"2/\{\d+(,\d+)*\},\{\d+(,\d+)*\}/\n", done.out), f"{done}")
    equal(bound(desk, "--bind", "core", "-n", 1, "--threads", 2, "-x", "OMP_PROC_BIND=false", *show).out, "2//false\n", "when the user has said where")


@case()
def a_wrong_number_of_threads_is_refused(desk):
    for wrong in ("0", "-1", "x", "2x", "70000"):
        done = desk.run("--threads", wrong, "true")
        equal((done.code, done.out), (2, ""), f"exit code for {wrong}")
        check(f"'{wrong}' is no number of threads: a whole number from 1 to 65536 is allowed" in done.err, done.err)


@case(alone=True)
def cores_of_another_job_are_avoided(desk):
    need_cores(2)

    def start():
        process = desk.start("--bind", "core", "-n", 1, "sh", "-c", f"{' '.join(places())}; read line", stdin=-1)
        line = process.line()
        return process, set(map(int, line.partition(":")[2].split()))

    def attempt():
        first, here = start()
        second, there = start()
        third = desk.run("-n", len(allowed()), *places())
        ends = [desk.finish(each, input="\n") for each in (first, second)]
        equal([each.code for each in ends], [0, 0], "exit codes")
        if any(each.err for each in ends):  # somebody else's job held a core
            return None
        return here, there, third

    here, there, third = wait_until(attempt, "no other job holds cores")
    check(here and there and not here & there, f"two jobs on {here} and {there}")
    check("of which other jobs of pealrun hold" in third.err, third.err)
    equal(set(map(frozenset, read_places(third).values())), {frozenset(allowed())}, "places of a job that finds too few")
