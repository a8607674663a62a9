"""What peal-sim tells. What it computes is tested in tests/unit/simulator."""
import json
import xml.etree.ElementTree

import harness
from harness import case, check, equal


def sim(desk, *words, **options):
    return desk.run(*words, program=harness.build / "peal-sim", **options)


def facts(desk, *words):
    done = sim(desk, *words, "--json")
    equal((done.code, done.err), (0, ""), "exit code and errors")
    return json.loads(done.out)


@case()
def sim_shows_all_algorithms_the_fastest_first(desk):
    done = sim(desk, "allreduce", "-n", "64", "--bytes", "1M", "--nic", "connectx7")
    equal((done.code, done.err), (0, ""), "exit code and errors")
    check(done.out.startswith("allreduce of 1 MiB, 64 ranks, 1 a node, 32 nodes a leaf switch, connectx7 of 400 Gb/s\n"), done.out)
    names = [line.split()[0] for line in done.lines()[3:] if line][:4]
    equal(sorted(names), ["doubling", "flat", "rabenseifner", "ring"], "algorithms")
    check("rabenseifner *" in done.out, done.out)
    equal(sim(desk, "allreduce", "-n", "64", "--bytes", "1M").out, done.out, "the output of a second run")


@case()
def sim_says_the_same_as_json(desk):
    found = facts(desk, "alltoall", "-n", "100", "--bytes", "2K", "--qps", "2", "--ranks-per-node", "4", "--doorbells", "each")
    equal((found["collective"], found["ranks"], found["bytes"]), ("alltoall", 100, 2048), "the question")
    equal((found["machine"]["queue_pairs"], found["machine"]["doorbells"]), (2, "each"), "the machine")
    times = [each["time_ns"] for each in found["algorithms"]]
    equal(times, sorted(times), "times")
    linear = next(each for each in found["algorithms"] if each["name"] == "linear")
    equal((linear["messages"], linear["bytes"], linear["rounds"]), (9900, 9900 * 2048, 1), "linear")


@case()
def sim_goes_by_nodes_that_have_several_ranks(desk):
    found = facts(desk, "allreduce", "-n", "64", "--bytes", "8", "--ranks-per-node", "8")
    leaders = next(each for each in found["algorithms"] if each["name"] == "leaders")
    # 7 of each node to the leader and back, 3 rounds between 8 leaders.
    equal(leaders["messages"], 8 * 7 * 2 + 3 * 8, "messages of leaders")
    check("leaders *" in sim(desk, "allreduce", "-n", "64", "--bytes", "8", "--ranks-per-node", "8").out, "leaders are not chosen")
    names = [each["name"] for each in facts(desk, "allreduce", "-n", "64", "--bytes", "8")["algorithms"]]
    check("leaders" not in names, f"one rank a node: {names}")


@case()
def sim_plays_ranks_that_share_cores(desk):
    words = ("barrier", "-n", "8", "--ranks-per-node", "8", "--algorithm", "dissemination")
    alone, shared = (facts(desk, *words, *more)["algorithms"][0]["time_ns"] for more in ((), ("--cores", "2")))
    check(shared > alone, (shared, alone))
    equal(facts(desk, *words, "--cores", "8")["algorithms"][0]["time_ns"], alone, "with a core each")


@case()
def sim_plays_65536_ranks(desk):
    found = facts(desk, "barrier", "-n", "65536", "--algorithm", "dissemination")
    equal([(each["rounds"], each["messages"]) for each in found["algorithms"]], [(16, 16 * 65536)], "dissemination")


@case()
def sim_says_what_it_cannot_simulate(desk):
    done = sim(desk, "allgather", "-n", "1000", "--algorithm", "doubling")
    equal(done.code, 0, "exit code")
    check("not simulated: needs a number of ranks that is a power of two" in done.out, done.out)
    found = facts(desk, "allgather", "-n", "1000", "--algorithm", "doubling")["algorithms"][0]
    equal((found["time_ns"], found["not_simulated_because"]), (None, "needs a number of ranks that is a power of two"), "the reason")


