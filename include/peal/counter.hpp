// peal/counter.hpp
// One number that a transport counts.
//
// Units    as its meaning says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace peal {

struct counter {
  std::string name;  // "verbs.doorbells"
  std::uint64_t value = 0;
  std::string_view meaning;
  bool of_all_processes = false;  // counted by a port, which cannot tell its users apart
};

}  // namespace peal
