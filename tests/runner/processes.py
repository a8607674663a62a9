"""A program of the tests: in a session of its own, its output handed on by the line, with two limits, its own and that of the whole check."""

import os
import pathlib
import signal
import subprocess
import threading
import time

PATIENCE = 10  # seconds in which everything that a program started must have gone after its end


def processes_of_session(session):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if fields[0] not in "ZX" and int(fields[3]) == session:
                    found.append(int(entry.name))
            except (OSError, ValueError, IndexError):
                pass  # it has ended meanwhile
    return found


def signal_session(session, number):
    for pid in processes_of_session(session):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end_session(session):
    """SIGTERM first: what runs jobs or virtual nodes then takes them apart."""
    signal_session(session, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while processes_of_session(session) and time.monotonic() < end:
        time.sleep(0.05)
    signal_session(session, signal.SIGKILL)


def describe(pid):
    try:
        return f"{pid} " + pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return f"{pid} (has ended)"


def take_lowest_priority():
    """Of a session that has just begun: where Linux shares processors out by sessions, its priority counts, else the process's."""
    os.nice(19)
    try:
        pathlib.Path("/proc/self/autogroup").write_text("19")
    except OSError:
        pass  # this kernel knows no such groups


class Run:
    """
    ended      how the program ended: "" or what was wrong
    late       whether the deadline of the whole check ended it
    leftovers  its processes that outlived it

    Raises what `on_line` has raised, once the program has ended: it is read to its end all the same, or it would stand still at its next write.
    """

    def __init__(self, command, limit, deadline, log, on_line, folder, environment, lowest_priority=False):
        self.ended, self.late, self.leftovers = "", False, []
        log.write(f"$ {' '.join(map(str, command))}\n")
        try:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, start_new_session=True,
                                       preexec_fn=take_lowest_priority if lowest_priority else None)
        except OSError as error:
            self.ended, self.late = f"cannot be started: {error}", deadline <= time.time()
            return
        raised = []

        def read():
            for raw in process.stdout:
                try:
                    line = raw.decode(errors="replace").rstrip("\n")
                    log.write(line + "\n")
                    log.flush()
                    on_line(line)
                except Exception as error:
                    raised.append(error)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        left = max(0.0, deadline - time.time())
        try:
            process.wait(min(limit, left))
            if process.returncode < 0:
                self.ended = f"killed by {signal.Signals(-process.returncode).name}"
            elif process.returncode:
                self.ended = f"exit code {process.returncode}"
            self.leftovers = self.wait_for_session(process.pid)
        except subprocess.TimeoutExpired:
            self.late = left < limit
            self.ended = "ended by the deadline of the check" if self.late else f"no end after {limit} s"
        finally:  # also when we are told to end ourselves
            end_session(process.pid)
            process.wait()
        reader.join(PATIENCE)
        log.write(f"[{self.ended or 'exit code 0'}]\n")
        if raised:
            raise raised[0]

    @staticmethod
    def wait_for_session(session):
        """What is still alive some seconds after the program's end; daemons of the test itself must be gone by then."""
        end = time.monotonic() + PATIENCE
        while (found := processes_of_session(session)) and time.monotonic() < end:
            time.sleep(0.05)
        return [describe(pid) for pid in found]
