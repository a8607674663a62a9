"""What peal-info tells."""
import json
import pathlib
import re

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


def explained(desk, *words, **options):
    done = info(desk, "--explain", *words, "--json", **options)
    equal((done.code, done.err), (0, ""), "exit code and errors")
    return json.loads(done.out)


def chosen(facts):
    return next((each["name"], each["because"]) for each in facts["algorithms"] if each["chosen"])


@case()
def info_explains_the_choice(desk):
    done = info(desk, "--explain", "allreduce", "--ranks", "64", "--bytes", "1M", "--cores", "64")
    equal((done.code, done.err), (0, ""), "exit code and errors")
    check(done.out.startswith("allreduce of 1 MiB, 64 ranks on 1 node of 64 cores\ncost parameters: built in\n"), done.out)
    for each in ("flat", "doubling", "rabenseifner", "ring"):
        check(f"\n{each} " in done.out, done.out)
    check("\n* chosen by " in done.out, done.out)
    found = explained(desk, "allreduce", "--ranks", "64", "--bytes", "1M", "--nodes", "16", "--cores", "4")
    equal([found[each] for each in ("collective", "ranks", "nodes", "cores", "bytes", "tuning_file")], ["allreduce", 64, 16, 4, 1 << 20, None],
          "the question")
    prices = [each["price_ns"] for each in found["algorithms"] if each["price_ns"] is not None]
    equal(prices, sorted(prices), "prices")
    equal(sum(each["chosen"] for each in found["algorithms"]), 1, "algorithms that are chosen")
    forced = explained(desk, "allreduce", "--ranks", "64", "--bytes", "1M", env={"PEAL_ALLREDUCE": "flat"})
    equal(chosen(forced), ("flat", "forced"), "the algorithm that is forced")
    check("* chosen by PEAL_ALLREDUCE=flat" in info(desk, "--explain", "allreduce", "--ranks", "3", env={"PEAL_ALLREDUCE": "flat"}).out, "the reason")
    # What goes past all of them.
    for words, env, direct in ((("--ranks", "16", "--cores", "64"), {}, True), (("--ranks", "17", "--cores", "64"), {}, False),
                               (("--ranks", "64", "--cores", "2"), {}, True), (("--ranks", "65", "--cores", "2"), {}, False),
                               (("--ranks", "4", "--nodes", "2"), {}, False), (("--ranks", "4", "--bytes", "1M"), {}, True),
                               (("--ranks", "2", "--cores", "2", "--bytes", "30K"), {}, True),
                               (("--ranks", "2", "--cores", "2", "--bytes", "1M"), {}, False),
                               (("--ranks", "2", "--cores", "1", "--bytes", "1M"), {}, True), (("--ranks", "4"), {"PEAL_ALLREDUCE": "flat"}, False)):
        found = explained(desk, "allreduce", *words, env=env)
        equal((found["direct_when_blocking"], found["direct_price_ns"] is not None), (direct, direct), f"direct, {words}")
        equal("(direct)" in info(desk, "--explain", "allreduce", *words, env=env).out, direct, f"direct, {words}")
    # Eight ranks and no power of two: what cannot serve is no candidate.
    names = [each["name"] for each in explained(desk, "allgather", "--ranks", "6")["algorithms"]]
    check("ring" in names and "doubling" not in names, names)


@case()
def info_refuses_to_explain_nonsense(desk):
    for words, told in (
            (["alreduce", "--ranks", "4"],
             "alreduce: no such collective; there are barrier bcast reduce allreduce gather scatter allgather alltoall "
             "reduce_scatter scan exscan"),
            (["allreduce"], "--explain needs --ranks"),
            (["allreduce", "--ranks", "-1"], "--ranks -1: from 1 to 1048576"),
            (["allreduce", "--ranks", "many"], "many"),
            (["allreduce", "--ranks", "4", "--nodes", "5"], "--nodes 5: from 1 to the number of ranks"),
            (["allreduce", "--ranks", "4", "--cores", "-2"], "--cores -2: at least 1"),
            (["allreduce", "--ranks", "4", "--bytes", "lots"], "--bytes lots: not a size such as 4096, 64K or 1M"),
            (["allreduce", "--ranks", "4", "--bytes", "2048G"], "--bytes 2048G: at most 1024G"),
            (["allreduce", "--ranks", "4", "--bytes", "6"], "--bytes 6: not a multiple of the 4 bytes of an element"),
            (["allreduce", "--ranks", "4", "--tune"], "--tune")):
        done = info(desk, "--explain", *words)
        equal((done.code, done.out), (2, ""), f"exit code and output of {words}")
        check(done.err.startswith("peal-info: ") and told in done.err, f"{words}: {done.err}")
    done = info(desk, "--ranks", "4")
    check(done.code == 2 and "--explain" in done.err, done.err)
    done = info(desk, "--explain", "bcast", "--ranks", "4", env={"PEAL_BCAST": "pigeon"})
    equal((done.code, done.out), (1, ""), "exit code and output with a variable that is wrong")
    check("PEAL_BCAST=pigeon: allowed is" in done.err, done.err)


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


@case()
def ranks_with_unequal_tuning_files_agree(desk):
    """Where a message costs a millisecond a tree takes the place of the rule's chain of many segments."""
    values = {"local_send_ns": 1e6, "local_receive_ns": 15, "local_flight_ns": 60, "local_copy_rate": 40, "local_large_ns": 700,
              "local_large_rate": 45, "local_direct_rate": 16, "remote_send_ns": 60, "remote_doorbell_ns": 300, "remote_receive_ns": 60,
              "remote_flight_ns": 1500, "remote_large_ns": 3500, "remote_rate": 48, "reduce_rate": 28, "step_ns": 3, "switch_ns": 600}
    file = desk.work / "slow.toml"
    file.write_text("format = 1\n" + "".join(f"{name} = {value}\n" for name, value in values.items()))
    words = ("bcast", "--ranks", "3", "--bytes", "4M")
    equal(chosen(explained(desk, *words, env={"PEAL_TUNING": str(file)})), ("tree", "price"), "the choice by this file")
    equal(chosen(explained(desk, *words)), ("chain", "rule"), "the choice without it")
    program = harness.build / "examples/bench/peal_bcast"
    for mine, others in ((file, "none"), ("none", file), (file, "/nonexistent")):
        script = f'if [ "$PMIX_RANK" = 0 ]; then PEAL_TUNING={mine}; else PEAL_TUNING={others}; fi; export PEAL_TUNING; exec "$@"'
        done = desk.run("-n", "3", "sh", "-c", script, "sh", program, "-m", "4M:4M", "-i", "2", "-x", "0", "-c")
        equal(done.code, 0, f"exit code with {mine} on rank 0 and {others} elsewhere, and {done.err}")
        check("tuning" not in done.err, done.err)
