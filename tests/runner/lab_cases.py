"""Where the lab cannot run, and how its boots end; QEMU, apt and tests/lab/run are stand-ins."""
import os
import subprocess
import sys

import boots
from stand_ins import LONG, PYTHON, SOURCE, case, check


def lab_tests(tree, **more):
    return tree.run(sys.executable, SOURCE / "tests/lab/run_lab_tests", tree.folder / "build", "device", PATH=str(tree.path),
                    XDG_CACHE_HOME=str(tree.folder / "cache"), **more)


def skipped_or_failed(tree, reason):
    done = lab_tests(tree)
    done.has(f"SKIP all [0-9]+ cases in virtual nodes: {reason}")
    done.ends("0 passed, 0 failed", 0)
    done = lab_tests(tree, CI="true")
    done.has(f"FAIL all [0-9]+ cases in virtual nodes: {reason}")
    done.ends("0 passed, 1 failed", 1)


@case
def the_lab_without_qemu_is_skipped_but_in_continuous_integration(tree):
    skipped_or_failed(tree, ".*Debian: qemu-system-x86; tests/lab/setup .*")


@case
def the_lab_without_a_kernel_is_skipped_but_in_continuous_integration(tree):
    tree.program("bin/qemu-system-x86_64", "exit 1")
    tree.program("bin/apt-cache", "exit 0")
    skipped_or_failed(tree, "apt knows no linux-image-amd64 .*tests/lab/setup gets it.*")
    tree.program("bin/apt-cache", 'echo "  Depends: linux-image-6.1.0-amd64"')
    tree.program("bin/apt-get", "echo no such archive >&2; exit 100")
    skipped_or_failed(tree, ".*linux-image-6.1.0-amd64. failed: no such archive .*")


# Stands for tests/lab/run: says of each case that it begins and ends, on both streams, then does what the file `end` says, Python.
RUN = PYTHON + r"""
import os, pathlib, signal, subprocess, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
for number in range(len(list((out / "cases").glob("*.sh")))):
    for stream in (sys.stdout, sys.stderr):
        print(f"\n@case {number} begins", file=stream, flush=True)
        print(f"output of {number}", file=stream, flush=True)
        print(f"\n@case {number} ends 0", file=stream, flush=True)
exec(pathlib.Path(__file__).with_name("end").read_text())
"""


boots.HELD = 2  # of what ends at once


def boot(tree, end, limits=(1, 4, 16, 60)):
    """What is told of two boots, of which the first has two cases and ends as `end` says: [(case, problem)]. The limit is the first one that is
    enough for the beginning, which on a busy machine takes its time."""
    tree.program("lab/run", RUN)
    (tree.folder / "lab/end").write_text("if '--first' in sys.argv:\n " + end)
    for limit in limits:
        told = []
        cases = [boots.Case({"name": name, "command": "true", "lab": lab, "output": ["^output of \\d"]}, LONG)
                 for name, lab in (("one", ["--first"]), ("two", ["--first"]), ("three", ["--second"]))]
        boots.run_all(cases, {"RUNNER_TEST": tree.folder.name}, lambda each, problem, _: told.append((each.name, problem)),
                      program=str(tree.folder / "lab/run"), limit=limit)
        if [name for name, problem in told if problem is None] == ["one", "two", "three"]:
            return told
    raise AssertionError(f"not all cases are told as passed: {told}")


def what_is_wrong(told):
    """With the end of the first boot, told besides the cases."""
    failed = [(name, str(problem)) for name, problem in told if problem is not None]
    check(len(failed) == 1 and failed[0][0] == "the end of the lab after two", told)
    return failed[0][1]


@case
def a_lab_that_ends_well(tree):
    told = boot(tree, "pass", [LONG])
    check(len(told) == 3, told)


@case
def a_lab_that_does_not_end_after_its_last_case_is_told(tree):
    # It ends when it is asked what its nodes are doing.
    problem = what_is_wrong(boot(tree, "signal.signal(signal.SIGUSR1, lambda *_: sys.exit('what a node does')); time.sleep(600)"))
    check("does not end" in problem and "what a node does" in problem, problem)


@case
def a_lab_that_hears_nothing_is_killed_and_the_next_boot_runs(tree):
    problem = what_is_wrong(boot(tree, "[signal.signal(each, signal.SIG_IGN) for each in (10, 15)]; print('deaf', flush=True); time.sleep(600)"))
    check("does not end" in problem, problem)
    check(not tree.left(), "processes are left")


@case
def a_process_that_outlives_the_lab_and_holds_its_output_is_not_waited_for(tree):
    told = boot(tree, "subprocess.Popen(['sleep', '600'], start_new_session=True)", [LONG])
    check("holds the lab's output" in what_is_wrong(told), told)
    for pid in tree.processes():
        os.kill(pid, 9)


@case
def a_node_whose_lab_has_died_before_its_start_ends_at_once(tree):
    """The kernel tells a child of its parent's death only when the child has asked for it before."""
    script = ("import os, sys, time; sys.path.insert(0, sys.argv[1]); from vlab import machine; parent = os.getpid()\n"
              "if os.fork(): os._exit(0)\n"
              "while os.getppid() == parent: time.sleep(0.01)\n"
              "machine.begin(None, parent); print('begins')")
    done = subprocess.run([sys.executable, "-c", script, str(SOURCE / "tests/lab")], env=tree.environment(), stdout=subprocess.PIPE,
                          text=True, timeout=LONG, check=False)
    check(done.stdout == "", f"it goes on: {done.stdout}")
