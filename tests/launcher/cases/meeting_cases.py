"""Ranks that meet through PMIx: under pealrun, under another launcher, and alone."""
import shutil
import signal
import sys

import harness
from harness import PROMPT, Skip, case, check, equal, in_namespaces, state_of, wait_until


def meeting(*words):
    return [str(harness.build / "tests/launcher/meeting_rank"), *map(str, words)]


@case()
def ranks_meet(desk):
    for count in (1, 2, 3, 7, 16, 20):
        done = desk.run("-n", count, *meeting("twice"))
        equal((done.code, done.complaints()), (0, []), f"{count} ranks: {done}")
        check(done.out.startswith(f"met {count} ranks on "), done.out)


BY_PMIX = {"PEAL_BOOTSTRAP": "pmix"}


@case()
def ranks_meet_by_pmix(desk):
    for count in (1, 2, 20):
        done = desk.run("-n", count, *meeting("twice"), env=BY_PMIX)
        equal((done.code, done.complaints()), (0, []), f"{count} ranks: {done}")
        check(done.out.startswith(f"met {count} ranks on "), done.out)
    done = desk.run("-n", 2, "-x", "PEAL_BOOTSTRAP=pmix", *meeting("meet"), ":", "-n", 1, *meeting("meet"))
    equal((done.code, done.complaints()), (0, []), f"set for one program, and so for all: {done}")


@case()
def a_rank_may_be_several_programs_one_after_the_other(desk):
    program = meeting()[0]
    for env in ({}, BY_PMIX):
        done = desk.run("-n", 3, "sh", "-c", f"{program} twice && {program} meet", env=env)
        equal((done.code, done.complaints()), (0, []), f"{env}: {done}")
        equal([line[:11] for line in done.lines()], ["met 3 ranks"] * 2, "output")


@case()
def ranks_meet_when_the_way_to_them_closes_descriptors(desk):
    # As Python's subprocess does: the memory is found by way of pealrun's /proc entry.
    closes = f"import subprocess, sys; sys.exit(subprocess.run([{meeting()[0]!r}, 'meet']).returncode)"
    done = desk.run("-n", 3, sys.executable, "-c", closes)
    equal((done.code, done.complaints()), (0, []), f"{done}")
    check(done.out.startswith("met 3 ranks"), done.out)


@case()
def memory_that_cannot_be_reached_is_told(desk):
    closes = f"import os, subprocess, sys; os.closerange(3, 1000); sys.exit(subprocess.run([{meeting()[0]!r}, 'meet']).returncode)"
    done = desk.run("-n", 1, sys.executable, "-c", closes, under=in_namespaces(["-r", "-m"], "mount -t tmpfs none /proc"))
    check(done.code != 0 and "descriptor" in done.err and "PEAL_BOOTSTRAP=pmix" in done.err, f"{done}")


@case()
def ranks_meet_where_files_must_be_short(desk):
    done = desk.run("-n", 3, "sh", "-c", f"ulimit -f 1; exec {meeting()[0]} meet")
    equal((done.code, done.complaints()), (0, []), f"the limit of a rank: {done}")
    done = desk.run("-c", f"ulimit -f 1; exec {harness.build / 'pealrun'} -n 3 {meeting()[0]} meet", program="sh")
    equal((done.code, done.complaints()), (0, []), f"the limit of pealrun: {done}")


@case()
def ranks_of_several_programs_meet(desk):
    done = desk.run("-n", 1, *meeting("meet"), ":", "-n", 3, *meeting("meet"))
    equal(done.code, 0, f"{done}")
    check(done.out.startswith("met 4 ranks"), done.out)


@case(alone=True)
def sixty_four_ranks_meet(desk):
    if harness.sanitizer != "none":
        raise Skip("needs a build without a sanitizer: 64 instrumented processes take more than they show")
    done = desk.run("-n", 64, *meeting("meet"))
    equal(done.code, 0, f"{done}")
    check(done.out.startswith("met 64 ranks"), done.out)
    return f"64 ranks met and ended in {done.seconds:.2f} s"


@case()
def an_abort_ends_the_job(desk):
    done = desk.run("-n", 4, *meeting("abort", 42))
    equal(done.code, 42, f"exit code: {done}")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    check("rank 1 on" in done.err and "aborted the job with code 42: rank 1 gives up" in done.err, done.err)
    check(done.seconds < PROMPT, f"the job ended after {done.seconds} s")
    return f"ended after {done.seconds:.2f} s"


@case()
def a_rank_that_leaves_without_a_word_ends_the_job(desk):
    done = desk.run("-n", 4, *meeting("linger"))
    equal(done.code, 1, f"exit code: {done}")
    check("rank 1 on" in done.err and "without leaving the job" in done.err, done.err)
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")


@case()
def a_death_is_told_to_the_survivors(desk):
    done = desk.run("--on-failure", "notify", "-n", 4, *meeting("survive"))
    equal(done.code, 137, f"exit code: {done}")
    wanted = [f"rank {rank} heard that rank 1 died, fence incomplete" for rank in (0, 2, 3)]
    equal(sorted(done.lines()), wanted, "what survivors heard")
    check("rank 1 on" in done.err and "killed by signal 9" in done.err, done.err)


@case()
def a_rank_that_never_came_is_not_waited_for(desk):
    done = desk.run("--on-failure", "notify", "-n", 4, *meeting("absent"))
    equal(done.code, 3, f"exit code: {done}")
    equal(sorted(done.lines()), [f"rank {rank}: 3 of 4 told something" for rank in (0, 2, 3)], "what survivors were told")


