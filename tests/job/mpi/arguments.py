#!/usr/bin/env python3
"""Calls every function of MPI's C interface with arguments of which one is wrong, and every function before MPI_Init and after MPI_Finalize. Each
must give an error of the class that the standard names, once, through the error handler, with a sentence that names the function and the argument.

    arguments.py BUILD [FUNCTION ...]

What is to be called comes from include/mpi/*.h, so that a function that is new is called, too. Calls are made in child processes: a crash ends one of
them, and an alarm those that wait.
"""
import os
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "arguments"))
sys.dont_write_bytecode = True
import declarations  # noqa: E402
import right  # noqa: E402
import wrong  # noqa: E402
from library import Library, NoObjects, Objects  # noqa: E402

SOURCE = HERE.parents[2]
SECONDS = 60  # more than any call takes
# What the standard lets a program call before MPI_Init and after MPI_Finalize, and what only computes.
AT_ANY_TIME = "|".join([
    "Initialized", "Finalized", "Init", "Init_thread", "Session_init", "Abort", "Get_version", "Get_library_version", "Get_hw_resource_info",
    "Abi_.*", "Info_.*", "T_.*", r"\w+_create_errhandler", "Errhandler_free", r"File_\w+_errhandler", "Add_error_.*", "Remove_error_.*",
    "Error_class", "Error_string", r"\w+_(to|from)int", "Aint_.*", "Wtime", "Wtick", "Status_.*", "Test_cancelled"])


class Table:
    def __init__(self, path, wanted):
        self.path = path
        self.functions = declarations.functions_of(SOURCE / "include/mpi")
        self.constants = declarations.constants_of(SOURCE / "include/mpi")
        unsupported = declarations.unsupported_in(SOURCE / "src/mpi/unsupported")
        self.working = [each for each in self.functions if each.name not in unsupported and (not wanted or each.name in wanted)]
        self.class_names = {value: name for name, value in self.constants.items() if name.startswith(("MPI_ERR_", "MPI_T_ERR_"))}
        self.class_names[0] = "MPI_SUCCESS"

    def library(self):
        return Library(self.path, self.functions, self.constants)

    def verdict(self, function, case, code, told):
        """What is wrong about the outcome, or nothing."""
        name = self.class_names.get(code, f"code {code}")
        if name not in case.classes:
            return f"gives {name} instead of {' or '.join(case.classes)} {told}"
        if wrong.is_tool(function):
            return ""
        if len(told) != 1 or told[0][0] != code:
            return f"calls the error handler with {told}"
        begin, words = f"MPI_{function.name}: {name}: ", f"{case.about}|{wrong.WORDS.get(case.about, case.about)}"
        if not told[0][1].startswith(begin) or not re.search(rf"\b({words})\b", told[0][1][len(begin):]):
            return f"does not say what is wrong: {told[0][1]}"
        return ""

    def calls(self, objects):
        """Each call, as what it is, the function, the case and the arguments."""
        lib = objects.library
        for function in self.working:
            for position, parameter in enumerate(function.parameters):
                kept = len(lib.keeps)
                for case in wrong.cases_of(function, parameter, objects):
                    arguments = [right.argument_for(function, each, objects) for each in function.parameters]
                    names = [each.name for each in function.parameters]
                    arguments[position] = arguments[names.index(case.value)] if isinstance(case.value, str) else case.value
                    yield f"MPI_{function.name} with {parameter.name}: {case.text}", function, case, arguments
                del lib.keeps[kept:]

    def call_from(self, first, report):
        """In a child: all calls from this number on. Tells which one is under way, and what it finds."""
        lib = self.library()
        lib.call("Init", 0, 0)
        objects = Objects(lib)
        for number, (what, function, case, arguments) in enumerate(self.calls(objects)):
            if number < first:
                continue
            report.write(f"CALL {number} {what}\n")
            report.flush()
            signal.alarm(SECONDS)
            code = lib.call(function.name, *arguments)
            signal.alarm(0)
            if trouble := self.verdict(function, case, code, lib.told):
                report.write(f"WRONG {what}: {trouble}\n")
        lib.call("Finalize")
        report.write("END\n")


def in_child(body):
    """What a child writes, and how it ends."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as report:
            os.dup2(report.fileno(), 2)
            body(report)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, errors="replace") as report:
        text = report.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def wrong_arguments(table):
    found, calls, first = [], 0, 0
    while True:
        text, status = in_child(lambda report: table.call_from(first, report))
        lines = text.splitlines()
        found += [line.removeprefix("WRONG ") for line in lines if line.startswith("WRONG ")]
        last = [line for line in lines if line.startswith("CALL ")]
        calls += len(last)
        if lines and lines[-1] == "END":
            return found, calls
        if not last:
            return [*found, f"a child has ended with {status} before its first call: {text}"], calls
        how = "waits" if status == -signal.SIGALRM else f"ends the process, {status}, {text[-300:]}"
        _, number, what = last[-1].split(" ", 2)
        found.append(f"{what}: {how}")
        first = int(number) + 1


def trouble_without_mpi(function, text, status):
    returned = re.search(r"RETURNED (\S+)", text)
    if re.fullmatch(AT_ANY_TIME, function.name):
        return "" if returned or status == 1 else f"ends with {status} {text}"
    told = status == 1 and f"MPI_{function.name}: MPI_ERR_" in text
    return "" if told or returned and returned[1] != "0" else f"gives no error: {text or status}"


def without_mpi(table, lib, when):
    """All functions before MPI_Init, or after MPI_Finalize: each ends the process, and says why, as there is no error handler but the first one.
    But for those that are there at any time."""
    objects, found = NoObjects(lib), []

    def call(function, report):
        signal.alarm(SECONDS)
        arguments = [right.argument_for(function, each, objects) for each in function.parameters]
        report.write(f"RETURNED {lib.call(function.name, *arguments)}")
    for function in table.working:
        text, status = in_child(lambda report, called=function: call(called, report))
        if trouble := trouble_without_mpi(function, text, status):
            found.append(f"MPI_{function.name} {when} {trouble}")
    return found


def before_and_after(table):
    lib = table.library()
    found = without_mpi(table, lib, "before MPI_Init")
    lib.call("Init", 0, 0)
    lib.call("Finalize")
    return found + without_mpi(table, lib, "after MPI_Finalize")


def main():
    table = Table(pathlib.Path(sys.argv[1]).resolve() / ".libs/libmpi_abi.so.1", sys.argv[2:])
    problems, calls = wrong_arguments(table)
    problems += before_and_after(table)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{calls} calls with a wrong argument, {len(table.working)} functions before and after MPI, {len(problems)} problems")
    sys.exit(1 if problems or not calls else 0)


if __name__ == "__main__":
    main()
