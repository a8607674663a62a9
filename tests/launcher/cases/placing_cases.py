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
        return "jobs of pealrun hold" not in runs[-1].err + runs[-1].out

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
    done = bound(desk, "--bind-to", "core", "-n", 2, *places())
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
    done = bound(desk, "--bind-to", "core", "-n", 1, *places(), under=[taskset, "-c", str(last)])
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
    done = desk.run("--bind-to", "none", "-n", 1, *places())
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")


@case(alone=True)
def ranks_are_bound_by_themselves_where_all_jobs_can_be_seen(desk):
    need_cores(2)
    if not os.path.exists("/proc/sys/net/core/netdev_max_backlog"):
        raise Skip("needs the host's network namespace")
    if "share cores" in bound(desk, "--bind-to", "core", "-n", 2, *places()).err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    done = desk.run("-n", 2, *places())
    if "hold" not in done.err:  # as a job of somebody else may
        equal((len(read_places(done)[0]) < len(allowed()), done.err), (True, ""), f"bound, and nothing to say: {done}")


@case(alone=True)
def ranks_in_another_network_namespace_are_bound_only_when_asked(desk):
    need_cores(2)
    # Jobs in other containers hold their cores under names that are not seen here.
    apart = in_namespaces(["-r", "-n"], "ip link set lo up")
    done = desk.run("-n", 1, *places(), under=apart)
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")
    check(read_places(desk.run("--bind-to", "core", "-n", 1, *places(), under=apart))[0] < allowed(), "bound when asked")


@case(alone=True)
def ranks_with_a_quota_below_the_cpuset_are_bound_only_when_asked(desk):
    need_cores(2)
    files = "cd /sys/fs/cgroup && mkdir cpu && echo 100000 100000 >cpu.max && cd cpu && echo 100000 | tee cpu.cfs_quota_us >cpu.cfs_period_us"
    limited = in_namespaces(["-r", "-m"], f"( mount -t tmpfs none /sys/fs/cgroup && {files} )")
    done = desk.run("-n", 1, *places(), under=limited)
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")
    done = bound(desk, "--bind-to", "core", "-n", 1, *places(), under=limited)
    check(read_places(done)[0] < allowed(), "bound when asked")
    check("2 ranks on 1 core: " in desk.run("-n", 2, *places(), under=limited).err, "the quota counts")


@case(alone=True)
def threads_get_their_cores(desk):
    need_cores(2)
    done = bound(desk, "--bind-to", "core", "-n", 1, "-x", "OMP_NUM_THREADS=2", *places())
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(len(read_places(done)[0]) >= 2, f"{done}")
    many = len(allowed()) + 1
    done = desk.run("-n", 1, *places(), env={"OMP_NUM_THREADS": str(many)})
    equal(read_places(done), {0: allowed()}, "places")
    check(f"1 rank that wants {many} cores (OMP_NUM_THREADS)" in done.err, done.err)


@case(alone=True)
def openmp_is_told_its_threads_and_places(desk):
    show = ["sh", "-c", "echo $OMP_NUM_THREADS/$OMP_PLACES/$OMP_PROC_BIND"]
    equal(desk.run("-n", 1, "--threads", 1, *show).out, "1//\n", "of one thread")
    equal(desk.run("-n", 1, "--threads", 3, "-x", "OMP_NUM_THREADS=2", "--bind-to", "none", *show).out, "2//\n", "when -x says otherwise")
    parts = desk.run("--bind-to", "none", "-n", 1, "--threads", 2, *show, ":", "-n", 1, "--threads", 3, *show)
    equal(sorted(parts.lines()), ["2//", "3//"], "of two programs")
    need_cores(2)
    done = bound(desk, "--bind-to", "core", "-n", 1, "--threads", 2, *show)
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(re.fullmatch(r"2/\{\d+(,\d+)*\},\{\d+(,\d+)*\}/\n", done.out), f"{done}")
    equal(bound(desk, "--bind-to", "core", "-n", 1, "--threads", 2, "-x", "OMP_PROC_BIND=false", *show).out, "2//false\n", "when the user has said where")


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
        process = desk.start("--bind-to", "core", "-n", 1, "sh", "-c", f"{' '.join(places())}; read line", stdin=-1)
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


