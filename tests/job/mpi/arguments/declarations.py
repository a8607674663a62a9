"""What include/mpi/*.h declares: functions with their parameters, and constants."""
import collections
import ctypes
import re

# `type` without the array; `array`: "[]", "[][3]" or nothing.
Parameter = collections.namedtuple("Parameter", "type name array")
Function = collections.namedtuple("Function", "result name parameters")

HANDLES = {"MPI_Comm", "MPI_Group", "MPI_Datatype", "MPI_Op", "MPI_Request", "MPI_Message", "MPI_Errhandler", "MPI_Info", "MPI_Session",
           "MPI_Win", "MPI_File", "MPI_T_enum", "MPI_T_cvar_handle", "MPI_T_pvar_handle", "MPI_T_pvar_session", "MPI_T_event_registration",
           "MPI_T_event_instance"}


def text_of(folder):
    return re.sub(r"/\*.*?\*/", "", "".join(file.read_text() for file in sorted(folder.glob("*.h"))), flags=re.S)


def parameter_of(text):
    found = re.fullmatch(r"(.*?)\s*(\w+)((?:\[\d*\])*)", text.strip())
    return Parameter(found[1].strip(), found[2], found[3])


def functions_of(folder):
    """All that the headers declare, but for MPI_Pcontrol, whose arguments mean nothing to the library."""
    found = []
    for result, name, parameters in re.findall(r"^PEAL_MPI\((\w+),\s*(\w+),\s*([^;]*?)\)\s*;", text_of(folder), flags=re.S | re.M):
        if name != "Pcontrol":
            words = [] if parameters == "void" else re.sub(r"\s+", " ", parameters).split(",")
            found.append(Function(result, name, [parameter_of(word) for word in words]))
    return found


def unsupported_in(folder):
    return {name for file in folder.glob("*.cpp") for name in re.findall(r"PEAL_MPI_UNSUPPORTED\((\w+)", file.read_text())}


def constants_of(folder):
    """Numbers by their names, also those of handles and pointers."""
    text = text_of(folder)
    found = {name: int(value, 0) for name, value in re.findall(r"\b(MPIX?_\w+) = (-?\w+)", text)}
    found.update((name, int(value, 0)) for name, value in re.findall(r"#define (MPI_\w+) \(\([\w*]+\)(\w+)\)", text))
    found.update((name, int(value)) for name, value in re.findall(r"#define (MPI_\w+) (\d+)\n", text))
    return found


def c_type_of(parameter):
    if parameter.array or parameter.type.endswith("*") or parameter.type in HANDLES or parameter.type.endswith("_cb_function"):
        return ctypes.c_void_p
    return ctypes.c_int64 if parameter.type in ("MPI_Count", "MPI_Aint", "MPI_Offset") else ctypes.c_int
