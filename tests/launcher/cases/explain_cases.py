"""What peal-info --explain tells: of a call, of all collectives, of a running job."""
import json
import subprocess

import harness
from harness import case, check, equal


# Where a message costs a millisecond.
COSTS = {"local_send_ns": 1e6, "local_receive_ns": 15, "local_flight_ns": 60, "local_copy_rate": 40, "local_large_ns": 700,
         "local_large_rate": 45, "local_direct_rate": 16, "remote_send_ns": 60, "remote_doorbell_ns": 300, "remote_receive_ns": 60,
         "remote_flight_ns": 1500, "remote_large_ns": 3500, "remote_rate": 48, "reduce_rate": 28, "step_ns": 3, "switch_ns": 600}


def info(desk, *words, **options):
    return desk.run(*words, program=harness.build / "peal-info", **options)


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
    for name, words, env, direct in (
            ("alltoall", ("--ranks", "16", "--cores", "64"), {}, True), ("alltoall", ("--ranks", "17", "--cores", "64"), {}, False),
            ("alltoall", ("--ranks", "64", "--cores", "2"), {}, True), ("alltoall", ("--ranks", "65", "--cores", "2"), {}, False),
            # By groups.
            ("allgather", ("--ranks", "17", "--cores", "64"), {}, True), ("allgather", ("--ranks", "65", "--cores", "2"), {}, True),
            ("allgather", ("--ranks", "17", "--cores", "64", "--bytes", "256"), {}, False),
            ("allreduce", ("--ranks", "17", "--cores", "64"), {}, True), ("allreduce", ("--ranks", "65", "--cores", "2"), {}, True),
            ("allreduce", ("--ranks", "17", "--cores", "64", "--bytes", "64K"), {}, False),
            ("allreduce", ("--ranks", "4", "--nodes", "2"), {}, False), ("allreduce", ("--ranks", "4", "--bytes", "1M"), {}, True),
            ("allreduce", ("--ranks", "2", "--cores", "2", "--bytes", "30K"), {}, True),
            ("allreduce", ("--ranks", "2", "--cores", "2", "--bytes", "1M"), {}, False),
            ("allreduce", ("--ranks", "2", "--cores", "1", "--bytes", "1M"), {}, True),
            ("allreduce", ("--ranks", "4"), {"PEAL_ALLREDUCE": "flat"}, False)):
        found = explained(desk, name, *words, env=env)
        equal((found["direct_when_blocking"], found["direct_price_ns"] is not None), (direct, direct), f"direct, {name} {words}")
        equal("(direct)" in info(desk, "--explain", name, *words, env=env).out, direct, f"direct, {name} {words}")
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
def ranks_with_unequal_tuning_files_agree(desk):
    """Where a message costs a millisecond a tree takes the place of the rule's chain of many segments."""
    file = desk.work / "slow.toml"
    file.write_text("format = 1\n" + "".join(f"{name} = {value}\n" for name, value in COSTS.items()))
    words = ("bcast", "--ranks", "3", "--bytes", "4M")
    equal(chosen(explained(desk, *words, env={"PEAL_TUNING": str(file)})), ("tree", "price"), "the choice by this file")
    equal(chosen(explained(desk, *words)), ("chain", "rule"), "the choice without it")
    program = harness.build / "examples/bench/peal_bcast"
    for mine, others in ((file, "none"), ("none", file), (file, "/nonexistent")):
        script = f'if [ "$PMIX_RANK" = 0 ]; then PEAL_TUNING={mine}; else PEAL_TUNING={others}; fi; export PEAL_TUNING; exec "$@"'
        done = desk.run("-n", "3", "sh", "-c", script, "sh", program, "-m", "4M:4M", "-i", "2", "-x", "0", "-c")
        equal(done.code, 0, f"exit code with {mine} on rank 0 and {others} elsewhere, and {done.err}")
        check("tuning" not in done.err, done.err)


