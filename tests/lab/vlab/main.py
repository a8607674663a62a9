"""The program behind tests/lab/run: options, the folder of results, signals, exit codes.

Errors   none leave it: each becomes a line on standard error and an exit code (see vlab/options.py).
"""

import contextlib
import fcntl
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from vlab import image, options
from vlab.cluster import Cluster
from vlab.errors import LabError, OutOfTime
from vlab.machine import die_with_parent

TEMPORARY = "peal-lab."


def say(text):
    sys.stdout.flush()
    print(f"lab: {text}", file=sys.stderr, flush=True)


class Ended(Exception):
    """A signal asked us to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def on_signal(number, _):
    # Once is enough: a second one would break into the cleaning up.
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    raise Ended(number)


def take_care_of_endings():
    """Signals end the run in order, and so does the death of whoever started us, unless we were given a session of our own (setsid).
    SIGUSR1 ends it as if its time were over."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    if os.getsid(0) != os.getpid():
        die_with_parent(signal.SIGTERM)


@contextlib.contextmanager
def results(asked):
    """The folder that the nodes write results into: the one asked for, else a temporary one, which goes."""
    if asked:
        folder = Path(asked).resolve()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LabError(f"cannot make {folder}: {error.strerror}") from None
        yield folder
        for meeting in folder.glob(".barrier.*"):
            shutil.rmtree(meeting, ignore_errors=True)
        return
    sweep()
    folder, lock = locked_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def locked_folder():
    """A new temporary folder, locked until we end, however we end: an unlocked one is nobody's, and the next run takes it away."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue  # swept by another run before it was locked
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder, lock
        os.close(lock)


def sweep():
    """Takes away what runs that were killed have left."""
    for folder in Path(tempfile.gettempdir()).glob(TEMPORARY + "*"):
        try:
            lock = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(lock)


def main(arguments):
    chosen = options.parse(arguments)
    take_care_of_endings()
    try:
        with results(chosen.out) as share, Cluster(chosen, image.obtain(say), share, say) as cluster:
            signal.signal(signal.SIGUSR1, lambda *_: cluster.time_is_over())
            return cluster.run()
    except LabError as error:
        say(str(error))
        return 125
    except OutOfTime as error:
        say(str(error))
        return 124
    except BrokenPipeError:
        # Whoever read our output is gone; so that the interpreter does not complain about the rest of it:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Ended as ended:
        return 128 + ended.number
