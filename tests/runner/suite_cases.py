"""What the runner makes of suites that end well, fail, crash, hang, skip or leave something behind."""
import json
import threading

from stand_ins import PYTHON, SOURCE, case, check, wait_for_writers


@case
def results_are_counted_and_the_sum_stands_alone(tree):
    tree.runner()
    tree.suite("style", "echo PASS one; echo why; echo FAIL two; echo SKIP three: no such thing here; echo 1 passed, 1 failed; exit 1")
    done = tree.run_tests("style")
    done.has("PASS style: one .*", "FAIL style: two .*", "    why", "failed:", "  style: two", r"\(1 skipped\)")
    done.ends("1 passed, 1 failed", 1)
    kept = json.loads((tree.folder / "build/test-logs/results.json").read_text())
    check(kept["complete"] and len(kept["cases"]) == 3, kept)
    tree.suite("style", "echo PASS one; echo 1 passed, 0 failed")
    tree.run_tests("style").ends("1 passed, 0 failed", 0)


@case
def skips_are_told_by_their_reasons(tree):
    tree.runner()
    tree.suite("style", "echo PASS x; echo SKIP a: no such: tool; echo SKIP b: no such: tool; echo SKIP c: other; echo 1 passed, 0 failed")
    done = tree.run_tests("style")
    done.has(" +2  no such: tool, such as style: a", " +1  style: c: other", r"\(3 skipped\)")
    done.ends("1 passed, 0 failed", 0)
    tree.suite("style", "echo SKIP a: no such tool; echo 0 passed, 0 failed")
    tree.run_tests("style").ends("0 passed, 0 failed", 1)


@case
def the_slowest_twenty_are_told(tree):
    tree.runner()
    tree.suite("style", 'for i in $(seq 1 25); do echo "PASS number $i ($i.50 s)"; done; echo 25 passed, 0 failed')
    done = tree.run_tests("style")
    begin = done.lines.index("the slowest 20:")
    told = [line.split() for line in done.lines[begin + 1:begin + 21]]
    check([(words[0], words[-1]) for words in told] == [(f"{i}.5", f"{i}") for i in range(25, 5, -1)], done.text)
    done.ends("25 passed, 0 failed", 0)


@case
def a_suite_that_crashes_has_failed(tree):
    tree.runner()
    for ending, told in (("kill -9 $$", "killed by SIGKILL"), ("exit 3", "exit code 3"), ("exit 1", "exit code 1")):
        tree.suite("style", f"echo PASS one; echo last words; {ending}")
        done = tree.run_tests("style")
        done.has(f"FAIL style: {told} *", "    last words")
        done.ends("1 passed, 1 failed", 1)


@case
def a_suite_that_tells_no_sum_has_failed(tree):
    tree.runner()
    tree.suite("style", "echo PASS one")
    done = tree.run_tests("style")
    done.has("FAIL style: ended before its sum *")
    done.ends("1 passed, 1 failed", 1)
    # It has failed in a case, and then in the middle of the rest.
    tree.suite("style", "echo FAIL one; echo last words; exit 1")
    done = tree.run_tests("style")
    done.has("FAIL style: ended before its sum: exit code 1 *", "    last words")
    done.ends("0 passed, 2 failed", 1)


@case
def a_suite_that_runs_nothing_or_is_not_there_has_failed(tree):
    tree.runner()
    tree.suite("style", "echo nothing; echo 0 passed, 0 failed")
    done = tree.run_tests("style", "compile")
    done.has("FAIL style: ran no test *", "FAIL compile: .*run_compile_tests is missing *")
    done.ends("0 passed, 2 failed", 1)
    tree.suite("style", "echo PASS x").chmod(0o644)
    done = tree.run_tests("style")
    done.has("FAIL style: cannot be started: .*")
    check(done.lines[-1].startswith("0 passed, ") and done.code == 1, done.text)


@case
def a_suite_that_hangs_is_ended_with_all_its_processes(tree):
    tree.runner()
    tree.replace("tests/run_tests", "ORDINARY_LIMIT = 1200", "ORDINARY_LIMIT = 1")
    # One process ends when it is told to, another one does not.
    tree.suite("style", "sh -c 'trap : TERM; while :; do sleep 600; done' & sleep 600")
    tree.suite("compile", "echo PASS it goes on; echo 1 passed, 0 failed")
    done = tree.run_tests("style", "compile")
    done.has("FAIL style: no end after 1 s *", "PASS compile: it goes on .*")
    check(not tree.left(), "processes are left")
    check(done.lines[-1].startswith("1 passed, ") and done.code == 1, done.text)


@case
def what_a_suite_leaves_behind_is_told(tree):
    tree.runner()
    tree.suite("style", 'echo PASS one; touch "$TMPDIR/a file"; sleep 600 >/dev/null 2>&1 & echo 1 passed, 0 failed')
    done = tree.run_tests("style")
    done.has("FAIL style: leaves no process behind *", r"    \d+ sleep 600 *",
             "FAIL style: leaves nothing in the folder for temporary files *", "    a file")
    check(not tree.left(), "processes are left")
    done.ends("1 passed, 2 failed", 1)


