"""The parts of bench-compare about MPI's C interface: the loops of examples/bench/mpi compiled with pealcc, beside the same ones over Open MPI and MPICH.

- c-...: what the C interface costs over the C++ one, by the same loop in both.
- datatypes: messages of derived datatypes, 1 KiB to 4 MiB. One program measures all of them.
"""
import pathlib
import statistics
import subprocess

from collective_rows import geometric_mean, label, microseconds

KINDS = ("vector", "indexed", "struct", "subarray", "rows")
SIZES = tuple(1024 << shift for shift in range(0, 13, 2))
OURS, CXX = "peal", "peal, C++"


def build_ours(build, loops, folder):
    """Installs peal below `folder` and compiles the loops with its pealcc. Where the programs are."""
    subprocess.run(["make", "-s", "-C", build, "install", f"DESTDIR={folder / 'root'}"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    compiler = next((folder / "root").rglob("bin/pealcc"))
    programs = folder / "pealcc"
    programs.mkdir()
    for source in loops.glob("*.c"):
        subprocess.run([compiler, "-O2", source, "-o", programs / source.stem], check=True)
    return programs


class CRow:
    """One loop of both interfaces."""
    ranks, cores = 2, 0

    def __init__(self, name, text, program, size, count, unit, best="less", column=1, scale=1.0):
        self.name, self.text, self.program, self.size, self.count = f"c-{name}", text, program, size, count
        self.unit, self.best, self.column, self.scale = unit, best, column, scale
        self.rounds = []  # name of a library -> value

    def options(self):
        return ["-m", f"{self.size}:{self.size}", "-i", self.count, "-x", max(2, self.count // 10)]

    def read(self, output):
        row = next(line.split() for line in output.splitlines() if line.split()[:1] == [str(self.size)])
        return float(row[self.column]) * self.scale

    def measure(self, machine):
        one = {name: self.read(machine.run(machine.start_peer(name, self) + [folder / self.program] + self.options()))
               for name, folder in machine.peers.items()}
        one[OURS] = self.read(machine.run(machine.start_ours(self) + [machine.programs_in_c() / self.program] + self.options()))
        one[CXX] = self.read(machine.run(machine.start_ours(self) + [machine.build / "examples/bench" / f"peal_{self.program}"] + self.options()))
        self.rounds.append(one)

    def middle(self, name):
        return statistics.median(one[name] for one in self.rounds)

    def ratio(self, peers):
        best = min if self.best == "less" else max
        return statistics.median(one[OURS] / best(one[name] for name in peers) for one in self.rounds) if peers else None


def c_rows():
    return [CRow("latency-8", "8 B latency (ns)", "latency", 8, 100000, "ns", scale=1e3),
            CRow("latency-1K", "1 KiB latency (ns)", "latency", 1024, 50000, "ns", scale=1e3),
            CRow("latency-1M", "1 MiB latency (us)", "latency", 1 << 20, 500, "us"),
            CRow("rate-8", "8 B message rate (M/s)", "mbw_mr", 8, 20000, "M/s", "more", column=2, scale=1e-6),
            CRow("bw-1M", "bandwidth 1 MiB (GB/s)", "bw", 1 << 20, 20, "GB/s", "more", scale=1e-3),
            CRow("allreduce-8", "8 B allreduce (ns)", "allreduce", 8, 100000, "ns", scale=1e3),
            CRow("allreduce-1M", "1 MiB float allreduce (us)", "allreduce", 1 << 20, 400, "us")]


class Datatypes:
    """All kinds and sizes."""
    name, ranks, cores = "datatypes", 2, 0

    def __init__(self):
        self.rounds = []  # name of a library -> (kind, size) -> microseconds

    def measure(self, machine):
        commands = {name: machine.start_peer(name, self) + [folder / "datatypes"] for name, folder in machine.peers.items()}
        commands[OURS] = machine.start_ours(self) + [machine.programs_in_c() / "datatypes"]
        self.rounds.append({name: self.read(machine.run(command)) for name, command in commands.items()})

    @staticmethod
    def read(output):
        rows = [line.split() for line in output.splitlines() if line.strip() and not line.startswith("#")]
        found = {(kind, int(row[0])): float(value) for row in rows for kind, value in zip(KINDS, row[1:], strict=True)}
        if set(found) != {(kind, size) for kind in KINDS for size in SIZES}:
            raise RuntimeError(f"datatypes: rows {sorted(found)}")
        return found

    def ratio(self, cell, peers):
        return statistics.median(one[OURS][cell] / min(one[name][cell] for name in peers) for one in self.rounds)

    def time(self, name, cell):
        return statistics.median(one[name][cell] for one in self.rounds)


def print_c_table(rows, peers):
    print("## MPI's C interface\n\nThe C interface of peal beside its C++ one and the peers. Ratio: to the better peer.\n")
    print("| | " + " | ".join([*peers, "peal, C++", "peal, C", "C less C++", "ratio"]) + " |\n|" + " --- |" * (len(peers) + 5))
    for row in rows:
        values = [row.middle(name) for name in (*peers, CXX, OURS)]
        more = statistics.median(one[OURS] - one[CXX] for one in row.rounds)
        ratio = row.ratio(peers)
        print(f"| {row.text} | " + " | ".join(f"{value:.4g}" for value in values) + f" | {more:+.3g} | {'–' if ratio is None else f'{ratio:.2f}'} |")
    print(flush=True)


def print_datatypes(of, peers):
    print("## Derived datatypes\n\nOne-way latency, peal's over the better peer's, and in brackets peal's in microseconds. Below 1 peal is faster.\n")
    print("| | " + " | ".join(label(size) for size in SIZES) + " | geometric mean |\n|" + " --- |" * (len(SIZES) + 2))
    every = []
    for kind in KINDS:
        ratios = [of.ratio((kind, size), peers) if peers else None for size in SIZES]
        every += [ratio for ratio in ratios if ratio]
        cells = [f"{'–' if ratio is None else f'{ratio:.2f}'} ({microseconds(of.time(OURS, (kind, size)))})" for ratio, size in zip(ratios, SIZES)]
        print(f"| {kind} | " + " | ".join(cells) + f" | {f'{geometric_mean(ratios):.2f}' if peers else '–'} |")
    if every:
        print(f"\nGeometric mean of all: {geometric_mean(every):.2f}; worst cell {max(every):.2f}; above 1: {sum(each > 1 for each in every)} of {len(every)}.\n")
        print("| microseconds | " + " | ".join(label(size) for size in SIZES) + " |\n|" + " --- |" * (len(SIZES) + 1))
        for kind in KINDS:
            for name in peers:
                print(f"| {kind}, {name} | " + " | ".join(microseconds(of.time(name, (kind, size))) for size in SIZES) + " |")
    print(flush=True)
