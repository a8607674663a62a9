// launcher/pealrun/engine/counterparts.hpp
// What another launcher calls what pealrun's users ask for.
//
// Layer    launcher.
// Threads  pure functions.
// Errors   throw stop with 2, and a line that says what has no counterpart.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace peal::launcher {

struct counterpart {
  std::string_view value;  // of pealrun's option
  std::string_view word;
};

/// `why` ends the sentence; may be empty.
[[noreturn]] void refuse_option(std::string_view launcher, const std::string& option,
                                const std::string& value, std::string_view why = {});

std::string counterpart_of(std::string_view launcher, const std::string& option,
                           const std::string& value, std::initializer_list<counterpart> table);

}  // namespace peal::launcher
