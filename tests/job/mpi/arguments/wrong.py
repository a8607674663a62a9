"""For each argument what is wrong, and the error class that the standard names for it."""
import collections
import ctypes

import declarations
import right

# `value`: what is passed, or the name of the argument whose memory is passed. `classes`: any of them will do. `about`: the argument's name, which
# the sentence has to have.
Case = collections.namedtuple("Case", "text value classes about")

HANDLES = {  # the class, and the handle that stands for none
    "MPI_Comm": ("MPI_ERR_COMM", "MPI_COMM_NULL"), "MPI_Group": ("MPI_ERR_GROUP", "MPI_GROUP_NULL"),
    "MPI_Datatype": ("MPI_ERR_TYPE", "MPI_DATATYPE_NULL"), "MPI_Op": ("MPI_ERR_OP", "MPI_OP_NULL"),
    "MPI_Request": ("MPI_ERR_REQUEST", "MPI_REQUEST_NULL"), "MPI_Message": ("MPI_ERR_REQUEST", "MPI_MESSAGE_NULL"),
    "MPI_Errhandler": ("MPI_ERR_ERRHANDLER", "MPI_ERRHANDLER_NULL"), "MPI_Info": ("MPI_ERR_INFO", "MPI_INFO_NULL"),
    "MPI_Session": ("MPI_ERR_SESSION", "MPI_SESSION_NULL"), "MPI_Win": ("MPI_ERR_WIN", "MPI_WIN_NULL"), "MPI_File": ("MPI_ERR_FILE", "MPI_FILE_NULL"),
    "MPI_T_pvar_session": ("MPI_T_ERR_INVALID_SESSION", None),
}
# What can be done with handles that stand for none.
NULL_IS_RIGHT = {("Comm_get_name", "comm"), ("Type_get_name", "datatype"), ("Request_get_status", "request"), ("Wait", "request"),
                 ("Test", "request"), ("File_call_errhandler", "fh"), ("File_get_errhandler", "file"), ("File_set_errhandler", "file")}
# Anything is right: truth values, keys, hints to a function of the program, numbers of any sign, and what need not be told.
ANYTHING = {"reorder", "commute", "high", "flag", "disp", "key", "stride", "lb", "extent", "p", "r", "error", "extra_state", "user_data", "argc",
            "argv", "obj_handle", "weights", "sourceweights", "destweights", "array_of_statuses"}
ALSO_RESULTS = {"flag", "extent", "lb", "error", "key"}  # pointers of these names are no such
ANYTHING_IN = {("Comm_call_errhandler", "errorcode"), ("Session_call_errhandler", "errorcode"), ("File_call_errhandler", "errorcode"),
               ("Status_set_source", "source"), ("Status_set_tag", "tag"), ("Get_address", "location"), ("Free_mem", "base"),
               ("Comm_set_attr", "attribute_val"), ("Type_set_attr", "attribute_val"), ("Attr_put", "attribute_val"),
               ("Type_get_contents", "array_of_addresses"), ("Type_get_contents_c", "array_of_addresses"),
               ("Type_get_contents_c", "array_of_large_counts"), ("T_category_get_num_events", "num_events"), ("T_cvar_handle_alloc", "count"),
               ("T_pvar_handle_alloc", "count")}
# The process has none of these, so that all calls with them fail alike, and one rank is in no intercommunicator.
WITHOUT_OBJECTS = {"Win_call_errhandler": (["MPI_ERR_WIN"], "win"), "Win_get_errhandler": (["MPI_ERR_WIN"], "win"),
                   "Win_set_errhandler": (["MPI_ERR_WIN"], "win"), "Intercomm_merge": (["MPI_ERR_COMM"], "intercomm")}
NO_ERRORS = {"Abort", "Init", "Init_thread", "Finalize", "Wtime", "Wtick", "Aint_add", "Aint_diff"}

