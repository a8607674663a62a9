"""What pealrun says to command lines, right and wrong."""
import os
import pathlib
import re

import harness
from harness import case, check, equal


def refused(desk, code, *words, says, **options):
    done = desk.run(*words, **options)
    equal(done.code, code, f"exit code of {words}")
    equal(done.out, "", "standard output")
    equal(len(done.err.splitlines()), 1, f"lines of the complaint ({done.err!r})")
    for each in ("pealrun: ", *says):
        check(each in done.err, f"{words}: {each!r} is not in {done.err!r}")


@case()
def help_names_every_option(desk):
    done = desk.run("--help")
    equal(done.code, 0, "exit code")
    for each in ("-n,--np", "-x", "--wdir", "--tag-output", "--timestamp-output", "--output", "--merge-stderr", "--stdin", "--timeout", "--on-failure", "--version", "--help", "':'", "-np", "--bind-to", "--map-by", "--rankfile", "--explain", "--restart"):
        check(each in done.out, f"{each} is not in the help")
    check("stand-in" not in done.out, "the help tells of what is not for users")
    usage, *lines = done.lines()
    check(usage.startswith("Usage: pealrun [OPTION]... PROGRAM") and usage.count("pealrun") == 1, usage)
    check(max(map(len, lines)) <= 80, "lines of more than 80 columns")
    check("--bind-to none|core|l3|numa|socket\n" in done.out and "--on-failure kill|notify" in done.out, "what may be chosen")
    groups = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    equal((groups[:2], groups[-2:]), (["Programs:", "Nodes:"], ["Help:", "Examples:"]), "groups")


@case()
def every_option_stands_in_the_manual_and_in_the_page_for_users_of_others(desk):
    top = pathlib.Path(__file__).resolve().parents[3]
    manual = (top / "man/pealrun.1").read_text().replace("\\-", "-")
    page = (top / "doc/launching.md").read_text()
    options = re.findall(r"^  (-\S+)", desk.run("--help").out, re.M)
    check(len(options) > 10, f"options: {options}")
    for names in options:
        for name in names.split(","):
            whole = rf"(?<![-\w]){name}(?![-\w])"
            check(re.search(rf"^\.BR? .*{whole}", manual, re.M), f"{name} has no paragraph in pealrun.1")
            check(re.search(rf"^\|[^|]*`{name}[ `][^|]*\|", page, re.M), f"{name} has no row in launching.md")


@case()
def version_is_told(desk):
    done = desk.run("--version")
    equal((done.code, done.err), (0, ""), "exit code and errors")
    check(done.out.startswith("pealrun (peal "), done.out)


@case()
def unknown_options_are_refused_by_name(desk):
    refused(desk, 2, "--frobnicate", "true", says=["--frobnicate", "--help"])
    refused(desk, 2, "-n", "2", "-q", "true", says=["-q"])
    refused(desk, 2, "--bind", "core", "true", says=["--bind-to", "--bind-to may be meant"])
    refused(desk, 2, "--report-binding", "true", says=["--report-bindings may be meant"])
    refused(desk, 2, "-n", "2", "true", ":", "--tag-output", "true", says=["--tag-output", "':'"])


@case()
def a_wrong_number_of_ranks_is_refused(desk):
    for number in ("0", "x", "-3", "2.5", "", "5000", "99999999999999999999"):
        for option in ("-n", "-np", "--np"):
            refused(desk, 2, option, number, "true", says=["-n", f"'{number}'", "from 1 to 4096"])
    refused(desk, 2, "-n", "3000", "true", ":", "-n", "3000", "true", says=["6000", "4096"])


@case()
def a_missing_value_is_told(desk):
    for option in ("-n", "-np", "-x", "--wdir", "--output", "--stdin", "--timeout", "--on-failure", "--bind-to", "--map-by", "--cpu-set", "--rankfile", "--ppn", "--restart"):
        refused(desk, 2, option, says=[option.replace("-np", "-n"), "needs a value"])


@case()
def an_option_given_twice_is_told(desk):
    refused(desk, 2, "-n", "1", "-np", "2", "true", says=["-n", "more than once"])
    refused(desk, 2, "--timeout", "1", "--timeout", "2", "true", says=["--timeout", "more than once"])


@case()
def wrong_values_are_refused_with_what_is_allowed(desk):
    refused(desk, 2, "--timeout", "soon", "true", says=["--timeout", "'soon'", "seconds"])
    refused(desk, 2, "--timeout", "0", "true", says=["--timeout", "above 0"])
    refused(desk, 2, "--timeout", "nan", "true", says=["--timeout"])
    refused(desk, 2, "--on-failure", "panic", "true", says=["--on-failure", "'panic'", "kill or notify or continue"])
    refused(desk, 2, "--bind-to", "board", "true", says=["--bind-to", "'board'", "none or core or l3 or numa or socket"])
    refused(desk, 2, "-x", "=5", "true", says=["-x", "NAME=VALUE"])
    refused(desk, 2, "-x", "SURELY_NOT_SET", "true", says=["SURELY_NOT_SET is not set"])
    refused(desk, 2, "--wdir", "/surely/not/there", "true", says=["--wdir", "/surely/not/there", "No such file"])
    refused(desk, 2, "--wdir", "/etc/passwd", "true", says=["/etc/passwd is not a folder"])


