// peal/counter.hpp
// One number that a transport counts.
//
// Units    as its meaning says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace peal {

/// What was counted under one name.
struct counter {
  std::string name;               ///< such as "verbs.doorbells"
  std::uint64_t value = 0;        ///< since the environment began
  std::string_view meaning;       ///< what is counted, in a few words
  bool of_all_processes = false;  ///< counted by a port, which cannot tell its users apart
};

}  // namespace peal
