"""FFTW: transforms over several ranks, random ones and some of each kind, compared with what they must give."""
import re

from suite import cores, require

PACKAGES = ["fftw3"]
TRANSFORMS = 30  # random problems for each number of ranks; each is verified forwards, backwards, in place and out of place


def run(results, installed, source):
    def builds():
        if not (source / "Makefile").exists():
            installed.run(["./configure", "-q", "--enable-mpi", "--disable-fortran", "--disable-doc", "MPICC=mpicc", "CFLAGS=-O1"], source, limit=900)
        installed.run(["make", "-s", f"-j{cores()}"], source, limit=1800)
        needs = installed.run(["ldd", source / "mpi/mpi-bench"], source)
        require("libmpi_abi.so.1" in needs, f"mpi-bench was linked with another MPI:\n{needs}")

    def transforms(ranks):
        output = installed.run(["perl", "-w", "../tests/check.pl", "--verbose", "--random", "--maxsize=4000", f"-c={TRANSFORMS}",
                                "--mpi", f"mpiexec -n {ranks} {source}/mpi/mpi-bench"], source / "mpi", limit=900)
        verified = re.findall(r"^\S+ \d\S* \d\S* \d\S*$", output, re.MULTILINE)
        require("FAILED" not in output and len(verified) >= TRANSFORMS, output[-4000:])

    if results.case("fftw: builds", builds):
        for ranks in (1, 2, 3, 4):
            results.case(f"fftw: random transforms -n {ranks}", lambda: transforms(ranks))
