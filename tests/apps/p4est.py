"""p4est: forests of octrees that many ranks share, and libsc below it; each test program of theirs, of which most say nothing unless they fail."""
import shutil

from suite import Skipped, cores, require

PACKAGES = ["p4est"]
IS_LONG = True
# Programs, and why they are not run.
LEFT_OUT = {"sc_test_node_comm": "needs MPI_Win_allocate_shared: windows are not there"}


def run(results, installed, source):
    def builds():
        missing = [each for each in ("autoconf", "automake", "libtoolize", "gfortran") if shutil.which(each) is None]
        if missing:
            raise Skipped(f"needs {', '.join(missing)} (Debian: apt-get install autoconf automake libtool gfortran)")
        if not (source / "configure").exists():
            installed.run(["./bootstrap"], source)
        if not (source / "Makefile").exists():
            installed.run(["./configure", "-q", "--enable-mpi", "--disable-mpiio", "--disable-shared", "CC=mpicc", "CXX=mpicxx", "F77=gfortran", "FC=gfortran",
                           "CFLAGS=-O1 -w"], source, limit=900)
        # With no test to be run, `check` builds all of them.
        for target in ("all", "check"):
            installed.run(["make", "-s", f"-j{cores()}", target, "TESTS="], source, limit=1800)
        needs = installed.run(["ldd", source / "test/p4est_test_balance"], source)
        require("libmpi_abi.so.1" in needs, f"the tests were linked with another MPI:\n{needs}")

    if not results.case("p4est: builds", builds):
        return
    programs = [each for folder in (source / "sc/test", source / "test") for each in sorted(folder.glob("*_test_*")) if not each.suffix]
    for program in programs:
        if program.name in LEFT_OUT:
            results.skip(f"p4est: {program.name}", LEFT_OUT[program.name])
            continue
        for ranks in (1, 2, 3):
            results.case(f"p4est: {program.name} -n {ranks}", lambda: installed.job(ranks, program, cwd=program.parent))
