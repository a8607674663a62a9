"""What the runner tells when the time for the check is over."""
import json
import time

from stand_ins import PYTHON, case, check

LISTED = PYTHON + """
import sys, time
if "--list" in sys.argv: sys.exit(print("first", "second", "third: with a colon", sep="\\n"))
print("PASS first (0.10 s)", flush=True)
print("SKIP third: with a colon: a reason", flush=True)
time.sleep(600)
"""


def strikes_in_the_middle(tree, begun, *words, **more):
    """Runs with ever later deadlines until one came after the first results, which on a busy machine take their time."""
    for seconds in (1, 4, 16, 60):
        done = tree.run_tests(*words, PEAL_CHECK_DEADLINE=str(time.time() + seconds), **more)
        if any(line.startswith(begun) for line in done.lines):
            return done
    raise AssertionError(f"no '{begun}':\n{done.text}")


@case
def a_deadline_that_has_passed(tree):
    tree.runner()
    tree.unit("x_test", {"a": "time.sleep(600)", "b": "time.sleep(600)"})
    tree.suite("style", "sleep 600")
    tree.suite("job", LISTED.replace('print("PASS', 'time.sleep(600); print("PASS'))
    done = tree.run_tests("--unit", "tests/unit/x_test tests/unit/none", "unit", "style", "job", PEAL_CHECK_DEADLINE=str(time.time() - 1))
    done.has("NOT RUN x_test some.a *", "NOT RUN x_test some.b *", "NOT RUN none: the rest of it *", "NOT RUN style: the rest of it *",
             "NOT RUN job: first *", "NOT RUN job: second *", "NOT RUN job: third: with a colon *", r"not run before the deadline \(7\):",
             r"\(7 of those that failed did not run\)")
    done.ends("0 passed, 7 failed", 1)
    check(not tree.left(), "processes are left")


@case
def a_deadline_in_the_middle_of_a_suite(tree):
    tree.runner()
    tree.suite("style", "echo PASS before; echo FAIL it; echo 1 passed, 1 failed; exit 1")
    tree.suite("job", LISTED)
    done = strikes_in_the_middle(tree, "SKIP job", "style", "job")
    done.has("PASS style: before .*", "FAIL style: it .*", "PASS job: first .*", "NOT RUN job: second *", "  job: second")
    done.lacks("NOT RUN job: (first|third).*")
    done.ends("2 passed, 2 failed", 1)
    check(not tree.left(), "processes are left")
    kept = json.loads((tree.folder / "build/test-logs/results.json").read_text())
    check([each[0] for each in kept["cases"]] == ["PASS", "FAIL", "PASS", "SKIP", "NOT RUN"] and kept["complete"], kept)


@case
def unit_programs_take_turns_under_a_sanitizer_where_long_tests_do(tree):
    tree.runner()
    names = [f"{letter}_test" for letter in "uvwxyz"]
    for name in names:
        tree.unit(name, {"a": ""})
    programs = ("--unit", " ".join(f"tests/unit/{name}" for name in names), "unit")

    def of(commit, *words, turns="3"):
        done = tree.run_tests(*words, *programs, TEST_TURNS=turns, TEST_COMMIT=str(commit))
        return frozenset(name for name in names if f" {name} some.a" in done.text)

    check(of(1) == of(1, "--sanitizer", "address", turns="") == set(names), "not all run where none takes turns")
    seen = {of(commit, "--sanitizer", "address") for commit in range(20)}
    check(len(seen) == 3 and all(len(each) == 2 for each in seen) and frozenset().union(*seen) == set(names), f"other turns: {seen}")


@case
def a_deadline_in_the_middle_of_a_unit_program(tree):
    tree.runner()
    tree.unit("x_test", {"a": "", "b": "time.sleep(600)", "c": ""})
    tree.unit("y_test", {"d": "time.sleep(600)"})
    done = strikes_in_the_middle(tree, "PASS", "--unit", "tests/unit/x_test tests/unit/y_test", "unit")
    done.has("PASS x_test some.a .*", "NOT RUN x_test some.b *", "NOT RUN x_test some.c *", "NOT RUN y_test some.d *")
    done.ends("1 passed, 3 failed", 1)


@case
def a_deadline_when_all_has_run_but_the_end(tree):
    tree.runner()
    tree.suite("job", LISTED.replace('print("SKIP', 'print("PASS second\\nSKIP'))
    done = strikes_in_the_middle(tree, "SKIP job", "job")
    done.has("NOT RUN job: the rest of it *")
    done.ends("2 passed, 1 failed", 1)
