#!/usr/bin/env python3
"""A Slurm cluster of two nodes on this machine: munged, slurmctld and two slurmd on loopback, with sockets, folders and ports of their own. With words
after it, slurm_cluster.py runs them as a command in the cluster's environment, and ends the cluster afterwards."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scancel", "sinfo")
PATH = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
NODES = ("n1", "n2")
LONG = 240  # seconds; the daemons are up after some three

CONFIGURATION = """\
ClusterName=peal
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=0
MessageTimeout=60
KillWait=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=8 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=8 State=UNKNOWN
PartitionName=p Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def missing():
    """What is not installed; empty when all is there."""
    return [each for each in PROGRAMS if shutil.which(each, path=PATH) is None]


def steppers(configuration):
    """The processes that look after the steps of jobs (slurmstepd) in the cluster that has this configuration file."""
    wanted = f"SLURM_CONF={configuration}".encode()
    found = []
    for each in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if each.name.isdigit() and (each / "comm").read_text().startswith("slurmstepd") and wanted in (each / "environ").read_bytes().split(b"\0"):
                found.append(int(each.name))
    return found


def free_ports(count):
    """All are held at once, so that no two are the same."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Cluster:
    """Started when made; `environment` is what commands need. Ends its daemons, and what they run, at `end`."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="psl-"))
        self.environment = dict(os.environ, PATH=PATH, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []
        try:
            self.begin()
        except BaseException:
            self.end()
            raise

    def begin(self):
        self.folder.chmod(0o755)
        for each in ("state", *(f"{kind}.{node}" for kind in ("spool", "tmp") for node in NODES)):
            (self.folder / each).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        text = CONFIGURATION.format(folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, ports=free_ports(3))
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        files = {name: f"--{name}-file={self.folder}/munge.{name}" for name in ("key", "pid", "log", "seed")}
        self.start("munged", "--foreground", "--force", *files.values(), f"--socket={self.folder}/munge.socket")
        self.wait_until(lambda: (self.folder / "munge.socket").exists(), "munged has a socket")
        self.start("slurmctld", "-D", "-c", "-f", self.folder / "slurm.conf")
        for node in NODES:
            self.start("slurmd", "-D", "-N", node, "-f", self.folder / "slurm.conf")
        self.wait_until(self.is_up, "both nodes are idle")

    def start(self, program, *words):
        command = [shutil.which(program, path=PATH), *map(str, words)]
        with open(self.folder / f"{program}.out", "ab") as out:
            # A session of its own: an interrupt from the terminal is for the tests.
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True))

    def is_up(self):
        told = self.ask("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split()
        return sorted(told) == list(NODES)

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=LONG).stdout

    def wait_until(self, condition, what):
        end = time.monotonic() + LONG
        while not condition():
            for each in self.daemons:
                if each.poll() is not None:
                    raise AssertionError(f"{each.args[0]} ended with {each.returncode}:\n{self.logs()}")
            if time.monotonic() > end:
                raise AssertionError(f"waited {LONG} s in vain until {what}:\n{self.logs()}")
            time.sleep(0.05)

    def kill_node(self, name):
        """What is left of a node that has lost its power: nothing. All its processes are stopped first, so that none tells of another one's end."""
        slurmd = next(each for each in self.daemons if name in each.args)
        doomed = [slurmd.pid]
        wanted = {f"SLURM_CONF={self.environment['SLURM_CONF']}".encode(), f"SLURMD_NODENAME={name}".encode()}
        for each in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError, IndexError):
                if each.name.isdigit() and wanted <= set((each / "environ").read_bytes().split(b"\0")):
                    doomed.append(int(each.name))
                    parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
                    if parent not in doomed and (pathlib.Path("/proc") / str(parent) / "comm").read_text() == "slurmstepd\n":
                        doomed.insert(1, parent)
        for each in (signal.SIGSTOP, signal.SIGKILL):
            for process in doomed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, each)
        slurmd.wait()

    def logs(self):
        return "".join(f"--- {each.name}\n{each.read_text(errors='replace')[-2000:]}" for each in sorted(self.folder.glob("*.[lo][ou][gt]")))

    def end(self):
        with contextlib.suppress(Exception):
            if len(self.daemons) == 4:
                self.ask("scancel", "--full", "--signal=KILL", "--user", str(os.getuid()))
        for each in reversed(self.daemons):
            each.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(10)
            if each.poll() is None:
                each.kill()
                each.wait()
        for each in steppers(self.environment["SLURM_CONF"]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def leave(*_):
    """By way of the end in `main`, which another signal must not cut short: timeout(1) sends two."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + signal.SIGTERM)


def main():
    if missing():
        sys.exit(f"slurm_cluster.py: not installed: {' '.join(missing())} (Debian: slurmctld slurmd slurm-client munge)")
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, leave)
    cluster = Cluster()
    try:
        return subprocess.run(sys.argv[1:] or ["sinfo"], env=cluster.environment, check=False).returncode
    finally:
        cluster.end()


if __name__ == "__main__":
    sys.exit(main())
