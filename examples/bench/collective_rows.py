"""The part of bench-compare about collectives: each of them with 2, 4 and 8 ranks, from 4 B to 4 MiB.

Where ranks outnumber cores, the barrier behind each call of a collective that is measured apart counts as well: which rank has a core when that barrier
ends decides how long the next call takes, so that neither says anything by itself.

A program measures all its sizes in one start, each for about the same time (--budget), so that a collective that takes milliseconds in one library and
microseconds in another gets its share of both. The size is that of a rank's block, as the programs say; of the whole vector where there are no blocks.
"""
import math
import os
import statistics
import subprocess

NAMES = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "scan")
APART = ("bcast", "reduce", "gather", "scatter", "scan")
RANKS = (2, 4, 8)
SIZES = tuple(4 << shift for shift in range(0, 21, 4))


def label(size):
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def processor(build):
    """The name of this machine's processor, as far as the system tells it, and what a cache line takes from core to core."""
    lines = [line.partition(":") for line in open("/proc/cpuinfo", encoding="utf-8").read().split("\n\n")[0].splitlines()]
    facts = {name.strip(): value.strip() for name, _, value in lines}
    name = facts.get("model name", os.uname().machine)
    if "cpu family" in facts:
        name += f" (family {facts['cpu family']}, model {facts.get('model', '?')})"
    loop = subprocess.run([build / "examples/bench/peal_bare_copy", "--only", "cache line"], stdout=subprocess.PIPE, text=True, check=True)
    line = next(line for line in loop.stdout.splitlines() if not line.startswith("#"))
    return f"{name}, a cache line from core to core {float(line.split()[-1]) * 1e3:.0f} ns"


class Run:
    """One collective with so many ranks."""

    def __init__(self, collective, ranks):
        self.collective, self.ranks = collective, ranks
        self.name = f"collectives-{collective}-{ranks}"
        self.program, self.cores = collective, 0
        self.with_barrier = collective in APART and ranks > len(os.sched_getaffinity(0))
        self.label = f"{collective}{' and barrier' if self.with_barrier else ''}, {ranks} ranks"
        self.sizes = (0,) if collective == "barrier" else SIZES
        self.rounds = []  # name of a library -> size -> microseconds

    def options(self, ours, quick):
        budget = 10 if quick else 40
        sizes = [] if self.collective == "barrier" else ["-m", f"{SIZES[0]}:{SIZES[-1]}", "--step" if ours else "-s", SIZES[1] // SIZES[0]]
        barrier = (["--with-barrier"] if ours else ["-B"]) if self.with_barrier else []
        return sizes + (["--budget", budget] if ours else ["-b", budget]) + barrier

    def read(self, output):
        rows = [line.split() for line in output.splitlines() if line.strip() and not line.startswith("#")]
        found = {0: float(rows[0][0])} if self.collective == "barrier" else {int(row[0]): float(row[1]) for row in rows}
        if tuple(found) != self.sizes:
            raise RuntimeError(f"{self.name}: sizes {tuple(found)} instead of {self.sizes}")
        return found

    def ratio(self, size):
        """peal's time over the better peer's: the median of the rounds' ratios."""
        peers = [[value[size] for name, value in one.items() if name != "peal"] for one in self.rounds]
        return statistics.median(one["peal"][size] / min(others) for one, others in zip(self.rounds, peers)) if all(peers) else None

    def time(self, name, size):
        return statistics.median(one[name][size] for one in self.rounds)


def all_runs():
    return [Run(collective, ranks) for collective in NAMES for ranks in RANKS]


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


def microseconds(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def print_tables(runs, peers):
    print("## Collectives\n\npeal's time over the better peer's, and in brackets peal's in microseconds. Below 1 peal is faster.\n")
    print("| | " + " | ".join(label(size) for size in SIZES) + " | geometric mean |")
    print("|" + " --- |" * (len(SIZES) + 2))
    means = {}
    for run in runs:
        ratios = {size: run.ratio(size) for size in run.sizes}
        cells = [f"{'–' if ratios[size] is None else f'{ratios[size]:.2f}'} ({microseconds(run.time('peal', size))})" for size in run.sizes]
        known = [ratio for ratio in ratios.values() if ratio]
        means.setdefault(run.collective, []).extend(known)
        mean = f"{geometric_mean(known):.2f}" if known else "–"
        print(f"| {run.label} | " + " | ".join(cells + [""] * (len(SIZES) - len(cells))) + f" | {mean} |")
    if not peers:
        return print(flush=True)
    print("\n| all sizes and ranks | geometric mean | worst cell | cells above 1 |\n| --- | --- | --- | --- |")
    for collective, ratios in means.items():
        print(f"| {collective} | {geometric_mean(ratios):.2f} | {max(ratios):.2f} | {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} |")
    print("\n| microseconds | " + " | ".join(label(size) for size in SIZES) + " |\n|" + " --- |" * (len(SIZES) + 1))
    for run in runs:
        for name in peers:
            cells = [microseconds(run.time(name, size)) for size in run.sizes]
            print(f"| {run.label}, {name} | " + " | ".join(cells + [""] * (len(SIZES) - len(cells))) + " |")
    print(flush=True)
