"""What peal-info tells."""
import json
import pathlib

import harness
from harness import case, check, equal


def info(desk, *words, **options):
    return desk.run(*words, program=harness.build / "peal-info", **options)


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