NUMBERS = {  # by names; those of others are never negative, MPI_ERR_ARG
    **dict.fromkeys(["count", "sendcount", "recvcount", "incount", "outcount", "length"], ([-1, -2147483648], "MPI_ERR_COUNT")),
    **dict.fromkeys(["dest", "rank", "local_leader", "remote_leader"], ([1, -1, -5, 2147483647], "MPI_ERR_RANK")),
    "source": ([1, -5, -4, 2147483647], "MPI_ERR_RANK"),
    "root": ([1, -1, -3, -4, -5, 2147483647], "MPI_ERR_ROOT"),
    **dict.fromkeys(["tag", "sendtag"], ([-7, -1], "MPI_ERR_TAG")),
    "recvtag": ([-7, -1], "MPI_ERR_TAG"),
    "ndims": ([-1], "MPI_ERR_DIMS"), "direction": ([-1, 1], "MPI_ERR_DIMS"),
    **dict.fromkeys(["partition", "partition_low", "partition_high"], ([-1, 1000], "MPI_ERR_ARG")),
    **dict.fromkeys(["cat_index", "cvar_index", "pvar_index", "event_index", "source_index"], ([-1, 1000000], "MPI_T_ERR_INVALID_INDEX")),
    "errorclass": ([-1, 1000000, 63], "MPI_ERR_ARG"), "errorcode": ([-1, 1000000, 63], "MPI_ERR_ARG"),
    "split_type": ([-1, 0, 7], "MPI_ERR_ARG"), "typeclass": ([-1, 0], "MPI_ERR_ARG"), "order": ([-1, 0], "MPI_ERR_ARG"),
    "required": ([-1, 7], "MPI_ERR_ARG"), "color": ([-1], "MPI_ERR_ARG"),
}
ARRAYS = {  # elements that are wrong
    "sendcounts": (-1, "MPI_ERR_COUNT"), "recvcounts": (-1, "MPI_ERR_COUNT"), "array_of_blocklengths": (-1, "MPI_ERR_ARG"),
    "dims": (-1, "MPI_ERR_DIMS"),
    "ranks": (7, "MPI_ERR_RANK"), "ranks1": (7, "MPI_ERR_RANK"), "ranges": (7, "MPI_ERR_RANK"), "sources": (7, "MPI_ERR_RANK"),
    "destinations": (7, "MPI_ERR_RANK"), "degrees": (-1, "MPI_ERR_ARG"), "edges": (7, "MPI_ERR_ARG"), "indx": (-1, "MPI_ERR_ARG"),
    "coords": (5, "MPI_ERR_ARG"), "array_of_sizes": (-1, "MPI_ERR_ARG"), "array_of_subsizes": (-1, "MPI_ERR_ARG"),
    "array_of_starts": (-1, "MPI_ERR_ARG"),
    "array_of_gsizes": (-1, "MPI_ERR_ARG"), "array_of_psizes": (-1, "MPI_ERR_ARG"), "array_of_distribs": (-1, "MPI_ERR_ARG"),
    "array_of_dargs": (-1, "MPI_ERR_ARG"), "array_of_partitions": (9, "MPI_ERR_ARG"),
}
# Other words that a sentence may have for an argument.
WORDS = {"dest": "destination", "sendtag": "tag", "recvtag": "tag", "fh": "file", "comm_keyval": "keyval", "type_keyval": "keyval"}
BUFFERS = {"sendbuf", "recvbuf", "buf", "inbuf", "outbuf", "inoutbuf", "buffer"}


def is_tool(function):
    return function.name.startswith("T_")


def takes_uncommitted(function):
    return function.name.startswith(("Type_", "Get_", "Status_"))


def handles(function, parameter, objects):
    lib, named = objects.library, objects.library.constants
    kind = parameter.type.rstrip("*").removeprefix("const ")
    error_class, null = HANDLES.get(kind, ("MPI_T_ERR_INVALID_HANDLE", None))
    yield from ((text, value, error_class) for text, value in [
        ("0", 0), ("3", 3), ("a constant of another kind", named["MPI_SUM" if kind != "MPI_Op" else "MPI_INT"]), ("a number", 0x12345678),
        ("the largest number", 0xffffffffffffffff), ("a pointer", lib.memory(64)),
        ("an object of another kind", objects.info if kind != "MPI_Info" else objects.group)])
    if kind in objects.freed:
        yield "freed", objects.freed[kind], error_class
    takes_hints = kind == "MPI_Info" and not function.name.startswith("Info_")
    takes_none = kind == "MPI_Request" and parameter.array and function.name != "Startall"
    if null and not takes_hints and not takes_none and (function.name, parameter.name) not in NULL_IS_RIGHT:
        yield null, named[null], error_class
    if kind == "MPI_Datatype" and not takes_uncommitted(function):
        yield "not committed", objects.uncommitted, error_class
        if any(each.type == "MPI_Op" for each in function.parameters):
            yield "unknown to the operation", objects.type, "MPI_ERR_OP"
    if kind == "MPI_Errhandler" and "set_errhandler" in function.name:
        yield "made for another kind", objects.session_errhandler if not function.name.startswith("Session") else objects.errhandler, error_class
    if kind == "MPI_Comm" and right.comm_for(function, objects) in (objects.cart, objects.graph, objects.neighbors):
        yield "without a topology", objects.comm, "MPI_ERR_TOPOLOGY"
    if function.name.endswith("_free") and kind in ("MPI_Comm", "MPI_Datatype", "MPI_Op", "MPI_Info"):
        name = {"MPI_Comm": "MPI_COMM_WORLD", "MPI_Datatype": "MPI_INT", "MPI_Op": "MPI_SUM", "MPI_Info": "MPI_INFO_ENV"}[kind]
        yield name, named[name], error_class
    if function.name.startswith("Start"):
        yield "not persistent", objects.active, error_class


