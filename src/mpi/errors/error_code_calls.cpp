// Error classes, codes and their strings.
#include "mpi/errors/error_codes.hpp"
#include "mpi/support/cut.hpp"
#include "mpi/support/failure.hpp"
#include "mpi/support/function.hpp"

using namespace peal::mpi;

PEAL_MPI_FUNCTION(int, Add_error_class, int* errorclass) {
  return run("MPI_Add_error_class", [&] {
    need_place(errorclass, "errorclass");
    *errorclass = add_error_class();
  });
}

PEAL_MPI_FUNCTION(int, Add_error_code, int errorclass, int* errorcode) {
  return run("MPI_Add_error_code", [&] {
    need_place(errorcode, "errorcode");
    *errorcode = add_error_code(errorclass);
  });
}

PEAL_MPI_FUNCTION(int, Add_error_string, int errorcode, const char* string) {
  return run("MPI_Add_error_string", [&] {
    need_place(string, "string");
    add_error_string(errorcode, string);
  });
}

PEAL_MPI_FUNCTION(int, Remove_error_class, int errorclass) {
  return run("MPI_Remove_error_class", [&] { remove_error_class(errorclass); });
}

PEAL_MPI_FUNCTION(int, Remove_error_code, int errorcode) {
  return run("MPI_Remove_error_code", [&] { remove_error_code(errorcode); });
}

PEAL_MPI_FUNCTION(int, Remove_error_string, int errorcode) {
  return run("MPI_Remove_error_string", [&] { remove_error_string(errorcode); });
}

PEAL_MPI_FUNCTION(int, Error_class, int errorcode, int* errorclass) {
  return run("MPI_Error_class", [&] {
    need_place(errorclass, "errorclass");
    *errorclass = class_of_code(errorcode);
  });
}

PEAL_MPI_FUNCTION(int, Error_string, int errorcode, char* string, int* resultlen) {
  return run("MPI_Error_string", [&] {
    const std::string text = text_of_code(errorcode);
    need_place(string, "string");
    need_place(resultlen, "resultlen");
    *resultlen = static_cast<int>(copy_cut(text, string, MPI_MAX_ERROR_STRING));
  });
}