@case(alone=True)
def a_single_rank_is_not_bound_to_one_core(desk):
    done = bound(desk, "-n", 1, *places())
    equal((read_places(done), done.err), ({0: allowed()}, ""), "places")
    done = bound(desk, "--report-bindings", "-n", 1, "true")
    check("Bindings on " in done.err and "rank 0 is not bound (" in done.err, done.err)


@case(alone=True)
def bindings_are_shown_when_asked(desk):
    done = bound(desk, "--report-bindings", "--bind-to", "core", "-n", 1, *places())
    (mine,) = read_places(done).values()
    head, titles, row = done.err.splitlines()
    check(head.startswith("Bindings on ") and titles.split()[0] == "rank" and row.split()[0] == "0", done.err)
    check(len(mine) > 1 or str(*mine) in row.split(), f"{mine} is not in {row}")


@case(alone=True)
def explain_starts_nothing(desk):
    mark = desk.work / "started"
    done = bound(desk, "--explain", "--bind-to", "core", "-n", 1, "-x", "LEVEL=a b", "--wdir", "/", "touch", mark,
                 ":", "-n", 2, "--threads", 1, "true", env={"PEAL_LOG": "error"})
    equal((done.code, done.err), (0, ""), "exit code and complaints")
    check(not mark.exists(), "the program ran")
    for each in ("Engine     local: ", f"rank 0: {shutil.which('touch')} {mark} (in /)", "ranks 1-2: ", "rank 0: 'LEVEL=a b'\n",
                 "ranks 1-2: OMP_NUM_THREADS=1\n", "PEAL_LOG=error", "PMIX_", "Devices    ", "Bindings on "):
        check(each in done.out, f"{each!r} is not in {done.out}")
    done = desk.run("--explain", "--cpu-set", 100000, "true")
    equal((done.code, done.out), (2, ""), "what would be refused is refused")


@case(alone=True)
def explain_tells_where_threads_run(desk):
    need_cores(2)
    done = bound(desk, "--explain", "--bind-to", "core", "-n", 1, "--threads", 2, "true")
    if "share cores" in done.out:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(re.search(r"rank 0: OMP_PLACES=\{\d+(,\d+)*\},\{", done.out), done.out)


@case(alone=True)
def a_rank_gets_as_many_cores_as_pe_says(desk):
    need_cores(2)
    done = bound(desk, "--map-by", "slot:PE=2", "--bind-to", "core", "-n", 1, *places())
    if "share cores" in done.err:
        raise Skip("needs two whole cores: more hardware threads, or a larger quota of the cgroup")
    check(len(read_places(done)[0]) >= 2, f"{done}")
    many = len(allowed()) + 1
    done = desk.run("--map-by", f"slot:PE={many}", "--bind-to", "core", "-n", 1, *places())
    check(f"1 rank that wants {many} cores (PE={many}) on " in done.err, done.err)
    done = desk.run("--map-by", f"socket:PE={many}", "-n", 1, *places())
    equal((done.code, done.out), (2, ""), "exit code")
    check(f"--map-by socket: a rank wants {many} cores (PE={many}), but no socket has more than" in done.err, done.err)
    for wrong in ("board", "l3:PE=0", "l3:PE=", "numa:2", ":PE=2", ""):
        done = desk.run("--map-by", wrong, "true")
        equal(done.code, 2, f"exit code of --map-by '{wrong}'")
        check(f"'{wrong}' is not known: slot, core, l3, numa, socket or node is allowed" in done.err, done.err)


@case(alone=True)
def ranks_may_share_a_socket_and_are_told_of_no_places(desk):
    show = ["sh", "-c", f"{' '.join(places())}; echo places=$OMP_PLACES >&2"]
    done = bound(desk, "--bind-to", "socket", "--threads", 2, "-n", 2, *show)
    found = read_places(done)
    check(found[0] and found[0] <= allowed(), f"{done}")
    equal(done.err.count("places=\n"), 2, f"OMP_PLACES would bind the first threads of both to one core: {done}")


