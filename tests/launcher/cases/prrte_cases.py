"""Jobs that the real prterun starts: the one that PRTERUN names, or that stands on PATH."""
import os
import pathlib
import shlex
import shutil
import signal
import subprocess

import harness
from harness import Skip, case, check, equal, state_of, wait_until
from cases.engine_cases import LISTENER, called, only_cause, without_slurm

# prterun calls it to start its daemon on another host: here that is this host under another name. When root runs prterun 3.0.0, it gives the
# daemon an option that this one does not know. The temporary folder is another one too: a daemon that is killed leaves files on its node.
SSH = """#!/bin/sh
while case $1 in -*) true;; *) false;; esac; do shift; done
name=$1; shift
case $name in n[0-9]) ;; *) echo "ssh: $name is not there" >&2; exit 255;; esac
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=${0%/*}
words=$(printf %s "$*" | sed 's/--allow-run-as-root//')
exec unshare --uts sh -c 'hostname "$1"; eval "$2"' sh "$name" "$words"
"""
# prterun 3.0.0 crashes where there is nothing but the loopback interface.
NETWORK = "ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 10.77.0.1/24 dev v0 && ip link set v0 up && ip link set v1 up"


def environment(desk):
    """Variables with which pealrun finds the real prterun, and prterun our ssh."""
    prterun = os.environ.get("PRTERUN") or shutil.which("prterun")
    if not prterun or not os.access(prterun, os.X_OK):
        raise Skip("needs prterun: build PRRTE 3.0.0, and have it on PATH or name it in PRTERUN")
    if "PRRTE" not in subprocess.run([prterun, "--version"], capture_output=True, text=True, check=False).stdout:
        raise Skip(f"needs a prterun that can run here: {prterun} --version does not")
    folder = desk.work / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "ssh").write_text(SSH)
    (folder / "ssh").chmod(0o755)
    return {**without_slurm(), "PATH": f"{folder}:{pathlib.Path(prterun).parent}:{os.environ['PATH']}"}


def network():
    return harness.in_namespaces(["--net"], NETWORK)


def start(desk, *words, **options):
    return desk.start("--engine", "prrte", *words, env=environment(desk), **options)


def run(desk, *words, input=None, **options):
    if input is not None:
        options["stdin"] = subprocess.PIPE
    return desk.finish(start(desk, *words, **options), input)


@case()
def prterun_starts_ranks_that_find_each_other(desk):
    for program, word in (("meeting_rank", "meet"), ("blocked_rank", "nothing")):
        done = run(desk, "-n", 3, harness.build / "tests/launcher" / program, word)
        equal((done.code, done.err), (0, ""), f"{program}: {done}")


@case()
def options_reach_the_ranks_under_prterun(desk):
    (desk.work / "inner").mkdir()
    done = run(desk, "-n", 1, "-x", "ONE=a  b", "-x", "TWO=$x'y", "--wdir", "inner", "--threads", 2, "sh", "-c",
               'echo "$ONE,$TWO,$OMP_NUM_THREADS"; pwd')
    equal(done.lines(), ["a  b,$x'y,2", str(desk.work / "inner")], f"{done}")
    done = run(desk, "-n", 3, "sh", "-c", "cat; echo end", input="typed\n")
    equal(sorted(done.lines()), ["end", "end", "end", "typed"], f"input belongs to rank 0: {done}")
    equal(run(desk, "-n", 2, "--stdin", "all", "cat", input="all\n").lines(), ["all", "all"], "input for all")
    equal(run(desk, "-n", 2, "--stdin", "none", "cat", input="lost\n").lines(), [], "no input")
    done = run(desk, "-n", 2, "--tag-output", "sh", "-c", "echo out; echo err >&2")
    equal(sorted(done.lines()), ["[1,0]<stdout>: out", "[1,1]<stdout>: out"], f"{done}")
    equal(sorted(done.err.splitlines()), ["[1,0]<stderr>: err", "[1,1]<stderr>: err"], f"{done}")
    done = run(desk, "-n", 1, "--timestamp-output", "echo", "out")
    check(done.out.startswith("[") and done.out.endswith("]<stdout>: out\n"), f"{done}")


