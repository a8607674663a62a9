"""The report and the trace of a run: their numbers against a program whose traffic is known, and how the page looks to a browser."""
import collections
import html.parser
import json
import pathlib
import re
import shutil
import subprocess

import harness
from harness import Skip, case, check, equal


def rank(*words):
    return [str(harness.build / "tests/launcher/report_rank"), *map(str, words)]


class Page(html.parser.HTMLParser):
    """What a page has: its tables by caption, squares of its maps, sentences of its summary, the data for programs."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.squares, self.sentences, self.texts = {}, [], [], collections.Counter()
        self.map = ""
        self.outside, self.open, self.rows, self.caption, self.json = [], [], None, "", ""
        self.feed(text)
        self.data = json.loads(self.json)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.outside += [known[each] for each in ("src", "href") if each in known and not known[each].startswith(("data:", "#"))]
        self.texts[known.get("class", tag)] += 1
        if tag == "svg":
            self.map = known.get("aria-label", "")
        if tag == "rect" and "data-bytes" in known and self.map.startswith("Messages of the program"):
            self.squares.append(known)
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append(["", known.get("data-value")])
        elif tag == "li":
            self.sentences.append("")
        self.open.append((tag, known))

    def handle_endtag(self, tag):
        if tag == "table":
            self.tables[self.caption] = [[value or text for text, value in row] for row in self.rows]
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if not tags:
            return
        if tags[-1] == "script" and self.open[-1][1].get("id") == "data":
            self.json += data
        if "caption" in tags:
            self.caption += data
        elif "td" in tags or "th" in tags:
            self.rows[-1][-1][0] += data
        if tags[-1] == "li":
            self.sentences[-1] += data


def expected_pairs(ranks):
    """As report_rank.cpp sends."""
    count = [i % 8 + 1 for i in range(ranks)]
    return {(i, j): (2 * count[i], count[i] * (8 * (j + 1) + 4096 * count[i])) for i in range(ranks) for j in range(ranks) if i != j}


def run_and_read(desk, ranks, *options, program=None, code=0):
    file = desk.work / "report.html"
    done = desk.run("--bind-to", "none", "-n", ranks, "--report", file, *options, *(program or rank("traffic")))
    equal(done.code, code, f"exit code: {done}")
    return Page(file.read_text()), done


@case()
def the_report_counts_every_message(desk):
    for ranks in (1, 2, 5):
        page, done = run_and_read(desk, ranks)
        equal(done.complaints(), [], "complaints")
        wanted = expected_pairs(ranks)
        equal({(f, t): (m, b) for f, t, m, b, *_ in page.data["pairs"]}, wanted, "messages and bytes that each rank has sent")
        equal({(f, t): (m, b) for f, t, _, _, m, b in page.data["pairs"]}, wanted, "messages and bytes that each rank has received")
        squares = {(int(each["data-from"]), int(each["data-to"])): (int(each["data-messages"]), int(each["data-bytes"]))
                   for each in page.squares}
        if ranks > 1:
            for pair, traffic in wanted.items():
                equal(squares[pair], traffic, f"the square of {pair}")
        calls = {row[0]: int(row[1]) for row in page.tables["Calls of all ranks"][1:]}
        equal(calls["allreduce"], 3 * ranks, "calls of allreduce")
        messages = sum(count for count, _ in wanted.values())
        equal([calls.get(each, 0) for each in ("send", "recv", "isend", "irecv")], [messages // 2] * 4, "calls that move messages")
        if ranks > 1:
            lengths = {row[0]: (int(row[1]), int(row[2])) for row in page.tables["Messages by length"][1:]}
            equal(sum(count for count, _ in lengths.values()), messages, "messages of all lengths")
            equal(lengths["8 B to 16 B"][0], sum(i + 1 for i in range(1, ranks)), "messages of 8 bytes")
        equal(page.outside, [], "what the page asks of a network")


@case()
def the_report_tells_of_times_places_and_algorithms(desk):
    page, _ = run_and_read(desk, 4, "-x", "PEAL_ALLREDUCE=doubling")
    longest = max(range(4), key=lambda rank: page.data["ranks"][rank]["computing"])
    check(any(f"Rank {longest} computed longest" in each for each in page.sentences), f"imbalance: {page.sentences}")
    for each in page.data["ranks"]:
        check(each["known"] and each["ended"], f"a rank: {each}")
        parts = each["computing"] + each["waiting"] + each["copying"] + each["handling"]
        check(abs(parts - each["time"]) < 0.01 * each["time"], f"parts of the time: {each}")
    # It sleeps for 60 ms.
    check(page.data["ranks"][3]["computing"] > 0.05, f"the rank that computes: {page.data['ranks'][3]}")
    check(sum(each["waiting"] for each in page.data["ranks"]) > 0, f"ranks that wait: {page.data['ranks']}")
    places = next(rows for caption, rows in page.tables.items() if "slowest places" in caption)
    check(any(re.fullmatch(r"report_rank\.cpp:\d+", row[0]) and row[1] == "recv" for row in places[1:]), f"places: {places}")
    used = next(rows for caption, rows in page.tables.items() if caption.startswith("Algorithms"))
    equal([row[:4] for row in used[1:]], [["allreduce", "32 B to 64 B", "doubling", "12"]], "algorithms")
    counters = {row[0]: row for row in page.tables["Counters at the end"][1:]}
    check("shm.boxes_opened" in counters, f"counters: {sorted(counters)}")


@case()
def the_report_names_calls_as_the_c_interface_does(desk):
    page, _ = run_and_read(desk, 3, program=[str(harness.build / "tests/launcher/report_mpi_rank")])
    calls = {row[0]: int(row[1]) for row in page.tables["Calls of all ranks"][1:]}
    for name, count in (("MPI_Send", 16), ("MPI_Irecv", 16), ("MPI_Sendrecv", 15), ("MPI_Allreduce", 15), ("MPI_Waitany", 1)):
        equal(calls.get(name), count, f"calls of {name} of {calls}")
    pairs = {(0, 1): (11, 88, 11, 88), (1, 2): (10, 80, 10, 80), (2, 0): (10, 80, 10, 80)}
    equal({(f, t): (m, b, r, s) for f, t, m, b, r, s in page.data["pairs"]}, pairs, "pairs")
    places = next(rows for caption, rows in page.tables.items() if "slowest places" in caption)
    check(any(row[1] == "MPI_Sendrecv" and row[0].startswith("report_mpi_rank") for row in places[1:]), f"places: {places}")


@case()
def the_report_has_what_a_killed_rank_had_done(desk):
    page, done = run_and_read(desk, 3, program=rank("die"), code=137)
    check(any("killed by signal 9" in each for each in done.complaints()), f"{done}")
    equal([each["ended"] for each in page.data["ranks"]][1], False, "the end of rank 1")
    sent = {(f, t): (m, b) for f, t, m, b, *_ in page.data["pairs"]}
    equal((sent[1, 0], sent[1, 2]), ((2, 16), (2, 48)), "what the dead rank had sent")
    equal(sent[0, 1], (2, 20), "what was sent to it")
    check(any("code 137" in each for each in page.sentences), f"{page.sentences}")
    check(any("1" in each and "did not end" in each for each in page.sentences), f"{page.sentences}")


@case()
def the_report_names_the_program_of_each_rank_where_there_are_several(desk):
    (desk.work / "other_name").symlink_to(rank()[0])
    page, _ = run_and_read(desk, 1, program=[*rank("traffic"), ":", "-n", "2", "./other_name", "traffic"])
    equal([each["known"] for each in page.data["ranks"]], [True] * 3, "what is known of two programs")
    found = [row[:2] for row in page.tables["Time of each rank"]]
    equal(found, [["rank", "program"], ["0", "0: report_rank"], ["1", "1: other_name"], ["2", "1: other_name"]], "programs")
    page, _ = run_and_read(desk, 2)
    equal(page.tables["Time of each rank"][0][:2], ["rank", "host"], "of one program")


@case()
def the_report_knows_which_ranks_have_no_record(desk):
    page, _ = run_and_read(desk, 2, program=["true"])
    equal([each["known"] for each in page.data["ranks"]], [False] * 2, "what is known")
    check(any("nothing was recorded" in each for each in page.sentences), f"{page.sentences}")


@case()
def a_report_that_cannot_be_written_is_told_before_the_start(desk):
    (desk.work / "there").mkdir()
    for option in ("--report", "--trace"):
        for name, why in (("missing/x", "No such file or directory"), ("there", "Is a directory"), ("/proc/version/x", "Not a directory")):
            done = desk.run(option, name, "touch", "started")
            equal((done.code, done.complaints()), (2, [f"pealrun: {option}: {name} cannot be written: {why}"]), f"{done}")
            check(not (desk.work / "started").exists(), "the program was started")
        done = desk.run(option, "", "touch", "started")
        equal((done.code, done.complaints()), (2, [f"pealrun: {option}: the name of a file is missing"]), f"{done}")
    done = desk.run("--report", "same", "--trace", "same", "true")
    equal((done.code, done.complaints()), (2, ["pealrun: --report and --trace name the same file"]), f"{done}")
    done = desk.run("--report", "x.html", "not-there")
    equal((done.code, (desk.work / "x.html").exists()), (127, False), "a job that did not start")


@case()
def a_report_that_the_disk_has_no_room_for_is_told(desk):
    done = desk.run("-n", 2, "--report", "/dev/full", *rank("traffic"))
    equal((done.code, done.complaints()), (1, ["pealrun: /dev/full cannot be written: No space left on device"]), f"{done}")


@case()
def the_trace_joins_sends_and_receives(desk):
    file = desk.work / "trace.json"
    done = desk.run("--bind-to", "none", "-n", 4, "--trace", file, *rank("traffic"))
    equal((done.code, done.complaints()), (0, []), f"{done}")
    trace = json.loads(file.read_text())
    events = trace["traceEvents"]
    names = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    equal(sorted(names), [0, 1, 2, 3], "ranks")
    calls = [each for each in events if each["ph"] == "X"]
    check(all(each["ts"] >= 0 and each["dur"] > 0 for each in calls), "times")
    wanted = expected_pairs(4)
    sent = collections.Counter((e["pid"], e["args"]["peer"]) for e in calls if e["name"] in ("send", "isend"))
    equal(dict(sent), {pair: count for pair, (count, _) in wanted.items()}, "sends")
    starts = {each["id"]: each for each in events if each["ph"] == "s"}
    ends = {each["id"]: each for each in events if each["ph"] == "f"}
    equal((len(starts), len(ends)), (sum(sent.values()),) * 2, "arrows")
    equal(set(starts), set(ends), "arrows with two ends")
    equal(collections.Counter((starts[k]["pid"], ends[k]["pid"]) for k in starts), sent, "who the arrows join")
    for each in starts.values():
        check(any(c["pid"] == each["pid"] and c["ts"] <= each["ts"] <= c["ts"] + c["dur"] for c in calls), f"an arrow from no call: {each}")
    for k, end in ends.items():
        check(any(c["pid"] == end["pid"] and c["ts"] - 0.002 <= end["ts"] <= c["ts"] + c["dur"] + 0.002 for c in calls), f"an arrow to no call: {end}")
        check(end["ts"] > starts[k]["ts"] - 50, f"an arrow into the past: {starts[k]} {end}")


@case()
def a_trace_ends_at_its_limit_and_says_so(desk):
    file = desk.work / "trace.json"
    done = desk.run("--bind-to", "none", "-n", 3, "-x", "PEAL_RECORD_EVENTS=10", "--trace", file, "--report", desk.work / "r.html", *rank("traffic"))
    equal(done.code, 0, f"{done}")
    equal(len(done.complaints()), 1, f"{done}")
    check(re.search(r"trace.json lacks \d+ events: there were more than PEAL_RECORD_EVENTS allows", done.complaints()[0]), f"{done}")
    trace = json.loads(file.read_text())
    equal(max(collections.Counter(e["pid"] for e in trace["traceEvents"] if e["ph"] == "X").values()), 10, "events of a rank")
    check(trace["otherData"]["events lost"] > 0, "events that are lost")
    check(any("not in the trace" in each for each in Page((desk.work / "r.html").read_text()).sentences), "the report does not say so")


def browser():
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise Skip("there is no chromium (Debian: apt-get install chromium)")
    return found


def opened(desk, file, *options):
    """The page as Chromium shows it, and what it said meanwhile."""
    words = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND",
             f"--user-data-dir={desk.folder / 'browser'}", *options, pathlib.Path(file).as_uri()]
    return subprocess.run(words, capture_output=True, text=True, timeout=harness.LONG, check=False,
                          env=dict(desk.environment, HOME=str(desk.folder)))


@case(alone=True)
def a_browser_shows_the_report(desk):
    browser()
    page, _ = run_and_read(desk, 8)
    done = opened(desk, desk.work / "report.html", "--dump-dom")
    equal(done.returncode, 0, f"the browser: {done.stderr[-2000:]}")
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    equal(said, [], "what the page's console has")
    shown = Page(done.stdout)
    check('data-ready="true"' in done.stdout, "the script did not run to its end")
    equal(len(shown.squares), len(page.squares), "squares")
    equal(shown.sentences, page.sentences, "sentences")
    equal(len(page.squares), 8 * 7, "squares")
