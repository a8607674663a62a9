"""Boots the nodes, starts the command, streams its output, keeps the times, and ends everything.

Units    seconds of the monotonic clock.
Threads  one: a loop over all streams of all nodes.
Errors   LabError when a node does not come up or dies; OutOfTime when the command runs too long.
"""

import os
import selectors
import socket
import sys
import time

from vlab import clock, guest_files
from vlab.errors import LabError, OutOfTime
from vlab.machine import Machine

# A boot takes 3 s on a free core, Slurm 4 s more; this leaves room for a machine that is busy with other things, and for four nodes on
# one core.
BOOT_LIMIT = 180.0
# How long a hanging node gets to say what it is doing, on a machine that is busy too.
REPORT_LIMIT = 60.0
CHUNK = 65536
LOOK = 0.25  # how often the loop looks whether it is to end, when nothing comes


class Cluster:
    def __init__(self, options, image, share, say):
        self.options = options
        self.image = image
        self.share = share
        self.say = say
        self.machines = []
        self.selector = selectors.DefaultSelector()
        self.timers = []  # (when, what to call), unsorted: there are a handful
        self.wires = {}  # node but the first: our own ends of its links
        self.unfinished = {}  # (node, stream): the last line of output, still without its end
        self.over = False  # whether somebody asked to end the command as if it were out of time

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for machine in self.machines:
            machine.end()
        for wire in self.wires.values():
            for end in wire:
                end.close()
        self.selector.close()

    def run(self):
        """The exit code of the command."""
        self.boot()
        started = time.monotonic()
        self.schedule(started)
        for machine in self.machines:
            machine.tell("go")
        runners = [m for m in self.machines if self.options.all_nodes or m.number == 0]
        self.loop(lambda: self.over or all(m.code is not None for m in runners), started + self.options.timeout)
        if any(m.code is None for m in runners):
            self.out_of_time([m for m in runners if m.code is None])
        self.flush()
        return next((m.code for m in runners if m.code), 0)

    def time_is_over(self):
        """Ends the command as if it were out of time, from a signal handler: the loop looks at it several times a second."""
        self.over = True

    def boot(self):
        key = os.urandom(1024)
        khz = clock.counter_khz()
        links, ends = self.wire()
        for number in range(self.options.nodes):
            files = guest_files.for_node(self.options, number, key)
            machine = Machine(number, self.options, self.image, files, links[number], self.share, khz)
            self.machines.append(machine)
            for name, stream in machine.streams.items():
                self.selector.register(stream, selectors.EVENT_READ, (machine, name))
            self.selector.register(machine.process.stdout, selectors.EVENT_READ, (machine, "qemu"))
        self.wires = {number: [rail[0].dup() for rail in links[number]] for number in range(1, self.options.nodes)}
        for end in ends:
            end.close()
        if not self.loop(lambda: all(m.state == "ready" for m in self.machines), time.monotonic() + BOOT_LIMIT):
            late = [m for m in self.machines if m.state != "ready"]
            self.where_they_stand(late)
            self.show_tails(late)
            raise LabError(f"{names(late)} did not come up within {BOOT_LIMIT:g} s (console above)")

    def where_they_stand(self, late):
        """Appends the CPUs' registers to what is known of nodes that cannot speak: RIP is to be looked up in the kernel's System.map."""
        for machine in late:
            machine.ask("human-monitor-command", **{"command-line": "info registers -a"})
        self.loop(lambda: False, time.monotonic() + REPORT_LIMIT)

    def wire(self):
        """Socket pairs from node 0 to every other, one a rail: ([node][rail][socket], all of them)."""
        nodes, rails = self.options.nodes, self.options.rails
        links = [[[] for _ in range(rails if nodes > 1 else 0)] for _ in range(nodes)]
        ends = []
        for rail in range(rails):
            for number in range(1, nodes):
                pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
                links[0][rail].append(pair[0])
                links[number][rail].append(pair[1])
                ends += pair
        return links, ends

    def schedule(self, started):
        """The cuts that the options ask for."""
        if self.options.cut:
            begin, length = self.options.cut
            self.timers.append((started + begin, lambda: self.tell_all("link cut")))
            self.timers.append((started + begin + length, lambda: self.tell_all("link heal")))
        if self.options.unplug:
            begin, length = self.options.unplug
            self.timers.append((started + begin, lambda: self.plug(False)))
            self.timers.append((started + begin + length, lambda: self.plug(True)))

    def tell_all(self, line):
        for machine in self.machines:
            machine.tell(line)

    def plug(self, up, rails=None):
        for machine in self.machines:
            for rail in range(self.options.rails) if rails is None else rails:
                machine.ask("set_link", name=f"eth{rail}", up=up)

    def loop(self, finished, deadline):
        """Serves streams and timers until `finished` or the deadline; says which."""
        while not finished():
            now = time.monotonic()
            if now >= deadline:
                return False
            for timer in [t for t in self.timers if t[0] <= now]:
                self.timers.remove(timer)
                timer[1]()
            wake = min([deadline, now + LOOK] + [t[0] for t in self.timers])
            for key, _ in self.selector.select(max(0.0, wake - time.monotonic())):
                self.serve(key.fileobj, *key.data)
        return True

    def serve(self, stream, machine, name):
        data = read(stream)
        if data is None:
            return
        if not data:
            self.selector.unregister(stream)
            if name == "qemu":
                self.died(machine)
        elif name in ("out", "err"):
            self.output(machine, name, data)
        elif name in ("console", "qemu"):
            for line in machine.remember(data):
                if self.options.verbose:
                    self.say(f"{machine.name}: {line}")
        elif name == "qmp":
            machine.answered(data)
        elif name == "ctl":
            *lines, machine.unheard = (machine.unheard + data).split(b"\n")
            for line in lines:
                self.heard(machine, line.decode(errors="replace").split())

    def heard(self, machine, words):
        if words[:1] == ["exit"]:
            machine.code = int(words[1])
        elif words[:1] in (["stop"], ["continue"]):
            self.stand_still(int(words[1]), words[0] == "stop")
        elif words[:1] in (["unplug"], ["plug"]):
            self.plug(words[0] == "plug", [int(rail) for rail in words[1:]] or None)
        elif words:
            machine.state = words[0]

    def stand_still(self, number, still):
        """Packets to a node that stands still are lost, as with a real one. They must not wait in the senders' cards until it goes on:
        Soft-RoCE of Linux 6.1 panics when a packet leaves that its queue pair has not lived to see."""
        machine = self.machines[number]
        machine.stand_still(still)
        for end in self.wires[number]:
            if still and end not in self.selector.get_map():
                self.selector.register(end, selectors.EVENT_READ, (machine, "lost"))
            elif not still and end in self.selector.get_map():
                self.selector.unregister(end)

    def output(self, machine, name, data):
        """The command's output: as it is from one node, marked line by line from several."""
        target = sys.stdout.buffer if name == "out" else sys.stderr.buffer
        if self.options.all_nodes and self.options.nodes > 1:
            *lines, rest = (self.unfinished.pop((machine, name), b"") + data).split(b"\n")
            self.unfinished[machine, name] = rest
            data = b"".join(mark(machine, line) for line in lines)
        target.write(data)
        target.flush()

    def flush(self):
        """Last lines that never ended."""
        for (machine, name), rest in self.unfinished.items():
            if rest:
                target = sys.stdout.buffer if name == "out" else sys.stderr.buffer
                target.write(mark(machine, rest))
                target.flush()

    def died(self, machine):
        self.show_tails([machine])
        raise LabError(f"{machine.name} died (console above)")

    def out_of_time(self, late):
        """Every node tells what it is doing: what a command waits for may be on another one."""
        for machine in self.machines:
            machine.state = "asked"
            machine.tell("report")
        self.loop(lambda: all(m.state == "reported" for m in self.machines), time.monotonic() + REPORT_LIMIT)
        self.flush()
        self.show_tails(self.machines)
        for machine in self.machines:
            if machine.state != "reported":
                self.say(f"{machine.name} does not answer: its kernel hangs, or is very busy")
        broken = [m for m in self.machines if m.sends_no_more()]
        if broken:
            raise LabError(f"{names(broken)} cannot send: an emulated card stands still (console above)")
        when = "before it was told to" if self.over else f"within {self.options.timeout:g} s"
        raise OutOfTime(f"the command did not end {when} on {names(late)} (console above)")

    def show_tails(self, machines):
        for machine in machines:
            self.say(f"{machine.name}: last lines of its console:")
            for line in machine.tail:
                self.say(f"{machine.name}: {line}")


def read(stream):
    """What has come; nothing at the end; None when there is nothing to read yet."""
    try:
        return os.read(stream.fileno(), CHUNK)
    except BlockingIOError:
        return None  # nothing there after all
    except ConnectionResetError:
        return b""


def mark(machine, line):
    return f"[{machine.name}] ".encode() + line + b"\n"


def names(machines):
    return ", ".join(m.name for m in machines)