@case()
def several_programs_with_any_words_make_one_job_under_prterun(desk):
    say = 'echo "$PMIX_RANK" "$NAME" "$@"'
    words = ('"a b"', 'x"', '"', "it's", "", "$HOME", "*")
    done = run(desk, "-n", 1, "sh", "-c", say, "sh", *words, ":", "-n", 2, "-x", 'NAME="q"', "sh", "-c", say, "sh", "b")
    equal(sorted(done.lines()), ["0  " + " ".join(words), '1 "q" b', '2 "q" b'], f"{done}")


@case()
def files_and_errors_go_where_they_belong_under_prterun(desk):
    write = "echo out; echo err >&2"
    done = run(desk, "-n", 2, "--output", "files", "sh", "-c", write)
    equal((done.code, done.out, done.err), (0, "", ""), f"{done}")
    equal({each.name: each.read_text() for each in (desk.work / "files").iterdir()},
          {f"rank.{rank}.{kind}": f"{kind}\n" for rank in range(2) for kind in ("out", "err")}, "files")
    done = run(desk, "-n", 1, "--output", "merged", "--merge-stderr", "sh", "-c", write)
    equal([(each.name, each.read_text()) for each in (desk.work / "merged").iterdir()], [("rank.0.out", "out\nerr\n")], "files")
    done = run(desk, "-n", 1, "--merge-stderr", "sh", "-c", write)
    equal((done.out, done.err), ("out\nerr\n", ""), f"{done}")
    only_cause(run(desk, "-n", 1, "--output", "/proc/surely/not", "true"), 1, "--output /proc/surely/not")


@case()
def every_kind_of_mapping_is_taken_by_prterun(desk):
    for words in (("--map-by", "core"), ("--map-by", "l3"), ("--map-by", "numa"), ("--map-by", "socket"), ("--map-by", "node"), ("--ppn", 2),
                  ("--map-by", "slot", "--bind-to", "core"), ("--map-by", "slot:PE=1"), ("--bind-to", "numa"), ("--bind-to", "socket"),
                  ("--bind-to", "none"), ("--no-oversubscribe",)):
        done = run(desk, "-n", 1 if words[0] != "--ppn" else 2, *words, "true")
        equal((done.code, done.out, done.err), (0, "", ""), f"{words}: {done}")
    done = run(desk, "-n", 1, "--map-by", "slot:PE=1", "--report-bindings", "true")
    check("Rank 0 bound to package[0][core:" in done.out + done.err, f"{done}")
    done = run(desk, "-n", 2 * os.cpu_count() + 1, "--no-oversubscribe", "true")
    check(done.code != 0 and "not enough slots" in done.err, f"{done}")


@case()
def what_is_explained_runs_when_it_is_pasted(desk):
    words = ("-n", 2, "-x", "A=1 2", "--output", "my files", "sh", "-c", 'echo "$A" "$1"', "sh", '"last"')
    explained = run(desk, "--explain", *words)
    command = [line for line in explained.lines() if line.startswith("command")][0].split(None, 1)[1]
    equal(shlex.split(command)[0], "prterun", command)
    (desk.work / "my files").mkdir()
    done = desk.run("-c", command, program="/bin/sh", env=environment(desk))
    equal((done.code, done.err), (0, ""), f"{done}")
    for rank in range(2):
        equal((desk.work / "my files" / f"rank.{rank}.out").read_text(), '1 2 "last"\n', "what a rank wrote")


@case()
def a_failing_rank_under_prterun_is_told_in_one_line(desk):
    def failing(what):
        return run(desk, "-n", 3, "sh", "-c", f"[ $PMIX_RANK = 2 ] && {what}; exec sleep 1000")
    # prterun names the rank in some runs only.
    only_cause(failing("exit 3"), 3, "rank", "code 3")
    only_cause(failing("kill -KILL $$"), 137, "rank", "was killed by signal 9 (SIGKILL)")
    only_cause(failing("kill -SEGV $$"), 139, "rank", "was killed by signal 11 (SIGSEGV)")
    done = run(desk, "-n", 2, "sh", "-c", "printf 'Name? ' >&2; exit 7")
    check(done.code == 7 and "Name? " in done.err, f"what ranks write stays: {done}")
    only_cause(run(desk, "-n", 2, "--timeout", "1", "sleep", "1000"), 124, "longer than 1 s (--timeout)")


