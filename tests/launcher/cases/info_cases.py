"""What peal-info tells."""
import json
import pathlib
import re

import harness
from cases.explain_cases import explained, info
from harness import case, check, equal


def facts(desk, **options):
    done = info(desk, "--json", **options)
    equal((done.code, done.err), (0, ""), "exit code and errors")
    return json.loads(done.out)


@case()
def info_shows_every_part(desk):
    done = info(desk)
    equal((done.code, done.err), (0, ""), "exit code and errors")
    for each in ("peal ", "Machine ", "Transports", "RDMA devices", "Variables", "  PEAL_WAIT = adaptive", f"* PEAL_SHM_DIR = {desk.shared}",
                 "Problems"):
        check(each in done.out, f"{each!r} is not in\n{done.out}")


@case()
def info_says_the_same_as_json(desk):
    found = facts(desk)
    here = found["machine"]
    check(1 <= here["usable_cores"] <= here["cores"], here)
    check(here["shared_free_bytes"] > 0 and here["shared_folder"] == str(desk.shared), here)
    equal([each["name"] for each in found["transports"]], ["self", "shm", "verbs"], "transports")
    names = [each["name"] for each in found["variables"]]
    check("PEAL_WAIT" in names and len(names) == len(set(names)), names)
    equal([each["name"] for each in found["variables"] if each["set"]], ["PEAL_SHM_DIR"], "variables that are set")
    devices = [each.name for each in pathlib.Path("/sys/class/infiniband").glob("*")]
    equal(sorted(each["name"] for each in found["rdma_devices"]), sorted(devices), "RDMA devices")
    if not devices:
        equal(found["rdma_used"], None, "the device in use")


@case()
def info_says_whether_registrations_are_kept(desk):
    found = facts(desk)
    equal(found["registrations_kept"], found["registrations_not_kept_because"] is None, "registrations kept, and no reason why not")
    found = facts(desk, env={"PEAL_VERBS_REGISTRATION_CACHE": "off"})
    equal((found["registrations_kept"], found["registrations_not_kept_because"]), (False, "PEAL_VERBS_REGISTRATION_CACHE=off"), "registrations kept")


@case()
def info_tells_wrong_settings(desk):
    problems = facts(desk, env={"PEAL_WAIT": "soon", "PEAL_EAGER_LIMIT": "\xff", "PEAL_WIAT": "poll", "PEAL_SHM_DIR": "/nonexistent"})["problems"]
    for each in ("PEAL_WAIT=soon: allowed is one of: adaptive poll block", "PEAL_EAGER_LIMIT=", "PEAL_WIAT is no variable of peal; the nearest is PEAL_WAIT",
                 "/nonexistent: No such file or directory"):
        check(any(line.startswith(each) for line in problems), f"{each!r} is not in {problems}")


@case()
def info_names_the_remedy_where_a_device_is_missing(desk):
    found = facts(desk, env={"PEAL_TRANSPORT": "verbs", "PEAL_VERBS_DEVICE": "none_such_0"})
    problem = found["transports"][2]["problem"]
    check(problem in found["problems"], found["problems"])
    check("load its driver" in problem or "PEAL_VERBS_DEVICE=none_such_0: there is no such device; there are" in problem, problem)


@case()
def info_refuses_what_it_does_not_know(desk):
    for words in (["--frobnicate"], ["everything"]):
        done = info(desk, *words)
        equal((done.code, done.out), (2, ""), "exit code and output")
        check(done.err.startswith("peal-info: ") and words[0] in done.err and "--help" in done.err, done.err)
    for words, begin in ((["--version"], "peal-info (peal "), (["--help"], "peal-info shows")):
        done = info(desk, *words)
        equal((done.code, done.err), (0, ""), "exit code and errors")
        check(done.out.startswith(begin), done.out)


@case()
def info_notices_that_it_cannot_write(desk):
    with open("/dev/full", "wb") as full:
        done = info(desk, stdout=full)
    equal(done.code, 1, "exit code")
    check("cannot be written" in done.err, done.err)


@case()
def info_measures_and_later_runs_go_by_it(desk):
    file = desk.work / "own" / "tuning.toml"
    done = info(desk, "--tune", "--json", env={"PEAL_TUNING": str(file)})
    if done.code == 1 and "one hardware thread" in done.err:
        return  # and so has this machine
    equal(done.code, 0, f"exit code, with {done.err}")
    check("tuning file" not in done.err, done.err)
    told = json.loads(done.out)
    equal((told["tuning_file"], told["measured_inside_a_node"], told["measured_between_nodes"]), (str(file), True, False), "what was measured")
    equal([each.name for each in file.parent.iterdir()], ["tuning.toml"], "files")
    check("peal-info --tune" in file.read_text() and "\nformat = 1\n" in file.read_text(), file.read_text())
    found = explained(desk, "bcast", "--ranks", "2", env={"PEAL_TUNING": str(file)})
    equal((found["tuning_file"], found["tuning_problem"]), (str(file), None), "the tuning file")
    equal(facts(desk, env={"PEAL_TUNING": str(file)})["tuning_file"], str(file), "the tuning file of the report")
    # What was measured is what prices are made of.
    slow = file.with_name("slow.toml")
    slow.write_text(re.sub(r"(?m)^(\w+_ns = ).*$", r"\g<1>1e6", file.read_text()))
    price = explained(desk, "bcast", "--ranks", "2", env={"PEAL_TUNING": str(slow)})["algorithms"][0]["price_ns"]
    check(price >= 3e6, price)


@case()
def info_has_nowhere_to_write(desk):
    done = info(desk, "--tune", env={"PEAL_TUNING": "none"})
    equal((done.code, done.out), (1, ""), "exit code and output")
    check("there is no place for the tuning file" in done.err, done.err)


@case()
def a_damaged_tuning_file_is_told_of_once(desk):
    file = desk.configuration / "peal" / "tuning.toml"
    file.parent.mkdir()
    program = harness.build / "examples/bench/peal_init"
    for text, told in (("format = 99\n", "line 1: it is of format 99, and this peal reads 1"), ("format = 1\nlocal_send_ns = 1\n", "it lacks "),
                       ("\0" * 100, "is no \"name = value\"")):
        file.write_text(text)
        done = desk.run("-n", "3", program)
        equal(done.code, 0, "exit code")
        warnings = [line for line in done.err.splitlines() if "tuning file" in line]
        check(len(warnings) == 1 and str(file) in warnings[0] and told in warnings[0], done.err)
        check(any(told in each for each in facts(desk)["problems"]), "what peal-info finds wrong")
    file.unlink()
    check("tuning" not in desk.run("-n", "3", program).err, "nothing is told of a file that is not there")