@case()
def a_tuning_file_of_another_machine_is_told_of_once(desk):
    file = desk.configuration / "peal" / "tuning.toml"
    file.parent.mkdir()
    file.write_text('format = 1\nprocessor = "a slide rule"\n' + "".join(f"{name} = {value}\n" for name, value in COSTS.items()))
    done = desk.run("-n", "3", harness.build / "examples/bench/peal_init")
    equal(done.code, 0, "exit code")
    warnings = [line for line in done.err.splitlines() if "tuning file" in line]
    check(len(warnings) == 1 and str(file) in warnings[0] and "another machine" in warnings[0] and "a slide rule" in warnings[0], done.err)
    found = explained(desk, "--ranks", "3")
    equal((found["tuning_file"], found["prices_count"]), (None, False), "what the choice goes by")
    check("another machine" in found["tuning_problem"], found)
    # Who names the file wants to see it.
    found = explained(desk, "--ranks", "3", "--tuning", file)
    equal((found["tuning_file"], found["tuning_problem"], found["prices_count"]), (str(file), None, True), "what is asked for")


@case()
def info_explains_all_collectives_by_length(desk):
    found = explained(desk, "--ranks", "4", "--cores", "4")
    kinds = list(dict.fromkeys(each["collective"] for each in found["calls"]))
    equal(kinds, "barrier bcast reduce allreduce gather scatter allgather alltoall reduce_scatter scan exscan".split(), "collectives")
    for kind in kinds[1:]:
        of_kind = [each for each in found["calls"] if each["collective"] == kind]
        equal((of_kind[0]["least_bytes"], of_kind[-1]["most_bytes"]), (8, 16 << 20), f"lengths of {kind}")
        equal([each["least_bytes"] for each in of_kind[1:]], [2 * each["most_bytes"] for each in of_kind[:-1]], f"ranges of {kind}")
    one = next(each for each in found["calls"] if each["collective"] == "allreduce" and each["least_bytes"] <= 1 << 20 <= each["most_bytes"])
    alone = explained(desk, "allreduce", "--ranks", "4", "--cores", "4", "--bytes", "1M")
    equal(((one["algorithm"], one["because"]), one["direct_when_blocking"]), (chosen(alone), alone["direct_when_blocking"]), "an allreduce of 1 MiB")
    text = info(desk, "--explain", "--ranks", "4", "--cores", "4").out
    check(text.startswith("4 ranks on 1 node of 4 cores\ncost parameters: built in\n"), text)


@case()
def info_explains_a_tuning_file(desk):
    file = desk.work / "slow.toml"
    file.write_text("format = 1\n" + "".join(f"{name} = {value}\n" for name, value in COSTS.items()))
    found = explained(desk, "--ranks", "3", "--tuning", file)
    equal((found["tuning_file"], found["tuning_problem"], found["prices_count"]), (str(file), None, True), "the file")
    check(any(each["because"] == "price" for each in found["calls"]), found["calls"])
    words = ("bcast", "--ranks", "3", "--bytes", "4M")
    equal(chosen(explained(desk, *words, "--tuning", file)), ("tree", "price"), "one call by this file")
    equal(chosen(explained(desk, *words, "--tuning", "none")), ("chain", "rule"), "without one")
    file.write_text("format = 99\n")
    found = explained(desk, "--ranks", "3", "--tuning", file)
    check("it is of format 99" in found["tuning_problem"] and not found["prices_count"], found)
    check("it is of format 99" in info(desk, "--explain", "--ranks", "3", "--tuning", file).out, "the problem, as text")


def learnt(desk, *words):
    found = explained(desk, *words)
    return found, {each["communicator"]: each for each in found["collectives"]}


