"""One node: its QEMU process and the byte streams that lead into it.

Every stream is a socket pair, so nothing of a node lies in the host's file system, and everything goes when its process goes. The process
is told to die with ours (PR_SET_PDEATHSIG), even when we are killed.

Streams  console (serial port), out, err (the command's), ctl (see guest/node), qmp (QEMU's monitor).
Threads  one; the cluster's loop reads the streams.
Errors   LabError when QEMU is missing.
Source   QEMU: docs/interop/qmp-spec.txt, qemu(1).
"""

import collections
import contextlib
import ctypes
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess

from vlab.errors import LabError

QEMU = "qemu-system-x86_64"
STREAMS = ("console", "out", "err", "ctl", "qmp")
# Enough for a kernel's panic with its backtrace, or for the report of a hanging node.
TAIL_LINES = 120
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1bc|\r")
PR_SET_PDEATHSIG = 1
# max: all that the emulation has. Five-level page tables make its page walks longer, and its "fast string" instructions move byte by byte.
CPU = "max,la57=off,-erms,-fsrm"
# Self-tests and mitigations only cost emulated time; panic=-1 and -no-reboot together end the process when the kernel dies. The watchdogs
# are off, since on a busy host they cry about CPUs that merely did not get their turn.
KERNEL_WORDS = """console=ttyS0 quiet panic=-1 nokaslr nopti mitigations=off cryptomgr.notests no_timer_check audit=0 apparmor=0
                  tsc=reliable rcupdate.rcu_expedited=1 random.trust_cpu=on nowatchdog rcupdate.rcu_cpu_stall_suppress=1
                  workqueue.watchdog_thresh=0""".split()

libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(number=signal.SIGKILL):
    libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def priority_of_session():
    """What the host's scheduler gives to all processes of our session together (sched(7), autogroups); nothing where it knows none."""
    try:
        with open("/proc/self/autogroup", encoding="ascii") as own:
            return own.read().split()[-1]
    except OSError:
        return None


def begin(priority, parent):
    """In the child of `parent`. A session of its own would be served like any other, whatever ours was given: a timing run beside builds needs it."""
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # it died before we asked to be told
    if priority is not None:
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as own:
            own.write(priority)


class Machine:
    def __init__(self, number, options, image, files, links, share, khz):
        """`links`: sockets to the network, [rail][node]; more than one node: the hub. `share`: the folder of results. `khz`: see clock."""
        self.number = number
        self.name = f"node{number}"
        self.tail = collections.deque(maxlen=TAIL_LINES)
        self.partial = b""  # of the console's last line
        self.unheard = b""  # of the last line on ctl
        self.code = None
        self.state = "boots"
        if not shutil.which(QEMU):
            raise LabError(f"{QEMU} is not installed (tests/lab/setup installs what the lab needs)")
        initramfs = os.memfd_create("initramfs")
        with os.fdopen(os.dup(initramfs), "wb") as stream:
            stream.write(image.initramfs(files))
        theirs = {}
        self.streams = {}
        for name in STREAMS:
            self.streams[name], theirs[name] = socket.socketpair()
            self.streams[name].setblocking(name in ("ctl", "qmp"))
        command = self.command(options, image, initramfs, theirs, links, share, khz)
        inherited = [initramfs] + [s.fileno() for s in theirs.values()] + [s.fileno() for rail in links for s in rail]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=inherited,
            start_new_session=True,
            preexec_fn=functools.partial(begin, priority_of_session(), os.getpid()),
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        os.close(initramfs)
        for theirs_end in theirs.values():
            theirs_end.close()
        self.ask("qmp_capabilities")

    def command(self, options, image, initramfs, theirs, links, share, khz):
        words = [QEMU, "-name", self.name, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", CPU]
        # With room for one CPU alone the emulation drops every memory barrier, as if no device looked at memory at the same time: a card's
        # bell can then be lost, and the link stands still for ever. The kernel itself is told of no second CPU.
        words += ["-smp", f"{options.cpus},maxcpus={max(2, options.cpus)}", "-m", str(options.memory)]
        words += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        kernel_words = KERNEL_WORDS + [f"possible_cpus={options.cpus}"] + ([f"tsc_early_khz={khz}"] if khz else [])
        words += ["-kernel", str(image.kernel), "-initrd", f"/proc/self/fd/{initramfs}", "-append", " ".join(kernel_words)]
        for name, end in theirs.items():
            words += ["-chardev", f"socket,id={name},fd={end.fileno()}"]
        words += ["-serial", "chardev:console", "-mon", "chardev=qmp,mode=control", "-device", "virtio-serial-pci"]
        for name in ("ctl", "out", "err"):
            words += ["-device", f"virtserialport,chardev={name},name=lab.{name}"]
        host = "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
        # A comma in a path is doubled: QEMU's own rule.
        results = f"local,id=out,path={str(share).replace(',', ',,')},security_model=none,multidevs=remap"
        words += ["-fsdev", host, "-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]
        words += ["-fsdev", results, "-device", "virtio-9p-pci,fsdev=out,mount_tag=out"]
        for rail, sockets in enumerate(links):
            words += self.network(rail, [s.fileno() for s in sockets])
        return words

    def network(self, rail, sockets):
        """One network card. Several sockets: this node's process is the hub that joins the others to it."""
        words = []
        for index, number in enumerate(sockets):
            words += ["-netdev", f"dgram,id=link{rail}.{index},local.type=fd,local.str={number}"]
        peer = f"link{rail}.0"
        if len(sockets) > 1:
            for index in range(len(sockets)):
                words += ["-netdev", f"hubport,id=port{rail}.{index},hubid={rail},netdev=link{rail}.{index}"]
            peer = f"card{rail}"
            words += ["-netdev", f"hubport,id={peer},hubid={rail}"]
        address = f"52:54:00:0a:{rail:02x}:{self.number + 1:02x}"
        return words + ["-device", f"virtio-net-pci,id=eth{rail},netdev={peer},mac={address},romfile="]

    def ask(self, command, **arguments):
        """A command for QEMU. The loop reads its answer, of which only registers matter."""
        self.send("qmp", json.dumps({"execute": command, "arguments": arguments}) + "\n")

    def answered(self, data):
        """QEMU's answers: where the CPUs are, when that was asked for."""
        for registers in re.findall(rb"CPU#\d+|[ER]IP=[0-9a-f]+|HLT=\d", data):
            self.tail.append("QEMU: " + registers.decode())

    def tell(self, line):
        """A line for the node itself."""
        self.send("ctl", line + "\n")

    def send(self, stream, text):
        try:
            self.streams[stream].sendall(text.encode())
        except OSError:
            pass  # the node has died; its closed streams tell the loop

    def remember(self, data):
        """Console output; returns its whole lines, cleaned."""
        *lines, self.partial = (self.partial + data).split(b"\n")
        clean = [ESCAPES.sub("", line.decode(errors="replace")).rstrip() for line in lines]
        clean = [line for line in clean if line]
        self.tail.extend(clean)
        return clean

    def sends_no_more(self):
        """Whether the kernel complained of a card that takes no packets; it does so every five seconds."""
        return any("NETDEV WATCHDOG" in line for line in self.tail)

    def stand_still(self, still):
        self.process.send_signal(signal.SIGSTOP if still else signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()
        for stream in self.streams.values():
            stream.close()
        self.process.stdout.close()
