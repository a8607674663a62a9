"""What examples/bench/plot-pace makes of the outputs of peal_pace."""
import pathlib
import xml.etree.ElementTree

import harness
from harness import case, check, equal

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples/bench/plot-pace"
RATES = [10, 100, 1000, 10000, 100000]
SVG = "{http://www.w3.org/2000/svg}"


def output(policy, factor, valid="Pass"):
    rows = [f"{rate},{rate},{rate ** 0.5 * factor:.4f},{0.1 * factor:.4f},{20 * factor:.4f},{40 * factor + 1:.4f},30.0000,{valid}"
            for rate in RATES]
    return "\n".join([f"# peal Pace Test, 8 bytes, PEAL_WAIT={policy}, 2 ranks, heap buffers",
                      "Rate,Requests/s,Client CPU(%),Server CPU(%),Median(us),99%(us),Requests,Validation", *rows]) + "\n"


def drawn(file):
    """The marks of a plot: places by policy and curve."""
    marks = {}
    for circle in xml.etree.ElementTree.parse(file).getroot().iter(SVG + "circle"):
        policy, curve = circle.get("class").split()
        marks.setdefault((policy, curve), []).append((float(circle.get("cx")), float(circle.get("cy"))))
    return marks


@case()
def plot_pace_draws_every_point(desk):
    files = []
    for factor, policy in enumerate(["block", "adaptive", "poll"], 1):
        files.append(desk.work / policy)
        files[-1].write_text(output(policy, factor))
    done = desk.run(*files, "--svg", "plot.svg", program=SCRIPT)
    equal((done.code, done.err), (0, ""), "exit code and errors")
    lines = done.lines()
    equal(len(lines), 2 + 3 * len(RATES), "lines of the table")
    check("| 10,000 | block | 100 | 0.10 | 20.0 | 41.0 |" in lines, f"a row is not there:\n{done.out}")
    marks = drawn(desk.work / "plot.svg")
    equal(set(marks), {(policy, curve) for policy in ("adaptive", "poll", "block") for curve in ("cpu", "median", "most")}, "curves")
    for curve, places in marks.items():
        equal(len(places), len(RATES), f"points of {curve}")
        steps = {round(right[0] - left[0]) for left, right in zip(places, places[1:])}
        check(len(steps) == 1 and steps.pop() > 20, f"{curve}: decades are not equally far apart: {places}")
    for low, high in zip(marks["block", "median"], marks["poll", "median"]):
        check(high[1] < low[1], "a longer time does not stand higher")
    for place in (each for places in marks.values() for each in places):
        check(0 < place[0] < 900 and 0 < place[1] < 400, f"a point outside of the picture: {place}")


@case()
def plot_pace_says_which_rates_were_not_reached(desk):
    (desk.work / "slow").write_text(output("poll", 1).replace("\n100000,100000,", "\n100000,61234.5,"))
    done = desk.run("slow", program=SCRIPT)
    equal((done.code, done.err), (0, ""), "exit code and errors")
    check("| 100,000 (reached 61,23" in done.out, done.out)


@case()
def plot_pace_refuses_what_is_wrong(desk):
    for content, says in [("hello\n", "not what peal_pace --csv prints"), (output("poll", 1, "Fail"), "wrong payloads"),
                          (output("nonsense", 1), "nonsense")]:
        (desk.work / "file").write_text(content)
        done = desk.run("file", "--svg", "plot.svg", program=SCRIPT)
        equal((done.code, done.out), (1, ""), "exit code and output")
        check(says in done.err, f"{says!r} is not in {done.err!r}")
        check(not (desk.work / "plot.svg").exists(), "a plot of nothing")


@case()
def plot_pace_runs_the_benchmark(desk):
    done = desk.run(harness.build, "--time", "0.05", "--rates", "1000,20000", "--save", "out", "--svg", "plot.svg", program=SCRIPT)
    equal(done.code, 0, f"exit code ({done.err})")
    equal(len(done.lines()), 2 + 3 * 2, "lines of the table")
    equal({each.name for each in (desk.work / "out").iterdir()}, {"adaptive.csv", "block.csv", "poll.csv"}, "files saved")
    equal({len(places) for places in drawn(desk.work / "plot.svg").values()}, {2}, "points of each curve")
