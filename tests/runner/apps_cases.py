"""What the suites of programs of others and of the fuzzer make of a machine that lacks what they need."""
import pathlib
import shutil
import sys

from stand_ins import SOURCE, case, check

# `make install DESTDIR=...`: the two programs that tell the suites where peal is.
MAKE = """for word; do case $word in DESTDIR=*) root=${word#DESTDIR=} ;; esac; done
mkdir -p "$root/usr/bin" "$root/usr/lib/peal/bin" && touch "$root/usr/bin/pealcc" "$root/usr/lib/peal/bin/mpicc"
"""


def apps(tree, **more):
    tree.copy(*(f"tests/apps/{path.name}" for path in sorted((SOURCE / "tests/apps").iterdir()) if path.is_file()))
    tree.program("bin/make", MAKE)
    tree.tools("sh", "mkdir", "touch")
    return tree.run(sys.executable, tree.folder / "tests/apps/run_apps_tests", tree.folder / "build", PATH=str(tree.path), MPI4PY_SOURCE="", **more)


@case
def programs_whose_sources_cannot_be_had_are_skipped(tree):
    done = apps(tree)
    done.has("SKIP netpipe: its sources: needs apt-get", "SKIP mpich: its sources: needs apt-get", "SKIP mpi4py: its sources: needs .* MPI4PY_SOURCE",
             r"\([5-9] skipped\)")
    done.ends("0 passed, 0 failed", 0)


@case
def a_download_that_fails_is_told_by_its_last_error(tree):
    tree.program("bin/apt-get", 'case $* in *source*) touch mpich_1.orig.tar.gz; echo "E: no such host"; echo done; exit 100 ;; esac')
    done = apps(tree)
    done.has("SKIP mpich: its sources: needs the source package mpich; apt-get source said E: no such host")
    done.ends("0 passed, 0 failed", 0)
    check(not list((tree.folder / "build/apps").rglob("*.orig.tar.*")), "what was loaded in part is left")


@case
def a_fuzzer_without_its_compiler_is_skipped(tree):
    tree.copy("tests/fuzz/run_fuzz", "tests/fuzz/run_fuzz_tests")
    tree.tools("bash", "dirname", "mkdir")
    script = tree.folder / "tests/fuzz/run_fuzz_tests"
    done = tree.run(pathlib.Path(shutil.which("bash")), script, tree.folder / "build", PATH=str(tree.path))
    done.has("SKIP datatypes .*: needs Clang with libFuzzer .*", "SKIP packets .*: needs Clang with libFuzzer .*")
    done.ends("0 passed, 0 failed", 0)
