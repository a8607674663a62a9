"""How bootstrap's checks end when something before the tests goes wrong; the tools that it calls are stand-ins."""
import re

from stand_ins import case, check

TOOLS = ("bash", "sh", "env", "dirname", "id", "date", "mkdir", "mktemp", "rm", "setsid", "tail", "cat", "nice", "nproc", "python3", "touch")
# What make is asked for: its last word that neither sets something nor is an option.
MAKE = """target=
while [ $# -gt 0 ]; do case $1 in -C) shift ;; SUITES=*) SUITES=${1#*=} ;; *=* | -*) ;; *) target=$1 ;; esac; shift; done
echo "make $target"
"""


def ready(tree, make="", missing="", setup="real"):
    """A tree that is configured already, on a machine with all packages but `missing`, where apt-get can install none and knows no kernel."""
    tree.copy("bootstrap", "examples/usable-cores", "tests/lab/setup", *(
        f"tests/lab/vlab/{name}.py" for name in ("__init__", "image", "cpio", "errors")))
    tree.runner()
    if setup != "real":
        tree.program("tests/lab/setup", setup)
    for name in ("configure", "build/config.status"):
        tree.program(name, "exit 0")
    for name in ("Makefile.in", "build/Makefile", "configure.ac"):
        (tree.folder / name).touch()
    (tree.folder / "configure").touch()
    tree.tools(*TOOLS)
    tree.program("bin/make", MAKE + make)
    tree.program("bin/uname", "echo x86_64")
    tree.program("bin/dpkg-query", f'for name; do :; done; case " {missing} " in *" $name "*) exit 1 ;; esac\n'
                 'case $2 in *db:*) echo installed ;; *) echo install ok installed ;; esac')
    tree.program("bin/apt-get", 'echo "apt-get $*"; exit 100')
    tree.program("bin/apt-cache", "exit 0")


def bootstrap(tree, *words, **more):
    return tree.run("bash", tree.folder / "bootstrap", *words, PATH=str(tree.path), XDG_CACHE_HOME=str(tree.folder / "cache"), **more)


@case
def a_build_that_fails_is_one_failure(tree):
    ready(tree, make='case $target in "") echo "no rule"; exit 2 ;; esac', setup="echo setup: done")
    for what in ("check", "check-quick", "check-full"):
        done = bootstrap(tree, what)
        done.has("no rule")
        done.ends("0 passed, 1 failed", 2)
        check("test-programs" not in done.text, f"went on behind a build that failed:\n{done.text}")


@case
def a_build_of_the_tests_that_fails_is_one_failure(tree):
    ready(tree, make='case $target in test-programs) exit 2 ;; esac', setup="echo setup: done")
    for what in ("check", "check-quick"):
        done = bootstrap(tree, what)
        done.has("make test-programs")
        done.ends("0 passed, 1 failed", 2)


@case
def tests_that_never_ran_are_told(tree):
    """The build is said to be well, but no suite leaves results."""
    ready(tree, setup="echo setup: done")
    done = bootstrap(tree, "check")
    done.has("make check-address", "  first: these tests did not run to the end",
             "  thread: these tests did not run to the end", " +[0-9]+ s  build of the tests")
    check(re.fullmatch("0 passed, [1-9] failed", done.lines[-1]) and done.code == 1, done.text)


@case
def long_tests_take_turns_where_building_takes_long(tree):
    ready(tree, make='echo "$target: SUITES=$SUITES TEST_TURNS=${TEST_TURNS-}"', setup="echo setup: done")
    seen = set()
    for commit in range(40):
        done = bootstrap(tree, "check", PEAL_CHECK_SLOW="0", TEST_COMMIT=str(commit))
        ran = [(kind, suite) for kind in ("address", "thread") for suite in ("unit", "job")
               if f"check-{kind}: SUITES={suite} TEST_TURNS=3" in done.lines]
        check(len(ran) == 1, done.text)
        kind, suite = ran[0]
        done.has(f"==> building took [0-9]+ minutes, so one in 3 of the lab's tests .* the suite {suite} under the {kind} sanitizer",
                 "check: SUITES=lab TEST_TURNS=3", f"  {kind}: these tests did not run to the end")
        done.ends("0 passed, 3 failed", 1)
        seen.update(ran)
        if len(seen) == 4:
            break
    check(len(seen) == 4, f"only {seen} had a turn")
    done = bootstrap(tree, "check", PEAL_CHECK_MINUTES="0", TEST_COMMIT="1")
    done.has("check: SUITES=unit style runner compile install launcher job apps fuzz TEST_TURNS=",
             "==> the first tests took 0 minutes, so one in 3 of the lab's tests .* the suite (unit|job) under the (address|thread) sanitizer",
             "check: SUITES=lab TEST_TURNS=3", "check-(address|thread): SUITES=(unit|job) TEST_TURNS=3")
    done.ends("0 passed, 3 failed", 1)
    done = bootstrap(tree, "check-full", PEAL_CHECK_SLOW="0", PEAL_CHECK_MINUTES="0")
    done.has("check-address: SUITES=unit job TEST_TURNS=", "check-thread: SUITES=unit job TEST_TURNS=")


@case
def packages_that_cannot_be_installed_are_one_failure(tree):
    ready(tree, missing="libpmix-dev libgtest-dev")
    for what in ("check", "check-quick"):
        done = bootstrap(tree, what)
        check("apt-get install libpmix-dev libgtest-dev" in done.text or "what is missing: libpmix-dev libgtest-dev" in done.text, done.text)
        done.lacks("make .*")
        done.ends("0 passed, 1 failed", 1)


@case
def a_lab_that_cannot_be_set_up_fails_in_continuous_integration_only(tree):
    ready(tree)
    done = bootstrap(tree, "check", CI="true")
    check("apt knows no linux-image-amd64" in done.text, done.text)
    done.has("bootstrap: lab: not set up .*; with CI=true the tests of RDMA must run")
    done.lacks("make .*")
    done.ends("0 passed, 1 failed", 1)
    done = bootstrap(tree, "check")
    check("apt knows no linux-image-amd64" in done.text, done.text)
    done.has("==> lab: not set up .*; the tests of RDMA will be skipped", "make test-programs")


@case
def a_lab_without_qemu_names_the_package(tree):
    ready(tree, missing="qemu-system-x86")
    done = bootstrap(tree, "check", CI="true")
    done.has("setup: installs qemu-system-x86", "bootstrap: lab: not set up .*")
    done.ends("0 passed, 1 failed", 1)
