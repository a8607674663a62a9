// base/error_text.hpp
// What an error says without where it was thrown: for errors that leave the place in peal where
// they arose, and get the user's.
//
// Layer    base.
#pragma once

#include <exception>
#include <source_location>
#include <string>

#include "peal/error.hpp"

namespace peal {

/// what() without the place before it and the code's own words behind it.
std::string text_without_place(const error&);
/// For other processes, of any exception: the same, with the system's words behind a system's code.
std::string plain_text_of(const std::exception&);

/// The same error as if thrown at `where`.
error placed_at(const error&, const std::source_location& where);

}  // namespace peal
