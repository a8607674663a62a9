"""The tests of MPICH: some hundred programs, each of which looks at one function or rule of MPI."""
import re

from suite import Failed, Skipped, cores, renamed_flags, require

PACKAGES = ["mpich"]
FOLDERS = ["attr", "comm", "coll", "datatype", "errhan", "group", "info", "init", "mpi_t", "part", "pt2pt", "topo",
           "threads/comm", "threads/init", "threads/mpi_t", "threads/pt2pt"]
MOST_RANKS = 33

# Left out where time is short. On two cores 25 threads that spin in a barrier of the test's own take MPICH 40 s, too, and minutes beside other work.
LONG = "threads/pt2pt/(multisend.*|mt_.*)"
LIMIT = 900

# What is left out, by folder and program, and why.
NOT_RUN = {
    "attr/keyval_double_free_win": "windows",
    "attr/fkeyval.*": "names of functions that MPI 4.0 has removed",
    "datatype/indexed_misc.*": "it takes a new handle for an old one that was freed",
    "datatype/pack_external": "it needs handles that are integers",
    "datatype/struct_no_real_types": "MPI_LB, which MPI 3.0 has removed",
    "datatype/typename.*": "types for which the ABI has one value with two names",
    ".*_oldapi": "functions that MPI 3.0 has removed",
    "coll/oplxor": "logical operations on floating numbers, which the standard refuses",
    "coll/nonblocking[23]": "it needs handles that are integers",
    "errhan/adderr": "functions of MPICH's own",
    "init/timeout": "a variable of MPICH's launcher",
    "mpi_t/cvarwrite": "it writes words that mean nothing into each variable, which are refused",
    "mpi_t/qmpi_test": "an interface for tools that is not in MPI 5.0",
    "part/nonblocking_pready": "it sends elements of MPI_DATATYPE_NULL",
    "threads/pt2pt/mt_improbe.*": "it compares messages with MPI_REQUEST_NULL",
    "topo/cartsuball": "without dimensions each rank gets a grid of itself, as in Open MPI, and MPICH gives one to rank 0 alone",
    "topo/dims5": "it wants 21 x 16 x 15, and MPI_Dims_create gives 20 x 18 x 14, whose longest side is shorter",
}


def tests_of(source, folder):
    """Of its list: program, ranks, options."""
    for line in (source / folder / "testlist").read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2 or not words[1].isdigit():
            continue
        options = {}
        for word in words[2:]:
            name, _, value = word.partition("=")
            options.setdefault(name, []).append(value)
        yield words[0], int(words[1]), options


def why_not(folder, program, options):
    for pattern, why in NOT_RUN.items():
        if re.fullmatch(pattern, f"{folder}/{program}"):
            return why
    if options.get("xfail"):
        return "MPICH expects it to fail"
    if options.get("resultTest", ["TestStatus"])[0] not in ("TestStatus", "TestErrFatal", "TestStatusNoErrors"):
        return "its result is judged by a function of MPICH's"
    return None


def run(results, installed, top):
    source = top / "test/mpi"
    environment = {"PEAL_CC": " ".join([installed.environment["PEAL_CC"], *renamed_flags()]), "MAKEFLAGS": " -- CFLAGS=-O0\\ -w"}

    def builds():
        if not (source / "Makefile").exists():
            installed.run(["./configure", "-q", f"--with-mpi={installed.prefix}", "--disable-fortran", "--disable-cxx", "--disable-spawn",
                           "--disable-ft-tests", "CC=mpicc", "MPICC=mpicc", "MPIEXEC=mpiexec"], source, limit=900, PEAL_CC=environment["PEAL_CC"])
        for part in ("dtpools", "util"):
            installed.run(["make", "-s"], source / part, **environment)

    if not results.case("mpich: builds", builds):
        return
    for folder in FOLDERS:
        wanted = [(*test, why_not(folder, test[0], test[2])) for test in tests_of(source, folder)]
        if installed.brief:
            wanted = [test for test in wanted if not re.fullmatch(LONG, f"{folder}/{test[0]}")]
        programs = sorted({program for program, _, _, why in wanted if why is None})
        # Those that cannot be built are found one by one below.
        installed.start(["make", "-s", "-k", f"-j{cores()}", *programs], source / folder, limit=1800, **environment)
        for program, ranks, options, why in wanted:
            label = " ".join([program, *options.get("arg", []), "-n", str(min(ranks, MOST_RANKS))])
            results.case(f"mpich: {folder}/{label}", lambda: one(installed, source / folder, program, min(ranks, MOST_RANKS), options, why, environment))


def one(installed, folder, program, ranks, options, why, environment):
    if why is not None:
        raise Skipped(why)
    if not (folder / program).exists():
        installed.run(["make", "-s", program], folder, **environment)
    variables = dict(value.split("=", 1) for value in options.get("env", []) if "=" in value)
    done = installed.start(["mpiexec", "-n", ranks, f"./{program}", *options.get("arg", [])], folder, limit=LIMIT, **variables)
    kind = options.get("resultTest", [None])[0]
    if kind in ("TestStatus", "TestErrFatal"):  # it is to end with an error
        require(done.returncode != 0, f"{done.stdout}[exit code 0]")
        return
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0 or "no errors" not in [line.lower() for line in lines]:
        raise Failed(f"{done.stdout[-4000:]}[exit code {done.returncode}]")
    require(all(line.lower() == "no errors" for line in lines), done.stdout[-4000:])