@case()
def signals_reach_the_ranks_under_prterun(desk):
    process = start(desk, "-n", 2, "sh", "-c", LISTENER)
    equal(process.some_lines(2), ["ready\n", "ready\n"], "ranks")
    for name in ("USR1", "USR2"):
        process.send_signal(getattr(signal, f"SIG{name}"))
        equal(process.some_lines(2), [f"got {name}\n"] * 2, "what they got")
    process.send_signal(signal.SIGINT)
    only_cause(desk.finish(process), 130, "interrupted: prterun has ended the ranks")
    process = start(desk, "-n", 2, "sh", "-c", "trap '' TERM INT; echo ready; while :; do sleep 1000; done")
    process.some_lines(2)
    process.terminate()
    only_cause(desk.finish(process), 143, "signal 15 (SIGTERM) ends the job")


@case(alone=True)
def a_rank_pealrun_or_prterun_may_be_killed(desk):
    for name in ("prterun", "sleep", "pealrun"):
        process = start(desk, "-n", 3, "sh", "-c", "echo ready; exec sleep 1000")
        process.some_lines(3)
        os.kill(process.pid if name == "pealrun" else called(desk, process, name), signal.SIGKILL)
        done = desk.finish(process)
        desk.expect_nothing_left()
        if name == "prterun":
            only_cause(done, 137, "prterun was killed by signal 9 (SIGKILL), so the ranks are ended")
        elif name == "sleep":
            only_cause(done, 137, "was killed by signal 9 (SIGKILL)")


@case()
def ranks_run_on_two_hosts_under_prterun(desk):
    under = network()
    done = run(desk, "--host", "n1:2,n2:2", "-n", 4, "sh", "-c", "echo $PMIX_RANK $(hostname)", under=under)
    equal((done.code, sorted(done.lines())), (0, ["0 n1", "1 n1", "2 n2", "3 n2"]), f"{done}")
    (desk.work / "hosts").write_text("# two\nn1 slots=2\n\nn2 slots=2\n")
    done = desk.run("--hostfile", "hosts", "--map-by", "node", "-n", 4, "sh", "-c", "echo $PMIX_RANK $(hostname)", under=under,
                    env=environment(desk))
    equal((done.code, sorted(done.lines())), (0, ["0 n1", "1 n2", "2 n1", "3 n2"]), f"a hostfile needs no --engine: {done}")
    # Where a rank fails while others are being started, prterun 3.0.0 may wait for ever.
    done = run(desk, "--host", "n1:2,n2:2", "-n", 4, "sh", "-c", "[ $PMIX_RANK = 3 ] && sleep 1 && exit 3; exec sleep 1000", under=under)
    equal(done.code, 3, f"{done}")
    check("code 3" in done.complaints()[-1], f"{done}")


@case()
def a_daemon_of_prterun_may_be_killed(desk):
    process = start(desk, "--host", "n1:1,n2:1", "-n", 2, "sh", "-c", "echo ready; exec sleep 1000", under=network())
    process.some_lines(2)
    victim = wait_until(lambda: [each for each in desk.processes() if pathlib.Path(f"/proc/{each}/comm").read_text() == "prted\n"], "prted runs")[0]
    os.kill(victim, signal.SIGKILL)
    done = desk.finish(process)
    check(done.code != 0 and state_of(victim) == "", f"{done}")
    check(done.err, "something is said")


@case()
def a_host_that_cannot_be_reached_ends_the_job(desk):
    done = run(desk, "--host", "n1:1,elsewhere:1", "-n", 2, "true", under=network())
    equal(done.code, 1, f"{done}")
    check("ssh: elsewhere is not there" in done.err, f"the reason: {done}")
    check("prterun cannot start its daemon on a host of this job" in done.complaints()[-1], f"{done}")
