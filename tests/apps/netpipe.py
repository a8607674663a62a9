"""NetPIPE: messages of many lengths and places between two ranks, timed, and once more with their bytes checked."""
from suite import require

PACKAGES = ["netpipe"]


def run(results, installed, source):
    def builds():
        installed.run(["make", "mpi", "CC=mpicc"], source)

    def times():
        output = installed.job(2, "./NPmpi", "-u", "1048576", "-o", "np.out", cwd=source)
        require("1048579 bytes" in output and "Mbps" in output, output)

    def checks():
        output = installed.job(2, "./NPmpi", "-i", "-u", "1048576", "-o", "np.out", cwd=source)
        passed = output.count("Integrity check passed")
        require(passed > 30 and "failed" not in output.lower(), output)

    if results.case("netpipe: builds", builds):
        results.case("netpipe: is timed up to 1 MiB -n 2", times)
        results.case("netpipe: bytes are right up to 1 MiB -n 2", checks)
