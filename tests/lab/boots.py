"""Runs many cases in one boot of the lab, since a boot takes longer than most cases. A case that fails ends its boot, and those behind it get another."""

import queue
import re
import signal
import tempfile
import threading
import time
from pathlib import Path

from place import LIMIT, RUN, CardStandsStill, Place, check
from vlab import options as lab_options

MARK = re.compile(rb"@case (\d+) (begins|ends) ?(\d*)")
BOOT = "boot"  # stands where the number of a case does, for what is printed before the first
HELD = 10  # seconds in which the lab's output must be over once the lab has ended


class Case:
    """
    name      what it is called
    command   for a shell on the first node
    lab       words for tests/lab/run
    output    regular expressions to be found in what it prints
    leaks     whether RDMA resources and the kernel's log are looked at afterwards
    last      whether it leaves its nodes unfit for other cases
    limit     seconds
    """

    def __init__(self, entry, limit):
        self.name, self.command = entry["name"], entry["command"].strip() + "\n"
        self.output, self.leaks, self.last = entry.get("output", []), entry.get("leaks", True), entry.get("last", False)
        self.limit = limit
        self.lab, self.link = split_lab(entry.get("lab", []))

    def write(self, folder, number):
        (folder / f"{number}.sh").write_text(self.command)
        if self.link:
            (folder / f"{number}.link").write_text(self.link)
        if self.leaks:
            (folder / f"{number}.leaks").touch()

    def judge(self, code, text):
        """Raises what is wrong."""
        check(code == 0, f"exit code {code}\n{text}")
        for pattern in self.output:
            check(re.search(pattern, text, re.MULTILINE), f"the output lacks /{pattern}/:\n{text}")


def split_lab(words):
    """(words that a boot needs, what its links do to packets): with Slurm the links can be set from inside, so they need no boot of their own."""
    if "--slurm" not in words:
        return tuple(words), ""
    kept, link, rest = [], [], list(words)
    while rest:
        word = rest.pop(0)
        if word in ("--loss", "--delay", "--netem"):
            link += [word, rest.pop(0)]
        else:
            kept.append(word)
    return tuple(kept), lab_options.netem_words(lab_options.parse(["-n", "2", *link, "--", "true"])) if link else ""


def boots_of(cases):
    """Lists of cases, each for one boot: those that need the same lab, in their order, a case that is `last` at the end."""
    groups = {}
    for case in cases:
        groups.setdefault(case.lab, []).append(case)
    found = []
    for group in groups.values():
        several, lasts = [case for case in group if not case.last], [case for case in group if case.last]
        found.append(several + lasts[:1])
        found += [[case] for case in lasts[1:]]
    return found


class TheEnd:
    """Of a boot, told like a case when something is wrong with it."""

    def __init__(self, case):
        self.name = f"the end of the lab after {case.name}"


