// comm/start/lane_count.hpp
// How many lanes a job has: what each rank would like, and what all of them then take.
//
// Layer    comm: may include base/.
// Threads  any.
// Errors   nothing throws.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"

namespace peal {

/// More cost memory and help only a program that keeps as many threads busy.
inline constexpr std::size_t most_lanes_by_itself = 4;

/// `threads`: several threads of this rank may call at a time. A helper thread serves one lane, and
/// so there is one.
[[nodiscard]] std::size_t lane_count_wanted(const job_settings&, bool threads);

/// Of what ranks told, "count|rest" each, nothing of a rank that died: takes the counts off, and
/// returns the smallest.
std::size_t take_lane_count(std::vector<std::optional<std::string>>& told);

}  // namespace peal