@case()
def sim_draws(desk):
    for over, points in (("bytes", 5), ("ranks", 4)):
        file = desk.work / f"{over}.svg"
        done = sim(desk, "bcast", "-n", "16", "--bytes", "1K", "--plot", file, "--over", over)
        equal((done.code, done.err), (0, ""), "exit code and errors")
        picture = xml.etree.ElementTree.parse(file).getroot()
        name = "{http://www.w3.org/2000/svg}"
        equal(len(picture.findall(f".//{name}polyline")), 3, "lines")
        equal(len(picture.findall(f".//{name}circle[@class='chain']")), points, "points of chain")
        check({"tree", "chain", "scatter_allgather"} <= {each.text for each in picture.iter(f"{name}text")}, "names of the lines")


@case()
def sim_refuses_nonsense(desk):
    for words, told in (
            (["alreduce", "-n", "4"],
             "alreduce: no such collective; there are barrier bcast reduce allreduce gather scatter allgather alltoall "
             "reduce_scatter scan exscan"),
            (["allreduce", "-n", "4", "--algorithm", "tree"], "tree: no such algorithm of allreduce; there are flat doubling rabenseifner ring"),
            (["allreduce", "-n", "0"], "-n"),
            (["allreduce", "-n", "1048577"], "-n"),
            (["allreduce", "-n", "many"], "many"),
            (["allreduce"], "-n"),
            (["-n", "4"], "collective"),
            (["allreduce", "-n", "4", "--bytes", "lots"], "--bytes lots: not a size such as 4096, 64K or 1M"),
            (["allreduce", "-n", "4", "--bytes", "0"], "--bytes 0: must be from 1 to 1073741824 bytes"),
            (["allreduce", "-n", "4", "--bytes", "2G"], "--bytes 2G: must be"),
            (["allreduce", "-n", "4", "--bytes", "-1"], "-1"),
            (["allreduce", "-n", "4", "--bytes", "6"], "--bytes 6: not a multiple of the 4 bytes of an element"),
            (["allreduce", "-n", "4", "--nic", "token-ring"], "token-ring: no such adapter; there are connectx7 connectx6 connectx5"),
            (["allreduce", "-n", "4", "--doorbells", "none"], "--doorbells none: must be batched or each"),
            (["allreduce", "-n", "4", "--method", "guess"], "--method guess: must be auto, full, classes or segments"),
            (["allreduce", "-n", "4", "--ranks-per-node", "0"], "--ranks-per-node"),
            (["allreduce", "-n", "4", "--oversubscription", "nan"], "--oversubscription"),
            (["allreduce", "-n", "4", "--radix", "1"], "--radix"),
            (["allreduce", "-n", "4", "--cores", "0"], "--cores"),
            (["allreduce", "-n", "4", "--tuning", "/nonexistent"], "the tuning file /nonexistent is not used: No such file or directory"),
            (["allreduce", "-n", "4", "--streams", "2"], "--streams needs --segment"),
            (["allreduce", "-n", "4", "--over", "ranks"], "--over needs --plot"),
            (["allreduce", "-n", "4", "--plot", "p.svg"], "--plot over bytes needs --bytes 16 or more"),
            (["allreduce", "-n", "4", "--frobnicate"], "--frobnicate")):
        done = sim(desk, *words)
        equal((done.code, done.out), (2, ""), f"exit code and output of {words}")
        check(done.err.startswith("peal-sim: ") and told in done.err, f"{words}: {done.err}")
    equal(list(desk.work.iterdir()), [], "files")


@case()
def sim_notices_that_it_cannot_write(desk):
    with open("/dev/full", "wb") as full:
        done = sim(desk, "barrier", "-n", "4", stdout=full)
    equal(done.code, 1, "exit code")
    check("cannot be written" in done.err, done.err)
    done = sim(desk, "bcast", "-n", "4", "--bytes", "1K", "--plot", "/nonexistent/p.svg")
    equal((done.code, done.out), (1, ""), "exit code and output")
    check("/nonexistent/p.svg: No such file or directory" in done.err, done.err)


@case()
def sim_tells_of_itself(desk):
    for words, begin in ((["--version"], "peal-sim (peal "), (["--help"], "peal-sim predicts")):
        done = sim(desk, *words)
        equal((done.code, done.err), (0, ""), "exit code and errors")
        check(done.out.startswith(begin), done.out)