@case(alone=True)
def ranks_stay_in_the_cpu_set(desk):
    last = max(allowed())
    done = desk.run("--cpu-set", last, "-n", 2, *places())
    equal(read_places(done), {0: {last}, 1: {last}}, "places of two ranks")
    check("2 ranks on 1 core: ranks share cores and are not bound" in done.err, done.err)
    equal(read_places(bound(desk, "--cpu-set", last, "--bind-to", "core", "-n", 1, *places())), {0: {last}}, "bound")
    equal(read_places(desk.run("--cpu-set", last, "--bind-to", "none", "-n", 1, *places())), {0: {last}}, "not bound")
    for wrong in ("x", "3-1", "1,", "-1", "1-", "", "99999999999"):
        done = desk.run("--cpu-set", wrong, "true")
        equal(done.code, 2, f"exit code of --cpu-set '{wrong}'")
        check(f"'{wrong}' is no list of hardware threads: numbers and ranges such as 0-3,8 are allowed" in done.err, done.err)
    done = desk.run("--cpu-set", 100000, "true")
    equal((done.code, len(done.err.splitlines())), (2, 1), "exit code and lines")
    check("--cpu-set 100000: 100000 is not among the hardware threads that pealrun may use here: " in done.err, done.err)


@case(alone=True)
def too_many_ranks_are_refused_when_asked(desk):
    many = len(allowed()) + 1
    done = desk.run("--no-oversubscribe", "-n", many, *places())
    equal((done.code, done.out, len(done.err.splitlines())), (2, "", 1), "exit code and lines")
    check(f"{many} ranks on " in done.err and "too many (--no-oversubscribe)" in done.err, done.err)
    equal(bound(desk, "--no-oversubscribe", "-n", 1, "true").code, 0, "exit code of a rank that fits")
    for option in ("-ppn", "--ppn"):
        done = desk.run(option, 2, "-n", 3, "true")
        equal((done.code, len(done.err.splitlines())), (2, 1), "exit code and lines")
        check("3 ranks with at most 2 a node (-ppn)" in done.err, done.err)
    equal(desk.run("-ppn", 2, "-n", 2, "true").code, 0, "exit code of ranks that may be on one node")


@case(alone=True)
def a_rankfile_says_where_ranks_run(desk):
    file = desk.work / "ranks"
    file.write_text("# all on one core\nrank 1=localhost slot=0:0\n\nrank 0 slot=0   # the same\n")
    done = bound(desk, "--rankfile", file, "-n", 2, *places())
    found = read_places(done)
    check(found[0] == found[1] and found[0] and found[0] <= allowed(), f"{found}")
    check("rank 0 is put on core 0, which another rank of the job has too" in done.err, done.err)


@case()
def a_wrong_rankfile_is_refused_by_line(desk):
    file = desk.work / "ranks"

    def refused(text, *says, ranks=1, options=()):
        file.write_text(text)
        result = desk.run(*options, "--rankfile", file, "-n", ranks, "true")
        equal((result.code, result.out, len(result.err.splitlines())), (2, "", 1), f"exit code and lines for {text!r}: {result}")
        for each in says:
            check(each in result.err, f"{text!r}: {each!r} is not in {result.err!r}")

    expected = "'rank NUMBER=HOST slot=SOCKET:CORES' was expected"
    refused("\nrunk 0=localhost slot=0:0\n", f"{file}:2: 'runk' begins no line of a rankfile: {expected}")
    refused("rank 0=surely.not.here slot=0:0\n", "surely.not.here is another host")
    refused("rank 0 slot=77777\n", "there is no core 77777: this machine has cores 0-")
    refused("rank 0 slot=0\n", "there is no line for rank 1: one for each of the 2 ranks was expected", ranks=2)
    refused("rank 0 slot=0\nrank 1 slot=0\n", "--no-oversubscribe", ranks=2, options=["--no-oversubscribe"])
    refused("rank 0 slot=0\n", "--rankfile and --map-by contradict each other", options=["--map-by", "core"])
    file.unlink()
    done = desk.run("--rankfile", file, "true")
    equal(done.code, 2, "exit code without the file")
    check(f"--rankfile: {file} cannot be read: No such file or directory" in done.err, done.err)