def numbers(function, parameter, objects):
    """Pairs of a number and the class."""
    named, name = objects.library.constants, parameter.name
    if "keyval" in name:
        other = objects.comm_keyval if function.name.startswith("Type") else objects.type_keyval
        values = [named["MPI_KEYVAL_INVALID"], -5, 123456, other]
        if "get" not in function.name:
            values.append(named["MPI_TAG_UB"])
        return [(value, "MPI_ERR_KEYVAL") for value in values]
    values, error_class = NUMBERS.get(name, ([-1], "MPI_ERR_ARG"))
    if is_tool(function) and error_class == "MPI_ERR_ARG":
        error_class = "MPI_T_ERR_INVALID"
    if name == "tag" and any(each.name == "source" for each in function.parameters) and "Psend" not in function.name:
        values = [-7, -1]
    elif name in ("tag", "sendtag") and any(each.name == "dest" for each in function.parameters) and "recv_init" not in function.name:
        values = [*values, named["MPI_ANY_TAG"]]
    if name == "ndims" and function.name.startswith("Type_"):
        error_class = "MPI_ERR_ARG"
    return [(value, error_class) for value in values]


def places(function, parameter, objects):
    """What is wrong about memory, or about what is in it."""
    lib, name = objects.library, parameter.name
    null_class = "MPI_T_ERR_INVALID" if is_tool(function) else "MPI_ERR_ARG"
    if name in BUFFERS and not is_tool(function):
        null_class = "MPI_ERR_BUFFER"
    elif function.name.startswith("Info_") and name in ("key", "value") and parameter.type == "const char*":
        null_class = "MPI_ERR_INFO_KEY" if name == "key" else "MPI_ERR_INFO_VALUE"
    optional = parameter.type == "MPI_Status*" and not function.name.startswith("Status_set") or "_get_info" in function.name and is_tool(function)
    optional = optional or "Copy" in parameter.type or "Delete" in parameter.type or "copy" in parameter.type or "delete" in parameter.type
    if not optional:
        yield "a null pointer", 0, null_class
    if name in BUFFERS and "attach" not in function.name and function.name.startswith(("Bcast", "Ibcast", "Send", "Recv", "Isend", "Irecv")):
        yield "MPI_IN_PLACE", lib.constants["MPI_IN_PLACE"], "MPI_ERR_BUFFER"
    if name == "recvbuf" and "catter" not in function.name:
        yield "MPI_IN_PLACE", lib.constants["MPI_IN_PLACE"], "MPI_ERR_BUFFER"
    if name == "recvbuf" and "endrecv" not in function.name:
        yield "the memory of sendbuf", "sendbuf", "MPI_ERR_BUFFER"
    if (parameter.array or name == "ranges") and name in ARRAYS and parameter.type.startswith("const ") or name == "ranges":
        element, error_class = ARRAYS[name]
        wide = "Count" in parameter.type or "Aint" in parameter.type
        yield f"[{element}]", lib.numbers(element, element, 1, 1, kind=ctypes.c_int64 if wide else ctypes.c_int), error_class
    if name == "datarep":
        yield "no representation", lib.string("internal64"), "MPI_ERR_UNSUPPORTED_DATAREP"
    if name == "pset_name" and parameter.type == "const char*":
        yield "no set", lib.string("mpi://NONE"), "MPI_ERR_ARG"
    if "keyval" in name and "free" in function.name:
        for value, error_class in numbers(function, parameter, objects):
            yield f"{value}", lib.numbers(value), error_class
    if name == "base":
        yield "not from MPI_Alloc_mem", lib.memory(), "MPI_ERR_BASE"


def cases_of(function, parameter, objects):
    """What is wrong with one argument of a call whose others are right."""
    lib = objects.library
    if function.name in NO_ERRORS or function.name.endswith(("_toint", "_fromint")):
        return
    result = parameter.type.endswith("*") and parameter.name in ALSO_RESULTS
    anything = parameter.name in ANYTHING and not result or (function.name, parameter.name) in ANYTHING_IN
    read = right.is_taken(function, parameter)
    if parameter.type in declarations.HANDLES and not parameter.array or read:
        found = list(handles(function, parameter, objects))
        if read:
            found = [(text, lib.numbers(value, kind=ctypes.c_uint64), each) for text, value, each in found]
            found.append(("a null pointer", 0, "MPI_T_ERR_INVALID" if is_tool(function) else "MPI_ERR_ARG"))
    elif declarations.c_type_of(parameter) is ctypes.c_void_p:
        found = list(places(function, parameter, objects))
        if anything:
            found = [each for each in found if each[0] != "a null pointer"]
    else:
        found = [] if anything else [(str(value), value, each) for value, each in numbers(function, parameter, objects)]
    owner = WITHOUT_OBJECTS.get(function.name)
    for text, value, error_class in found:
        classes = [error_class]
        if function.name.startswith(("T_event_", "T_enum_", "T_source_")) or function.name == "T_pvar_get_index":
            classes += ["MPI_T_ERR_INVALID_HANDLE", "MPI_T_ERR_INVALID_INDEX", "MPI_T_ERR_INVALID_NAME"]
        yield Case(text, value, *(owner or (classes, parameter.name)))
