"""What a node is told at boot: its settings, the command with its environment, and Slurm's configuration.

Errors   LabError when the caller's folder is gone.
"""

import os
import shlex
from pathlib import Path

from vlab.errors import LabError
from vlab.image import GUEST
from vlab.options import netem_words

# Variables that belong to the caller's session on the host and mean nothing, or something wrong, in a node.
HOST_ONLY = {"PATH", "TMPDIR", "HOSTNAME", "PWD", "OLDPWD", "SHLVL", "_", "DISPLAY", "TERM", "DBUS_SESSION_BUS_ADDRESS"}
HOST_ONLY_PREFIXES = ("SSH_", "XDG_", "SLURM_", "LAB_", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def for_node(options, number, munge_key):
    """{name in the initramfs: (content, mode)} for one node."""
    runs = options.all_nodes or number == 0
    settings = {
        "LAB_NODE": number,
        "LAB_NODES": options.nodes,
        "LAB_RAILS": options.rails,
        "LAB_MTU": options.mtu,
        "LAB_SLURM": int(options.slurm),
        "LAB_RUNS": int(runs),
        "LAB_KEEP": kept_under_tmp(options),
        "LAB_NETEM": netem_words(options),
    }
    lines = "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in settings.items())
    files = {"lab/settings": (lines.encode(), 0o644), "lab/command": (command_script(options).encode(), 0o755)}
    if options.slurm:
        files["lab/munge.key"] = (munge_key, 0o400)
        files["lab/slurm.conf"] = (slurm_configuration(options).encode(), 0o644)
    return files


def command_script(options):
    """A script that becomes the command. The caller's PATH comes after the node's own tools."""
    lines = [f"export PATH=/run/lab/bin:{shlex.quote(os.environ.get('PATH', ''))}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"]
    for name, value in sorted(os.environ.items()):
        if name.isidentifier() and name not in HOST_ONLY and not name.startswith(HOST_ONLY_PREFIXES):
            lines.append(f"export {name}={shlex.quote(value)}")
    # A node's only user is root, which mpirun else refuses.
    lines += ["export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    lines += [f"cd {shlex.quote(here())} || exit 125", "exec " + " ".join(shlex.quote(word) for word in options.command)]
    return "\n".join(lines) + "\n"


def here():
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise LabError("the current folder no longer exists") from None


def kept_under_tmp(options):
    """The folder of /tmp that stays visible in a node, since the caller stands in it or the command lies there; else empty."""
    for path in (here(), options.command[0]):
        parts = Path(path).parts
        if parts[:2] == ("/", "tmp") and len(parts) > 2 and os.path.isdir("/tmp/" + parts[2]):
            return "/tmp/" + parts[2]
    return ""


def slurm_configuration(options):
    # Four ranks a CPU may be asked for, and at least 64 a node: what a node has is no limit in a lab.
    slots = max(64, 4 * options.cpus)
    lines = [(GUEST / "slurm.conf.in").read_text().rstrip("\n")]
    for number in range(options.nodes):
        lines.append(f"NodeName=node{number} NodeAddr=10.9.0.{number + 1} CPUs={slots} State=UNKNOWN")
    lines.append(f"PartitionName=lab Nodes=node[0-{options.nodes - 1}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES")
    return "\n".join(lines) + "\n"
