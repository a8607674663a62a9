"""MPI's C interface by way of ctypes: calls of its functions, and objects of every kind that they are given."""
import ctypes

import declarations

# The last argument is peal's own: a sentence.
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_char_p)


class Library:
    def __init__(self, path, functions, constants):
        self.constants = constants
        self.told = []  # what the error handler was called with since `call`
        self.keeps = []  # memory that the library has the address of
        # First the one below it, which is found nowhere else before it is installed.
        ctypes.CDLL(str(path.with_name("libpeal.so.0")), ctypes.RTLD_GLOBAL)
        loaded = ctypes.CDLL(str(path))
        self.functions = {}
        for each in functions:
            function = getattr(loaded, "MPI_" + each.name)
            function.argtypes = [declarations.c_type_of(parameter) for parameter in each.parameters]
            function.restype = {"int": ctypes.c_int, "double": ctypes.c_double, "MPI_Aint": ctypes.c_int64}.get(each.result, ctypes.c_void_p)
            self.functions[each.name] = function
        self.handler = HANDLER(lambda owner, code, text: self.told.append((code[0], text.decode() if text else "")))
        self.nothing = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)

    def call(self, name, *arguments):
        self.told.clear()
        return self.functions[name](*arguments)

    def make(self, name, *arguments, kind=ctypes.c_void_p):
        """What the function tells through its last argument, or the one that is `...`."""
        place = kind()
        words = [ctypes.byref(place) if each is ... else each for each in (arguments if ... in arguments else (*arguments, ...))]
        code = self.call(name, *words)
        if code:
            raise RuntimeError(f"MPI_{name}{arguments} gives {code} {self.told}")
        return place.value

    def memory(self, size=8192):
        self.keeps.append(ctypes.create_string_buffer(size))
        return ctypes.addressof(self.keeps[-1])

    def numbers(self, *values, kind=ctypes.c_int):
        self.keeps.append((kind * 16)(*values, *[values[-1]] * (16 - len(values))))
        return ctypes.addressof(self.keeps[-1])

    def string(self, text):
        self.keeps.append(ctypes.create_string_buffer(text.encode()))
        return ctypes.addressof(self.keeps[-1])


class NoObjects:
    """Where MPI does not run: in the place of each object a constant."""

    def __init__(self, library):
        self.library, named = library, library.constants
        self.world = self.comm = self.buffered = self.cart = self.graph = self.neighbors = named["MPI_COMM_WORLD"]
        self.group, self.op, self.int = named["MPI_GROUP_EMPTY"], named["MPI_SUM"], named["MPI_INT"]
        self.type, self.errhandler = self.int, named["MPI_ERRORS_RETURN"]
        self.session_errhandler = self.file_errhandler = self.errhandler
        self.info, self.session, self.message = named["MPI_INFO_ENV"], named["MPI_SESSION_NULL"], named["MPI_MESSAGE_NO_PROC"]
        self.inactive = self.active = self.generalized = self.partitions = self.arrivals = named["MPI_REQUEST_NULL"]
        self.comm_keyval = self.type_keyval = named["MPI_TAG_UB"]
        self.errorclass, self.errorcode, self.cvar, self.pvar, self.pvar_session = 1, 1, 0, 0, 0
        self.cvar_name = library.string("name")
        self.function = ctypes.cast(library.nothing, ctypes.c_void_p).value


