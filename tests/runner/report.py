"""Counts cases, prints each as it ends with its seconds, and tells at the end what failed, what did not run, and what took long."""

import json

OUTPUT_LINES = 200  # of a failed case, told at the end
SLOWEST = 20


class Report:
    """`cases` holds [result, name, seconds or None], the result being PASS, FAIL, SKIP or "NOT RUN"."""

    def __init__(self, label=""):
        self.label = label
        self.cases = []
        self.failures = []  # (name, lines of output)
        self.spans = []  # (what, seconds): suites and builds

    def count(self, result):
        return sum(case[0] == result for case in self.cases)

    def add(self, result, name, output=(), seconds=None):
        name = f"{self.label}{name}"
        self.cases.append([result, name, seconds])
        if result == "FAIL":
            self.failures.append((name, list(output)))
        print(result, name, "" if seconds is None else f"({seconds:.2f} s)", flush=True)

    def told_not_run(self, name):
        """Whether a case of this suite or program was told as not run."""
        start = f"{self.label}{name}"
        return any(result == "NOT RUN" and told.startswith((f"{start}:", f"{start} ")) for result, told, _ in self.cases)

    def span(self, what, seconds):
        self.spans.append([f"{self.label}{what}", seconds])

    def save(self, path, complete):
        """Keeps what is known so far; `complete` says whether all suites are over."""
        path.write_text(json.dumps({"cases": self.cases, "failures": self.failures, "spans": self.spans, "complete": complete}))

    def load(self, path):
        """Adds what save() kept; whether it was complete."""
        found = json.loads(path.read_text()) if path.exists() else {"cases": [], "failures": [], "spans": [], "complete": False}
        self.cases += found["cases"]
        self.failures += found["failures"]
        self.spans += found["spans"]
        return found["complete"]

    def close(self):
        """Prints what is to be known at the end; the exit code."""
        for name, output in self.failures:
            print(f"\n---- failed: {name}")
            if len(output) > OUTPUT_LINES:
                print(f"({len(output) - OUTPUT_LINES} lines left out)")
            for line in output[-OUTPUT_LINES:]:
                print("   ", line)
        self.tell_times()
        self.tell_skipped()
        if late := [case[1] for case in self.cases if case[0] == "NOT RUN"]:
            print(f"\nnot run before the deadline ({len(late)}):", *late, sep="\n  ")
        if self.failures:
            print("\nfailed:", *(name for name, _ in self.failures), sep="\n  ")
        print()
        passed, failed = self.count("PASS"), len(self.failures) + self.count("NOT RUN")
        if skipped := self.count("SKIP"):
            print(f"({skipped} skipped)")
        if late := self.count("NOT RUN"):
            print(f"({late} of those that failed did not run)")
        # The sum stands alone on the last line; those that read it know no third number.
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed or not passed else 0

    def tell_skipped(self):
        """Each reason, which says what would enable the cases, with how many they are and the first of them."""
        reasons = {}
        for result, name, _ in self.cases:
            if result == "SKIP":
                reasons.setdefault(reason_of(name), []).append(name)
        if reasons:
            print("\nskipped, and what would enable it:")
        for reason, names in reasons.items():
            print(f"  {len(names):5}  {reason}, such as {names[0].removesuffix(reason).rstrip(': ')}" if len(names) > 1 else f"      1  {names[0]}")

    def tell_times(self):
        if self.spans:
            print("\nwhere the time went:")
            for what, seconds in self.spans:
                print(f"  {seconds:7.0f} s  {what}")
            print(f"  {sum(seconds for _, seconds in self.spans):7.0f} s  in all")
        timed = sorted((case for case in self.cases if case[2] is not None), key=lambda case: -case[2])[:SLOWEST]
        if timed:
            print(f"\nthe slowest {len(timed)}:")
            for _, name, seconds in timed:
                print(f"  {seconds:7.1f} s  {name}")


def reason_of(name):
    """Of a skipped case, "SUITE: NAME: REASON" or "PROGRAM NAME: REASON", in which the reason may hold a colon."""
    parts = name.split(": ")
    return ": ".join(parts[2:] or parts[1:])


def sum_up(files, spans):
    """Adds up what several runs have kept in these files; `spans` are WHAT=SECONDS."""
    report = Report()
    for each in spans:
        what, _, seconds = each.rpartition("=")
        report.span(what, float(seconds))
    for file in files:
        if not report.load(file):
            report.failures.append((f"{file.stem}: these tests did not run to the end", [f"{file} does not tell of it; the cause stands above"]))
    return report.close()
