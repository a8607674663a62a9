"""What the suites of programs share: peal as it is installed, commands in it, and the lines that are told."""
import os
import re
import shutil
import subprocess
import textwrap
import time

LIMIT = 300  # seconds that no single job or compilation needs
# What programs from before MPI 3.0 call, and what it is called since.
RENAMED = {"MPI_Address": "MPI_Get_address", "MPI_Errhandler_create": "MPI_Comm_create_errhandler", "MPI_Type_hindexed": "MPI_Type_create_hindexed",
           "MPI_Type_hvector": "MPI_Type_create_hvector", "MPI_Type_struct": "MPI_Type_create_struct"}


class Failed(Exception):
    pass


class Skipped(Exception):
    """What would have to be there."""


class Installed:
    """peal below a folder, and an environment in which mpicc and mpiexec are peal's. Always in the same place, since what was built before looks for its
    library there. `brief`: suites leave out what takes long."""

    def __init__(self, build, folder, compilers, brief=False):
        self.brief = brief
        self.root = folder / "root"
        shutil.rmtree(self.root, ignore_errors=True)
        done = subprocess.run(["make", "-C", str(build), "install", f"DESTDIR={self.root}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed(f"make install:\n{done.stdout}")
        self.names = next(iter(self.root.rglob("mpicc"))).parent
        self.prefix = next(iter(self.root.rglob("pealcc"))).parent.parent
        self.environment = {name: value for name, value in os.environ.items() if not re.match("PEAL_|OMPI_|MPICH_|MAKE|MFLAGS|C(XX)?FLAGS$", name)}
        self.environment.update(PATH=f"{self.names}:{os.environ['PATH']}", LC_ALL="C.UTF-8", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                                PEAL_LOG="error", PEAL_CC=compilers[0], PEAL_CXX=compilers[1])

    def start(self, command, cwd, limit=LIMIT, **environment):
        try:
            return subprocess.run([str(word) for word in command], cwd=cwd, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode(errors="replace")
            raise Failed(f"$ {' '.join(map(str, command))}\n{said}[no end within {limit} s]") from None

    def run(self, command, cwd, limit=LIMIT, **environment):
        """The command's output; Failed, with the end of it, when the command does not end well."""
        done = self.start(command, cwd, limit, **environment)
        if done.returncode:
            raise Failed(f"$ {' '.join(map(str, command))}\n{done.stdout[-4000:]}[exit code {done.returncode}]")
        return done.stdout

    def job(self, ranks, *command, cwd, limit=LIMIT, **environment):
        return self.run(["mpiexec", "-n", ranks, *command], cwd, limit, **environment)


class Results:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def skip(self, name, why):
        self.skipped += 1
        print(f"SKIP {name}: {why}", flush=True)

    def case(self, name, test):
        """Whether it passed."""
        begin = time.monotonic()
        try:
            test()
        except Skipped as why:
            self.skip(name, why)
            return False
        except (Failed, OSError) as why:
            self.failed += 1
            print(f"{textwrap.indent(str(why), '    ')}\nFAIL {name} ({time.monotonic() - begin:.2f} s)", flush=True)
            return False
        self.passed += 1
        print(f"PASS {name} ({time.monotonic() - begin:.2f} s)", flush=True)
        return True


def require(good, what):
    if not good:
        raise Failed(what)


def cores():
    return len(os.sched_getaffinity(0))


def renamed_flags():
    return [f"-D{old}={new}" for old, new in RENAMED.items()]