@case(alone=True)
def info_explains_what_a_job_has_learnt(desk):
    job = desk.start("-n", "2", harness.build / "tests/launcher/learnt_rank", stdin=subprocess.PIPE)
    equal(job.line(), "learnt\n", "what the job says")
    found, of = learnt(desk, "--job", job.pid)
    equal((found["ranks_on_this_node"], found["collectives_left_out"], len(of)), (2, False, 2), "ranks, and communicators")
    (copy,) = set(of) - {0}
    for each in of.values():
        equal((each["collective"], each["most_bytes"], each["ranks"], each["in_rank_order"]), ("allreduce", 8192, 2, False), "the calls")
        equal(sum(way["in_use"] for way in each["ways"]), 1, "ways in use")
        # The duplicate has had one review, and has begun with what the world had tried.
        tried = [way for way in each["ways"] if way["ns_per_byte"] is not None]
        equal(len(tried), len(each["ways"]), "ways that were tried")
    names = [way["name"] for way in of[0]["ways"]]
    check("direct" in names and len(names) == len(set(names)), names)
    equal([way["name"] for way in of[copy]["ways"]], names, "the ways of the duplicate")
    here = json.loads(info(desk, "--json").out)["machine"]
    if here["usable_cores"] > 1 and here["direct_copy_problem"] is None:
        large = [each for each in found["large_messages"] if each["most_bytes"] == 64 << 10]
        check(large and all(sum(way["in_use"] for way in each["ways"]) == 1 for each in large), found["large_messages"])
    equal(learnt(desk, "--job", of[0]["first_process"])[1], of, "what is learnt when a rank is named")
    equal(explained(desk, "bcast", "--job", job.pid)["collectives"], [], "what is learnt of another collective")
    text = info(desk, "--explain", "allreduce", "--job", job.pid).out
    for each in (f"What the job of process {job.pid} has learnt on this node, 2 ranks\n", "\nWorld, 2 ranks", f"\nCommunicator {copy}, 2 ranks",
                 "\n  allreduce      up to 8 KiB ", " * "):
        check(each in text, f"{each!r} is not in\n{text}")
    job.stdin.write(b"\n")
    job.stdin.flush()
    equal(job.line(), "given up\n", "what the job says")
    equal(set(learnt(desk, "--job", job.pid)[1]), {0}, "communicators without the one that is gone")
    equal(desk.finish(job, input="\n").code, 0, "exit code of the job")


@case(alone=True)
def info_explains_who_joins_what(desk):
    job = desk.start("-n", "3", harness.build / "tests/launcher/learnt_rank", stdin=subprocess.PIPE)
    equal(job.line(), "learnt\n", "what the job says")
    ways = learnt(desk, "--job", job.pid)[1][0]["ways"]
    tried = {way.get("by_parts", False): way["ns_per_byte"] for way in ways if way["name"] == "direct"}
    equal((set(tried), None in tried.values()), ({False, True}, False), "whole vectors and parts, and whether one was not tried")
    text = info(desk, "--explain", "allreduce", "--job", job.pid).out
    check(" direct, by parts" in text and text.count(" direct") == 2 * text.count("\n  allreduce "), text)
    job.stdin.write(b"\n")
    job.stdin.flush()
    equal(job.line(), "given up\n", "what the job says")
    equal(desk.finish(job, input="\n").code, 0, "exit code of the job")


@case()
def info_finds_no_job(desk):
    for words, code, told in ((("--job", "999999999"), 1, "there is no process 999999999 on this node"), (("--job", "nine"), 2, "--job"),
                              (("--job", "0"), 2, "--job"), (("alreduce", "--job", "1"), 2, "alreduce: no such collective"),
                              (("--job", "1", "--ranks", "2"), 2, "--ranks"), ((), 2, "--explain needs --ranks, or --job")):
        done = info(desk, "--explain", *words)
        equal((done.code, done.out), (code, ""), f"exit code and output of {words}")
        check(done.err.startswith("peal-info: ") and told in done.err, done.err)
    other = desk.start("5", program="sleep")
    done = info(desk, "--explain", "--job", other.pid)
    equal(done.code, 1, "exit code")
    check(f"process {other.pid} is no rank of a job" in done.err, done.err)
    other.kill()