class Boot:
    """One boot: `environment` is for the commands; `told(case, problem, seconds)` hears of each case as it ends, problem being None or an exception.
    However the lab ends, and if it does not: `limit` seconds after the last sign it is asked what it is doing, and as many later it is killed."""

    def __init__(self, cases, environment, told, program, limit):
        self.cases, self.told, self.limit = cases, told, limit
        self.texts = {}  # number: what the case has printed, of both streams
        self.over = 0  # cases that have ended
        self.ended_by_case = False  # one that failed
        self.began = {}  # number: when
        self.events = queue.Queue()
        with tempfile.TemporaryDirectory(prefix="labtest.", ignore_cleanup_errors=True) as folder:
            self.place = Place(Path(folder), program)
            self.place.environment.update(environment)
            self.run()

    def run(self):
        script = self.place.out / "cases"
        script.mkdir(parents=True)
        for number, case in enumerate(self.cases):
            case.write(script, number)
        process = self.place.start(*self.cases[0].lab, "--timeout", "86400", "--", "sh", "-c", 'lab-cases "$LAB_OUT/cases"')
        readers = [threading.Thread(target=self.read, args=(stream,), daemon=True) for stream in (process.stdout, process.stderr)]
        waiter = threading.Thread(target=self.wait, args=(process, readers), daemon=True)
        for thread in (*readers, waiter):
            thread.start()
        try:
            late = self.follow(process)
        finally:
            process.kill()  # its nodes die with it
            waiter.join()
        self.judge_end(process.returncode, late, any(reader.is_alive() for reader in readers))

    def read(self, stream):
        number = BOOT
        for line in stream:
            if found := MARK.fullmatch(line.strip()):
                number = int(found[1]) if found[2] == b"begins" else BOOT
                self.events.put((int(found[1]), found[2].decode(), int(found[3] or 0)))
            else:
                self.texts.setdefault(number, []).append(line.decode(errors="replace"))

    def wait(self, process, readers):
        """The end is that of the process: what it has started may hold its output for ever."""
        process.wait()
        end = time.monotonic() + HELD
        for reader in readers:
            reader.join(max(0.0, end - time.monotonic()))
        self.events.put((None, "over", 0))

    def follow(self, process):
        """Both streams tell of each beginning and end; a case has ended when both have said so. Returns whether the lab was late with anything."""
        heard, deadline, late = {}, time.monotonic() + self.limit, False
        while True:
            try:
                number, what, code = self.events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                if late:
                    return late
                # It then says what its nodes are doing, and ends.
                process.send_signal(signal.SIGUSR1)
                late, deadline = True, time.monotonic() + self.limit
                continue
            if what == "over":
                return late
            heard[number, what] = heard.get((number, what), 0) + 1
            if heard[number, what] < 2 and what == "ends" or late:
                continue
            if what == "begins" and heard[number, what] == 1:
                self.began[number], deadline = time.monotonic(), time.monotonic() + self.cases[number].limit
            elif what == "ends":
                self.end(number, code, self.began[number])
                self.ended_by_case = code != 0
                if max(self.began) == number:  # else one stream has told already that the next one has begun
                    deadline = time.monotonic() + self.limit

    def judge_end(self, code, late, held):
        if self.over < len(self.cases) and not self.ended_by_case:
            self.broken(code, late, self.began.get(self.over, time.monotonic()))
        elif late or held:
            what = "it does not end" if late else "another process has outlived the lab and holds the lab's output"
            self.told(TheEnd(self.cases[self.over - 1]), AssertionError(f"{what}\n{self.text(BOOT)}"), 0.0)

    def text(self, number):
        return "".join(self.texts.get(number, [])).strip() + "\n"

    def end(self, number, code, began):
        self.over = number + 1
        problem = None
        try:
            self.cases[number].judge(code, self.text(number))
        except AssertionError as error:
            problem = error
        self.told(self.cases[number], problem, time.monotonic() - began)

    def broken(self, code, late, began):
        """The lab ended in the middle of a case, or before the first."""
        text = self.text(self.over) + self.text(BOOT)
        if code == 125 and "an emulated card stands still" in text:
            raise CardStandsStill(text)
        case = self.cases[self.over]
        self.over += 1
        self.told(case, AssertionError(f"{'no end' if late else f'exit code {code}'}\n{text}"), time.monotonic() - began)


def run_all(cases, environment, told, program=RUN, limit=LIMIT):
    """Runs all of them, with tests/lab/run or what stands for it. Where the emulated network breaks, which is nothing that a program in the lab could do, a case is tried once more."""
    for rest in boots_of(cases):
        tried = None
        while rest:
            over = []
            try:
                Boot(rest, environment, lambda case, problem, seconds: (over.append(case), told(case, problem, seconds)), program, limit)
            except CardStandsStill as error:
                at = rest[len(over)]
                print(f"{error}# {at.name}: the emulated network broke", flush=True)
                if at is tried:
                    told(at, error, 0.0)
                    over.append(at)
                tried = at
            rest = [case for case in rest if case not in over]
