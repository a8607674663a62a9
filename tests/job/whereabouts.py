"""Where the processes of a job stand that does not end: what the system says of each thread, and its stack where gdb is at hand."""
import pathlib
import re
import shutil
import subprocess

FRAMES = 20
PATIENCE = 60  # seconds for one debugger


def first_line(path):
    try:
        return path.read_text().partition("\n")[0].strip()
    except OSError:
        return ""


def field(path, name):
    try:
        return next((line.partition(":")[2].strip() for line in path.read_text().splitlines() if line.startswith(name + ":")), "?")
    except OSError:
        return "gone"


def states(pid):
    """A line a thread: state, what it sleeps in, the system call that it is in (number and first arguments), processor time."""
    try:
        threads = sorted((pathlib.Path("/proc") / str(pid) / "task").iterdir(), key=lambda each: int(each.name))
    except OSError:
        return ["  it has ended meanwhile"]
    lines = []
    for thread in threads:
        times = first_line(thread / "stat").rpartition(")")[2].split()
        ticks = f"{times[11]} + {times[12]} ticks" if len(times) > 12 else ""
        call = " ".join(first_line(thread / "syscall").split()[:4])
        lines.append(f"  thread {thread.name} {field(thread / 'status', 'State')}, in {first_line(thread / 'wchan') or '?'}, "
                     f"system call {call or '?'}, {ticks}")
        try:
            lines += ["    " + line.strip() for line in (thread / "stack").read_text().splitlines()[:6]]  # for root only
        except OSError:
            pass
    return lines


def stack_of(pid, gdb):
    """The frames of each thread, without addresses and arguments, so that equal places read equal."""
    try:
        run = subprocess.run([gdb, "-p", str(pid), "-batch", "-nx", "-ex", "set print frame-arguments none", "-ex", "set print entry-values no",
                              "-ex", f"thread apply all bt {FRAMES}"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as e:
        return [f"no stack: {e}"]
    threads, frames = [], []
    for line in run.stdout.splitlines():
        if line.startswith("Thread "):
            frames = []
            threads.append(frames)
        elif match := re.match(r"#(\d+)\s+(?:0x[0-9a-f]+ in )?(.*)", line):
            frames.append(f"#{match[1]} {match[2]}")
    texts = ["\n".join(each) for each in threads if each]
    return texts or ["no stack: " + " ".join(run.stderr.split())[-200:]]


def describe(processes):
    """Lines about all these (pid, command line). Equal stacks are told once."""
    lines = []
    for pid, command in processes:
        lines += [f"alive: {pid} {command}"] + states(pid)
    gdb = shutil.which("gdb")
    if not gdb:
        return lines + ["no stacks: gdb is not installed"]
    places = {}
    for pid, _ in processes:
        for text in stack_of(pid, gdb):
            places.setdefault(text, []).append(str(pid))
    for text, pids in places.items():
        lines += [f"stack of a thread of {', '.join(pids)}:"] + ["  " + line for line in text.splitlines()]
    return lines