@case()
def a_missing_program_is_told(desk):
    refused(desk, 2, says=["no program"])
    refused(desk, 2, "-n", "2", says=["no program"])
    refused(desk, 2, "true", ":", says=["no program after ':'"])
    refused(desk, 127, "./surely-not-there", says=["./surely-not-there does not exist"])
    refused(desk, 127, "surely-not-there", says=["surely-not-there is not found in PATH"])
    refused(desk, 127, "", says=["empty"])
    refused(desk, 127, "-n", "2", "true", ":", "./surely-not-there", says=["./surely-not-there"])
    (desk.work / "here").write_text("#!/bin/sh\n")
    (desk.work / "here").chmod(0o755)
    refused(desk, 127, "here", says=["write ./here"])


@case()
def a_program_that_cannot_run_is_told(desk):
    (desk.work / "text").write_text("hello\n")
    refused(desk, 126, "./text", says=["./text is not executable", "chmod +x"])
    refused(desk, 126, "/", says=["/ is a folder"])
    (desk.work / "empty").write_text("")
    (desk.work / "empty").chmod(0o755)
    equal(desk.run("./empty").code, 0, "an empty script does nothing, as in a shell")
    (desk.work / "broken").write_text("#!/surely/not/there\n")
    (desk.work / "broken").chmod(0o755)
    done = desk.run("./broken")
    equal(done.code, 127, "exit code of a script whose interpreter is missing")
    check("cannot execute" in done.err and "No such file" in done.err, done.err)


@case()
def nonsense_in_a_variable_is_refused_once(desk):
    refused(desk, 2, "-n", "4", "true", says=["PEAL_LOG=loud", "quiet error warning info debug"], env={"PEAL_LOG": "loud"})


@case()
def nonsense_in_a_number_of_a_variable_is_refused_once(desk):
    for name, wrong in (("PEAL_LANES", ("99", "0", "x")), ("PEAL_WAIT_LEAST", ("-1",)), ("PEAL_WAIT_MOST", ("x",)), ("PEAL_VERBS_GID", ("x",))):
        for value in wrong:
            refused(desk, 2, "-n", "2", "true", says=[f"{name}={value}: allowed is auto, or a"], env={name: value})
    equal(desk.run("true", env={"PEAL_LANES": "auto", "PEAL_WAIT_LEAST": "0.5", "PEAL_VERBS_GID": "3"}).code, 0, "what is allowed")


@case()
def nonsense_in_a_variable_for_ranks_is_refused_too(desk):
    refused(desk, 2, "-n", "2", "-x", "PEAL_WAIT=foo", "true", says=["-x", "PEAL_WAIT=foo: allowed is one of: adaptive poll block"])
    refused(desk, 2, "true", ":", "-x", "PEAL_LANES=0", "true", says=["PEAL_LANES=0"])
    equal(desk.run("-x", "PEAL_WAIT=block", "-x", "PEAL_LOK=x", "true").code, 0, "what is allowed, and what is unknown")


@case()
def an_unknown_variable_is_warned_of_once(desk):
    program = str(harness.build / "tests/launcher/blocked_rank")
    done = desk.run("-n", "2", "--bind-to", "none", program, "nothing", env={"PEAL_LOK": "info"})
    equal(done.code, 0, f"an unknown variable does no harm: {done}")
    equal(done.err.count("PEAL_LOK"), 1, "times it is warned of")
    check("PEAL_LOG" in done.err, done.err)


@case()
def no_place_for_files_is_told(desk):
    refused(desk, 1, "--bind-to", "none", "true", says=["/surely/not/there", "TMPDIR"], env={"TMPDIR": "/surely/not/there"})


@case()
def arguments_of_the_program_are_its_own(desk):
    script = 'for each; do echo "<$each>"; done'
    done = desk.run("-n", "1", "sh", "-c", script, "sh", "-n", "5", "--help", "-np", "--", "two words", "", "--tag-output")
    equal(done.lines(), ["<-n>", "<5>", "<--help>", "<-np>", "<-->", "<two words>", "<>", "<--tag-output>"], "what the program got")
    equal(desk.run("-np", "1", "--", "echo", "-np", "x").out, "-np x\n", "after --")
    (desk.work / "-odd").write_text("#!/bin/sh\necho odd\n")
    (desk.work / "-odd").chmod(0o755)
    equal(desk.run("-n", "1", "--", "-odd", env={"PATH": f"{desk.work}:{os.environ['PATH']}"}).out, "odd\n", "a program whose name begins with -")