class Objects:
    """Of a process that has started MPI: by kind one that is right, and one that has been freed."""

    def __init__(self, library):
        self.library = lib = library
        named = library.constants
        handler = ctypes.cast(lib.handler, ctypes.c_void_p).value
        self.errhandler = lib.make("Comm_create_errhandler", handler)
        for comm in ("MPI_COMM_WORLD", "MPI_COMM_SELF"):
            lib.call("Comm_set_errhandler", named[comm], self.errhandler)
        self.world = named["MPI_COMM_WORLD"]
        zero, one = lib.numbers(0), lib.numbers(1)
        self.comm = lib.make("Comm_dup", self.world)
        self.buffered = lib.make("Comm_dup", self.world)
        lib.call("Comm_attach_buffer", self.buffered, lib.memory(), 4096)
        self.cart = lib.make("Cart_create", self.world, 1, one, zero, 0)
        self.graph = lib.make("Graph_create", self.world, 1, one, zero, 0)
        self.neighbors = lib.make("Dist_graph_create_adjacent", self.world, 1, zero, one, 1, zero, one, named["MPI_INFO_NULL"], 0)
        self.group = lib.make("Comm_group", self.world)
        self.int = named["MPI_INT"]
        self.type = self.committed(lib.make("Type_vector", 2, 1, 2, self.int))
        self.uncommitted = lib.make("Type_vector", 2, 1, 2, self.int)
        nothing = ctypes.cast(lib.nothing, ctypes.c_void_p).value
        self.function = nothing
        self.op = lib.make("Op_create", nothing, 1)
        self.info = lib.make("Info_create")
        lib.call("Info_set", self.info, lib.string("key"), lib.string("value"))
        self.session_errhandler = lib.make("Session_create_errhandler", handler)
        self.session = lib.make("Session_init", named["MPI_INFO_NULL"], self.session_errhandler)
        self.file_errhandler = lib.make("File_create_errhandler", handler)
        lib.call("File_set_errhandler", named["MPI_FILE_NULL"], self.file_errhandler)
        self.comm_keyval = lib.make("Comm_create_keyval", 0, 0, ..., 0, kind=ctypes.c_int)
        self.type_keyval = lib.make("Type_create_keyval", 0, 0, ..., 0, kind=ctypes.c_int)
        self.errorclass = lib.make("Add_error_class", kind=ctypes.c_int)
        self.errorcode = lib.make("Add_error_code", self.errorclass, kind=ctypes.c_int)
        self.inactive = lib.make("Recv_init", lib.memory(), 1, self.int, 0, 77, self.world)
        self.active = lib.make("Irecv", lib.memory(), 1, self.int, 0, 78, self.world)
        self.generalized = lib.make("Grequest_start", nothing, nothing, nothing, 0)
        self.partitions = lib.make("Psend_init", lib.memory(), 1, 1, self.int, 0, 79, self.world, named["MPI_INFO_NULL"])
        self.arrivals = lib.make("Precv_init", lib.memory(), 1, 1, self.int, 0, 79, self.world, named["MPI_INFO_NULL"])
        for each in (self.partitions, self.arrivals):
            lib.call("Start", ctypes.byref(ctypes.c_void_p(each)))
        self.message = self.probed()
        self.freed = self.make_freed()
        lib.call("T_init_thread", named["MPI_THREAD_SINGLE"], lib.memory())
        self.tools()

    def committed(self, datatype):
        self.library.call("Type_commit", ctypes.byref(ctypes.c_void_p(datatype)))
        return datatype

    def probed(self):
        """A message that a probe has taken out."""
        lib = self.library
        self.sent = lib.make("Isend", lib.memory(), 1, self.int, 0, 80, self.world)
        found = ctypes.c_int()
        while not found.value:
            message = lib.make("Improbe", 0, 80, self.world, ctypes.byref(found), ..., 0)
        return message

    def make_freed(self):
        lib, named = self.library, self.library.constants

        def gone(handle, function, *arguments):
            lib.call(function, ctypes.byref(ctypes.c_void_p(handle)), *arguments)
            return handle
        message = self.probed()
        return {
            "MPI_Comm": gone(lib.make("Comm_dup", self.world), "Comm_free"),
            "MPI_Group": gone(lib.make("Comm_group", self.world), "Group_free"),
            "MPI_Datatype": gone(self.committed(lib.make("Type_contiguous", 2, self.int)), "Type_free"),
            "MPI_Op": gone(lib.make("Op_create", self.function, 1), "Op_free"),
            "MPI_Request": gone(lib.make("Recv_init", lib.memory(), 1, self.int, 0, 77, self.world), "Request_free"),
            "MPI_Message": gone_message(lib, message, self.int),
            "MPI_Errhandler": gone(lib.make("Comm_create_errhandler", self.function), "Errhandler_free"),
            "MPI_Info": gone(lib.make("Info_create"), "Info_free"),
            "MPI_Session": gone(lib.make("Session_init", named["MPI_INFO_NULL"], self.session_errhandler), "Session_finalize"),
        }

    def tools(self):
        lib = self.library
        size, count = ctypes.c_int(200), ctypes.c_int()
        text = ctypes.create_string_buffer(200)
        lib.call("T_cvar_get_info", 0, text, ctypes.byref(size), *[0] * 7)
        self.cvar_name = lib.string(text.value.decode())
        self.cvar = lib.make("T_cvar_handle_alloc", 0, 0, ..., ctypes.byref(count))
        self.pvar_session = lib.make("T_pvar_session_create")
        self.pvar = lib.make("T_pvar_handle_alloc", self.pvar_session, 0, 0, ..., ctypes.byref(count))


def gone_message(lib, message, datatype):
    lib.call("Mrecv", lib.memory(), 1, datatype, ctypes.byref(ctypes.c_void_p(message)), 0)
    return message
