"""mpi4py, MPI for Python: its own tests, with 1 to 4 ranks. A case is one of its modules of tests.

Debian's package of its sources is from before the MPI ABI, so they are where MPI4PY_SOURCE says: a folder with version 4.1 or later, such as a clone of
its repository. It is built with Cython 3, which is either installed or in the folder CYTHON_SOURCE.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from sources import NotThere
from suite import Failed, Skipped, require

RANKS = (1, 2, 3, 4)
BRIEF_RANKS = (1, 3)
LIMIT = 1800  # seconds for all tests with so many ranks
TESTS = pathlib.Path(__file__).resolve().parent

# What is left out, by module, class and test, and why. What looks at windows, files, and processes that are started later, leaves itself out for the
# most part: mpi4py is built as for a library that does not have these functions.
NOT_RUN = {
    "testDistgraphcommAdjacent": "it names edges that the rank at their other end does not name, which the standard forbids",
    "testHVector": "it wants the extent of a vector without the padding that the standard adds",
    "testHeaders": "it looks for what only an installation has",
    "testIAgree": "ranks call a barrier and what stands for MPI_Comm_iagree, an allreduce, in different orders",
    "testPair": "mpi4py asks a type of NumPy whether it is predefined",
    "testSymbolCoverage": "it wants all functions of MPI",
    "testValueIndex": "it takes a pair without a name for one that is not predefined, and calls a function that mpi4py does not have",
    "test_util_sync.TestSequential": "windows",
    "test_win.TestWinNull.testGetName": "windows",
}
NO_MODULES = {
    "test_dynproc": "it opens a port to see whether it can",
}


def find_sources(folder):
    """A copy of its sources."""
    named = os.environ.get("MPI4PY_SOURCE")
    if not named:
        raise NotThere("needs a folder with mpi4py 4.1 or later, named by MPI4PY_SOURCE")
    source = pathlib.Path(named)
    if not (source / "src/mpi4py/MPI.pyx").exists() or not (source / "src/lib-mpi").is_dir():
        raise NotThere(f"needs mpi4py 4.1 or later, which {source} is not (MPI4PY_SOURCE)")
    copy = folder / "mpi4py"
    for part in ("src", "test"):
        shutil.rmtree(copy / part, ignore_errors=True)
        shutil.copytree(source / part, copy / part, symlinks=True)
    return copy


def python():
    """One that can build extensions, rather one that has NumPy, which half of the tests use."""
    able = []
    for name in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        asked = subprocess.run([name, "-c", "import importlib.util, sysconfig; print(sysconfig.get_paths()['include'], sysconfig.get_config_var("
                                "'EXT_SUFFIX'), importlib.util.find_spec('numpy') is not None)"], stdout=subprocess.PIPE, text=True, check=False)
        words = asked.stdout.split()
        if len(words) == 3 and (pathlib.Path(words[0]) / "Python.h").exists():
            able.append((words[2] == "True", name, words[0], words[1]))
    if not able:
        raise Skipped("needs the headers of Python: apt-get install python3-dev")
    return max(able, key=lambda each: each[0])[1:]


def cython(name):
    """The command."""
    folder = os.environ.get("CYTHON_SOURCE")
    if folder:
        return [name, str(pathlib.Path(folder) / "cython.py")]
    if subprocess.run([name, "-c", "import Cython; raise SystemExit(int(Cython.__version__.split('.')[0]) < 3)"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skipped("needs Cython 3, installed or in a folder named by CYTHON_SOURCE")
    return [name, "-m", "cython"]


def unsupported():
    """The functions that the library has for their names alone."""
    text = "".join(path.read_text() for path in (TESTS.parents[1] / "src/mpi/unsupported").glob("*.cpp"))
    return re.findall(r"^PEAL_MPI_UNSUPPORTED\((\w+)", text, re.MULTILINE)


def build(installed, source):
    name, include, suffix = python()
    compiler = cython(name)
    gone = "".join(f"#undef PyMPI_HAVE_MPI_{function}\n" for function in unsupported())
    (source / "src/pympiconf.h").write_text(f'#include "lib-mpi/config/mpiabi.h"\n{gone}')
    package = source / "build/mpi4py"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(source / "src/mpi4py", package)
    installed.run([*compiler, "-3", "--cleanup", "3", "-w", source, "-I", "src", "src/mpi4py/MPI.pyx", "-o", source / "build/MPI.c"], source, limit=900)
    installed.run(["mpicc", "-shared", "-fPIC", "-O0", "-w", "-DHAVE_PYMPICONF_H", f"-I{include}", "-Isrc", "-Ibuild", "build/MPI.c", "-o",
                   package / f"MPI{suffix}"], source, limit=900)
    return name


def results_of(folder, ranks):
    """By module: how many tests have passed on all ranks, what a rank said of others, why some left themselves out."""
    modules = {}
    for rank in range(ranks):
        path = folder / str(rank)
        for line in path.read_text().splitlines() if path.exists() else []:
            result, module, test, what = line.split("\t")
            modules.setdefault(module, {}).setdefault(test, {})[rank] = (result, what)
    return modules


def judge(tests, ranks):
    """Of a module. BEGUN is the last word about a test in which the rank ended."""
    wrong = [f"{test}, rank {rank}: {result} {what}" for test, said in tests.items() for rank, (result, what) in said.items() if result in ("FAIL", "BEGUN")]
    absent = [f"{test}: run by {len(said)} of {ranks} ranks" for test, said in tests.items() if len(said) != ranks and not test.startswith("setUpClass")]
    require(not wrong and not absent, "\n".join(wrong + absent))
    if all(result == "SKIP" for said in tests.values() for result, _ in said.values()):
        raise Skipped("; ".join(sorted({what for said in tests.values() for _, what in said.values()})))


def run(results, installed, source):
    found = []
    if not results.case("mpi4py: builds", lambda: found.append(build(installed, source))):
        return
    shutil.copy(TESTS / "mpi4py_runner.py", source / "runner.py")
    for ranks in BRIEF_RANKS if installed.brief else RANKS:
        folder = source / f"results-{ranks}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        left_out = [word for option, patterns in (("-x", NOT_RUN), ("-e", NO_MODULES)) for pattern in patterns for word in (option, pattern)]

        def ends():
            done = installed.start(["mpiexec", "-n", ranks, found[0], "runner.py", folder, "-q", "--no-builddir", *left_out], source, limit=LIMIT,
                                   PYTHONPATH=str(source / "build"), PYTHONDONTWRITEBYTECODE="1", MPI4PY_TEST_SPAWN="no")
            modules.update(results_of(folder, ranks))
            count = sum(len(tests) for tests in modules.values())
            skipped = sum(all(result == "SKIP" for result, _ in said.values()) for tests in modules.values() for said in tests.values())
            print(f"mpi4py: -n {ranks}: {count} tests, of which {skipped} left themselves out", flush=True)
            if done.returncode or not modules:
                raise Failed(f"{done.stdout[-8000:]}[exit code {done.returncode}]")

        modules = {}
        results.case(f"mpi4py: all tests end well -n {ranks}", ends)
        for module, tests in sorted(modules.items()):
            results.case(f"mpi4py: {module} -n {ranks}", lambda: judge(tests, ranks))
