"""The command line of tests/lab/run.

Units    seconds, milliseconds (--delay), percent (--loss), as the help says.
Errors   argparse's: a line that names the option, exit code 2.
"""

import argparse
import os
import re

DESCRIPTION = """Runs COMMAND on a virtual cluster whose nodes have real kernel RDMA devices (Soft-RoCE): QEMU machines under software
emulation, so it needs no RDMA hardware, no KVM and no root. A node sees this machine's files under a layer that keeps its writes to itself;
what it writes into $LAB_OUT comes back (--out). COMMAND runs as root in the caller's folder and environment, on node 0 unless --all-nodes
is given."""

EPILOG = """in a node:
  LAB_NODE, LAB_NODES    its number and their count; node i is called node<i> and has the address 10.9.0.(i+1)
  LAB_OUT                the folder whose files come back; the nodes share it
  rxe0                   its RDMA device: RoCE v2, GID 0 link-local IPv6, GID 1 IPv4 (rxe1... on the rails 10.9.1.x...)
  lab-link WORD...       changes loss, delay and cuts from inside (run `lab-link help`)
  lab-barrier NAME       waits until every node has come to it
  lab-node stop|continue NUMBER: another node stands still, adapter and all, and goes on
  lab-cases FOLDER       runs the commands FOLDER/0.sh, 1.sh, ... (see its head)
  lab-leaks              fails when RDMA resources are left on the node, or the kernel's log complains

SIGUSR1 ends the command as if it were out of time.

exit codes: the command's own (with --all-nodes the first that is not 0, by node); 124: out of time; 125: the lab failed; 2: wrong usage"""


def span(text):
    """FROM:FOR in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)", text)
    if not found or float(found.group(2)) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not FROM:FOR in seconds, such as 2:0.5")
    return float(found.group(1)), float(found.group(2))


def between(kind, low, high):
    def check(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {low} to {high}")
        return value

    return check


def memory(text):
    """A size for QEMU, in MiB."""
    found = re.fullmatch(r"(\d+)([MG]?)", text)
    size = int(found.group(1)) * (1024 if found.group(2) == "G" else 1) if found else 0
    if size < 512:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size of at least 512M, such as 2G")
    return size


def parser():
    made = argparse.ArgumentParser(
        prog="tests/lab/run",
        usage="%(prog)s [OPTION...] -- COMMAND [ARGUMENT...]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = made.add_argument
    add("-n", "--nodes", type=between(int, 1, 4), default=1, metavar="NODES", help="how many nodes, 1 to 4 (1)")
    add("--cpus", type=between(int, 1, 64), metavar="N", help="CPUs of each node (2 where this machine has as many for each, else 1)")
    add("--memory", type=memory, default=memory("4G"), metavar="SIZE", help="memory of each node, taken only as it is used (4G)")
    add("--mtu", type=between(int, 576, 65535), default=4200, metavar="BYTES", help="MTU of the link (4200: RDMA then has 4096)")
    add("--rails", type=between(int, 1, 4), default=1, metavar="N", help="RDMA devices of each node, each on a network of its own (1)")
    add("--loss", type=between(float, 0, 100), metavar="PERCENT", help="packets lost, in each direction")
    add("--delay", type=between(float, 0, 10000), metavar="MS", help="delay of each packet, in each direction")
    add("--netem", metavar="WORDS", help="more of tc-netem's words, such as 'reorder 10%% duplicate 1%% corrupt 0.1%%'")
    add("--cut", type=span, metavar="FROM:FOR", help="cut the links FROM seconds after the start, FOR seconds long, unnoticed")
    add("--unplug", type=span, metavar="FROM:FOR", help="the same, but the devices see the cable gone (port down)")
    add("--timeout", type=between(float, 1, 86400), default=300.0, metavar="S", help="end the command after S seconds (300)")
    add("--all-nodes", action="store_true", help="run COMMAND on every node; its output lines are marked by node")
    add("--slurm", action="store_true", help="start Slurm over all nodes first: srun --mpi=pmix works in COMMAND")
    add("--out", metavar="FOLDER", help="where the files written into $LAB_OUT go (made if missing)")
    add("--verbose", action="store_true", help="show the nodes' consoles on standard error")
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return made


def parse(arguments):
    made = parser()
    options = made.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        made.error("no command given (tests/lab/run [OPTION...] -- COMMAND)")
    if options.nodes == 1:
        for name in ("loss", "delay", "netem", "cut", "unplug"):
            if getattr(options, name) is not None:
                made.error(f"--{name} needs a link between nodes: -n 2 or more")
    if options.cpus is None:
        options.cpus = max(1, min(2, len(os.sched_getaffinity(0)) // options.nodes))
    return options


def netem_words(options):
    """What the options say about packets, in tc-netem's words; empty for a perfect link."""
    words = []
    if options.delay:
        words += ["delay", f"{options.delay}ms"]
    if options.loss:
        words += ["loss", f"{options.loss}%"]
    if options.netem:
        words.append(options.netem)
    return " ".join(words)
