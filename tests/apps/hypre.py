"""hypre: solvers of linear systems on grids; its own tests of them, whose iterations and residuals are compared with those that hypre keeps."""
from suite import cores, require

PACKAGES = ["hypre"]
IS_LONG = True
# Of several jobs each, 25 in all, of 1 to 3 ranks.
TESTS = ["TEST_ij/default", "TEST_struct/solvers", "TEST_sstruct/solvers"]
TOLERANCE = "1e-3"  # hypre's numbers are of another processor and compiler


def run(results, installed, source):
    tests = source / "src/test"

    def builds():
        if not (source / "src/config/Makefile.config").exists():
            installed.run(["./configure", "--disable-fortran", "--without-openmp", "CC=mpicc", "CXX=mpicxx"], source / "src", limit=900)
        installed.run(["make", "-s", f"-j{cores()}"], source / "src", limit=1800)
        installed.run(["make", "-s", f"-j{cores()}", "ij", "struct", "sstruct"], tests, limit=900)
        needs = installed.run(["ldd", tests / "ij"], source)
        require("libmpi_abi.so.1" in needs, f"ij was linked with another MPI:\n{needs}")

    def solves(name):
        for suffix in ("out", "err"):  # of an earlier run
            (tests / f"{name}.{suffix}").unlink(missing_ok=True)
        said = installed.run(["bash", "./runtest.sh", "-mpi", "mpiexec -n", "-rtol", TOLERANCE, "-atol", TOLERANCE, f"{name}.sh"], tests, limit=1800)
        differs = (tests / f"{name}.err").read_text()
        require(not differs, f"{said}{differs[-4000:]}")
        # That each job has a result is what the scripts of hypre look at.
        require("# Output file" in (tests / f"{name}.out").read_text(), said)

    if results.case("hypre: builds", builds):
        for name in TESTS:
            results.case(f"hypre: {name}", lambda: solves(name))
