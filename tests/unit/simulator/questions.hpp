// tests/unit/simulator/questions.hpp
// What the simulator is asked.
#pragma once

#include <string_view>

#include "collective/algorithms.hpp"
#include "simulator/forecast.hpp"

namespace peal::test {

inline simulator::question about(detail::collective kind, std::string_view name, int ranks,
                                 std::size_t bytes) {
  return {.how = find_algorithm(kind, name), .ranks = ranks, .bytes = bytes};
}

}  // namespace peal::test
