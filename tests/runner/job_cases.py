"""What run_job_tests makes of jobs that hang, leave something or skip, and which cases each commit has."""
import contextlib
import importlib.machinery
import importlib.util
import os
import sys
import threading

from runner import rotation
from stand_ins import SOURCE, case, check

COMMITS = [f"commit {number}" for number in range(150)]  # a case of one in six is missed by all of them once in 10^12 times


def loaded(path):
    """A program of the tests, as a module; what lies beside it can be imported."""
    sys.path.append(str(path.parent))
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    module.__file__ = str(path)
    loader.exec_module(module)
    return module


def job_tests(tree, cases, *words, **more):
    """The runner of the jobs as it is, but for its patience with what a job has left."""
    tree.copy("tests/job/run_job_tests", "tests/job/whereabouts.py", "tests/runner/__init__.py", "tests/runner/rotation.py")
    tree.replace("tests/job/run_job_tests", "GRACE = 10", "GRACE = 1")
    (tree.folder / "tests/job/cases.toml").write_text(cases)
    return tree.run(sys.executable, tree.folder / "tests/job/run_job_tests", tree.folder / "build", *words, **more)


@case
def a_job_that_hangs_is_ended_with_all_its_processes(tree):
    tree.program("build/tests/job/hangs", "echo so far; sleep 600 & exec sleep 600")
    tree.program("build/tests/job/good", "echo done")
    done = job_tests(tree, """
      [[case]]
      name = "one that hangs"
      program = "hangs"
      ranks = [0]
      timeout = 1
      [[case]]
      name = "a good one"
      program = "good"
      ranks = [0]
      stdout = "done"
      """)
    done.has("    so far", r"FAIL one that hangs alone: no end after 1 s \(.*", r"PASS a good one alone \(.*")
    done.ends("1 passed, 1 failed", 1)
    check(not tree.left(), "processes are left")


@case
def a_job_has_failed_when_anything_is_not_as_expected(tree):
    tree.program("build/tests/job/program", 'case $1 in crash) kill -9 $$ ;; file) touch "$TMPDIR/x" ;; esac; echo out; echo err >&2; exit 3')
    tree.program("build/tests/job/skips", "echo SKIP no: such thing; exit 77")
    text = "".join(f'[[case]]\nname = "{name}"\nranks = [0]\n{words}\n' for name, words in {
        "crash": 'program = "program"\nargs = ["crash"]', "code": 'program = "program"',
        "output": 'program = "program"\nexit = 3\nstdout = "other"', "silence": 'program = "program"\nexit = 3\nsilent = true',
        "file": 'program = "program"\nargs = ["file"]\nexit = 3', "fine": 'program = "program"\nexit = 3\nstdout = "out"\nstderr = "err"',
        "skip": 'program = "skips"', "missing": 'program = "not_there"'}.items())
    done = job_tests(tree, text)
    done.has(r"FAIL crash alone: exit code -9, expected 0 \(.*", r"FAIL code alone: exit code 3, expected 0 \(.*",
             r"FAIL output alone: stdout lacks /other/ \(.*", r"FAIL silence alone: it says on stderr: err \(.*",
             r"FAIL file alone: left behind: /.*/x \(.*", r"PASS fine alone \(.*", r"SKIP skip alone: no: such thing \(.*")
    check(done.lines[-1] == "1 passed, 6 failed" and done.code == 1, done.text)


turn = threading.Lock()  # there is one commit at a time


@contextlib.contextmanager
def commit_of(name, turns=1):
    """What the rotation takes for the commit; of so many long cases it has one."""
    with turn:
        before = {each: os.environ.get(each) for each in ("TEST_COMMIT", "TEST_TURNS")}
        os.environ.update(TEST_COMMIT=name, TEST_TURNS=str(turns))
        rotation.commit.cache_clear()
        try:
            yield
        finally:
            rotation.commit.cache_clear()
            for each, value in before.items():
                del os.environ[each]
                if value is not None:
                    os.environ[each] = value


def check_turns(found):
    """Where three take turns a commit has fewer, of those that it has anyhow."""
    with commit_of("slow"):
        usual = found()
    with commit_of("slow", 3):
        few = found()
    check(few and few < usual and len(few) < len(usual) / 2, f"{len(few)} of {len(usual)} have their turn where three take turns")


def rotated(found):
    """[what each commit has], which must differ between them and be the same for one commit each time."""
    def of(name):
        with commit_of(name):
            return found()

    sets = [of(name) for name in COMMITS]
    check([of(name) for name in COMMITS[:3]] == sets[:3], "a commit has other cases the second time")
    check(len({frozenset(each) for each in sets}) > 1, "all commits have the same cases")
    return sets


@case
def every_rare_job_case_has_its_turn(_):
    jobs = loaded(SOURCE / "tests/job/run_job_tests")
    entries = jobs.read_cases(SOURCE / "tests/job")

    def found(*words):
        options = jobs.options_of(["build", *words])
        return {(entry["name"], ranks) for entry in entries for ranks in jobs.wanted(entry, options)}

    full = found("--tier", "full")
    sets = rotated(lambda: found("--tier", "default"))
    check(set.union(*sets) == full, f"never run: {sorted(full - set.union(*sets))}")
    check(all(len(each) < len(full) for each in sets), "a commit has all of them")
    names = {name for name, _ in full}
    check(all({name for name, _ in each} == names for each in sets), "a case with none of its numbers of ranks")
    for kind in ("address", "thread"):
        sets = rotated(lambda: found("--tier", "default", "--sanitizer", kind))
        quick = {(entry["name"], ranks) for entry in entries for ranks in jobs.wanted(entry, jobs.options_of(["build", "--quick", "--sanitizer", kind]))
                 if not entry["program"].startswith("examples/") and (kind == "address" or jobs.threads_meet(entry))}
        check(set.union(*sets) == quick, f"never run under the {kind} sanitizer: {sorted(quick - set.union(*sets))}")
        check_turns(lambda: found("--tier", "default", "--sanitizer", kind))


@case
def every_rare_lab_case_has_its_turn(_):
    lab = loaded(SOURCE / "tests/lab/run_lab_tests")

    def found(tier):
        return {entry["name"] for entry in lab.entries_of(tier)}

    sets, full = rotated(lambda: found("default")), found("full")
    check_turns(lambda: found("default"))
    rare = {entry["name"] for entry in lab.entries_of("full") if entry.get("full")}
    check(set.union(*sets) == full - rare, f"never run: {sorted(full - rare - set.union(*sets))}")
    check(all(each < full for each in sets), "a commit has all of them")


@case
def without_git_all_commits_are_one(tree):
    tree.copy("tests/runner/__init__.py", "tests/runner/rotation.py")
    script = "import sys; sys.path.insert(0, 'tests'); from runner import rotation; print(rotation.commit())"
    done = tree.run(sys.executable, "-c", script, TEST_COMMIT="", PATH="/nowhere")
    done.ends("none", 0)
    tree.run(sys.executable, "-c", script, TEST_COMMIT="named", PATH="/nowhere").ends("named", 0)