@case()
def deaths_are_told_by_pmix_too(desk):
    done = desk.run("--on-failure", "notify", "-n", 4, *meeting("survive"), env=BY_PMIX)
    equal(done.code, 137, f"exit code: {done}")
    equal(sorted(done.lines()), [f"rank {rank} heard that rank 1 died, fence incomplete" for rank in (0, 2, 3)], "what survivors heard")
    done = desk.run("--on-failure", "notify", "-n", 4, *meeting("absent"), env=BY_PMIX)
    equal(done.code, 3, f"exit code: {done}")
    equal(sorted(done.lines()), [f"rank {rank}: 3 of 4 told something" for rank in (0, 2, 3)], "what survivors were told")
    done = desk.run("-n", 4, *meeting("abort", 42), env=BY_PMIX)
    equal((done.code, len(done.complaints())), (42, 1), f"{done}")
    done = desk.run("-n", 4, *meeting("linger"), env=BY_PMIX)
    equal((done.code, len(done.complaints())), (1, 1), f"{done}")


@case()
def an_abort_below_a_shell_ends_the_job(desk):
    done = desk.run("-n", 3, "sh", "-c", f"{meeting()[0]} abort 42; sleep 1000")
    equal((done.code, len(done.complaints())), (42, 1), f"{done}")
    check("rank 1 gives up" in done.err, done.err)


@case()
def a_death_ends_a_job_that_waits_in_a_fence(desk):
    done = desk.run("-n", 4, *meeting("survive"))
    equal(done.code, 137, f"exit code: {done}")
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    check("rank 1 on" in done.err and "SIGKILL" in done.err, done.err)


def two_deaths(desk, how):
    """While pealrun is stopped ranks 1 and 2 end; it finds both at once."""
    process = desk.start("-n", 4, *meeting(how))
    pids = [int(each) for each in process.some_lines(4)]
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(process.pid) == "T", "pealrun is stopped")
    (desk.work / "go").write_text("")
    wait_until(lambda: [state_of(pid) for pid in pids].count("Z") == 2, "two ranks are dead")
    process.send_signal(signal.SIGCONT)
    done = desk.finish(process)
    equal(len(done.complaints()), 1, f"lines ({done.err!r})")
    equal(done.code, 137, f"rank 2 was the first: {done}")
    check("rank 2 on" in done.err, f"{done}")
    return f"ended {done.seconds:.2f} s after its start"


@case()
def two_deaths_found_at_once_are_one_failure(desk):
    return two_deaths(desk, "relay")


@case()
def a_rank_that_was_killed_is_named_although_its_end_is_told_later(desk):
    return two_deaths(desk, "overtaken")


@case()
def ranks_meet_without_proc(desk):
    done = desk.run("-n", 3, *meeting("meet"), under=in_namespaces(["-r", "-m"], "mount -t tmpfs none /proc"))
    equal((done.code, done.complaints()), (0, []), f"{done}")
    check(done.out.startswith("met 3 ranks"), done.out)


@case()
def settings_for_the_server_are_not_for_ranks(desk):
    done = desk.run("-n", 1, "env")
    equal([each for each in done.lines() if each.startswith("PMIX_MCA_")], [], "settings that the rank sees")
    done = desk.run("-n", 2, *meeting("twice"), env={"PMIX_MCA_gds": "ds12,hash"})
    equal(done.code, 0, f"the user's own: {done}")


@case()
def pealrun_runs_inside_pealrun(desk):
    done = desk.run("-n", 2, str(harness.build / "pealrun"), "-n", 3, *meeting("meet"))
    equal(done.code, 0, f"{done}")
    equal([line[:11] for line in done.lines()], ["met 3 ranks"] * 2, "output")


@case()
def a_program_without_launcher_is_a_job_of_one(desk):
    done = desk.run("meet", program=meeting()[0])
    equal((done.code, done.out), (0, "met 1 ranks on 0 cores\n"), "alone")
    done = desk.run("meet", program=meeting()[0], env={"SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "1"})
    equal((done.code, done.out), (0, "met 1 ranks on 0 cores\n"), "one task of Slurm")


@case()
def tasks_of_slurm_without_pmix_are_refused(desk):
    done = desk.run("meet", program=meeting()[0], env={"SLURM_STEP_NUM_TASKS": "4"})
    check(done.code != 0 and "add --mpi=pmix" in done.err, f"{done}")


@case()
def processes_of_a_launcher_without_pmix_are_refused(desk):
    done = desk.run("meet", program=meeting()[0], env={"PMI_SIZE": "2", "PMI_RANK": "0"})
    check(done.code != 0 and "use pealrun" in done.err, f"{done}")


@case()
def a_launcher_that_is_gone_is_told(desk):
    done = desk.run("meet", program=meeting()[0], env={"PMIX_NAMESPACE": "peal-1-2-3", "PMIX_RANK": "0"})
    check(done.code != 0 and "PMIx_Init" in done.err and "PMIX_NAMESPACE=peal-1-2-3" in done.err, f"{done}")


@case()
def ranks_meet_under_open_mpi(desk):
    mpirun = shutil.which("mpirun.openmpi")
    if mpirun is None:
        raise Skip("needs mpirun.openmpi: install openmpi-bin")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = desk.run("--oversubscribe", "-n", 4, *meeting("twice"), program=mpirun, env=allowed)
    equal(done.code, 0, f"{done}")
    equal(done.out, "met 4 ranks on 0 cores\n", "output")
    for each in desk.temporary.iterdir():  # its own
        shutil.rmtree(each)
