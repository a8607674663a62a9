"""Arguments that are right, so that the one that is wrong is what a call fails for. Those of a call fit each other; the job has one rank."""
import ctypes

import declarations

NUMBERS = {  # what stands in arguments of these names; any other number is 1
    "dest": 0, "source": 0, "root": 0, "rank": 0, "local_leader": 0, "remote_leader": 0, "tag": 5, "sendtag": 5, "recvtag": 5, "color": 0, "key": 0,
    "reorder": 0, "high": 0, "flag": 0, "error": 0, "required": 0, "direction": 0, "partition": 0, "partition_low": 0, "partition_high": 0,
    "cat_index": 0, "cvar_index": 0, "pvar_index": 0, "event_index": 0, "source_index": 0, "element_index": 0, "cb_safety": 0, "p": 6, "r": 30,
    "logical_size": 4, "insize": 4096, "outsize": 4096, "valuelen": 100, "lb": 0, "extent": 64, "maxdims": 1, "value": 1,
    "max_integers": 8, "max_addresses": 8, "max_datatypes": 8, "max_large_counts": 8,
}
# What arrays of these names hold; those of others hold 1.
ZEROS = {"displs", "sdispls", "rdispls", "array_of_displacements", "array_of_starts", "coords", "periods", "remain_dims", "ranks", "ranks1",
         "sources", "destinations", "edges", "array_of_partitions", "position"}
# Handles that are read through a pointer, by the names of functions.
TAKES = {"Comm_free", "Comm_disconnect", "Type_free", "Type_commit", "Group_free", "Op_free", "Info_free", "Errhandler_free", "Request_free", "Wait",
         "Test", "Start", "Cancel", "Session_finalize", "T_cvar_handle_free", "T_pvar_handle_free",
         "T_pvar_session_free"}
STRINGS = {"pset_name": "mpi://WORLD", "datarep": "external32", "key": "key", "value": "value"}


def is_taken(function, parameter):
    """Whether it points to a handle, or to some, that the function reads."""
    if parameter.type.rstrip("*").removeprefix("const ") not in declarations.HANDLES:
        return False
    if parameter.array:
        return not (function.name.startswith("Type_get_contents") or function.name == "T_event_get_info")
    if function.name.startswith(("Mrecv", "Imrecv")):
        return parameter.type == "MPI_Message*"
    return parameter.type.endswith("*") and function.name in TAKES


def comm_for(function, objects):
    name = function.name
    if name.startswith(("Bsend", "Ibsend")):
        return objects.buffered
    if "eighbor_" in name or name.startswith("Dist_graph_n"):
        return objects.neighbors
    if name.startswith("Cart") and name not in ("Cart_create", "Cart_map"):
        return objects.cart
    if name.startswith("Graph") and name not in ("Graph_create", "Graph_map"):
        return objects.graph
    return objects.comm


def handle_for(function, parameter, objects):
    kind, name = parameter.type.rstrip("*").removeprefix("const "), function.name
    named = objects.library.constants
    if kind == "MPI_Request":
        return {"P": objects.partitions if name != "Parrived" else objects.arrivals,
                "G": objects.generalized, "C": objects.active}.get(name[0], objects.inactive)
    if kind == "MPI_Datatype":
        return objects.type if name.startswith("Type_get_contents") or "attr" in name or name == "Type_free" else objects.int
    if kind == "MPI_Op":
        return objects.op if name == "Op_free" else named["MPI_SUM"]
    if kind == "MPI_Errhandler":
        return objects.session_errhandler if name.startswith("Session") else (
            objects.file_errhandler if name.startswith("File") else objects.errhandler)
    return {"MPI_Comm": comm_for(function, objects), "MPI_Group": objects.group, "MPI_Message": objects.message, "MPI_Info": objects.info,
            "MPI_Session": objects.session, "MPI_Win": named["MPI_WIN_NULL"], "MPI_File": named["MPI_FILE_NULL"], "MPI_T_cvar_handle": objects.cvar,
            "MPI_T_pvar_handle": objects.pvar, "MPI_T_pvar_session": objects.pvar_session}.get(kind, 0)


def number_for(function, parameter, objects):
    named, name = objects.library.constants, parameter.name
    if "keyval" in name:
        return objects.type_keyval if function.name.startswith("Type") else objects.comm_keyval
    if name in ("errorclass", "errorcode"):
        return getattr(objects, name)
    if function.name in ("Info_get_nthkey", "Session_get_nth_pset") and name == "n":
        return 0
    if name == "size" and function.name == "Type_match_size":
        return 4
    if name == "size" and "buffer" in function.name.lower():
        return 4096
    return {"split_type": named["MPI_COMM_TYPE_SHARED"], "order": named["MPI_ORDER_C"], "typeclass": named["MPI_TYPECLASS_INTEGER"],
            "var_class": named["MPI_T_PVAR_CLASS_COUNTER"]}.get(name, NUMBERS.get(name, 1))


def array_for(parameter, objects):
    named = objects.library.constants
    wide = "Count" in parameter.type or "Aint" in parameter.type
    value = 0 if parameter.name in ZEROS else {"array_of_distribs": named["MPI_DISTRIBUTE_BLOCK"],
                                               "array_of_dargs": named["MPI_DISTRIBUTE_DFLT_DARG"]}.get(parameter.name, 1)
    if parameter.array == "[][3]":
        return objects.library.numbers(0, 0, 1)
    return objects.library.numbers(value, kind=ctypes.c_int64 if wide else ctypes.c_int)


def argument_for(function, parameter, objects):
    lib, kind = objects.library, parameter.type
    if parameter.name == "datarep":
        return lib.string("external32")
    if is_taken(function, parameter):
        return lib.numbers(handle_for(function, parameter, objects), kind=ctypes.c_int64)
    if parameter.name == "argv" and parameter.array:
        return lib.numbers(lib.string("program"), kind=ctypes.c_int64)
    if parameter.array or kind.startswith("const int*"):
        return array_for(parameter, objects)
    if kind in declarations.HANDLES:
        return handle_for(function, parameter, objects)
    if kind == "const char*":
        return objects.cvar_name if function.name == "T_cvar_get_index" else lib.string(STRINGS.get(parameter.name, "name"))
    if kind == "int*" and parameter.name in ("name_len", "desc_len", "buflen", "pset_len"):
        return lib.numbers(64)
    if kind == "int*" and "keyval" in parameter.name and function.name.endswith("free") or function.name.endswith("free_keyval"):
        return lib.numbers(number_for(function, parameter, objects))
    if kind.endswith("_function*") or kind.endswith("_function"):
        return 0 if "copy" in kind or "delete" in kind or "Copy" in kind or "Delete" in kind else objects.function
    return lib.memory() if declarations.c_type_of(parameter) is ctypes.c_void_p else number_for(function, parameter, objects)
