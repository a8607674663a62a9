// mpi/errors/class_texts.hpp
// A sentence for each error class of the standard.
//
// Layer    mpi/errors.
// Errors   none.
#pragma once

namespace peal::mpi {

/// Null: the standard has no such class.
[[nodiscard]] const char* text_of_class(int error_class) noexcept;

}  // namespace peal::mpi
