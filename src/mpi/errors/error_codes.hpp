// mpi/errors/error_codes.hpp
// Error classes and codes: those of the standard, and those that the program adds.
//
// Layer    mpi/errors.
// Threads  any.
// Errors   a failure: MPI_ERR_ARG for what is no class, no code, or none that may be changed.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "mpi/support/failure.hpp"

namespace peal::mpi {

// A class is a code too, whose class is itself. Numbers are never given twice.
[[nodiscard]] int add_error_class();
[[nodiscard]] int add_error_code(int error_class);
/// Of a code that the program has added. Too long ones are cut, and later ones replace earlier
/// ones.
void add_error_string(int code, std::string_view text);

/// Fails while codes of the class, or its string, are left.
void remove_error_class(int error_class);
/// Fails for a class, and while its string is left.
void remove_error_code(int code);
/// Fails where there is none.
void remove_error_string(int code);

/// Fails for what is no code.
[[nodiscard]] int class_of_code(int code);
/// The name and the sentence of a class of the standard; what the program gave for its own codes,
/// or nothing.
[[nodiscard]] std::string text_of_code(int code);
/// For a handler that is called by the program itself. Any number may be a code here.
[[nodiscard]] failure failure_of_code(int code);
/// MPI_LASTUSEDCODE: no code above this was ever in use.
[[nodiscard]] int last_used_code() noexcept;

}  // namespace peal::mpi