@case
def a_unit_program_that_crashes_runs_on_behind_the_crash(tree):
    tree.runner()
    tree.unit("x_test", {"a": "", "b": "os.kill(os.getpid(), 11)", "c": "", "d": "os._exit(0)", "e": "good = False"})
    done = tree.run_tests("--unit", "tests/unit/x_test", "unit")
    done.has("PASS x_test some.a .*", "FAIL x_test some.b *", "    x_test: killed by SIGSEGV", "PASS x_test some.c .*", "FAIL x_test some.d *",
             "    x_test: exit code 0 in the middle of a test", "FAIL x_test some.e .*")
    done.ends("2 passed, 3 failed", 1)


@case
def a_unit_program_that_ends_before_its_sum_has_failed(tree):
    tree.runner()
    tree.unit("x_test", {"a": "# leaves", "b": ""})
    done = tree.run_tests("--unit", "tests/unit/x_test", "unit")
    done.has("PASS x_test some.a .*", "FAIL x_test: ended before its sum *")
    done.ends("1 passed, 1 failed", 1)


@case
def a_unit_program_that_crashes_again_and_again_is_given_up_aloud(tree):
    tree.runner()
    tree.unit("x_test", {f"crash{i}": "os.abort()" for i in range(12)} | {"never": ""})
    done = tree.run_tests("--unit", "tests/unit/x_test", "unit")
    done.has("FAIL x_test: 10 tests crashed, and those behind them were not run *", "    some.never")
    done.ends("0 passed, 11 failed", 1)


@case
def a_unit_test_cannot_be_disabled(tree):
    tree.runner()
    tree.unit("x_test", {"a": "", "DISABLED_b": "good = False"})
    done = tree.run_tests("--unit", "tests/unit/x_test", "unit")
    done.has("PASS x_test some.a .*", "FAIL x_test some.DISABLED_b .*")
    done.ends("1 passed, 1 failed", 1)


@case
def a_unit_program_that_is_missing_has_failed(tree):
    tree.runner()
    tree.unit("y_test", {"a": ""})
    done = tree.run_tests("--unit", "tests/unit/x_test tests/unit/y_test", "unit")
    done.has("FAIL x_test: cannot be started: .*", "PASS y_test some.a .*")
    check(done.lines[-1].startswith("1 passed, ") and done.code == 1, done.text)


@case
def what_a_case_prints_may_be_any_bytes(tree):
    """Who reads a suite's output goes on, whatever it is and wherever it is told, or the suite would stand still at its next write."""
    tree.runner()
    tree.suite("style", r"printf 'PASS \377 \342\202\254\n'; head -c 300000 /dev/zero | tr '\0' '\n'; echo PASS two; echo 2 passed, 0 failed")
    done = tree.run_tests("style", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done.has("PASS style: two .*")
    done.ends("2 passed, 0 failed", 0)


@case
def sums_of_several_runs_are_added_up(tree):
    tree.runner()
    tree.suite("style", "echo PASS one; echo FAIL two; echo 1 passed, 1 failed; exit 1")
    tree.suite("compile", "echo PASS three; echo 1 passed, 0 failed")
    tree.run_tests("--results", "first", "style")
    tree.run_tests("--results", "second", "compile")
    logs = tree.folder / "build/test-logs"
    done = tree.run_tests("--span", "build=7", "--sum", logs / "first.json", logs / "second.json")
    done.has(" +7 s  build", "  style: two", ".* style, 2 cases")
    done.ends("2 passed, 1 failed", 1)
    done = tree.run_tests("--sum", logs / "second.json", logs / "none.json")
    done.has("  none: these tests did not run to the end")
    done.ends("1 passed, 1 failed", 1)
    # It was killed in the middle.
    (logs / "second.json").write_text((logs / "second.json").read_text().replace('"complete": true', '"complete": false'))
    tree.run_tests("--sum", logs / "second.json").ends("1 passed, 1 failed", 1)


@case
def a_program_of_a_case_is_started_when_nobody_has_it_open_for_writing(tree):
    path = tree.program("written", "exit 0")
    with open(path, "a", encoding="utf-8") as writer:
        threading.Timer(0.1, writer.close).start()
        wait_for_writers(path)
        check(writer.closed, "it did not wait")
    tree.run(path)


# Of a lease that is left the kernel tells its holder by SIGIO, which ends a process.
@case
def a_program_of_a_case_may_be_written_anew_while_a_child_is_being_made(tree):
    path = tree.program("written", "exit 0")
    made = tree.program("child", PYTHON + f"""
import os
import sys
sys.path.insert(0, {str(SOURCE / "tests/runner")!r})
sys.dont_write_bytecode = True
import stand_ins

end, held = os.pipe()
children = []
close = os.close


def close_behind_a_child(descriptor):
    child = os.fork()
    if child == 0:
        close(held)
        os.read(end, 1)  # until the parent has ended
        os._exit(0)
    children.append(child)
    close(descriptor)


os.close = close_behind_a_child
stand_ins.wait_for_writers({str(path)!r})
os.close = close
with open({str(path)!r}, "w", encoding="utf-8"):
    print("written")
close(held)
for child in children:
    os.waitpid(child, 0)
print(len(children), "child")
""")
    done = tree.run(made)
    done.has("written", "1 child")
    check(done.code == 0, f"exit code {done.code}")
